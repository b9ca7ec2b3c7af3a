// Makes one small mistake at a time in a copy of the repository and looks whether a test notices:
// npm run mutate:random -- --seed 7 --count 100 [--folder src/contract]… [--jobs 2] [--limit SECONDS] [--unit] [--tests test/e2e]…
// --unit: only by the tests that start no built program. --tests: only by those in a folder, or by one file. The same seed makes the same mistakes. A run that was ended goes on where it was. Method and figures: docs/mutation.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checkout } from './mutation/checkout.mjs';
import { mutationsIn } from './mutation/mutations.mjs';
import { CACHE, hashOf, reach, sourcesOf, testsOf } from './mutation/reach.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '100' },
    folder: { type: 'string', multiple: true, default: ['src'] },
    jobs: { type: 'string', default: '1' },
    limit: { type: 'string', default: '600' },
    unit: { type: 'boolean', default: false },
    tests: { type: 'string', multiple: true, default: ['test'] },
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const limitMs = Number(values.limit) * 1000;
const say = (line) => process.stdout.write(`${line}\n`);

/** Mutations that change nothing a test could see, each with the reason: by their text, since lines move; in one file alone where `path` names it. */
const EQUIVALENT = JSON.parse(readFileSync(new URL('mutation/equivalent.json', import.meta.url), 'utf8'));

const paths = sourcesOf().filter((path) => values.folder.some((folder) => path.startsWith(`${folder}/`)));
const texts = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
const places = await reach({ paths, onlyUnit: values.unit, asked: values.tests, say });
const stateFile = stateFileOf(values);
const state = readState();
const queues = queuesOf(Number(values.seed), Number(values.count));
// Round and round the folders, so that a run that is ended early has seen all of them.
const turns = [...queues.values()].flatMap(({ quota, name }) =>
  Array.from({ length: quota }, (_, at) => ({ name, at: (at + 0.5) / quota })),
);
turns.sort((a, b) => a.at - b.at);

let drawing = Promise.resolve();
const copies = Array.from({ length: Number(values.jobs) }, () => new Checkout());
await Promise.all(copies.map(work));
tell();

async function work(copy) {
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    const { name } = turn;
    // One draws at a time: what is drawn must not depend on who is faster.
    const drawn = drawing.then(() => draw(queues.get(name), copy));
    drawing = drawn;
    const mutant = await drawn;
    if (mutant === null || state.results[mutant.id]) continue;
    const result = await resultOf(mutant, copy);
    state.results[mutant.id] = result;
    writeState();
    const place = `${mutant.path}:${lineOf(mutant)}`;
    say(
      `${result.noticedBy === null ? 'NOT NOTICED' : 'noticed'}  ${place}  ${mutant.kind}  ${result.seconds} s  ${result.noticedBy ?? ''}`,
    );
  }
}

/** The next mutation of a folder that the compiler does not notice and that is not known to change nothing. */
async function draw(queue, copy) {
  for (;;) {
    const mutant = queue.next();
    if (mutant === null) return null;
    if (isEquivalent(mutant)) {
      state.equivalent[mutant.id] = queue.name;
      continue;
    }
    state.compiles[mutant.id] ??= await inPlace(mutant, copy, () => copy.compiles());
    writeState();
    if (state.compiles[mutant.id]) {
      state.drawn[mutant.id] = queue.name;
      return mutant;
    }
    state.leftOut[mutant.id] = queue.name;
  }
}

async function resultOf(mutant, copy) {
  const startedMs = performance.now();
  const noticedBy = await noticing(mutant, copy, startedMs);
  const { path, kind } = mutant;
  const asked = places.testsFor(path, mutant.start).length;
  return {
    path,
    kind,
    line: lineOf(mutant),
    noticedBy,
    asked,
    seconds: Math.round((performance.now() - startedMs) / 1000),
  };
}

/** The first test that fails; null if none does, or none that would not fail without the mutation too. */
async function noticing(mutant, copy, startedMs) {
  let tests = places.testsFor(mutant.path, mutant.start).filter(({ path }) => state.sound[path] !== false);
  while (tests.length > 0) {
    const leftMs = limitMs - (performance.now() - startedMs);
    if (leftMs < 0) return null;
    const group = nextGroup(tests, leftMs);
    if (group.length === 0) return null;
    const files = group.map(({ path }) => path);
    const options = optionsFor(group);
    const { failed, file } = await inPlace(mutant, copy, () => copy.test(files, options));
    if (failed === null) tests = tests.slice(group.length);
    else if (file === undefined) return failed;
    else if (await isSound(file, copy)) return failed;
    else tests = tests.filter(({ path }) => path !== file);
  }
  return null;
}

/** Near and quick ones first and alone; later more at once, as a start costs two seconds and a build as many. */
function nextGroup(tests, leftMs) {
  const [first] = tests;
  const group = [];
  let ms = 0;
  for (const test of tests) {
    const isOther = test.startsProgram !== first.startsProgram;
    if (group.length > 0 && (isOther || ms + test.ms > Math.max(20_000, first.isInProcess ? 0 : 60_000))) break;
    ms += test.ms;
    if (ms > 3 * leftMs) break;
    group.push(test);
  }
  return group;
}

