import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The test files that still import `src` beside the doors, a path a line. This list may only get shorter. */
const LIST = 'test/doors/not-yet.txt';

/** Whether a program imports something of `src` that exists when it runs, which types do not. */
function importsSource(code: string): boolean {
  const text = code.replace(/\/\*[\s\S]*?\*\//g, '');
  const named = [...text.matchAll(/^(?:import|export)\b(?! type\b)([^;]*?)\bfrom '[./]+\/src\/[^']+'/gm)];
  const isOfValue = ([, names = '']: readonly string[]) =>
    !/^\s*\{/.test(names) || names.split(',').some((name) => !/^[\s{}]*(?:type\b.*)?$/.test(name));
  return named.some(isOfValue) || /(?:\bimport|\bvi\.mock|\bimportActual\S*)\(\s*'[./]+\/src\//.test(text);
}

test('tests import src through test/doors alone, except those in the list that gets shorter', () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('doors/'))
    .map((name) => join('test', name));
  const listed = readFileSync(LIST, 'utf8').trim().split('\n');
  expect(listed, 'the list is sorted').toEqual([...new Set(listed)].sort());
  const beside = files.filter((path) => importsSource(readFileSync(path, 'utf8')));
  const message = (what: string) => `${what} ${LIST}`;
  expect(
    beside.filter((path) => !listed.includes(path)),
    message('Use a door, rather than a new line in'),
  ).toEqual([]);
  expect(
    listed.filter((path) => !beside.includes(path)),
    message('No longer needed, take them out of'),
  ).toEqual([]);
});

test.each([
  ["import { planImport } from '../../src/delivery/plan.ts';", true],
  ["import type { Row } from '../../src/request/lead/table.ts';", false],
  ["import { type Row, type Table } from '../src/request/lead/table.ts';", false],
  ["import {\n  type Row,\n  rowsOf,\n} from '../src/input/rows.ts';", true],
  ["const { run } = await import('../../src/cli/program.ts');", true],
  ["const call = (): typeof import('node:fs') => import('node:fs');", false],
  ["import { Desk } from '../helpers/desk.ts';", false],
])('%s counts as an import of src: %s', (line, counts) => {
  expect(importsSource(line)).toBe(counts);
});
