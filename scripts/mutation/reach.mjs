// Which test files enter which block of the sources, in their own process or in a program that they start.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Checkout, filesOf } from './checkout.mjs';
import { treeOf, walk } from './mutations.mjs';

export const CACHE = 'node_modules/.cache/mutation';

export const sourcesOf = () => filesOf('bin', 'src').filter((path) => /(?<!\.d)\.ts$/.test(path));
export const testsOf = () => filesOf('test').filter((path) => path.endsWith('.test.ts'));
export const hashOf = (paths, words = []) => {
  const hash = createHash('sha256').update(words.join('\0'));
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
};

/**
 * What each test file enters; looked up anew where the sources or the test file changed since, and kept group by group, so that
 * a run that is ended loses little. Costs as much as these tests do: those that can enter `paths` by what they import, and
 * those that start the built program, unless `onlyUnit`. Of all of them only those which `asked` names, or whose folder it names.
 */
export async function reach({ paths, onlyUnit, asked, say }) {
  const sources = sourcesOf();
  const blocks = sources.flatMap((path) => blocksOf(path, readFileSync(path, 'utf8')));
  const file = join(CACHE, `reach-${hashOf(sources)}.json`);
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const wanted = new Set(paths);
  const isAsked = (path) => asked.some((each) => path === each || path.startsWith(`${each}/`));
  const tests = testsOf()
    .filter(isAsked)
    .filter((path) => (startsProgram(path) ? !onlyUnit : [...importedBy(path)].some((each) => wanted.has(each))));
  const isMissing = (path) => known[path]?.hash !== hashOf([path]);
  const missing = tests.filter(isMissing).sort((a, b) => Number(startsProgram(a)) - Number(startsProgram(b)));
  for (let from = 0; from < missing.length; from += GROUP) {
    const group = missing.slice(from, from + GROUP);
    say(`Looking what test files enter: ${from + 1} to ${from + group.length} of ${missing.length}`);
    const entered = await enteredBy(group, sources, blocks);
    for (const path of group) known[path] = { hash: hashOf([path]), ...entered.get(path) };
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(file, JSON.stringify(known));
  }
  return new Reach(blocks, new Map(tests.map((path) => [path, known[path]])));
}

const GROUP = 10;

/** Whether a test file, or what it imports, starts the program that is built for the tests. */
function startsProgram(path) {
  return [...importedBy(path)].some(
    (each) => each.startsWith('test/') && textOf(each).includes("inject('srqProgram')"),
  );
}

