import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../cli/context.ts';
import type { ErrorReason } from '../request/words/error-codes.ts';
import { SrqError, shellWord, systemCode } from '../request/words/errors.ts';

/**
 * The rule for every file that a command writes: what srq did not write is never replaced, and neither is what somebody
 * has changed since. A path that a flag names is refused then. A default path gets the next free number.
 */
interface Rule {
  /** The flag that names the file. */
  readonly flag: string;
  /** What is written, for messages. */
  readonly kind: string;
  /** The file that is read, or null. */
  readonly input?: string | null;
  /** Whether the path is a default one, so that the next free number is taken. */
  readonly mayMove?: boolean;
  /** Whether an earlier file of srq's own is kept as well. */
  readonly keepsOwn?: boolean;
  /** The reason that an error of the system gets, if it is not `output.unwritable`. */
  readonly reason?: ErrorReason;
  readonly hint?: string;
}

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;
type Host = Pick<Context, 'writtenFiles' | 'reporter' | 'outputs'>;

/** Maximum number of places that are tried for a file. A place is skipped if another program has its file open. */
const MAX_PLACES = 5;

/** A file that a command writes, whole or not at all, for its owner alone. */
export type Output = Awaited<ReturnType<typeof openOutput>>;

/**
 * Finds the place of an output, before anything is sent. Throws `SrqError('usage')` if the file cannot be written there, or if
 * it would replace its own input or anything that srq did not write.
 */
