import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { type SheetToWrite, workbook } from '../../scripts/workbook.mjs';
import { STORE_PASSWORD } from '../helpers/postgres.ts';
import { type Ended, Home, srq, type Typed } from './program.ts';
import type { Call } from './service.ts';

/** A part of a transcript between two fences, or outside of any. */
interface Block {
  /** The language of the fence, or null for prose. */
  readonly kind: string | null;
  readonly lines: readonly string[];
}

/** The width of the terminal of each kind of block with commands. */
const TERMINALS: Readonly<Record<string, number | null>> = { console: null, 'terminal-80': 80, 'terminal-60': 60 };

/** The store of the transcripts: an empty database, if there is a server for it. */
export const STORE = 'postgres://ana@127.0.0.1:PORT/leads';

/**
 * Carries out a transcript, and returns it with what happened in place of what it expects. See transcripts/README.md. `store`
 * is the URL of the database that stands behind {@link STORE}.
 */
export async function carryOut(transcript: string, store: string | null = null): Promise<string> {
  const home = await Home.open();
  const scene = { home, names: new Names(home, store), seen: filesOf(home), given: [DOCTOR] };
  const done: string[] = [];
  try {
    let prose = '';
    for (const block of blocksOf(transcript)) {
      done.push(...(await carryOutBlock(block, prose, scene)));
      if (block.kind === null) prose = block.lines.findLast((line) => line.trim() !== '') ?? '';
    }
    return done.join('\n');
  } finally {
    await home.close();
  }
}

/** The customer of the requests of `srq doctor`. */
const DOCTOR = 'srq-doctor@example.com';

interface Scene {
  readonly home: Home;
  readonly names: Names;
  /** The files of the user at the last look, with their content. */
  seen: Map<string, string>;
  /** What the user has typed, and what is in the files. Requests about others are of srq's own invention. */
  readonly given: string[];
}

