import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { eventsIn, only } from '../helpers/events.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';

/** What is wrong with the last rows of the file, by their numbers. */
const WRONG = {
  5: 'country.unknown',
  6: 'request.rejected',
  7: 'answer.unproven',
  8: 'request.in-doubt',
} as const;

const countsOf = (reasons: Iterable<unknown>) => {
  const counts: Record<string, number> = {};
  for (const reason of reasons) if (typeof reason === 'string') counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
};

describe.concurrent('the reason of a row', () => {
  test('has one code in the summary, the events, the log, the report and the list of doubts', async ({
    partner,
    sandbox,
  }) => {
    // The sixth row has a language that the service does not take.
    const [header, ...leads] = leadsCsv(8).trim().split('\n');
    const rows = leads.map(
      (lead, at) => `${at === 4 ? lead.replace(',PT,', ',FR,') : lead},${at === 5 ? 'no idea' : 'pt'}`,
    );
    partner.write('leads.csv', [`${header},lang`, ...rows, ''].join('\n'));
    sandbox.setInstructions([
      { on: 'create', fault: 'html', match: { request_text: 'Pintar a sala 6' } },
      { on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 7' } },
    ]);
    const flags = ['--rate', 'max', '--concurrency', '1', '--no-validate', '--in-doubt', 'park'];
    const ended = await partner.call('bulk', 'leads.csv', ...flags, '--events', 'events', '--json');
    const document = documentOf(ended);
    expect(document).toMatchObject({ created: 4, invalid: 1, rejected: 1, unknown: 2 });
    expect(document['reasons']).toEqual(countsOf(Object.values(WRONG)));
    // Both kinds of rows are to be looked after.
    expect(document['advice']).toMatch(/^2 rows may have been taken: .* 2 rows were refused: /);

    const events = only(eventsIn(partner.read('events')), 'row');
    const told = Object.fromEntries(events.flatMap(({ row, reason }) => (reason === null ? [] : [[row, reason]])));
    expect(told).toEqual(WRONG);
    expect(eventsIn(partner.read('events')).at(-1)).toMatchObject({ summary: { reasons: document['reasons'] } });

    const { 5: _, ...sent } = WRONG;
    const logged = documentsOf(await partner.call('log', '--json'));
    expect(Object.fromEntries(logged.flatMap(({ row, reason }) => (reason === null ? [] : [[row, reason]])))).toEqual(
      sent,
    );
    for (const input of [[], ['--input', 'leads.csv']]) {
      const report = documentOf(await partner.call('report', '--output', `${input.length}.html`, ...input, '--json'));
      expect(report['reasons']).toEqual(countsOf(Object.values(input.length > 0 ? WRONG : sent)));
    }
    const doubts = documentOf(await partner.call('resolve', '--json'))['unknown'] as { row: number; reason: string }[];
    expect(doubts.map(({ row, reason }) => [row, reason])).toEqual([
      [7, 'answer.unproven'],
      [8, 'request.in-doubt'],
    ]);

    // A row that a person settles is told as what it is now, with words.
    await partner.call('resolve', '--all', '--not-created');
    const settled = documentsOf(await partner.call('log', '--status', 'failed', '--json'));
    expect(settled).toMatchObject([
      { row: 7, reason: 'request.not-taken', message: 'Not taken, as a person says; the next run sends it.' },
      { row: 8, reason: 'request.not-taken' },
    ]);
  });

  test('is counted over all files of an import', async ({ partner }) => {
    const [header, first = '', second = ''] = leadsCsv(2).split('\n');
    partner.write('a.csv', `${header}\n${first.replace(',PT,', ',FR,')}\n`);
    partner.write('b.csv', `${header}\n${second.replace(',PT,', ',FR,')}\n`);
    const ended = await partner.call('bulk', 'a.csv', 'b.csv', '--rate', 'max', '--json');
    expect(documentOf(ended)).toMatchObject({ invalid: 2, reasons: { 'country.unknown': 2 } });
  });

  test('is told of requests that are created one by one, and of those that were not tried', async ({
    partner,
    sandbox,
  }) => {
    const request = { country: 'PT', lang: 'pt', location: 'Lisboa', fullname: 'Rui Exemplo', phone: '+351912345678' };
    const file = (...more: object[]) =>
      partner.write('requests.json', JSON.stringify(more.map((each) => ({ ...request, ...each }))));
    const mixed = file({ request_text: 'Pintar a sala' }, { phone: '12', request_text: 'Pintar o quarto' });
    const reasons = async (...args: string[]) =>
      documentsOf(await partner.call('create', '--file', mixed, '--json', ...args)).map(({ reason }) => reason);
    expect(await reasons()).toEqual([null, 'phone.too-short']);
    // Of several findings the first one counts that makes it invalid.
    file({ lang: 'no idea', phone: '12' }, { phone: '12' });
    const [invalid = {}] = documentsOf(await partner.call('create', '--file', mixed, '--json'));
    const codes = (invalid['problems'] as { code: string; severity: string }[]).filter(
      ({ severity }) => severity === 'error',
    );
    expect([codes.length > 1, invalid['reason']]).toEqual([true, codes[0]?.code]);
    file({ request_text: 'Pintar a porta' }, { request_text: 'Pintar a janela' });
    sandbox.setInstructions([{ on: 'token', fault: '500', times: 20 }]);
    partner.env['SRQ_STATE_DIR'] = partner.folder;
    expect(await reasons()).toEqual(['request.not-sent', 'request.not-tried']);
  });
});
