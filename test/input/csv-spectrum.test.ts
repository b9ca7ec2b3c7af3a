import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readTable } from '../helpers/read-table.ts';

const folder = dirname(createRequire(import.meta.url).resolve('csv-spectrum'));
const names = readdirSync(join(folder, 'csvs')).map((name) => name.replace(/\.csv$/, ''));

/** The suite's answers; for one file it gives one object, with another telephone number than the file has. */
function expected(name: string): Record<string, string>[] {
  const answer = JSON.parse(readFileSync(join(folder, 'json', `${name}.json`), 'utf8'));
  return name === 'location_coordinates' ? [{ ...answer, 'Contact Phone Number': '2095257564' }] : answer;
}

it('all of the collection csv-spectrum is there', () => expect(names.length).toBeGreaterThanOrEqual(12));

it.each(names)('csv-spectrum: %s is read as it should be', async (name) => {
  const { table, cells } = await readTable(join(folder, 'csvs', `${name}.csv`));
  const objects = cells.map((row) => Object.fromEntries(row.map((cell, at) => [table.columns[at], cell])));
  expect(objects).toEqual(expected(name));
});
