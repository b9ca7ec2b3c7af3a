// Bundles the program and the library into dist/: an entry each, chunks of their own for what commands load lazily, the
// library's types, and the bundled libraries' licences. With an argument: into that folder instead, without types.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { buildTypes } from './build-types.mjs';
import { embeddedText } from './embedded-text.mjs';

/** Is in the text of the report's page, not in a module of its own. */
const IN_PAGE = join(process.cwd(), 'node_modules/uplot/dist/uPlot.esm.js');
const LOCKS = 'fs-native-extensions';
/** Modules of Node.js that most commands do without: 4 ms of a start. Some are imported by libraries that rarely use them. */
const LATE = new Set(['node:child_process', 'node:zlib']);
const LATE_MARK = '\0late-';

const folder = process.argv[2] ?? 'dist';
const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync(folder, { recursive: true, force: true });

const bundle = await rolldown({
  input: { srq: 'bin/srq.ts', library: 'src/library/index.ts' },
  platform: 'node',
  // What stays a dependency brings binaries of its own, which cannot be bundled.
  external: Object.keys(dependencies).filter((name) => name !== LOCKS),
  plugins: [embeddedText(), withoutHttp2(), withNamedBinary(), withLateBuiltins(), compiledAtOnce()],
  transform: { define: { SRQ_VERSION: JSON.stringify(version) } },
});
const { output } = await bundle.write({
  dir: folder,
  // Starts faster than ES modules: docs/decisions/17-commonjs.md.
  format: 'cjs',
  strict: true,
  // They would be read at every start; the licences are kept in a file of their own.
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
const program = join(folder, 'srq.js');
chmodSync(program, 0o755);
writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n');
// One library for both kinds of module, so that a program with both has one log and one kind of error.
writeFileSync(
  join(folder, 'library.mjs'),
  "import library from './library.js';\nexport const { openMarketplace, SrqError } = library;\n",
);
if (process.argv[2] === undefined) buildTypes(folder);
writeFileSync(
  join(folder, 'THIRD-PARTY-LICENSES.txt'),
  licences([...output.flatMap((chunk) => chunk.moduleIds ?? []), IN_PAGE]),
);

/** undici loads Node's HTTP/2, which takes 3 ms, at every start, and does without it where there is none; srq never uses it. */
function withoutHttp2() {
  return {
    name: 'without-http2',
    resolveId: (name) => (name === 'node:http2' ? '\0without-http2' : null),
    load: (id) => (id === '\0without-http2' ? { code: "throw new Error('not used');", moduleType: 'js' } : null),
  };
}

/** The library of the locks looks for its binary in twenty places, 10 ms of each start; the first one is where it has it. */
function withNamedBinary() {
  const named = `module.exports = require(\`${LOCKS}/prebuilds/\${process.platform}-\${process.arch}/${LOCKS}.node\`);`;
  return {
    name: 'with-named-binary',
    resolveId: (name, importer) => (name === './binding' && importer?.includes(LOCKS) ? '\0named-binary' : null),
    load: (id) => (id === '\0named-binary' ? { code: named, moduleType: 'js' } : null),
  };
}

/** Loads such a module only when one of its members is used. */
function withLateBuiltins() {
  const members = (name) => Object.keys(process.getBuiltinModule(name));
  const late = (name) => members(name).map((each) => `get ${each}() { return require('${name}').${each}; }`);
  return {
    name: 'with-late-builtins',
    resolveId: (name, importer) => (LATE.has(name) && !importer?.startsWith(LATE_MARK) ? LATE_MARK + name : null),
    load(id) {
      if (!id.startsWith(LATE_MARK)) return null;
      return { code: `module.exports = { ${late(id.slice(LATE_MARK.length)).join(',\n')} };`, moduleType: 'js' };
    },
  };
}

/**
 * V8 compiles a function in parentheses together with its file, but not every version does so with an arrow function. The
 * bundler wraps CommonJS modules in those, which would be parsed once more when they are loaded.
 */
function compiledAtOnce() {
  const arrow = /__commonJSMin\(\(\(([\w, ]*)\) => \{/g;
  return {
    name: 'compiled-at-once',
    renderChunk: (code) => ({ code: code.replace(arrow, '__commonJSMin((function($1) {') }),
  };
}

/** Name, version and licence text of every package that has a module in the bundle. */
function licences(moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  return [...folders]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(packageFolder) {
  const { name, version: itsVersion, license } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const file = readdirSync(packageFolder).find((each) => /^licen[cs]e/i.test(each));
  const text = file ? readFileSync(join(packageFolder, file), 'utf8').trim() : `Licence: ${license}`;
  return `${name} ${itsVersion}\n\n${text}\n`;
}