async function carryOutBlock({ kind, lines }: Block, prose: string, scene: Scene): Promise<readonly string[]> {
  if (kind === null) return lines;
  const fenced = (content: readonly string[]) => [`\`\`\`${kind}`, ...content, '```'];
  if (kind in TERMINALS) {
    const steps: string[][] = [];
    for (const step of stepsOf(lines)) {
      steps.push([...step.given, ...(await carryOutStep(step, TERMINALS[kind] ?? null, scene))]);
    }
    return fenced(steps.flatMap((step, at) => (at === 0 ? step : ['', ...step])));
  }
  if (kind === 'service') {
    scene.home.service.script(lines.join('\n'));
    return fenced(lines);
  }
  const [, name] = /`([^`]+)`:$/.exec(prose) ?? [];
  if (name === undefined) throw new Error(`Nobody reads this block: ${lines[0]}`);
  const text = `${scene.names.real(lines.flatMap(repeated).join('\n'))}\n`;
  scene.home.write(name, name.endsWith('.xlsx') ? Buffer.from(workbook(sheetsOf(text))) : text);
  scene.seen = filesOf(scene.home);
  return fenced(lines);
}

function blocksOf(transcript: string): Block[] {
  const parts = transcript.split(/^```(.*)\n([\s\S]*?)^```$/m);
  return Array.from({ length: Math.ceil(parts.length / 3) }, (_, at) => {
    const [prose = '', kind, inside = ''] = parts.slice(at * 3, at * 3 + 3);
    const before: Block = { kind: null, lines: prose.replace(/^\n/, '').replace(/\n$/, '').split('\n') };
    return kind === undefined ? [before] : [before, { kind, lines: inside.replace(/\n$/, '').split('\n') }];
  }).flat();
}

/** A workbook is written as its sheets, each below a line with its name in brackets, with commas between the cells. */
function sheetsOf(text: string): SheetToWrite[] {
  return text
    .split(/^\[(?=.*\]$)/m)
    .slice(1)
    .map((sheet) => {
      const [name = '', ...rows] = sheet.split('\n');
      return { name: name.slice(0, -1), rows: parse(rows.join('\n'), { relax_column_count: true }) };
    });
}

/** `ana{1..30}@example.com` stands for thirty lines. */
function repeated(line: string): string[] {
  const [, first, last] = /\{(\d+)\.\.(\d+)\}/.exec(line) ?? [];
  if (first === undefined) return [line];
  const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
  return numbers.map((number) => line.replaceAll(/\{\d+\.\.\d+\}/g, String(number)));
}

/** A command with what a person types. */
interface Step {
  /** The lines as they were written. */
  readonly given: string[];
  readonly command: string;
  readonly typed: Typed[];
}

function stepsOf(lines: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    const [, question, keys] = /^\? (.*) → ?(.*)$/.exec(line) ?? [];
    if (line.startsWith('$ ')) steps.push({ given: [line], command: line.slice(2), typed: [] });
    else if (last && question !== undefined && keys !== undefined) {
      last.given.push(line);
      last.typed.push([question, keys.replace('⏎', '')]);
    }
  }
  return steps;
}

/** Runs a command, and returns the lines that say what came of it. */
async function carryOutStep({ command, typed }: Step, columns: number | null, scene: Scene): Promise<string[]> {
  const { home, names, given } = scene;
  given.push(command, ...typed.map(([, keys]) => keys), ...scene.seen.values());
  const [, setting, name = '', value = ''] = /^(export|unset|sleep) (\w+)=?(.*)$/.exec(command) ?? [];
  if (setting === 'export') home.env[name] = names.real(value);
  if (setting === 'unset') for (const each of command.split(' ').slice(1)) delete home.env[each];
  if (setting === 'sleep') home.clock.advance(Number(name) * 1000);
  if (setting !== undefined) return [];
  const shell = (text: string) => execFileSync('sh', ['-c', names.real(text)], { cwd: home.folder, env: home.env });
  const [call, before, settings = '', line = ''] = /^(?:(.*) \| )?((?:\w+=\S* )*)srq\b(.*)$/.exec(command) ?? [];
  if (call === undefined) {
    const shown = names.shown(shell(command).toString('utf8'));
    scene.seen = filesOf(home);
    return shown === '' ? [] : linesOf(shown).map((each) => `> ${each}`.trimEnd());
  }
  const [words, input] = wordsOf(names.real(line));
  const calls = home.service.calls.length;
  const ended = await srq(words, {
    ...{ home, columns, typed: typed.map(([question, keys]) => [question, names.real(keys)] as const) },
    stdin: before ? shell(before) : input === undefined ? '' : readFileSync(join(home.folder, input)),
    env: Object.fromEntries([...names.real(settings).matchAll(/(\w+)=(\S*) /g)].map(([, key, text]) => [key, text])),
  });
  return [
    ...saidBy(ended, columns, names),
    `= exit ${ended.code}`,
    ...callLines(home.service.calls.slice(calls), given.join('\n')),
    ...fileLines(scene),
  ];
}

/** Splits a command as a shell does, and takes out the file that `<` names. */
function wordsOf(line: string): [words: string[], input: string | undefined] {
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"])+/g)].map(([part]) =>
    part.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'),
  );
  const at = words.indexOf('<');
  const [, input] = at < 0 ? [] : words.splice(at, 2);
  return [words, input];
}

/** What the program wrote, with the stream of each line: `>` is standard output, `|` is standard error. */
function saidBy({ written }: Ended, columns: number | null, names: Names): string[] {
  const parts: [stream: string, text: string][] = [];
  for (const [stream, text] of written) {
    const last = parts.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else parts.push([stream, text]);
  }
  return parts.flatMap(([stream, text]) =>
    linesOf(names.shown(onScreen(text, columns ?? Number.POSITIVE_INFINITY)))
      .flatMap(brokenJson)
      .map((line) => `${stream === 'stdout' ? '>' : '|'} ${line}`.trimEnd()),
  );
}

/** Breaks the line of a long JSON document between its members, so that it can be read. */
function brokenJson(line: string): string[] {
  if (!/^[[{].*[\]}],?$/.test(line)) return [line];
  return line.replace(/(.{80,}?,)(?=["{])/g, '$1\n  ').split('\n');
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

/**
 * What a person sees of a text with the control sequences that move the cursor and clear a line. The terminal wraps a
 * line after `columns` columns, and the cursor moves within its rows.
 */
function onScreen(text: string, columns: number): string {
  const lines = text.split(/\r?\n/);
  return lines
    .map((line) => {
      let shown = '';
      let at = 0;
      for (const [part, count, control] of line.matchAll(/\x1b\[([\d;?]*)([A-Za-z])|\r|[^\x1b\r]+/g)) {
        const row = at - (at % columns);
        if (control === 'G') at = row + Number(count || 1) - 1;
        else if (control === 'A') at -= Number(count || 1) * columns;
        else if (control === 'J' || control === 'K') shown = shown.slice(0, at);
        else if (part === '\r') at = row;
        else if (control === undefined) {
          shown = shown.slice(0, at).padEnd(at) + part + shown.slice(at + part.length);
          at += part.length;
        }
      }
      return shown;
    })
    .join('\n');
}

/** Longer lists are counted. */
const MOST_LISTED = 8;

/**
 * What the service saw, in an order that does not depend on which of two requests was the faster one. Left out is what
 * validate is asked of earlier creations and of requests that nobody has made, by which its answers are compared.
 */
function callLines(calls: readonly Call[], given: string): string[] {
  const operations = new Set(['token', 'validate', 'create', ...calls.map(({ operation }) => operation)]);
  const seen = [...operations].flatMap((operation) => {
    const shown =
      operation === 'validate' ? calls.filter(({ isCreated, about }) => !isCreated && given.includes(about)) : calls;
    const about = shown.filter((call) => call.operation === operation).map((call) => call.about);
    if (about.length === 0) return [];
    const times = (name: string) => about.filter((other) => other === name).length;
    const names = [...new Set(about)].sort();
    if (names.length > MOST_LISTED) return [`${operation} for ${names.length} requests`];
    const list = names.map((name) =>
      operation === 'validate' || times(name) === 1 ? name : `${name} ${times(name)}×`,
    );
    return [`${operation} ${list.join(', ').trim()}`.trim()];
  });
  return seen.length === 0 ? [] : [`= service saw: ${seen.join(' · ')}`];
}

function filesOf({ folder }: Home): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith('.') && !/\.(?:[\w-]*lock|runs)$/.test(name));
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

/** The files that a command wrote or removed. Of a table of results, the columns that matter. */
function fileLines(scene: Scene): string[] {
  const before = scene.seen;
  scene.seen = filesOf(scene.home);
  const gone = [...before.keys()].filter((name) => !scene.seen.has(name)).map((name) => `= removed ${name}`);
  const written = [...scene.seen].filter(([name, content]) => before.get(name) !== content);
  return [...gone, ...written.flatMap(([name, content]) => [`= wrote ${name}`, ...resultLines(name, content, scene)])];
}

const COLUMNS = ['ref', 'email', 'e-mail', 'srq_status', 'srq_id', 'srq_message'];

function resultLines(name: string, content: string, { names }: Scene): string[] {
  if (!name.endsWith('.csv') || !content.includes('srq_status')) return [];
  const text = Buffer.from(content, 'latin1').toString('utf8');
  const rows = parse(text, { bom: true, delimiter: [',', ';', '\t'], relax_column_count: true }) as string[][];
  const [header = [], ...data] = rows;
  const shown = header.flatMap((column, at) => (COLUMNS.includes(column.toLowerCase()) ? [at] : []));
  const status = header.indexOf('srq_status');
  const statuses = data.map((row) => row[status] ?? '');
  const each = [...new Set(statuses)].map((one) => `${one} ${statuses.filter((other) => other === one).length}×`);
  if (data.length > MOST_LISTED) return [`=   ${each.join(', ')}`];
  const cells = [header, ...data].map((row) => shown.map((at) => names.shown(row[at] ?? '') || '-'));
  const widths = shown.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) => `=   ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}