/** Four times as long as they take, and a minute: what takes longer has noticed. */
function optionsFor(group) {
  const ms = group.reduce((sum, test) => sum + test.ms, 0);
  return { withProgram: group.some(({ startsProgram }) => startsProgram), limitMs: 60_000 + 4 * ms };
}

/** Whether a test file passes without a mutation. */
async function isSound(file, copy) {
  state.sound[file] ??= (await copy.test([file])).failed === null;
  if (!state.sound[file]) say(`${file} fails without a mutation, too: it is left out.`);
  return state.sound[file];
}

async function inPlace({ path, start, end, to }, copy, act) {
  const text = texts.get(path);
  copy.write(path, text.slice(0, start) + to + text.slice(end));
  try {
    return await act();
  } finally {
    copy.write(path, text);
  }
}

/** As many for each folder as it has lines; in it a kind of mistake first, then one of that kind. */
function queuesOf(seed, count) {
  const folders = Map.groupBy?.(paths, folderOf) ?? grouped(paths);
  const lines = (files) => files.reduce((sum, path) => sum + texts.get(path).split('\n').length, 0);
  const all = lines(paths);
  const shares = [...folders].map(([name, files]) => ({ name, files, share: (count * lines(files)) / all }));
  const left = count - shares.reduce((sum, { share }) => sum + Math.floor(share), 0);
  shares.sort((a, b) => (b.share % 1) - (a.share % 1));
  return new Map(
    shares.map(({ name, files, share }, at) => {
      const quota = Math.floor(share) + (at < left ? 1 : 0);
      return [name, { name, quota, next: drawerOf(files, randomOf(`${seed} ${name}`)) }];
    }),
  );
}

function grouped(all) {
  const groups = new Map();
  for (const path of all) groups.set(folderOf(path), [...(groups.get(folderOf(path)) ?? []), path]);
  return groups;
}

function folderOf(path) {
  const [top, next = ''] = path.split('/');
  return next.endsWith('.ts') ? top : `${top}/${next}`;
}

function drawerOf(files, random) {
  const kinds = new Map();
  for (const path of files) {
    for (const mutation of mutationsIn(path, texts.get(path))) {
      const { start, end, to, kind } = mutation;
      const mutant = { ...mutation, path, id: `${path}:${start}:${end}:${to}` };
      kinds.set(kind, [...(kinds.get(kind) ?? []), mutant]);
    }
  }
  const take = (list) => Math.floor(random() * list.length);
  return () => {
    const names = [...kinds.keys()].filter((kind) => kinds.get(kind).length > 0).sort();
    if (names.length === 0) return null;
    const list = kinds.get(names[take(names)]);
    return list.splice(take(list), 1)[0];
  };
}

/** mulberry32, seeded by a text. */
function randomOf(text) {
  let state = [...text].reduce((hash, char) => Math.imul(hash ^ char.codePointAt(0), 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function lineOf({ path, start }) {
  return texts.get(path).slice(0, start).split('\n').length;
}

/** The lines that change, before and after. */
function diffOf({ path, start, end, to }) {
  const text = texts.get(path);
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const until = text.indexOf('\n', end);
  return [text.slice(from, until), text.slice(from, start) + to + text.slice(end, until)].map((side) => side.trim());
}

function isEquivalent(mutant) {
  const [before, after] = diffOf(mutant);
  return EQUIVALENT.some(
    (each) => each.before === before && each.after === after && (each.path ?? mutant.path) === mutant.path,
  );
}

/** Another file for other sources or tests: nothing that was found with these holds there. */
function stateFileOf({ seed, count, folder, unit, tests }) {
  const name = [seed, count, ...folder, ...(unit ? ['unit'] : [])].join('-').replaceAll('/', '.');
  return join(CACHE, `run-${name}-${hashOf([...sourcesOf(), ...testsOf()], tests)}.json`);
}

function readState() {
  const fresh = { drawn: {}, compiles: {}, leftOut: {}, equivalent: {}, results: {}, sound: {} };
  return existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : fresh;
}

function writeState() {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(stateFile, JSON.stringify(state));
}

/** The table, and each mistake that no test noticed. */
function tell() {
  say('\n| folder | mutations | noticed | not | share | left out: compiler | left out: no effect |');
  say('| --- | --- | --- | --- | --- | --- | --- |');
  const count = (of, name) => Object.values(of).filter((folder) => name === null || folder === name).length;
  for (const name of [...queues.keys()].sort().concat(null)) {
    const done = Object.entries(state.results).filter(([id]) => name === null || state.drawn[id] === name);
    if (done.length === 0) continue;
    const noticed = done.filter(([, { noticedBy }]) => noticedBy !== null).length;
    const share = `${Math.round((100 * noticed) / done.length)} %`;
    const left = `${count(state.leftOut, name)} | ${count(state.equivalent, name)}`;
    say(`| ${name ?? 'all'} | ${done.length} | ${noticed} | ${done.length - noticed} | ${share} | ${left} |`);
  }
  for (const [id, { path, line, kind, noticedBy, asked }] of Object.entries(state.results)) {
    if (noticedBy !== null) continue;
    const [, start, end, ...to] = id.slice(path.length).split(':');
    const [before, after] = diffOf({ path, start: Number(start), end: Number(end), to: to.join(':') });
    say(
      `\n${path}:${line} (${kind}; ${asked === 0 ? 'no test enters it' : `${asked} test files enter it`})\n- ${before}\n+ ${after}`,
    );
  }
}
