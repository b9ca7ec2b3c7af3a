import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { unescapeFormulas } from '../doors/read.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const list: readonly string[] = createRequire(import.meta.url)('big-list-of-naughty-strings');
/** What the list does not have: line ends, TABs, formulas, what srq itself writes, template braces. */
const MORE = [
  'a\nb',
  'c\r\nd',
  'a\rb',
  'a\tb',
  '=1+1',
  '+1',
  '-1',
  '@x',
  "'=1",
  "''",
  '{fullname}',
  '{{',
  '\u2028',
  '😀',
  'sep=;',
];
const STRINGS = [...new Set([...list, ...MORE].map((text) => text.trim()))].filter((text) => text !== '');
const TEXT_FIELDS = ['ref', 'fullname', 'location', 'request_text', 'category', 'extra'] as const;
const SENT_FIELDS = TEXT_FIELDS.filter((field) => field !== 'ref');
const FIXED = { country: 'PT', phone: '+351912345678', lang: 'pt' };
const header = [...Object.keys(FIXED), ...TEXT_FIELDS];
const rowOf = (text: string) => [...Object.values(FIXED), ...TEXT_FIELDS.map(() => text)];
const expectedParams = (text: string) => ({
  ...FIXED,
  ...Object.fromEntries(SENT_FIELDS.map((field) => [field, text])),
});

function expectAllArrived(sandbox: Sandbox): void {
  const byText = new Map(creates(sandbox).map(({ params, status }) => [params['request_text'], { params, status }]));
  for (const text of STRINGS) {
    const { params, status } = byText.get(text) ?? {};
    expect({ text, status, params }).toEqual({ text, status: 201, params: expectedParams(text) });
  }
  expect(byText.size).toBe(STRINGS.length);
}

/** The results file, read by another reader than srq's. */
function expectResults(desk: Desk, name: string): void {
  const options = { bom: true, delimiter: ';' };
  const [names = [], ...rows]: string[][] = parse(readFileSync(join(desk.work, name)), options);
  expect(names.slice(-5)).toEqual(['srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key']);
  const place = new Map(names.map((column, at) => [column, at]));
  expect(rows).toHaveLength(STRINGS.length);
  for (const [at, text] of STRINGS.entries()) {
    for (const field of TEXT_FIELDS) expect(unescapeFormulas(rows[at]?.[place.get(field) ?? -1] ?? '')).toBe(text);
    expect(rows[at]?.at(-5)).toBe('created');
    for (const cell of rows[at] ?? []) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  }
}

describe('every naughty string in every text field arrives as it was written, and comes back in the results', () => {
  test('there are more than enough naughty strings to try', () => expect(STRINGS.length).toBeGreaterThan(400));

  test('every naughty string arrives as it was written, from CSV of any dialect', async ({ partner, sandbox }) => {
    const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';');
    const file = partner.write('naughty.csv', [header, ...STRINGS.map(rowOf)].map(quoted).join('\r\n'));
    const results = 'naughty.results.csv';
    const flags = ['--map', 'extra=extra', '--rate', 'max', '--json'];
    const ended = await partner.call('bulk', file, ...flags);
    const odd = partner
      .read(results)
      .split('\r\n')
      .filter((line) => !line.includes('created'));
    expect({ code: ended.code, odd, ...documentOf(ended) }).toMatchObject({
      ...{ code: 0, rows: STRINGS.length, created: STRINGS.length },
    });
    expectAllArrived(sandbox);
    expectResults(partner, results);
    const again = await partner.call('bulk', results, ...flags, '--results', 'again.csv');
    expect(documentOf(again)).toMatchObject({ rows: STRINGS.length, created: 0, repeated: STRINGS.length });
  });

  test('every naughty string arrives as it was written, from flags', async ({ partner, sandbox }) => {
    // All of them in one request, as parameters of its own, and each flag with some of the worst.
    const fields = STRINGS.flatMap((text, at) => ['--field', `f${at}=${text}`]);
    const ended = await partner.call('create', '--country=PT', '--phone=+351912345678', '--request-text=x', ...fields);
    expect(ended.code).toBe(0);
    const [sent] = creates(sandbox);
    for (const [at, text] of STRINGS.entries()) expect(sent?.params[`f${at}`]).toBe(text);
    for (const text of STRINGS.filter((_, at) => at % 40 === 0)) {
      const flags = ['fullname', 'location', 'request-text', 'category'].map((flag) => `--${flag}=${text}`);
      const one = await partner.call(
        'create',
        '--country=PT',
        '--phone=+351912345678',
        ...flags,
        `--field=extra=${text}`,
      );
      expect([text, one.code]).toEqual([text, 0]);
      expect(creates(sandbox).at(-1)?.params).toEqual(expectedParams(text));
    }
  });
});
