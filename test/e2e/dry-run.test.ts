import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

interface Finding {
  readonly row: number | null;
  readonly rows: number;
  readonly code: string;
  readonly value: string | null;
  readonly severity: string;
  readonly field: string;
  readonly column: string | null;
  readonly message: string;
  readonly advice: string;
}

describe.concurrent('bulk --dry-run --json', () => {
  test('gives the counts, and every finding with its row, column and advice', async ({ desk }) => {
    const text = [
      'Ref,Country,Name,Phone,Telefone,Postcode,City,Message',
      '1,PT,Ana Exemplo,912345678,,1200-109,Lisboa,Obras',
      '2,FR,Ana Exemplo,912345678,,75001,Paris,Obras',
      '3,PT,Ana Exemplo,"3,51912E+11",,1200-109,Lisboa,Obras',
      '4,PT,Ana Exemplo,912345678,961234567,12,Lisboa,Obras',
      '1.2E+15,PT,Ana Exemplo,912345678,,1200-109,Lisboa,Mais obras',
      '6,PT,Ana',
      '',
    ].join('\n');
    const ended = await desk.call('bulk', desk.write('leads.csv', text), '--dry-run', '--json');
    const document = documentOf(ended);
    expect(ended.code).toBe(3);
    expect(document).toMatchObject({ rows: 6, ready: 2, invalid: 4, repeated: 0, problemCount: 5, problemsLeftOut: 0 });
    expect(document).toMatchObject({ encoding: 'UTF-8', delimiter: ',' });
    const findings = document['problems'] as Finding[];
    expect(findings.map(({ row, severity, field, column }) => [row, severity, field, column])).toEqual([
      [2, 'error', 'country', 'Country'],
      [3, 'error', 'phone', 'Phone / Telefone'],
      [4, 'warning', 'location', 'Postcode / City'],
      [5, 'error', 'ref', 'Ref'],
      [6, 'error', '', null],
    ]);
    expect(findings.every(({ message, advice }) => message.length > 10 && /--map|--set|Correct/.test(advice))).toBe(
      true,
    );
    expect(findings[3]?.advice).toContain('--map "Ref=-"');
    expect(findings.map(({ code, value, rows }) => [code, value, rows])).toEqual([
      ['country.unknown', 'FR', 1],
      ['phone.scientific', '3,51912E+11', 1],
      ['location.postal-code', '12', 1],
      ['text.scientific', '1.2E+15', 1],
      ['row.unreadable', null, 1],
    ]);
  });

  test('names the bytes that are not in the encoding, and the column where a row with a cut text goes wrong', async ({
    desk,
  }) => {
    const lead = (at: number) => `${at};PT;João ${at};912345678;Rua A ${at};Lisboa;Obras`;
    const lines = ['Ref;Country;Name;Phone;Street;City;Message', ...Array.from({ length: 9 }, (_, at) => lead(at))];
    const cut = '9;PT;Ana;912345678;Rua B; 5;Lisboa;';
    const content = Buffer.concat([
      Buffer.from([...lines, cut, '10;PT;Jo'].join('\n')),
      Buffer.from([0xe3]),
      Buffer.from('o;912345678;Rua;Lisboa;Obras\n'),
    ]);
    const document = documentOf(await desk.call('bulk', desk.write('leads.csv', content), '--dry-run', '--json'));
    expect(document).toMatchObject({ rows: 11, ready: 9, invalid: 2, encoding: 'UTF-8', delimiter: ';' });
    const findings = document['problems'] as Finding[];
    expect(findings.map(({ row, message }) => [row, message])).toEqual([
      [10, 'has 8 cells where the header has 7; check for a semicolon that is not quoted, or one too many'],
      [11, expect.stringContaining('bytes that are not UTF-8 in Name')],
    ]);
  });

  test('keeps ten thousand findings one by one, and says how many it left out', async ({ desk }) => {
    const leads = desk.write('leads.csv', leadsCsv(10_050).replaceAll(',PT,', ',FR,'));
    const document = documentOf(await desk.call('bulk', leads, '--dry-run', '--json'));
    expect(document).toMatchObject({ rows: 10_050, invalid: 10_050, problemCount: 10_050, problemsLeftOut: 50 });
    expect(document['problems']).toHaveLength(10_000);
  });

  test('reads workbooks and packed files, from standard input too', async ({ desk }) => {
    const { gzipSync } = await import('node:zlib');
    const { workbook } = await import('../../scripts/workbook.mjs');
    const rows = leadsCsv(3)
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    for (const content of [
      gzipSync(leadsCsv(3)),
      Buffer.from(
        workbook([
          { name: 'x', rows: [['no']] },
          { name: 'Leads', rows },
        ]),
      ),
    ]) {
      const sheet = content[0] === 0x50 ? ['--sheet', 'Leads'] : [];
      const args = ['bulk', '-', '--dry-run', '--json', ...sheet];
      const ended = await desk.start(args, { stdin: content }).ended;
      expect(documentOf(ended)).toMatchObject({ rows: 3, ready: 3 });
    }
  });
});
