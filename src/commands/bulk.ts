import { realpath } from 'node:fs/promises';
import { commandLine, withoutOptions } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { EXIT_CODES, firstExitNumber } from '../cli/exit-codes.ts';
import type { BulkOptions } from '../cli/table/options.ts';
import { keepHeapSmall } from '../cli/v8-flags.ts';
import { firstChunk, openPartnerFile } from '../input/partner-file.ts';
import { SrqError } from '../request/words/errors.ts';
import { requireConsent } from '../run/consent.ts';
import { openEvents } from '../run/events.ts';
import { importFile } from '../run/import-file.ts';
import { madeOfOthers, refuseRehearsed } from '../run/results.ts';
import type { EndOfRun } from '../run/summary.ts';

/** Imports files, one after the other: each is planned, agreed to and sent before the next is read. */
export async function bulk(context: Context, named: readonly string[], options: BulkOptions): Promise<number> {
  keepHeapSmall();
  const { files, command: given } = await chosenFiles(context, named);
  // The file of the events must be a new one, so that no command which is proposed may name it again.
  const command = options.events === '-' ? given : withoutOptions(given, ['--events']);
  for (const file of files) refuseRehearsed(context, file);
  // One that is missing is told before the others are sent.
  if (files.length > 1) for (const file of files) await firstChunk(await openPartnerFile(file));
  requireConsent(context, await context.settings(), options);
  const events = await openEvents(context, options);
  return events.during(async () => {
    const exitCode = await eachFile(context, files, command, (file, own) =>
      importFile(context, events, file, own, options),
    );
    if (options.keep) await keepInbox(context);
    return exitCode;
  });
}

/**
 * Imports the files until one of them ends early, and returns the exit code that counts first. A file that cannot be read
 * or agreed to does not keep the others from being imported.
 */
async function eachFile(
  context: Context,
  files: readonly string[],
  command: readonly string[],
  importOne: (file: string, command: readonly string[]) => Promise<Pick<EndOfRun, 'exitCode' | 'stopped'>>,
): Promise<number> {
  const exitCodes: number[] = [];
  for (const [at, file] of files.entries()) {
    if (at > 0) context.beginRun();
    const own = commandFor(command, files, [file]);
    const left = files.slice(at + 1);
    let isLast = true;
    try {
      const end = await importOne(file, own).catch((error) => failed(context, files, file, error));
      exitCodes.push(end.exitCode);
      isLast = end.stopped !== null || left.length === 0;
    } finally {
      if (isLast && left.length > 0) {
        const rest = commandLine(commandFor(command, files, left));
        await context.warn(`Not begun: ${left.join(', ')}. To import the rest: ${rest}`);
      }
    }
    if (isLast) break;
  }
  const { usage, rejected } = EXIT_CODES;
  const exitCode = firstExitNumber(exitCodes);
  // Wrong usage says that nothing was sent, so it does not stand for files of which one was imported or checked.
  return exitCode === usage.number && exitCodes.some((code) => code !== exitCode) ? rejected.number : exitCode;
}

/** Reports why one of several files was not imported. Whatever concerns the others as well is thrown. */
async function failed(context: Context, files: readonly string[], file: string, error: unknown) {
  const isOfFile = error instanceof SrqError && ['input', 'usage'].includes(error.code);
  if (!isOfFile || files.length === 1 || context.interruption.code !== null) throw error;
  const failure = context.failureOf(error);
  const { message } = failure;
  await context.reporter.fail({ ...failure, message: message.includes(file) ? message : `${file}: ${message}` });
  const isLeft = error.reason.startsWith('prompt.');
  return { exitCode: EXIT_CODES[error.code].number, stopped: isLeft ? error : null };
}

/** Returns the arguments that import only `wanted` of the files. */
function commandFor(command: readonly string[], files: readonly string[], wanted: readonly string[]): string[] {
  return command.filter((word) => wanted.includes(word) || !files.includes(word));
}

/**
 * Returns the files to import, and the arguments that name them. A pattern of the shell may name files that srq made from
 * another file of the list. These are left out, with a message. Throws `SrqError('usage')` if a file is named twice, or
 * standard input beside files, because nobody could be asked about those.
 */
async function chosenFiles(context: Context, named: readonly string[]) {
  if (named.includes('-') && named.length > 1) {
    const message = 'Standard input (-) can only be imported alone. Nothing was sent.';
    throw new SrqError('file.only-one', message, 'Import the files with a command of their own.');
  }
  const made = madeOfOthers(named);
  if (made.size > 0) {
    const leftOut = [...made].map(([file, of]) => `${file} (made of ${of})`).join(', ');
    await context.warn(`Left out: ${leftOut}. If you have corrected one, import it alone.`);
  }
  const files = named.filter((file) => !made.has(file));
  const paths = await Promise.all(files.map((file) => realpath(file).catch(() => file)));
  const twice = files.find((_, at) => paths.indexOf(paths[at] ?? '') !== at);
  if (twice !== undefined) {
    throw new SrqError('file.twice', `${twice} is named twice. Nothing was sent.`, 'Name each file once.');
  }
  return { files, command: commandFor(context.process.argv.slice(2), named, files) };
}

/** Keeps the sandbox of this process and its inbox open until Ctrl-C. */
async function keepInbox(context: Context): Promise<void> {
  const { interruption } = context;
  if (interruption.code !== null) return;
  const { baseUrl } = await context.settings();
  context.reporter.say(() => `The inbox shows what was sent: ${baseUrl?.value}/\nIt stays open until Ctrl-C.`);
  await new Promise<void>((resolve) => interruption.listen(resolve));
}