/** A file and all that it imports, at once or later. */
function importedBy(path, seen = new Set()) {
  if (seen.has(path) || !existsSync(path)) return seen;
  seen.add(path);
  for (const [, name] of textOf(path).matchAll(/(?:from|import) ?\(?'(\.[^']*\.ts)'/g))
    importedBy(join(path, '..', name), seen);
  return seen;
}

const texts = new Map();
function textOf(path) {
  if (!texts.has(path)) texts.set(path, readFileSync(path, 'utf8'));
  return texts.get(path);
}

class Reach {
  #blocks;
  #tests;

  constructor(blocks, tests) {
    this.#blocks = blocks;
    this.#tests = tests;
  }

  /** The tests that enter the innermost block around a place, nearest first: `{ path, ms, startsProgram, isInProcess }`. */
  testsFor(path, start) {
    const own = new Set();
    let innermost = null;
    this.#blocks.forEach((block, id) => {
      if (block.path !== path) return;
      own.add(id);
      const isAround = block.start <= start && start < block.end;
      if (isAround && (innermost === null || block.start >= this.#blocks[innermost].start)) innermost = id;
    });
    const found = [];
    for (const [test, { ms, inProcess, inProgram }] of this.#tests) {
      const isInProcess = inProcess.includes(innermost);
      if (!isInProcess && !inProgram.includes(innermost)) continue;
      const shared = [...inProcess, ...inProgram].filter((id) => own.has(id)).length;
      found.push({ path: test, ms, isInProcess, startsProgram: startsProgram(test), shared });
    }
    return found.sort((a, b) => Number(b.isInProcess) - Number(a.isInProcess) || b.shared - a.shared || a.ms - b.ms);
  }
}

async function enteredBy(tests, sources, blocks) {
  const copy = new Checkout();
  const hits = resolve(CACHE, `hits-${process.pid}`);
  rmSync(hits, { recursive: true, force: true });
  try {
    for (const test of tests) mkdirSync(join(hits, encodeURIComponent(test)), { recursive: true });
    const recorder = copy.path('recorder.mjs');
    copy.write('recorder.mjs', recorderText(hits, blocks.length));
    copy.write('recorder-setup.mjs', setupText(hits, copy.path('./')));
    for (const path of sources) copy.write(path, instrumented(path, copy.read(path), recorder, blocks));
    const withProgram = tests.some((path) => startsProgram(path));
    const { results } = await copy.test(tests, { bail: 0, withProgram, setup: copy.path('recorder-setup.mjs') });
    const times = new Map(results.map(({ path, ms }) => [path, ms]));
    return new Map(
      tests.map((test) => {
        const folder = join(hits, encodeURIComponent(test));
        const of = (kind) => {
          const files = readdirSync(folder).filter((name) => name.startsWith(kind));
          const ids = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
          return [...new Set(ids.map(Number))];
        };
        return [test, { ms: times.get(test) ?? 0, inProcess: of('test'), inProgram: of('program') }];
      }),
    );
  } finally {
    copy.remove();
    rmSync(hits, { recursive: true, force: true });
  }
}

/** Places where one goes in or not: `{ path, start, end, insert: [[at, text before the number, text after]] }`. */
function blocksOf(path, text) {
  const blocks = [{ path, start: 0, end: text.length + 1, inserts: [] }];
  const add = ({ start, end }, ...inserts) => blocks.push({ path, start, end, inserts });
  const statement = (node) => {
    if (node && node.type !== 'BlockStatement') add(node, [node.start, '{', ';'], [node.end, '}']);
  };
  walk(treeOf(path, text), (node) => {
    if (node.type === 'BlockStatement') add(node, [node.start + 1, '', ';']);
    if (node.type === 'ArrowFunctionExpression' && node.expression)
      add(node.body, [node.body.start, '(', ','], [node.body.end, ')']);
    if (node.type === 'IfStatement') {
      statement(node.consequent);
      statement(node.alternate);
    }
    if (/^(For|While|DoWhile)/.test(node.type)) statement(node.body);
    if (node.type === 'SwitchCase' && node.consequent.length > 0) {
      const { start } = node.consequent[0];
      add({ start, end: node.end }, [start, '', ';']);
    }
  });
  return blocks;
}

function instrumented(path, text, recorder, blocks) {
  const inserts = [];
  let atTop = '';
  blocks.forEach((block, id) => {
    if (block.path !== path) return;
    if (block.inserts.length === 0) atTop = `import { hit as hit__ } from ${JSON.stringify(recorder)};hit__(${id});`;
    for (const [at, before, after] of block.inserts) {
      inserts.push({
        at,
        of: block,
        text: after === undefined ? before : `${before}hit__(${id})${after}`,
        isEnd: after === undefined,
      });
    }
  });
  // At one place what ends comes before what begins; the inner ends first, the outer begins first.
  const order = (a, b) =>
    a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || (a.isEnd ? b.of.start - a.of.start : b.of.end - a.of.end);
  let result = '';
  let done = 0;
  for (const { at, text: insert } of inserts.sort(order)) {
    result += text.slice(done, at) + insert;
    done = at;
  }
  result += text.slice(done);
  const [shebang = ''] = /^#!.*\n/.exec(result) ?? [];
  return shebang + atTop + result.slice(shebang.length);
}

/** Each process writes its first entry of each block at once: it may be killed. What runs in a browser has no files, and tells nothing. */
const recorderText = (hits, count) => `const seen = new Uint8Array(${count});
const { process } = globalThis;
const folder = process?.env.PATH?.split(':').find((each) => each.startsWith(${JSON.stringify(hits)}));
const kind = globalThis.isTestProcess ? 'test' : 'program';
let file;
export function hit(id) {
  if (seen[id] === 1) return;
  seen[id] = 1;
  if (folder === undefined) return;
  try {
    const { openSync, writeSync } = process.getBuiltinModule('node:fs');
    file ??= openSync(\`\${folder}/\${kind}-\${process.pid}-\${process.hrtime.bigint()}\`, 'a');
    writeSync(file, \`\${id}\\n\`);
  } catch {}
}
`;

/** The search path is all that a started program inherits: it carries the name of the test. */
const setupText = (hits, root) => `globalThis.isTestProcess = true;
const name = encodeURIComponent(globalThis.__vitest_worker__.filepath.slice(${JSON.stringify(root)}.length));
const path = (process.env.PATH ?? '').split(':').filter((each) => !each.startsWith(${JSON.stringify(hits)}));
process.env.PATH = [...path, \`${hits}/\${name}\`].join(':');
`;
