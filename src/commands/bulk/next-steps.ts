import { commandLine, onlyOptions, withoutOptions } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { thousands } from '../../report/output.ts';
import type { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import { type Counts, countsLeft, withUntriedAsFailed } from '../../request/status.ts';
import type { Asides } from './show-import.ts';

/** One file of a run that has ended. */
export interface EndedFile {
  /** The input as the user named it. */
  readonly file: string;
  readonly plan: ImportPlan;
  /** The path of the results, `-` for standard output, or null for none. */
  readonly results: string | null;
  readonly asides: Asides;
  /** Where an export of the input would be written. */
  readonly exportTo: string;
}

/** A run that has ended. */
export interface EndedRun {
  readonly files: readonly EndedFile[];
  /** The arguments that repeat this command, including corrections made to the plan of one file. */
  readonly command: readonly string[];
}

/** Returns what a person does next, in words of the files, or null if there is nothing to do. */
export function adviceFor({ failed, unknown, ...counts }: Counts, files: readonly EndedFile[]): string | null {
  if (failed > 0) return null;
  if (unknown > 0)
    return `${rowsText(unknown)} may have been taken: look ${unknown === 1 ? 'it' : 'them'} up at the service.`;
  const refused = counts.invalid + counts.rejected;
  if (refused === 0) return null;
  const were = `${rowsText(refused)} ${refused === 1 ? 'was' : 'were'} refused`;
  const results = files.filter(hasRefused).map(({ results }) => results);
  return results.every(isFile)
    ? `${were}: open ${results.join(', ')} and correct the cells that srq_message names.`
    : `${were}: correct ${refused === 1 ? 'it' : 'them'} in the input, and import that again.`;
}

/** Returns the command that exports the input with its identifiers, or null if there is something else to do first. */
export function exportCommand(context: Context, counts: Counts, { files, command }: EndedRun): string | null {
  const [one, ...more] = files;
  const { send, correct, settle } = countsLeft(counts);
  if (!one || more.length > 0 || send + correct + settle > 0) return null;
  const { file, plan, exportTo } = one;
  if (plan.range.skip > 0 || plan.range.limit !== null) return null;
  // The log of a sandbox in this process ends with it, and standard input cannot be read again.
  if (context.options.sandbox || file === '-') return null;
  const reading = onlyOptions(command, OF_THE_REQUEST);
  return commandLine(['export', ...globalFlags(context), file, ...reading, '--output', exportTo]);
}

/** Returns the command to run next, or null if nothing is left to do. */
export function nextCommand(
  context: Context,
  counts: Counts,
  { files, command }: EndedRun,
  stop: SrqError | null,
): string | null {
  const fromStdin = files.some(({ file }) => file === '-');
  if (stop !== null || countsLeft(counts).send > 0) return fromStdin ? null : commandLine(command);
  if (counts.unknown > 0) return commandLine(['resolve', ...globalFlags(context)]);
  // The next sandbox in a process is a new marketplace, which would not know the requests of this one.
  if (counts.invalid + counts.rejected === 0 || context.options.sandbox) return null;
  const refused = files.filter(hasRefused);
  if (!refused.every(({ results }) => isFile(results))) return fromStdin ? null : commandLine(command);
  const words = withoutOptions(command, OF_THE_INPUT);
  return commandLine(words.flatMap((word) => correctedFile(word, files)));
}

/** Returns what stands for a word of the command in the next one: a file's results, or nothing for a file that is done. */
function correctedFile(word: string, files: readonly EndedFile[]): readonly string[] {
  const file = files.find((each) => each.file === word);
  if (!file) return [word];
  return hasRefused(file) ? [file.results ?? word] : [];
}

function hasRefused({ plan }: EndedFile): boolean {
  const { invalid, rejected } = withUntriedAsFailed(plan.ledger.counts());
  return invalid + rejected > 0;
}

function isFile(results: string | null): results is string {
  return results !== null && results !== '-';
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${thousands(count)} rows`;
}

function globalFlags({ options: { log, store, profile } }: Context): string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(log === undefined ? [] : ['--log', log]),
    ...(store === undefined ? [] : ['--store', store]),
  ];
}

/** Flags that say how to read the input. */
const OF_READING = ['--format', '--encoding', '--delimiter', '--skip-lines', '--sheet'];

/** Flags by which a row of the input becomes the same request again. */
const OF_THE_REQUEST = ['--map', '--set', '--mapping', ...OF_READING];

/**
 * Flags that describe the input and its outputs. They do not apply when the results file is the next input, because
 * that is CSV in UTF-8.
 */
const OF_THE_INPUT = [...OF_READING, '--limit', '--skip', '--results'];
