import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('bulk --dry-run --json', () => {
  test('bulk --dry-run --json lists ten thousand findings, and says how many it left out', async ({ desk }) => {
    const leads = desk.write('leads.csv', leadsCsv(10_050).replaceAll(',PT,', ',FR,'));
    const document = documentOf(await desk.call('bulk', leads, '--dry-run', '--json'));
    expect(document).toMatchObject({ rows: 10_050, invalid: 10_050, problemCount: 10_050, problemsLeftOut: 50 });
    expect(document['problems']).toHaveLength(10_000);
  });

  test('bulk --dry-run --json reads workbooks and packed files, from standard input too', async ({ desk }) => {
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
