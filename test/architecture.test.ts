import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const EDGES = ['files', 'api', 'log', 'report', 'config', 'sandbox', 'contract', 'postgres'];
/** What a file of each folder may import from ours, its own folder apart. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  bin: ['src/main.ts'],
  'src/main.ts': ['src/cli', 'src/model'],
  'src/cli': ['src/pipeline', 'src/model', ...EDGES.map((edge) => `src/${edge}`)],
  'src/pipeline': ['src/model'],
  'src/model': [],
  ...Object.fromEntries(EDGES.map((edge) => [`src/${edge}`, ['src/model']])),
};
/** Libraries that belong to one place, all their parts. */
const HOME_OF_LIBRARY: Readonly<Record<string, string>> = {
  commander: 'src/cli',
  undici: 'src/api',
  conf: 'src/config',
  chalk: 'src/report',
  ora: 'src/report',
  'csv-parse': 'src/files',
  'iconv-lite': 'src/files',
  'read-excel-file': 'src/files',
  fflate: 'src/files',
  'fs-native-extensions': 'src/log',
  pg: 'src/postgres',
  pgpass: 'src/postgres',
  'pg-boss': 'src/postgres',
  'pg-connection-string': 'src/postgres',
  yaml: 'src/contract',
  ajv: 'src/sandbox',
  'libphonenumber-js': 'src/model',
};

const sources = [...typescriptFiles('bin'), ...typescriptFiles('src')];

function typescriptFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((found) => found[1] ?? '');
}

/** `src/service/wire/http.ts` is in the room `src/api`; `src/main.ts` and bin are rooms of their own. */
function room(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'bin' ? 'bin' : `${top}/${second}`;
}

test('every file is in a known room of the house', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect([...new Set(sources.map(room))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test('imports point one way: bin, main, cli, then pipeline and edges, then model', () => {
  const wrong = sources.flatMap((file) =>
    imports(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name)))
      .filter((target) => room(target) !== room(file) && !(MAY_IMPORT[room(file)] ?? []).includes(room(target)))
      .map((target) => `${file} -> ${target}`),
  );
  expect(wrong).toEqual([]);
});

test('each library is known to one room alone', () => {
  const wrong = sources.flatMap((file) =>
    imports(file)
      .filter((name) => (HOME_OF_LIBRARY[name.split('/')[0] ?? ''] ?? room(file)) !== room(file))
      .map((name) => `${file} -> ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('console, process and the clock are touched by cli, main and bin alone', () => {
  const outside = sources.filter((file) => !/^(?:bin|src\/cli|src\/main\.ts)/.test(file));
  const wrong = outside.filter((file) => /\bconsole\.|\bprocess\.|Date\.now|performance\.now/.test(code(file)));
  expect(wrong).toEqual([]);
});

test('process.exit is called in one place, for those who ask twice to leave', () => {
  expect(sources.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['src/cli/interruption.ts']);
});

/** The text of a file without its comments. */
function code(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