/** What differs from run to run or from machine to machine, and the names that stand for it in transcripts. */
class Names {
  readonly #home: Home;
  readonly #store: string | null;
  /** Keys and runs in the order in which they were seen. */
  readonly #seen: Readonly<Record<'KEY' | 'RUN', string[]>> = { KEY: [], RUN: [] };

  constructor(home: Home, store: string | null) {
    this.#home = home;
    this.#store = store;
  }

  /** Replaces what is real by its name. */
  shown(text: string): string {
    return (
      text
        .replaceAll(this.#store ?? STORE, STORE)
        .replaceAll(this.#home.folder, '/home/ana')
        .replace(/(?<=127\.0\.0\.1:|localhost:|\bport )\d{4,5}\b/g, 'PORT')
        .replace(/(?<=\/tmp\/srq-sandbox-)\w{6}/g, 'XXXXXX')
        .replace(/(?<=\bclient (?:id {6})?|"clientId":"|--client-id )\d{6}\b/g, 'CLIENT')
        .replace(/[\d.]+ [MGT]iB/g, 'N GiB')
        .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (run) => this.#numbered('RUN', run, run.length))
        .replace(/\b[0-9a-f]{8}(?= \(\d{4}-)/g, (run) => this.#numbered('RUN', run, 8))
        .replace(
          /(?:\b|(?<=\bk))(?:[0-9a-f]{64}|[0-9a-f]{32}|(?<!\+)(?!0{12})[0-9a-f]{12})\b( {2,})?/g,
          (key, gap = '') => {
            const name = this.#numbered('KEY', key.trimEnd(), 12);
            return gap === '' ? name : name.padEnd(key.length);
          },
        )
        .replace(/(?<![\w-])[\w-]{32}(?= srq|"|'|$)/gm, 'SECRET')
        .replace(/(?<=T\d\d:\d\d):\d\d\.\d{3}(?=Z)/g, '')
        .replace(/(?<= rows? in )(?:\d[\d.]* \w+ ?)+(?=;|$)/gm, 'TIME')
        .replace(/(?<="(?:seconds|oldestSeconds)":)[\d.]+/g, '0')
        // A store has a clock of its own.
        .replace(/(?!2026-11-2[12])\b20\d\d-\d\d-\d\dT\d\d:\d\dZ/g, 'NOW')
        .replace(/(?<=^Done after )(?:\d[\d.]* \w+ ?)+$/gm, 'TIME')
        .replace(/(?<=^ +oldest +)[\d.]+ \w+/gm, 'TIME')
        .replace(/[\d.]+ leads\/s(?: · [\w ]+ left)?/g, 'N leads/s')
        .replace(/process \d+ on \S+?(?=[,. ])/g, 'process PID on HOST')
        .replaceAll(hostname(), 'HOST')
        .replaceAll(process.versions.node, 'NODE')
        .replaceAll(process.execPath, 'node')
    );
  }

  /** Replaces names by what they stand for. */
  real(text: string): string {
    return text
      .replaceAll('STORE-PASSWORD', STORE_PASSWORD)
      .replaceAll(STORE, this.#store ?? STORE)
      .replaceAll('/home/ana', this.#home.folder)
      .replace(/(http:\/\/(?:127\.0\.0\.1|localhost)):PORT/g, `$1:${new URL(this.#home.service.baseUrl).port}`)
      .replace(/\b(KEY|RUN)-(\d+)\b/g, (name, kind: 'KEY' | 'RUN', number) => this.#seen[kind][number - 1] ?? name);
  }

  #numbered(kind: 'KEY' | 'RUN', text: string, length: number): string {
    const beginning = text.slice(0, length);
    const all = this.#seen[kind];
    const at = all.findIndex((each) => each.startsWith(beginning) || beginning.startsWith(each));
    if (at < 0) all.push(text);
    return `${kind}-${at < 0 ? all.length : at + 1}`;
  }
}
