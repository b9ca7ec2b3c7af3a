import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TellingContext } from '../cli/command.ts';
import { ENVIRONMENT } from '../cli/environment.ts';
import { EXIT_CODES, precedenceText } from '../cli/exit-codes.ts';
import { aligned, printable, tableText } from '../report/output.ts';
import { ERRORS } from '../request/words/error-codes.ts';
import { SrqError } from '../request/words/errors.ts';
import { FINDING } from '../request/words/finding.ts';
import { directories } from '../settings/paths.ts';

/** Prints the exit codes and their meanings. */
export async function exitCodes(context: TellingContext): Promise<number> {
  const meanings = new Map(Object.values(EXIT_CODES).map(({ number, meaning }) => [number, meaning]));
  const codes = [...meanings].map(([code, meaning]) => ({ code, meaning })).sort((a, b) => a.code - b.code);
  const reporter = await context.reporter();
  await reporter.result('help exit-codes', { exitCodes: codes }, (paint) =>
    tableText(
      ['code', 'meaning'],
      codes.map(({ code, meaning }) => [{ text: String(code).padStart(4) }, { text: meaning }]),
      null,
      paint,
    ),
  );
  reporter.say(() => `If several apply, ${precedenceText()}`);
  return 0;
}

/** Prints the codes of errors with their exit codes, and those of findings. A word selects the codes that begin with it. */
export async function errors(context: TellingContext, [beginning = '']: readonly string[] = []): Promise<number> {
  const kinds = Object.entries(EXIT_CODES)
    .filter(([code]) => code !== 'ok')
    .map(([code, { number, meaning }]) => ({ code, exitCode: number, meaning }));
  const reasons = Object.entries(ERRORS)
    .filter(([reason]) => reason.startsWith(beginning))
    .map(([reason, { kind: code }]) => ({ reason, code, exitCode: EXIT_CODES[code].number }));
  const findings = Object.entries(FINDING)
    .filter(([code]) => code.startsWith(beginning))
    .map(([code, { severity, advice }]) => ({ code, severity, advice }));
  if (reasons.length + findings.length === 0) {
    throw new SrqError('arguments.invalid', `No code begins with "${printable(beginning)}".`, 'See: srq help errors');
  }
  const reporter = await context.reporter();
  await reporter.result('help errors', { errors: kinds, reasons, findings }, (paint) =>
    [
      ...(beginning === ''
        ? [...kinds.map(({ code, exitCode, meaning }) => kindLine(code, exitCode, meaning)), '']
        : []),
      ...reasons.map(({ reason, code, exitCode }) => kindLine(reason.padEnd(27), exitCode, code)),
      ...findings.flatMap(({ code, severity, advice }) => [
        `${paint.bold(code)} ${paint.dim(`(${severity} of a row)`)}`,
        `  ${namedAdvice(advice)}`,
      ]),
    ].join('\n'),
  );
  reporter.say(
    () =>
      'With --json, error.code is the kind of error, error.reason is the code listed here, and error.hint says what to do. A row that was not delivered has a reason, too.',
  );
  return 0;
}

/** Returns the advice on a finding for people, with placeholders in capitals instead of a row's own names. */
function namedAdvice(advice: string): string {
  return advice.replaceAll('{field}', 'FIELD').replaceAll('{column}', 'COLUMN');
}

function kindLine(code: string, exitCode: number, meaning: string): string {
  return `${code.padEnd(16)}  ${String(exitCode).padStart(3)}  ${meaning}`;
}

/** Prints the environment variables that srq reads, and marks those that are set. It shows no values. */
export async function environment(context: TellingContext): Promise<number> {
  const { env } = context.process;
  const variables = ENVIRONMENT.map(({ names, meaning }) => ({
    names,
    meaning,
    set: names.filter((name) => env[name] || env[name.toLowerCase()]),
  }));
  const reporter = await context.reporter();
  await reporter.result('help environment', { environment: variables }, (paint) =>
    tableText(
      ['', 'variable', 'meaning'],
      variables.map(({ names, meaning, set }) => [
        { text: set.length > 0 ? '*' : ' ' },
        { text: names.join(', ') },
        { text: meaning },
      ]),
      null,
      paint,
    ),
  );
  reporter.say(() => '* marks what is set now. Flags win over the environment, the environment over the profile.');
  return 0;
}

/** The files that srq writes, by their folder. docs/accounts.md lists them. */
const FILES: readonly { readonly folder: 'config' | 'state' | null; readonly name: string; readonly what: string }[] = [
  { folder: 'config', name: 'config.json', what: 'profiles with their secrets' },
  { folder: 'config', name: 'contracts/PROFILE.json', what: 'the API description that was learned' },
  { folder: 'config', name: 'mappings/PROFILE.json', what: 'column mappings you confirmed' },
  { folder: 'state', name: 'PROFILE.ndjson', what: 'the log: keep it; it prevents sending twice' },
  { folder: 'state', name: 'PROFILE.ndjson.lock', what: 'which process sends, and the size of the log' },
  { folder: 'state', name: 'PROFILE.store.json', what: 'the store that the profile has sent through' },
  { folder: 'state', name: 'PROFILE.ndjson.index', what: "a copy of the log's index, for a quicker start" },
  { folder: 'state', name: 'PROFILE.ndjson.runs', what: 'notes on runs, for reports' },
  { folder: 'state', name: 'PROFILE.ndjson.torn-*', what: 'an unfinished line, if a crash left one' },
  { folder: 'state', name: 'PROFILE.token.json', what: 'the cached token' },
  { folder: 'state', name: 'PROFILE.learned.json', what: 'the learned pace, and what answers mean' },
  { folder: 'state', name: 'rehearsal/', what: 'the log of the last run with --sandbox' },
  { folder: 'state', name: 'written/', what: 'digests of your results files' },
  { folder: 'state', name: 'compile-cache/', what: 'srq, compiled, for a quicker start' },
  { folder: null, name: 'FILE.results.csv (.xlsx)', what: 'your rows with their outcome' },
  { folder: null, name: 'from --output, --report', what: 'exports and reports' },
];

/** Prints the files that srq writes, with the folders of this machine, and where its pages are. */
export async function files(context: TellingContext): Promise<number> {
  const { env, platform, argv } = context.process;
  const folders = { ...directories(env, platform), pages: pagesBeside(argv[1] ?? '') };
  const reporter = await context.reporter();
  await reporter.result('help files', { folders, files: FILES }, (paint) =>
    [
      ...(['config', 'state'] as const).flatMap((folder) => [
        paint.bold(printable(folders[folder])),
        ...namesIn(folder),
      ]),
      paint.bold('where you say, or beside your file'),
      ...namesIn(null),
      ...(folders.pages === null ? [] : [paint.bold(printable(folders.pages)), PAGES]),
    ].join('\n'),
  );
  return 0;
}

const PAGES = '  the pages: importing.md to begin with, trouble.md if something went wrong';

/** Returns the folder of the pages in the package, or null if only the program was copied. */
function pagesBeside(program: string): string | null {
  if (!existsSync(program)) return null;
  const folder = resolve(realpathSync(program), '../../docs');
  return existsSync(folder) ? folder : null;
}

function namesIn(folder: 'config' | 'state' | null): string[] {
  const width = Math.max(...FILES.map(({ name }) => name.length));
  const those = FILES.filter((file) => file.folder === folder);
  return aligned(those.map(({ name, what }) => [name.padEnd(width), what]));
}
