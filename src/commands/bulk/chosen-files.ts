import { realpath } from 'node:fs/promises';
import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { SrqError } from '../../request/errors.ts';
import type { BulkOptions } from './bulk-options.ts';
import { mayHoldCorrections, withoutOwnFiles } from './results-place.ts';

/** The files of a run, and the command that names them. */
export interface ChosenFiles {
  readonly files: readonly string[];
  /** The arguments of this command, without files that are left out. */
  readonly command: readonly string[];
}

/**
 * Returns the files to import. Of several, as a pattern of the shell gives them, those that srq made of another one are left
 * out, and said. Throws `SrqError('usage')` if one is named twice.
 */
export async function chosenFiles(context: Context, named: readonly string[]): Promise<ChosenFiles> {
  const { files, leftOut } = withoutOwnFiles(named);
  const words = context.process.argv.slice(2);
  const reporter = await context.reporter();
  const unchanged: string[] = [];
  for (const { file, of } of leftOut) {
    const name = `${file} (made of ${of})`;
    if (!(await mayHoldCorrections(context, file))) unchanged.push(name);
    else {
      const alone = commandLine(commandForOne({ files: named, command: words }, file));
      reporter.warn(`Left out: ${name}, though it was changed since: it may hold corrections. To send them: ${alone}`);
    }
  }
  if (unchanged.length > 0) reporter.warn(`Left out: ${unchanged.join(', ')}.`);
  const paths = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const twice = files.find((_, at) => paths.indexOf(paths[at] ?? '') !== at);
  if (twice !== undefined) {
    throw new SrqError('usage', `${twice} is named twice. Nothing was sent.`, 'Name each file once.');
  }
  return { files, command: words.filter((word) => !leftOut.some(({ file }) => file === word)) };
}

/** Returns the arguments that import one of the files alone. */
export function commandForOne({ files, command }: ChosenFiles, file: string): readonly string[] {
  return command.filter((word) => word === file || !files.includes(word));
}

/** Throws `SrqError('usage')` for several files together with what is possible for one alone. */
export function requireForOne(chosen: ChosenFiles, options: BulkOptions): void {
  const { files } = chosen;
  const [first = '', ...others] = files;
  if (others.length === 0) return;
  const { results, report, saveMapping, limit, skip } = options;
  const forOne: readonly (readonly [what: string, isGiven: boolean])[] = [
    ['--results', typeof results === 'string'],
    ['--report', report !== undefined],
    ['--save-mapping', saveMapping !== undefined],
    ['--limit', limit !== undefined],
    ['--skip', skip > 0],
    ['Standard input (-)', files.includes('-')],
  ];
  const [what] = forOne.find(([, isGiven]) => isGiven) ?? [];
  if (what === undefined) return;
  throw new SrqError(
    'usage',
    `${what} is for one file, and these are ${files.length}. Nothing was sent.`,
    `Import them one by one: ${commandLine(commandForOne(chosen, first))}`,
  );
}

/**
 * Does something with every file, one after another, and returns the results. What is wrong with one file does not hide what
 * is wrong with the next: throws one `SrqError` for all files that cannot be used.
 */
export async function withEachFile<Result>(
  files: readonly string[],
  work: (file: string, at: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: { readonly file: string; readonly error: SrqError }[] = [];
  for (const [at, file] of files.entries()) {
    try {
      results.push(await work(file, at));
    } catch (error) {
      if (!(error instanceof SrqError) || (error.code !== 'input' && error.code !== 'usage')) throw error;
      failures.push({ file, error });
    }
  }
  const [first] = failures;
  if (!first) return results;
  if (files.length === 1) throw first.error;
  const told = failures.map(({ file, error: { message } }) =>
    message.includes(file) ? message : `${file}: ${message}`,
  );
  const hints = new Set(failures.flatMap(({ error: { hint } }) => hint ?? []));
  const nothing = told.some((message) => message.includes('Nothing was sent.')) ? [] : ['Nothing was sent.'];
  throw new SrqError(first.error.code, [...told, ...nothing].join(' '), [...hints].join(' ') || null, first.error);
}
