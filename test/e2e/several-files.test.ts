import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { eventsIn, only } from '../helpers/events.ts';
import { readTable } from '../helpers/read-table.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { createdAtLeast, setLatency, statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const HEADER = 'ref,country,fullname,email,phone,location,request_text';

const lead = (name: string) => `${name},PT,Ana Exemplo,ana@example.com,+351912345678,Lisboa,Pintar a sala ${name}`;
/** A file with these leads; the name of each is in its text, so that two leads of one name are one request. */
const csvOf = (...names: readonly string[]) => [HEADER, ...names.map(lead), ''].join('\n');
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

/** The same leads as another system writes them: German headers, semicolons. */
const germanCsv = (...names: readonly string[]) =>
  [
    'Telefon;Name;E-Mail;Ort;Land;Anfrage',
    ...names.map((name) => `+4915112345678;Eva Beispiel;eva@example.com;Berlin;DE;Bad fliesen ${name}`),
    '',
  ].join('\n');

const PACE = ['--rate', 'max', '--in-doubt', 'park', '--json'];
const bulk = (desk: Desk, ...args: readonly string[]) => desk.call('bulk', ...args, ...PACE);

/** What a results file says of a lead: its status and its message. */
async function outcome(desk: Desk, results: string, name: string): Promise<{ status: string; message: string }> {
  const { table, cells } = await readTable(join(desk.work, results));
  const row = cells.find(([ref]) => ref === name) ?? [];
  const cell = (column: string) => row[table.columns.indexOf(column)] ?? '';
  return { status: cell('srq_status'), message: cell('srq_message') };
}

function filesOf(ended: Ended): Record<string, unknown>[] {
  return documentOf(ended)['files'] as Record<string, unknown>[];
}

/** Runs a line that srq printed, as a user pastes it into a shell. */
function pasted(desk: Desk, line: unknown): Promise<Ended> {
  const bin = join(desk.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'srq');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${inject('srqProgram')}' "$@"\n`);
  chmodSync(program, 0o755);
  return desk.start([], { under: ['sh', '-c', String(line)], env: { PATH: `${bin}:${process.env['PATH']}` } }).ended;
}

