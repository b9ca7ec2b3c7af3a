// What the checks of whole documents have in common: documents with their judgements, TypeScript for Node.js 20, processes.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { embeddedText } from './embedded-text.mjs';

const EXTRACTS = new URL('../fixtures/documents/judged.ndjson', import.meta.url).pathname;
const EXAMPLES = new URL('../node_modules/@readme/oas-examples/', import.meta.url).pathname;
const SRQ = new URL('../dist/srq.js', import.meta.url).pathname;

const children = [];

const linesOf = (path) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The documents of a folder with their judgements, or those that are in the repository: extracts and examples. */
export function judgedDocuments(folder) {
  if (folder === undefined) {
    return linesOf(EXTRACTS).map((judgement) => ({
      file: `${judgement.name}.json`,
      judgement,
      bytes:
        judgement.file === undefined
          ? Buffer.from(JSON.stringify(judgement.document))
          : readFileSync(join(EXAMPLES, judgement.file)),
    }));
  }
  // What a person answers is kept beside the extracts.
  const known = new Map(linesOf(EXTRACTS).map((each) => [each.name, personsWord(each)]));
  const judgements = new Map(linesOf(join(folder, 'expectations.ndjson')).map((each) => [each.name, each]));
  return readdirSync(join(folder, 'docs'))
    .sort()
    .flatMap((file) => {
      const judgement = judgements.get(parse(file).name);
      if (judgement === undefined) return [];
      const whole = { ...known.get(judgement.name), ...judgement };
      return { file, judgement: whole, bytes: readFileSync(join(folder, 'docs', file)) };
    });
}

const personsWord = ({ answers, unserved }) => ({ answers, unserved });

/** Imports a module of the tests, which Node.js 20 cannot run as it is. `texts`: the plugin that embeds texts in it. */
export async function loadTypeScript(path, texts = embeddedText()) {
  const cache = new URL('../node_modules/.cache/', import.meta.url).pathname;
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'check-documents-'));
  try {
    const file = join(directory, `${parse(path).name}.mjs`);
    const bundle = await rolldown({
      input: new URL(`../${path}`, import.meta.url).pathname,
      platform: 'node',
      plugins: [texts],
    });
    await bundle.write({ file, format: 'esm', codeSplitting: false });
    await bundle.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Rehearses each document that has a create, two at a time. `before` may put a server between srq and the sandbox: it is
 * given the document and the sandbox, and gives another one.
 */
export async function rehearseAll(documents, before = (_, sandbox) => sandbox) {
  const { rehearse } = await loadTypeScript('test/contract/rehearsed-document.ts');
  const home = mkdtempSync(join(tmpdir(), 'srq-rehearsals-'));
  const waiting = documents.filter(({ judgement }) => judgement.create.length > 0);
  const done = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, bytes, judgement } = next;
      const openSandbox = async (path, operations) => before(path, await sandboxProcess(path, operations));
      const stage = { folder: join(home, judgement.name), run: srq, openSandbox };
      done.push(await rehearse(file, bytes, judgement, stage));
    }
  };
  try {
    await Promise.all([worker(), worker()]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return done.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function sandboxProcess(path, operations) {
  const named = Object.entries(operations).flatMap(([role, name]) => ['--operation', `${role}=${name}`]);
  const words = [SRQ, 'sandbox', '--port', '0', '--json', '--contract', path, ...named];
  const { child, found } = await started(process.execPath, words, /(\{.*\})\n/);
  return { ...JSON.parse(found), close: () => stop(child) };
}

/** Runs srq to its end. */
export async function srq(args, env) {
  const own = { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, [SRQ, ...args], own);
  const ended = new Promise((done) => child.once('close', done));
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  return { code: await ended, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** A process that has said what it was started for: that it is ready, and where. */
export function started(program, args, pattern) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  children.push(child);
  return new Promise((done, fail) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const [, found] = pattern.exec(said) ?? [];
        if (found) done({ child, found });
      });
    }
    child.once('close', () => fail(new Error(`${program} ended: ${said}`)));
    child.once('error', fail);
  });
}

/** Ends a process with those that it has started, as npx does. */
export function stop({ pid, exitCode }) {
  if (exitCode !== null || pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It ended meanwhile.
  }
}

export const stopAll = () => children.forEach(stop);
