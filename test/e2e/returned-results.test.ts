import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { csvRecordText } from '../doors/read.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

type Record_ = Record<string, string>;
const FLAGS = ['--rate', 'max', '--json'];
const importIt = async (desk: Desk, ...args: string[]) => documentOf(await desk.call('bulk', ...args, ...FLAGS));
const recordsOf = (desk: Desk, name: string): Record_[] =>
  parse(readFileSync(join(desk.work, name)), { bom: true, columns: true, relax_column_count: true });

/** Writes records as a person saves them. */
function save(desk: Desk, name: string, records: readonly Record_[]): string {
  const columns = Object.keys(records[0] ?? {});
  const rows = [columns, ...records.map((record) => columns.map((column) => record[column] ?? ''))];
  return desk.write(name, rows.map((cells) => csvRecordText(cells, ',')).join(''));
}

/** Changes the line of this reference. */
const withRow = (lines: string, ref: string, change: (line: string) => string) =>
  lines.replace(new RegExp(`^${ref},.*$`, 'm'), change);

describe.concurrent('a row of a results file that comes back', () => {
  test('a returned row that says it was taken is never sent, except with --again', async ({ partner, sandbox }) => {
    await importIt(partner, partner.write('leads.csv', leadsCsv(4)));
    const written = recordsOf(partner, 'leads.results.csv');
    const said = ['created', ' Created ', 'DUPLICATE', 'repeated'];
    const changed = written.map((record, at) => ({
      ...record,
      phone: '3,51912E+11',
      fullname: `Somebody else ${at}`,
      srq_status: said[at] ?? '',
      srq_message: `as it was ${at}`,
    }));
    const file = save(partner, 'changed.csv', changed);
    expect(await importIt(partner, file)).toMatchObject({ rows: 4, repeated: 3, duplicate: 1, created: 0, invalid: 0 });
    const after = recordsOf(partner, 'changed.results.csv');
    expect(after.map(({ srq_status, srq_id, srq_message }) => [srq_status, srq_id, srq_message])).toEqual(
      written.map(({ srq_id }, at) => [
        said[at]?.trim().toLowerCase(),
        srq_id,
        expect.stringMatching(/^Its cells differ from what was sent/),
      ]),
    );
    expect(await statsOf(sandbox)).toMatchObject({ created: 4 });
    const mended = changed.map((record) => ({ ...record, phone: '+351912345678' }));
    expect(await importIt(partner, save(partner, 'mended.csv', mended), '--again')).toMatchObject({ created: 4 });
  });

  test('a returned row keeps a 20-digit identifier that a spreadsheet has rounded', async ({ partner }) => {
    await importIt(partner, partner.write('leads.csv', leadsCsv(3)));
    const written = recordsOf(partner, 'leads.results.csv');
    for (const { srq_id = '' } of written) expect(srq_id).toMatch(/^\d{16,}$/);
    const rounded = written.map((record, at) => {
      const id = record['srq_id'] ?? '';
      const shown = Number(id).toExponential(5).replace('.', ',').toUpperCase();
      return {
        ...record,
        fullname: 'Somebody else',
        srq_id: at === 0 ? `${id.slice(0, 15)}${'0'.repeat(id.length - 15)}` : shown,
      };
    });
    await importIt(partner, save(partner, 'rounded.csv', rounded));
    const after = recordsOf(partner, 'rounded.results.csv');
    expect(after.map(({ srq_id }) => srq_id)).toEqual(written.map(({ srq_id }) => srq_id));
  });

  test('a returned row whose outcome is unknown is never sent as another request', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 1' } }]);
    await importIt(partner, partner.write('leads.csv', leadsCsv(3)), '--in-doubt', 'park');
    const written = recordsOf(partner, 'leads.results.csv');
    expect(written.map(({ srq_status }) => srq_status)).toEqual(['created', 'unknown', 'created']);
    // Its content is as it was: the log knows it.
    expect(await importIt(partner, 'leads.results.csv', '--in-doubt', 'park')).toMatchObject({
      unknown: 1,
      repeated: 2,
    });
    // Its content is another: it stays in doubt, also a second time, also with a content that cannot be sent.
    let now: Record_[] = written.map((record) => ({ ...record, fullname: 'Somebody else' }));
    for (const phone of ['+351912345678', 'none', '+351912345678']) {
      now = now.map((record) => ({ ...record, phone }));
      const ended = await partner.call('bulk', save(partner, 'changed.csv', now), ...FLAGS, '--in-doubt', 'park');
      expect(ended.code).toBe(7);
      expect(documentOf(ended)).toMatchObject({ rows: 3, unknown: 1, repeated: 2, created: 0, invalid: 0 });
      expect(documentOf(ended)['next']).toBe('srq resolve');
      now = recordsOf(partner, 'changed.results.csv');
      expect(now[1]?.['srq_message']).toContain('before its cells were changed');
    }
    expect(await statsOf(sandbox)).toMatchObject({ created: 3, doubled: 0 });
    // Emptying its status is a person's word.
    const freed = now.map((record, at) => (at === 1 ? { ...record, srq_status: '' } : record));
    expect(await importIt(partner, save(partner, 'freed.csv', freed))).toMatchObject({ created: 1, repeated: 2 });
  });
});