describe.concurrent('several files', () => {
  test('are mapped each by itself, and end in one document whose counts are the sums of the files', async ({
    partner,
    sandbox,
  }) => {
    partner.write('a.csv', csvOf('A1', 'A2'));
    partner.write('b.csv', germanCsv('B1', 'B2', 'B3'));
    partner.write('c.csv', `${csvOf('C1')}C2,PT,Ana,,,,\n`);
    const ended = await bulk(partner, 'a.csv', 'b.csv', 'c.csv');
    expect(ended.code).toBe(3);
    const document = documentOf(ended);
    expect(document).toMatchObject({ rows: 7, created: 6, invalid: 1, results: null, stopped: null });
    const files = filesOf(ended);
    expect(files).toMatchObject([
      { file: 'a.csv', rows: 2, created: 2, results: 'a.results.csv' },
      { file: 'b.csv', rows: 3, created: 3, results: 'b.results.csv' },
      { file: 'c.csv', rows: 2, created: 1, invalid: 1, results: 'c.results.csv' },
    ]);
    for (const count of ['rows', 'created', 'duplicate', 'repeated', 'invalid', 'rejected', 'failed', 'unknown'])
      expect([count, files.reduce((sum, file) => sum + Number(file[count]), 0)]).toEqual([count, document[count]]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 6, doubled: 0 });
    expect(partner.read('b.results.csv')).toMatch(/Bad fliesen B3;created;/);
    // Only the file with a refused row is the next input.
    expect(document['next']).toBe('srq bulk c.results.csv --rate max --in-doubt park --json');
    expect(document['advice']).toContain('c.results.csv');
  });

  test('do not call a lead created whose first copy is refused; the next run may send it again', async ({
    partner,
    sandbox,
  }) => {
    // The service does not know the language of this lead.
    const strange = `${lead('X')},no idea`;
    partner.write('a.csv', `${HEADER},lang\n${lead('A1')},pt\n${strange}\n`);
    partner.write('b.csv', `${HEADER},lang\n${strange}\n${lead('B1')},pt\n`);
    const ended = await bulk(partner, 'a.csv', 'b.csv');
    expect([ended.code, filesOf(ended)]).toMatchObject([
      3,
      [
        { created: 1, rejected: 1 },
        { created: 1, repeated: 1 },
      ],
    ]);
    expect(await outcome(partner, 'b.results.csv', 'X')).toEqual({
      status: 'repeated',
      message: 'It has the same content as row 2 of a.csv.',
    });
    expect(documentOf(await bulk(partner, 'b.csv'))).toMatchObject({ rejected: 1, repeated: 1 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 2, doubled: 0 });
  });

  test('do not call a lead created whose first copy is in doubt, nor send it later', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala X' } }]);
    partner.write('a.csv', csvOf('A1', 'A2', 'A3', 'X'));
    partner.write('b.csv', csvOf('X', 'B1'));
    const ended = await bulk(partner, 'a.csv', 'b.csv');
    expect([ended.code, filesOf(ended)]).toMatchObject([
      7,
      [
        { created: 3, unknown: 1 },
        { created: 1, repeated: 1 },
      ],
    ]);
    expect(await outcome(partner, 'b.results.csv', 'X')).toEqual({
      status: 'repeated',
      message: 'It has the same content as row 4 of a.csv.',
    });
    const alone = await bulk(partner, 'b.csv');
    expect([alone.code, documentOf(alone)]).toMatchObject([7, { created: 0, repeated: 1, unknown: 1 }]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 5, distinct: 5, doubled: 0 });
  });

  test('do not call a lead taken whose first copy was never tried', async ({ partner, sandbox }) => {
    partner.write('a.csv', csvOf('X', 'A1'));
    partner.write('b.csv', csvOf('B1', 'X'));
    await sandbox.close();
    const ended = await bulk(partner, 'a.csv', 'b.csv');
    expect(ended.code).toBe(5);
    expect(filesOf(ended)).toMatchObject([{ failed: 2 }, { failed: 1, repeated: 1 }]);
    expect((await outcome(partner, 'b.results.csv', 'X')).message).toBe('It has the same content as row 1 of a.csv.');
    expect((await outcome(partner, 'b.results.csv', 'B1')).message).toMatch(/^Not tried: .* The next run sends it\./);
    expect(documentOf(ended)['next']).toBe(`srq bulk a.csv b.csv ${PACE.join(' ')}`);
  });

  test('count what an earlier run left unknown once, and settle it once', async ({ partner, sandbox }) => {
    sandbox.setInstructions([
      { on: 'create', fault: 'reset-before', times: 1, match: { request_text: 'Pintar a sala X' } },
    ]);
    partner.write('a.csv', csvOf(...named('A', 13), 'X'));
    partner.write('b.csv', csvOf('X', 'B1'));
    expect((await bulk(partner, 'a.csv')).code).toBe(7);
    const ended = await partner.call('bulk', 'a.csv', 'b.csv', '--rate', 'max', '--settle', '1', '--json');
    expect([ended.code, filesOf(ended)]).toMatchObject([
      0,
      [
        { created: 1, repeated: 13 },
        { created: 1, repeated: 1 },
      ],
    ]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 15, distinct: 15, doubled: 0 });
  });
});

