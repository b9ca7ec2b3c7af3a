import type { LogStore, RecordedNote } from '../request/log/log-store.ts';
import { SrqError } from '../request/words/errors.ts';

/** The note that begins an import. */
type Begun = Extract<RecordedNote, { event: 'begin' }>;

/** Returns the imports that the log has notes on, the oldest first. */
export async function begunRuns(log: LogStore): Promise<readonly Begun[]> {
  const begun: Begun[] = [];
  for await (const note of log.notes()) if (note.event === 'begin') begun.push(note);
  return begun;
}

/** Number of runs that an error names. */
const SHOWN_RUNS = 5;

/**
 * Returns the id of the run that begins with `wanted`. Imports have notes, and other commands have only their records. Throws
 * `SrqError('usage')` if several runs begin so, and for a run that the log does not know, because an empty answer would look
 * as if nothing was sent. `forAll` is the command that takes all requests.
 */
export async function knownRun(log: LogStore, wanted: string, forAll: string): Promise<string> {
  // An unset variable of a script gives an empty text, which would mean every run.
  if (wanted.trim() === '') {
    throw new SrqError('arguments.invalid', 'The run is empty.', `Leave --run out for all requests: ${forAll}`);
  }
  const begun = await begunRuns(log);
  const found = new Set(begun.map(({ run }) => run).filter((run) => run.startsWith(wanted)));
  for await (const { record } of log.records()) if (record.run.startsWith(wanted)) found.add(record.run);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const which = [only, ...others].slice(-SHOWN_RUNS).join(', ');
    throw new SrqError(
      'arguments.invalid',
      `Several runs have an id that begins with "${wanted}".`,
      `Give more: ${which}`,
    );
  }
  const last = begun.slice(-SHOWN_RUNS).map(({ run, at, file }) => `${run.slice(0, 8)} (${at.slice(0, 16)}, ${file})`);
  const hint = last.length > 0 ? `The last ones: ${last.join(', ')}` : `All that is in the log: ${forAll}`;
  throw new SrqError('run.unknown', `No run in ${log.name} has an id that begins with "${wanted}".`, hint);
}
