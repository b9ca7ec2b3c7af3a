import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The wings that touch the world outside. None of them knows another. */
const EDGES = ['src/input', 'src/service', 'src/store', 'src/contract', 'src/sandbox', 'src/report', 'src/settings'];
const OF_AN_ACCOUNT = ['src/request', 'src/service', 'src/settings', 'src/store'];

/** What a wing, or a room that stands alone, may import besides itself. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  bin: ['src'],
  src: ['src/cli', 'src/request'],
  'src/cli': ['src/account', 'src/commands', 'src/delivery', 'src/request', ...EDGES],
  'src/commands': ['src/account', 'src/cli', 'src/delivery', 'src/request', 'src/run', ...EDGES],
  'src/run': ['src/account', 'src/cli', 'src/delivery', 'src/request', ...EDGES],
  'src/library': ['src/account', 'src/delivery', 'src/input', ...OF_AN_ACCOUNT],
  'src/account': OF_AN_ACCOUNT,
  'src/delivery': ['src/request'],
  'src/request': [],
  'src/page': ['src/request'],
  ...Object.fromEntries(EDGES.map((edge) => [edge, ['src/request']])),
  'src/sandbox': ['src/page', 'src/request'],
  'src/report': ['src/page', 'src/request'],
};

/** The rooms of the larger wings, and which of the same wing each may import. A room may import its own files. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/delivery': ['check'],
  'src/delivery/check': [],

  'src/service': ['network', 'redaction', 'pacing', 'wire', 'answers', 'token'],
  'src/service/token': ['network', 'redaction', 'pacing', 'wire', 'answers'],
  'src/service/answers': ['network', 'redaction', 'pacing'],
  'src/service/wire': ['network', 'redaction'],
  'src/service/pacing': ['network'],
  'src/service/redaction': ['network'],
  'src/service/network': [],

  'src/store': [],
  'src/store/file': ['.'],
  'src/store/postgres': ['.'],

  'src/contract': [],

  'src/sandbox': ['messages', 'service', 'records', 'inbox'],
  'src/sandbox/inbox': ['messages', 'service', 'records'],
  'src/sandbox/records': ['messages', 'service'],
  'src/sandbox/service': ['messages'],
  'src/sandbox/messages': [],

  'src/input': ['columns'],
  'src/input/columns': [],

  'src/report': [],
  'src/report/terminal': ['.'],
  'src/report/page': ['.'],
};

/** Libraries that belong to one wing or room, all their parts. */
const HOMES_OF_LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  commander: ['src/cli', 'src/commands'],
  undici: ['src/service/wire', 'src/service/network'],
  conf: ['src/settings'],
  chalk: ['src/report'],
  ora: ['src/report/terminal'],
  'prom-client': ['src/commands/work'],
  'fast-string-width': ['src/report'],
  'csv-parse': ['src/input'],
  'iconv-lite': ['src/input'],
  'read-excel-file': ['src/input'],
  fflate: ['src/input', 'src/report'],
  yauzl: ['src/input'],
  'fs-native-extensions': ['src/store/file'],
  pg: ['src/store/postgres'],
  'pg-connection-string': ['src/store/postgres'],
  yaml: ['src/contract'],
  '@scalar/openapi-upgrader': ['src/contract'],
  ajv: ['src/request/contract'],
  'libphonenumber-js': ['src/request'],
  // What comes from outside is parsed where it comes in: settings and learned files, contracts and their pages, e-mail addresses, mappings, faults.
  zod: [
    'src/settings',
    'src/request',
    'src/contract',
    'src/sandbox/service',
    'src/sandbox/records',
    'src/cli',
    'src/library',
  ],
  // Where numbers of any length must keep their digits.
  'lossless-json': ['src/input', 'src/service/answers', 'src/service/wire', 'src/sandbox/service'],
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

/** The library that an import is a part of, or null for our own files and those of Node.js: `@scope/name/part` gives `@scope/name`. */
function libraryOf(name: string): string | null {
  return /^(?:@[\w.-]+\/)?[a-z][\w.-]*(?=\/|$)/.exec(name)?.[0] ?? null;
}

/** `src/service/wire/http.ts` is in the wing `src/service`; `src/main.ts` and bin are wings of their own. */
function wing(file: string): string {
  const folder = dirname(file).split('/').slice(0, 2).join('/');
  return folder in WINGS ? folder : `unknown: ${folder}`;
}

/** The imports of our own files, as pairs of paths. */
const arrows = sources.flatMap((file) =>
  imports(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ file, target: normalize(join(dirname(file), name.split('?')[0] ?? '')) })),
);