describe.concurrent('several files are refused as a whole', () => {
  test('if columns of some are to be decided, with the name of each and a command that works', async ({
    partner,
    sandbox,
  }) => {
    partner.write('a.csv', csvOf('A1'));
    partner.write('b.csv', csvOf('B1', 'B2', 'B3').replace('phone', 'Rufwert'));
    const ended = await bulk(partner, 'a.csv', 'b.csv');
    expect(ended.code).toBe(2);
    const { message, hint } = documentOf(ended)['error'] as Record<string, string>;
    expect(message).toMatch(/nobody can be asked about .*: b\.csv: "Rufwert"/);
    expect(sandbox.requests()).toEqual([]);
    const [command] = /srq bulk [^\n]*/.exec(hint ?? '') ?? [];
    expect((await pasted(partner, command)).code).toBe(0);
    const all = await bulk(partner, 'a.csv', 'b.csv', '--accept-likely');
    expect([all.code, (await statsOf(sandbox)).created]).toEqual([0, 4]);
  });
});

describe.concurrent('the results of several files', () => {
  test('lie beside each, and are left out where a pattern names them as well', async ({ partner, sandbox }) => {
    partner.write('a.csv', csvOf('A1').replace(',PT,', ',XX,'));
    partner.write('b.csv', csvOf('B1'));
    const first = await bulk(partner, 'a.csv', 'b.csv');
    expect(first.code).toBe(3);
    partner.write('b.export.csv', 'reference,status\nB1,created\n');
    const all = ['a.csv', 'a.results.csv', 'b.csv', 'b.export.csv', 'b.results.csv'];
    const again = await bulk(partner, ...all);
    expect(again.stderr).toContain(
      'Left out: a.results.csv (made of a.csv), b.export.csv (made of b.csv), b.results.csv (made of b.csv).',
    );
    expect(documentOf(again)).toMatchObject({ rows: 2, invalid: 1, repeated: 1 });
    // The next command names the results once, though the pattern has named them too.
    expect(documentOf(again)['next']).toBe(`srq bulk a.results.csv ${PACE.join(' ')}`);
    expect((await pasted(partner, documentOf(again)['next'])).code).toBe(3);
    expect(await statsOf(sandbox)).toMatchObject({ created: 1 });
  });

  test('do not replace each other where two files differ in their ending alone', async ({ partner }) => {
    partner.write('a.csv', csvOf('A1'));
    partner.write('a.tsv', csvOf('T1').replaceAll(',', '\t'));
    for (const run of [1, 2]) {
      const ended = await bulk(partner, 'a.csv', 'a.tsv');
      expect([run, filesOf(ended).map(({ results }) => results)]).toEqual([run, ['a.results.csv', 'a.results-2.csv']]);
      expect(partner.read('a.results.csv')).toContain('Pintar a sala A1');
      expect(partner.read('a.results-2.csv')).toContain('Pintar a sala T1');
    }
  });

  test('do not replace another input', async ({ partner }) => {
    partner.write('a.csv', csvOf('A1').replace(',PT,', ',XX,'));
    await bulk(partner, 'a.csv');
    // By its whole path it is not taken for what a pattern names.
    const results = join(partner.work, 'a.results.csv');
    const before = partner.read('a.results.csv');
    partner.write('a.csv', csvOf('A2'));
    const ended = await bulk(partner, 'a.csv', results);
    expect(filesOf(ended).map((file) => file['results'])).toEqual(['a.results-2.csv', results]);
    expect(partner.read('a.results.csv')).toBe(before);
  });

  test('do not replace another input that is named by a link', async ({ partner, sandbox }) => {
    partner.write('a.csv', csvOf('A1'));
    await bulk(partner, 'a.csv');
    symlinkSync('a.results.csv', join(partner.work, 'z.csv'));
    const before = partner.read('a.results.csv');
    partner.write('a.csv', csvOf('A1', 'A2'));
    const ended = await bulk(partner, 'a.csv', 'z.csv');
    expect([ended.code, documentOf(ended)]).toMatchObject([0, { created: 1, repeated: 2, stopped: null }]);
    expect(filesOf(ended).map(({ results }) => results)).toEqual(['a.results-2.csv', 'z.results.csv']);
    expect(partner.read('a.results.csv')).toBe(before);
    expect(await statsOf(sandbox)).toMatchObject({ created: 2 });
  });

  test('that hold corrections are left out beside their input, and it is said how they are sent', async ({
    partner,
  }) => {
    partner.write('a.csv', csvOf('A1').replace(',PT,', ',XX,'));
    partner.write('b.csv', csvOf('B1'));
    await bulk(partner, 'a.csv', 'b.csv');
    partner.write('a.results.csv', partner.read('a.results.csv').replace(',XX,', ',PT,'));
    const all = ['a.csv', 'a.results.csv', 'b.csv', 'b.results.csv'];
    const ended = await partner.run('bulk', ...all, '--rate', 'max', '--set', 'lang=pt');
    expect(ended.stderr).toContain('Left out: b.results.csv (made of b.csv).\n');
    const command = 'srq bulk a.results.csv --rate max --set lang=pt';
    expect(ended.stderr).toContain(
      `Left out: a.results.csv (made of a.csv), although it was changed since: it may contain corrections. To send them: ${command}\n`,
    );
    expect(ended.stdout).toContain('1  invalid');
    const sent = await pasted(partner, command);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining('1  created')]);
  });
});

