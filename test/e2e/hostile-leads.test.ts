import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

/** Texts that were made to stop whoever searches for them, each with a word that may not be seen. */
const HOSTILE: Readonly<Record<string, string>> = {
  'b\\b…': `zumbido ${'b\\b'.repeat(20_000)}`,
  'b and backspace': `zumbido ${'b\b'.repeat(20_000)}`,
  'b and some backspaces': `zumbido b${'\\b'.repeat(80)} gaiola`,
  'b and many backspaces': `zumbido b${'\\b'.repeat(20_000)}`,
  'accented letters without a blank': `zumbido ${'ã'.repeat(10_000)}`,
  'letters without a blank': 'zumbido'.repeat(1500),
  'the same letter': `zumbido ${'a'.repeat(30_000)}`,
  blanks: `zumbido${' '.repeat(10_000)}gaiola xilofone`,
  'escapes of escapes': `zumbido ${'\\u005c'.repeat(5000)} ${'%25'.repeat(5000)}`,
  'more than is compared': 'zumbido estranho na gaiola '.repeat(3000),
};
const FORMS: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ message: `Cannot take "${text}"` }),
  (text) => JSON.stringify({ errors: { request_text: [encodeURIComponent(text)] } }),
  (text) => `Cannot take ${text}`,
  (text) => JSON.stringify({ message: `Cannot take ${text.slice(0, -10)}…` }),
  (text) => JSON.stringify({ detail: Buffer.from(text).toString('base64') }),
];

test('leads that are made to end the search for them are rejected, and nothing of them is shown', async ({ desk }) => {
  const texts = Object.values(HOSTILE).flatMap((text) => FORMS.map((_, form) => `${text} ${form}`));
  const { baseUrl } = await startScriptedService({
    create: ({ body, number }) => {
      const text = new URLSearchParams(body).get('request_text') ?? '';
      if (!text.includes('zumbido')) return { status: 201, body: { id: `R-${number}` } };
      return { status: 422, body: FORMS[Number(text.at(-1))]?.(text) };
    },
  });
  desk.use({ baseUrl, clientId: '7' });
  const rows = texts.flatMap((text, at) => [text, `Pintar a sala ${at}`]);
  const csv = rows.map((text, at) => `L-${at},PT,+351912345678,"${text}"`).join('\n');
  const leads = desk.write('leads.csv', `ref,country,phone,request_text\n${csv}\n`);
  const args = [
    'bulk',
    leads,
    '--no-validate',
    '--rate',
    'max',
    '--json',
    '--quiet',
    '--verbose',
    '--max-errors',
    '100%',
  ];
  const ended = await desk.call(...args);
  expect({ code: ended.code, ...documentOf(ended) }).toMatchObject({
    code: 3,
    rows: rows.length,
    created: texts.length,
    rejected: texts.length,
    stopped: null,
  });
  const results: string[][] = parse(desk.read('leads.results.csv'), { bom: true, from: 2 });
  expect(results.map((row) => row.at(-5))).toEqual(rows.map((_, at) => (at % 2 === 0 ? 'rejected' : 'created')));
  // Keys and the names of runs are hexadecimal, in which three letters b say nothing.
  const told = desk.records().map(({ key: _, run: __, ...record }) => JSON.stringify(record));
  for (const said of [ended.stdout, ended.stderr, ...told, ...results.map((row) => row.at(-3) ?? '')]) {
    expect(said).not.toMatch(/zumbido|gaiola|xilofone|b\\?b\\?b|aaaaaa|enVtYmlkb|regular expression/i);
  }
});