test('every file is in a known wing, and in a known room of those that have rooms', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect([...new Set(sources.map(wing))].sort()).toEqual(Object.keys(WINGS).sort());
  const rooms = new Set(sources.map(dirname).filter((folder) => folder.split('/').length > 2));
  const furnished = [...rooms].filter((room) => wing(`${room}/x`) in ROOMS);
  expect(furnished.filter((room) => !(room in ROOMS))).toEqual([]);
});

test('no command imports another: what they share is src/run', () => {
  const commandOf = (file: string) => /^src\/commands\/([\w-]+)\//.exec(file)?.[1] ?? null;
  const wrong = arrows.filter(
    ({ file, target }) =>
      commandOf(target) !== null && commandOf(file) !== commandOf(target) && wing(file) !== 'src/cli',
  );
  expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
});

test('imports point one way: bin, main, cli and commands, then account, delivery and the edges, then request', () => {
  const wrong = arrows
    .filter(({ file, target }) => wing(file) !== wing(target) && !(WINGS[wing(file)] ?? []).includes(wing(target)))
    .map(({ file, target }) => `${file} -> ${target}`);
  expect(wrong).toEqual([]);
});

test('the rooms within a wing import only those below them', () => {
  const wrong = arrows
    .filter(({ file, target }) => wing(file) === wing(target) && wing(file) in ROOMS)
    .filter(({ file, target }) => {
      const [from, to] = [dirname(file), dirname(target)];
      const below = (ROOMS[from] ?? []).map((room) => normalize(join(wing(file), room)));
      return from !== to && !below.includes(to);
    })
    .map(({ file, target }) => `${file} -> ${target}`);
  expect(wrong).toEqual([]);
});

test('no files import each other in a circle', () => {
  const graph = new Map(sources.map((file) => [file, [] as string[]]));
  for (const { file, target } of arrows.filter(isStatic)) graph.get(file)?.push(target);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
    if (done.has(file) || trail.includes(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(circles).toEqual([]);
});

/** An import that is made when the file is loaded; a lazy one may lead back. */
function isStatic({ file, target }: { readonly file: string; readonly target: string }): boolean {
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/from\s*'(\.[^']+)'/g)].map((found) =>
    normalize(join(dirname(file), found[1] ?? '')),
  );
  return named.includes(target);
}

test('each library is in the list of those who may import it, and the list names no other', () => {
  const named = new Set(sources.flatMap(imports).flatMap((name) => libraryOf(name) ?? []));
  expect([...named].sort()).toEqual(Object.keys(HOMES_OF_LIBRARIES).sort());
});

test('each library is imported only where the list allows it', () => {
  const wrong = sources.flatMap((file) =>
    imports(file)
      .filter((name) => {
        const homes = HOMES_OF_LIBRARIES[libraryOf(name) ?? ''];
        return homes && !homes.some((home) => file.startsWith(`${home}/`));
      })
      .map((name) => `${file} -> ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('console, process and the clock are touched by cli, commands, run, main, bin, the one clock and the host alone', () => {
  const outside = sources.filter(
    (file) =>
      !/^(?:bin|src\/cli|src\/commands|src\/run|src\/main\.ts|src\/account\/system-clock\.ts|src\/library\/host\.ts)/.test(
        file,
      ),
  );
  const wrong = outside.filter((file) => /\bconsole\.|\bprocess\.|Date\.now|performance\.now/.test(code(file)));
  expect(wrong).toEqual([]);
});

test('timers and chance come from few places, so that tests can replace them', () => {
  const using = (pattern: RegExp) => sources.filter((file) => pattern.test(code(file))).sort();
  expect(using(/\bset(?:Timeout|Interval)\b/)).toEqual([
    'src/account/system-clock.ts',
    'src/commands/doctor/examination.ts',
    'src/sandbox/answer-call.ts',
    'src/service/wire/http.ts',
    'src/store/postgres/database.ts',
  ]);
  expect(using(/\bMath\.random\b/)).toEqual([
    'src/account/account.ts',
    'src/service/pacing/retry.ts',
    'src/store/postgres/database.ts',
  ]);
});

test('the client secret is read in one file, which writes it into requests, and named in few', () => {
  expect(sources.filter((file) => /\.reveal\(/.test(code(file)))).toEqual(['src/service/token/token.ts']);
  // The sandbox has a secret of its own, which it invents and shows.
  const ofSandbox = /^src\/(?:sandbox|commands\/sandbox|cli\/(?:context|rehearsal)\.ts|request\/documents)/;
  const naming = sources.filter((file) => /clientSecret\b/.test(code(file)) && !ofSandbox.test(file));
  expect(naming.length).toBeLessThanOrEqual(9);
});

test('process.exit is called in one place, for those who ask twice to leave', () => {
  expect(sources.filter((file) => /process\.exit\(/.test(code(file)))).toEqual(['src/cli/interruption.ts']);
});

/** The text of a file without its comments. */
function code(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