describe.concurrent('a run of several files that ends early', () => {
  test.for([['SIGINT', 130]] as const)(
    'by %s writes all results, and the next command goes on',
    async ([signal, code], { desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 300 });
      desk.use(sandbox);
      desk.write('a.csv', csvOf(...named('A', 6)));
      desk.write('b.csv', csvOf(...named('B', 40)));
      desk.write('c.csv', csvOf(...named('C', 5), 'A1'));
      const running = desk.start(['bulk', 'a.csv', 'b.csv', 'c.csv', '--concurrency', '4', ...PACE]);
      // It is in the second file by now.
      await createdAtLeast(sandbox, 12, running);
      running.process.kill(signal);
      await setLatency(sandbox, 0);
      const ended = await running.ended;
      expect(ended.code).toBe(code);
      const document = documentOf(ended);
      expect(document).toMatchObject({ rows: 52, stopped: { message: 'Interrupted.' }, unknown: 0, repeated: 1 });
      const [a, b, c] = filesOf(ended);
      expect([a, c]).toMatchObject([{ created: 6 }, { created: 0, failed: 5, repeated: 1 }]);
      expect(Number(b?.['created']) + Number(b?.['failed'])).toBe(40);
      for (const [name, rows] of [
        ['a', 6],
        ['b', 40],
        ['c', 6],
      ])
        expect(desk.read(`${name}.results.csv`).trim().split('\r\n')).toHaveLength(Number(rows) + 1);
      const second = await pasted(desk, document['next']);
      expect([second.code, documentOf(second)]).toMatchObject([0, { created: document['failed'], unknown: 0 }]);
      expect(await statsOf(sandbox)).toMatchObject({ created: 51, distinct: 51, doubled: 0 });
    },
  );

  test('by a kill in the second file sends nothing twice, and the report does not say that it ended', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    desk.write('a.csv', csvOf(...named('A', 6)));
    desk.write('b.csv', csvOf(...named('B', 40)));
    const running = desk.start(['bulk', 'a.csv', 'b.csv', '--concurrency', '4', ...PACE]);
    await createdAtLeast(sandbox, 12, running);
    running.process.kill('SIGKILL');
    await setLatency(sandbox, 0);
    expect((await running.ended).signal).toBe('SIGKILL');
    const report = documentOf(await desk.call('report', '--output', 'run.html', '--json'));
    // Had the run ended, what it did not send would be failed.
    expect(report).toMatchObject({ rows: 46, failed: 0 });
    expect(Number(report['ready'])).toBeGreaterThan(0);
    const again = await bulk(desk, 'a.csv', 'b.csv');
    expect([0, 7]).toContain(again.code);
    const { created, repeated, unknown } = documentOf(again);
    expect(Number(created) + Number(repeated) + Number(unknown)).toBe(46);
    expect(filesOf(again)[0]).toMatchObject({ created: 0, repeated: 6 });
    expect(await statsOf(sandbox)).toMatchObject({ doubled: 0 });
  });

  test('by a file that is gone when its turn comes: the others have their results, and all is counted', async ({
    desk,
    openSandbox,
  }) => {
    const sandbox = await openSandbox({ latencyMs: 300 });
    desk.use(sandbox);
    desk.write('a.csv', csvOf(...named('A', 6)));
    desk.write('b.csv', csvOf(...named('B', 4)));
    desk.write('c.csv', csvOf(...named('C', 2)));
    const running = desk.start(['bulk', 'a.csv', 'b.csv', 'c.csv', ...PACE]);
    await createdAtLeast(sandbox, 2, running);
    renameSync(join(desk.work, 'b.csv'), join(desk.work, 'kept.csv'));
    await setLatency(sandbox, 0);
    const ended = await running.ended;
    expect([ended.code, documentOf(ended)]).toMatchObject([6, { created: 6, failed: 6 }]);
    expect(documentOf(ended)['stopped']).toMatchObject({ message: expect.stringMatching(/There is no file .*b\.csv/) });
    expect(filesOf(ended).map(({ results }) => results)).toEqual(['a.results.csv', null, 'c.results.csv']);
    expect(await outcome(desk, 'a.results.csv', 'A6')).toMatchObject({ status: 'created' });
    expect(await outcome(desk, 'c.results.csv', 'C1')).toMatchObject({ status: 'failed' });
    renameSync(join(desk.work, 'kept.csv'), join(desk.work, 'b.csv'));
    const second = await pasted(desk, documentOf(ended)['next']);
    expect([second.code, documentOf(second)]).toMatchObject([0, { created: 6, repeated: 6 }]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 12, doubled: 0 });
  });

  test('by doubts of several files together: the breaker counts on from file to file', async ({ partner, sandbox }) => {
    const doubtful = (name: string) =>
      ({ on: 'create', fault: 'reset-after', match: { request_text: `Pintar a sala ${name}` } }) as const;
    const names = ['A', 'B', 'C'].flatMap((file) => named(file, 5));
    // Two in each file, never three in a row, nor five of one file.
    sandbox.setInstructions(names.filter((name) => /[45]$/.test(name)).map(doubtful));
    for (const file of ['A', 'B', 'C']) partner.write(`${file}.csv`, csvOf(...named(file, 5)));
    const ended = await bulk(partner, 'A.csv', 'B.csv', 'C.csv', '--concurrency', '1', '--events', 'events');
    expect(ended.code).toBe(7);
    expect(partner.read('../state/default.ndjson.runs')).toContain('"breaker"');
    const events = eventsIn(partner.read('events'));
    expect(only(events, 'pause')[0]?.seconds).toBeGreaterThan(0);
    const doubts = only(events, 'row').filter(({ status }) => status === 'unknown');
    expect(new Set(doubts.map(({ file, row }) => `${file} ${row}`)).size).toBe(6);
  });

  test.for([
    ['3', 6],
    ['30%', 6],
    ['5', 3],
    ['50%', 3],
  ] as const)('by --max-errors %s, which counts the rows of all files', async ([most, code], { partner, sandbox }) => {
    const bad = (name: string) => lead(name).replace(',PT,', ',XX,');
    partner.write('a.csv', `${csvOf('A1', 'A2', 'A3')}${bad('A4')}\n`);
    partner.write('b.csv', `${csvOf('B1', 'B2')}${bad('B3')}\n${bad('B4')}\n`);
    partner.write('c.csv', csvOf('C1', 'C2'));
    const ended = await bulk(partner, 'a.csv', 'b.csv', 'c.csv', '--max-errors', most);
    expect(ended.code).toBe(code);
    expect(documentOf(ended)).toMatchObject({ invalid: 3, created: code === 6 ? 0 : 7, failed: code === 6 ? 7 : 0 });
    if (code === 6) expect(creates(sandbox)).toEqual([]);
  });
});
