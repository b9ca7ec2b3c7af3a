import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from './helpers/desk.ts';
import { startSrq } from './helpers/run-srq.ts';

interface Described {
  readonly name: string;
  readonly options: readonly { readonly name: string }[];
}

async function told<Document>(...words: string[]): Promise<Document> {
  return JSON.parse((await startSrq([...words, '--json']).ended).stdout);
}

const map = await told<{ commands: Described[]; globalOptions: Described['options'] }>('help');
const codes = await told<{ reasons: { reason: string }[]; findings: { code: string }[] }>('help', 'errors');
const exits = await told<{ exitCodes: { code: number }[] }>('help', 'exit-codes');
const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join('src', name), 'utf8'))
  .join('\n');

const everywhere = ['--help', '--all', '--version', ...map.globalOptions.map(({ name }) => name)];
const flags = new Set([...everywhere, ...map.commands.flatMap(({ options }) => options.map(({ name }) => name))]);
const known = {
  codes: new Set([...codes.reasons.map(({ reason }) => reason), ...codes.findings.map(({ code }) => code)]),
  exits: new Set(exits.exitCodes.map(({ code }) => String(code))),
  variables: new Set((code.match(/\bSRQ_[A-Z_]+\b/g) ?? []).filter((name) => name !== 'SRQ_VERSION')),
};
// `srq.record` is a table of the store.
const families = new Set([...known.codes].map((code) => code.split('.')[0]).filter((family) => family !== 'srq'));

const DOCS = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const PAGES = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...DOCS, 'src/store/file/FORMAT.md'];

/** The lines of all blocks of code, and the texts in code quotes. */
function codeIn(page: string): string[] {
  const blocks = [...page.matchAll(/^```[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
  const quoted = [...page.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return [...blocks, ...quoted.map((text) => text.replaceAll('\n', ' '))];
}

/** What is wrong with a command: `srq bulk leads.csv --yes`. What stands behind it in a shell does not count. */
function wrongIn(line: string): string[] {
  const [, said = ''] = /(?:^\s*|[$(;|&'"=] ?)srq ([^|>#;&]*)/.exec(line) ?? [];
  const words = said.trim().split(/\s+/);
  const [first = ''] = words;
  if (!/^[a-z]+$/.test(first)) return [];
  const named = map.commands.filter(({ name }) => name.split(' ')[0] === first);
  if (named.length === 0) return [`srq ${first}`];
  const two = named.filter(({ name }) => name === words.slice(0, 2).join(' '));
  const options = (two.length > 0 ? two : named).flatMap((command) => command.options.map(({ name }) => name));
  const given = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
  return given.filter((flag) => ![...options, ...everywhere].includes(flag)).map((flag) => `srq ${first} ${flag}`);
}

test.for(PAGES)('%s names only commands, flags, codes, exit codes and variables that exist', (path) => {
  const page = readFileSync(path, 'utf8');
  const lines = codeIn(page);
  const wrong = [
    ...lines.flatMap(wrongIn),
    ...lines.flatMap((text) => /^--[a-z-]+/.exec(text) ?? []).filter((flag) => !flags.has(flag)),
    ...lines
      .filter((text) => /^[a-z_]+\.[a-z-]+$/.test(text) && families.has(text.split('.')[0]))
      .filter((text) => !/\.(?:json|ndjson|csv|ts|js|md|txt)$/.test(text) && !known.codes.has(text)),
    ...[...page.matchAll(/exit codes? (\d+)|exits with (\d+)/g)]
      .map(([, one, other]) => one ?? other ?? '')
      .filter((number) => !known.exits.has(number)),
    ...(page.match(/\bSRQ_[A-Z_]+/g) ?? []).filter((name) => !known.variables.has(name)),
  ];
  expect(wrong).toEqual([]);
});

/** Node.js itself reads these. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS'];

test('docs/scripts.md has all environment variables that the code reads, and no other', () => {
  const read = [...code.matchAll(/\benv\['(\w+)'\]/g)].map(([, name = '']) => name.toUpperCase());
  const [, table = ''] = /^## Environment\n(.*?)^## /ms.exec(readFileSync('docs/scripts.md', 'utf8')) ?? [];
  const listed = new Set([...table.matchAll(/`([A-Z_]{2,})\b/g)].map(([, name]) => name));
  expect([...listed].sort()).toEqual([...new Set([...read, ...known.variables, ...OF_NODE])].sort());
});

/** A line of output without what differs each time: ports, clients, times, paths of this machine, widths. */
function steady(line: string): string {
  return line
    .replace(/127\.0\.0\.1:\d+ as client \d+/, 'HOST')
    .replace(/in [\d.]+ m?s\b/, 'in TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

describe.each(['README.md', 'docs/importing.md'])('%s', (path) => {
  const page = readFileSync(path, 'utf8');

  test('The page has commands that run one after the other, and print what it shows', { timeout: 120_000 }, async ({
    partner,
  }) => {
    const blocks = page.matchAll(/^```(?:console|sh)\n([\s\S]*?)^```$/gm);
    const steps = [...blocks].flatMap(([, block = '']) => block.split(/^(?=(?:\$ )?(?:srq|npm|npx) )/m));
    const ours = steps.filter((step) => /^(?:\$ )?srq /.test(step));
    expect(ours.length).toBeGreaterThan(4);
    for (const step of ours) {
      const [command = '', ...output] = step.split('\n');
      const words = command
        .replace(/^\$ srq |^srq /, '')
        .replace(/ +#.*$/, '')
        .split(' ');
      const { code, stdout, stderr } = await partner.run(...words);
      expect([command, code, code === 0 ? '' : stderr]).toEqual([command, 0, '']);
      const printed = new Set(`${stdout}\n${stderr}`.split('\n').map(steady));
      const shown = output.filter((line) => line.trim() !== '' && line !== '…').map(steady);
      expect(shown.filter((line) => !printed.has(line))).toEqual([]);
    }
  });
});