test('a date that a person has corrected in a refused row is not put back', async ({ partner, sandbox }) => {
  const header = 'ref,country,lang,fullname,email,phone,location,request_text,day';
  const at = (ref: string, lang: string) => `${ref},PT,${lang},Ana Exemplo,${ref}@example.com,,Lisboa,Obras,03/04/2026`;
  partner.write('leads.csv', `${header}\n${at('A', 'pt')}\n${at('B', '??')}\n`);
  const map = ['--map', 'day=day'];
  expect(await importIt(partner, 'leads.csv', ...map)).toMatchObject({ created: 1, rejected: 1 });
  const corrected = recordsOf(partner, 'leads.results.csv').map((record, row) =>
    row === 1 ? { ...record, day: '04/03/2026' } : record,
  );
  // The language is still refused; what is sent has the date of the person.
  expect(await importIt(partner, save(partner, 'b.csv', corrected), ...map)).toMatchObject({
    rejected: 1,
    repeated: 1,
  });
  expect(sandbox.requests().at(-1)).toMatchObject({ operation: 'validate', params: { day: '04/03/2026' } });
});

describe.concurrent('results that a person has changed', () => {
  test('results of the sandbox are never those of a service, even if changed', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(2));
    await importIt(partner, leads);
    const live = partner.read('leads.results.csv');
    const results = join(partner.work, 'leads.sandbox.results.csv');
    expect((await importIt(partner, leads, '--sandbox'))['results']).toBe(results);
    const over = await partner.call('bulk', leads, '--sandbox', '--results', 'leads.results.csv', ...FLAGS);
    expect(over.code).toBe(2);
    expect(partner.read('leads.results.csv')).toBe(live);
    const taken = await partner.call('bulk', results, ...FLAGS);
    expect(taken.code).toBe(2);
    expect(documentOf(taken)).toMatchObject({ error: { message: expect.stringContaining('results of the sandbox') } });
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('changed results of a rehearsal, rehearsed again, raise no alarm', async ({ partner }) => {
    await importIt(partner, partner.write('leads.csv', leadsCsv(2)), '--sandbox');
    const again = await importIt(partner, join(partner.work, 'leads.sandbox.results.csv'), '--sandbox');
    expect(again).toMatchObject({ repeated: 2, created: 0, advice: null });
    const shown = await partner.call('bulk', 'leads.sandbox.results.csv', '--sandbox', '--yes');
    expect([shown.code, shown.stderr]).toEqual([0, expect.not.stringContaining('this log does not have them')]);
  });

  test('changed results of another log are not sent, and srq says so', async ({ partner, sandbox }) => {
    await importIt(partner, partner.write('leads.csv', leadsCsv(2)));
    const ended = await partner.call('bulk', 'leads.results.csv', ...FLAGS, '--log', 'other.ndjson');
    const told = '2 rows not sent: srq_status says taken, but this log does not have that';
    expect(documentOf(ended)).toMatchObject({ repeated: 2, created: 0, advice: expect.stringContaining(told) });
    const shown = await partner.call('bulk', 'leads.results.csv', '--yes', '--log', 'third.ndjson');
    expect(shown.stdout).toContain(`To do: ${told}`);
    expect(shown.stdout).not.toContain('delivered');
    expect(ended.stderr).toContain('The srq_status of some rows (2) says that they were taken');
    expect(ended.stderr).not.toContain('Its cells differ from what was sent');
    expect(creates(sandbox)).toHaveLength(2);
  });
});