export async function openOutput(host: Host, wanted: string, rule: Rule) {
  const { flag, kind, input = null, mayMove = false, keepsOwn = false } = rule;
  const heldOpen = new Set<string>();
  // If somebody has changed the file or has it open when it is to be replaced, the path becomes another one.
  const output = { path: wanted, write };
  const isInput = input !== null && (await onlyPath(wanted)) === (await onlyPath(input));
  if (!mayMove && isInput) {
    const message = `The ${kind} would replace the input.`;
    throw new SrqError('output.not-replaced', message, `Name another file: ${flag} FILE`);
  }
  const free = await freePath(wanted, isFree);
  if (mayMove) {
    output.path = free;
    if (free !== wanted && !isInput) host.reporter.warn(await keptMessage(wanted));
  } else if (free !== wanted) {
    const kept = keepsOwn ? 'exists, and is never replaced' : 'is not as srq wrote it, so it is not replaced';
    throw await notReplaced(wanted, flag, free, (await isOthers(wanted)) ? USED_ALREADY : kept);
  }
  await requireWritable(output.path, kind, flag);
  host.outputs.set(await onlyPath(output.path), output);
  return output;

  /**
   * Writes the file, and returns false if `stop` fires before it is whole. If the file there has been changed meanwhile, or
   * is open in another program, it is kept, and the next free number is used. Throws an `SrqError` if the system cannot
   * write it. Errors of `chunks` are passed on.
   */
  async function write(chunks: Chunks, stop?: AbortSignal): Promise<boolean> {
    const part = `${output.path}.${randomUUID()}.part`;
    try {
      const file = createWriteStream(part, { mode: 0o600, flags: 'wx' });
      await once(file, 'open');
      await pipeline(chunksUntil(stop, chunks), file);
      if (stop?.aborted) return false;
      await move(part);
      await (await host.writtenFiles()).note(output.path);
      return true;
    } catch (error) {
      if (error instanceof SrqError || systemCode(error) === '') throw error;
      const { reason = 'output.unwritable', hint = `Name another place: ${flag} FILE` } = rule;
      throw new SrqError(reason, `The ${kind} ${output.path} cannot be written (${systemCode(error)}).`, hint, error);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Moves a complete file to the first place that is free and whose file is not open in another program. */
  async function move(part: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      const before = output.path;
      if (!(await isFree(before))) {
        output.path = await freePath(wanted, isFree);
        host.reporter.warn(await keptMessage(before));
      }
      try {
        await rename(part, output.path);
        host.outputs.set(await onlyPath(output.path), output);
        return;
      } catch (error) {
        if (!isHeldOpen(error) || tries === MAX_PLACES) throw error;
        heldOpen.add(output.path);
      }
    }
  }

  /** Tells whether the log or another output of this command has the path. */
  async function isOthers(path: string): Promise<boolean> {
    return (host.outputs.get(await onlyPath(path)) ?? output) !== output;
  }

  async function keptMessage(kept: string): Promise<string> {
    const why = heldOpen.has(kept)
      ? 'is open in another program, such as Excel, so it is kept'
      : (await isOthers(kept))
        ? USED_ALREADY
        : 'is not as srq wrote it here, so it is kept';
    return `${kept} ${why}; the ${kind === 'results file' ? 'results go' : `${kind} goes`} to ${output.path}.`;
  }

  /** Free is what does not exist, is empty, or is as srq wrote it. */
  async function isFree(path: string): Promise<boolean> {
    if (heldOpen.has(path) || (await isOthers(path))) return false;
    const found = await lstat(path).catch(() => null);
    if (!found || (found.isFile() && found.size === 0)) return true;
    return found.isFile() && !keepsOwn && (await (await host.writtenFiles()).isUnchanged(path));
  }
}

/** Writes an output. After a signal nothing is written, and it throws `SrqError('interrupted')`. */
export async function writeUntilSignal({ interruption }: Context, output: Output, chunks: Chunks): Promise<void> {
  interruption.listen(() => {});
  if (await output.write(chunks, interruption.halt.signal)) return;
  throw new SrqError('interrupted.unfinished', `Interrupted: ${output.path} was not written.`);
}

/** Returns a path if it is free, or the next one with a number. */
async function freePath(path: string, isFree: (path: string) => Promise<boolean>): Promise<string> {
  const ending = extname(path);
  const stem = path.slice(0, path.length - ending.length);
  for (let number = 2, each = path; ; each = `${stem}-${number++}${ending}`) if (await isFree(each)) return each;
}

/** Returns the error for a file that is not replaced, with the reason. `free` is a path beside it. */
async function notReplaced(path: string, flag: string, free: string, why: string): Promise<SrqError> {
  const found = await lstat(path).catch(() => null);
  if (found && !found.isFile()) {
    const message = `${path} is not a regular file; nothing was written.`;
    return new SrqError('output.not-replaced', message, `Name another file: ${flag} FILE`);
  }
  return new SrqError(
    'output.not-replaced',
    `${path} ${why}. Nothing was sent.`,
    `To write beside it: ${flag} ${shellWord(free)}`,
  );
}

const USED_ALREADY = 'is used by this command already';

/**
 * Creates a file to which lines are added, for its owner alone. Throws `SrqError('usage')` if it is there already, or cannot
 * be written.
 */
export async function openNew({ outputs }: Host, path: string, { flag, kind }: Rule): Promise<FileHandle> {
  const isFree = async (each: string) => !outputs.has(await onlyPath(each)) && !(await lstat(each).catch(() => null));
  const free = await freePath(path, isFree);
  if (free !== path) throw await notReplaced(path, flag, free, 'is there already');
  try {
    const file = await open(path, 'wx', 0o600);
    outputs.set(await onlyPath(path), file);
    return file;
  } catch (error) {
    throw unwritable(path, kind, flag, error);
  }
}

function unwritable(path: string, kind: string, flag: string, error: unknown): SrqError {
  const message = `The ${kind} ${path} could not be written (${systemCode(error)}). Nothing was sent.`;
  return new SrqError('output.unwritable', message, `Name another place: ${flag} FILE`, error);
}

/** Returns the unique path of a file, however it is named, even through a link. The file need not exist. */
export async function onlyPath(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  return realpath(path).catch(async () => join(await realpath(folder).catch(() => folder), basename(path)));
}

/** Checks, before anything is sent, that a file can be written. Throws `SrqError('usage')` if none can be beside `path`. */
export async function requireWritable(path: string, kind: string, flag: string): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, '', { mode: 0o600 });
    await rm(part);
  } catch (error) {
    throw unwritable(path, kind, flag, error);
  }
}

/** Tells whether another program has a file open and prevents others from writing it, as Excel does on Windows. */
export function isHeldOpen(error: unknown, system: string = platform()): boolean {
  const code = systemCode(error);
  return code === 'EBUSY' || (system === 'win32' && (code === 'EPERM' || code === 'EACCES'));
}

/** Ends the chunks once `stop` fires, so that their source is closed. */
async function* chunksUntil(stop: AbortSignal | undefined, chunks: Chunks): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    if (stop?.aborted) return;
    yield chunk;
  }
}
