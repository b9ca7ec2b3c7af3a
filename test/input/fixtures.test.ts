import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { openTable } from '../../src/input/open-table.ts';

const folder = new URL('../../fixtures/csv/', import.meta.url).pathname;
const lines = readFileSync(`${folder}README.md`, 'utf8').split('\n');
const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));
const rows = lines.filter((line) => line.startsWith('| `')).map(cellsOf);
const judged = rows.filter((cells) => cells.length === 7);
const refused = rows.filter((cells) => cells.length === 2);

function optionsOf(text: string) {
  const value = (flag: string) => new RegExp(`--${flag} (\\S+)`).exec(text)?.[1] ?? null;
  const [column, field] = value('map')?.split('=') ?? [];
  return {
    read: {
      format: null,
      encoding: value('encoding'),
      delimiter: null,
      skipLines: Number(value('skip-lines') ?? 0),
      sheet: value('sheet'),
    },
    mapping: { map: column && field ? { [column]: field } : {}, set: {} },
  };
}

async function judge(file: string, optionText: string) {
  const options = optionsOf(optionText);
  const table = await openTable(folder + file, options.read);
  const mapping = planMapping(table.columns, options.mapping);
  const seen = new Set<string>();
  const counts = { rows: 0, created: 0, repeated: 0, invalid: 0 };
  for await (const batch of table.rows()) {
    for (const row of batch) {
      counts.rows++;
      const { request } = checkRequest(mapRow(row, mapping), mapping);
      const key = JSON.stringify(request?.params);
      if (row.problem !== null || request === null) counts.invalid++;
      else if (seen.has(key)) counts.repeated++;
      else {
        counts.created++;
        // Only what is sent can be repeated: a row that is refused leaves its content free for a later, whole one.
        seen.add(key);
      }
    }
  }
  return counts;
}

describe('the files in fixtures/csv', () => {
  it('the files in fixtures/csv are all in the README, and nothing else is', () => {
    const files = readdirSync(folder).filter((name) => name !== 'README.md');
    expect(rows.map(([name]) => name).sort()).toEqual(files.sort());
  });

  it.each(judged)(
    '%s %s: %s rows, %s created, %s repeated, %s invalid',
    async (file = '', options = '', ...numbers) => {
      const [total, created, repeated, invalid] = numbers.map(Number);
      expect(await judge(file, options)).toEqual({ rows: total, created, repeated, invalid });
    },
  );

  it.each(refused)('%s is refused, naming %s', async (file = '', named = '') => {
    await expect(judge(file, '')).rejects.toMatchObject({ code: 'input', message: expect.stringContaining(named) });
  });

  it('duplicate-headers.csv is refused as long as nobody says what the two columns are', async () => {
    await expect(judge('duplicate-headers.csv', '')).rejects.toThrow('more than one column "phone"');
  });
});