describe.concurrent('the results of a run', () => {
  test('results of a part of the file hold the other rows as they were', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(6));
    const statuses = () => recordsOf(partner, 'leads.results.csv').map(({ srq_status }) => srq_status);
    expect(await importIt(partner, leads, '--skip', '1', '--limit', '2')).toMatchObject({ rows: 2, created: 2 });
    expect(statuses()).toEqual(['', 'created', 'created', '', '', '']);
    expect(await importIt(partner, 'leads.results.csv', '--skip', '3')).toMatchObject({ rows: 3, created: 3 });
    expect(statuses()).toEqual(['', 'created', 'created', 'created', 'created', 'created']);
    expect(recordsOf(partner, 'leads.results.csv').map(({ ref }) => ref)).toEqual(
      Array.from({ length: 6 }, (_, at) => `L-${at}`),
    );
    const [first] = recordsOf(partner, 'leads.results.csv');
    expect(first).toMatchObject({ srq_row: '1', srq_id: '' });
  });

  test('results of a part of the file hold the other rows as the log knows them', async ({ partner, sandbox }) => {
    // The first row has another key than what is written in it; the language of the third is refused.
    const text = leadsCsv(6)
      .replace('+351912345678', '+351 (0)912345678')
      .replace(/^ref/, 'lang,ref')
      .replaceAll(/^L-(\d)/gm, (row, at) => `${at === '2' ? '??' : 'pt'},${row}`);
    const leads = partner.write('leads.csv', text);
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 1' } }]);
    const flags = ['--in-doubt', 'park'];
    expect(await importIt(partner, leads, '--limit', '3', ...flags)).toMatchObject({
      ...{ created: 1, unknown: 1, rejected: 1 },
    });
    const first = recordsOf(partner, 'leads.results.csv').slice(0, 3);
    await importIt(partner, leads, '--skip', '4', '--limit', '1', ...flags);
    const after = recordsOf(partner, 'leads.results.csv');
    expect(after.map(({ srq_status }) => srq_status)).toEqual(['created', 'unknown', 'rejected', '', 'created', '']);
    expect(after.slice(0, 3)).toEqual(first);
    // A results file of before, of which the log knows more by now.
    expect(await partner.run('resolve', '--ref', 'L-1', '--created', '77')).toMatchObject({ code: 0 });
    await importIt(partner, 'leads.results.csv', '--skip', '5', ...flags);
    expect(recordsOf(partner, 'leads.results.csv').map(({ srq_status }) => srq_status)).toEqual([
      ...['created', 'created', 'rejected', '', 'created', 'created'],
    ]);
  });

  test('results of a part of a file that cannot be read to its end are written', async ({ partner }) => {
    const leads = partner.write('leads.csv', `${leadsCsv(3000)}L-9,PT,"never closed\n`);
    const ended = await partner.call('bulk', leads, '--limit', '2', ...FLAGS);
    expect(documentOf(ended)).toMatchObject({ rows: 2, created: 2 });
    expect(ended.stderr).toContain('The results file ends where the input cannot be read');
    expect(recordsOf(partner, 'leads.results.csv').slice(0, 2)).toMatchObject([
      { srq_status: 'created' },
      { srq_status: 'created' },
    ]);
  });

  test('results of a dry run hold the verdict on each row', async ({ partner, sandbox }) => {
    const leads = partner.write(
      'leads.csv',
      withRow(`${leadsCsv(3)}${leadsCsv(1).split('\n')[1]}\n`, 'L-2', (line) => line.replace('PT', 'XX')),
    );
    await importIt(partner, leads, '--limit', '1', '--results', 'first.csv');
    const ended = await importIt(partner, leads, '--dry-run', '--results', 'verdicts.csv');
    expect(ended).toMatchObject({ ready: 1, invalid: 1, repeated: 2, results: 'verdicts.csv' });
    const verdicts = recordsOf(partner, 'verdicts.csv');
    expect(verdicts.map(({ srq_status }) => srq_status)).toEqual(['repeated', 'ready', 'invalid', 'repeated']);
    expect(verdicts[2]?.['srq_message']).toContain('not one of the markets');
    expect(await importIt(partner, leads, '--dry-run')).toMatchObject({ results: null });
    expect(existsSync(join(partner.work, 'leads.results.csv'))).toBe(false);
    expect(creates(sandbox)).toHaveLength(1);
  });
});
