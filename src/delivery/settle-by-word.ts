import { isSelected, keysOfRun, type LogStore } from '../request/log/log-store.ts';
import { outcomeOf } from '../request/log/outcome.ts';
import type { DeliveryLog, LogRecord } from '../request/ports.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';

/** A person's statement on a request whose outcome is unknown: it was not created, or it was, with its identifier if that is known. */
export type PersonsWord = 'not-created' | { readonly id: string | null };

/** Minimum length of the beginning of a key that identifies a request. */
export const MIN_KEY_LETTERS = 6;

/**
 * Returns the requests whose outcome is unknown, oldest first. If `keys` is not empty, only requests whose key begins with
 * one of them are returned. If a reference is given, only requests with it are, and if the beginning of a run is given, only
 * requests that it has sent or settled.
 */
export async function unknownRecords(
  store: Pick<LogStore, 'latest' | 'records'>,
  keys: readonly string[],
  { ref, run }: { readonly ref?: string; readonly run?: string } = {},
): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  const ofRun = await keysOfRun(store, run);
  for await (const record of store.latest()) {
    if (record.event !== 'sending' && record.event !== 'unknown') continue;
    const isNamed =
      keys.length === 0 || keys.some((key) => key.length >= MIN_KEY_LETTERS && record.key.startsWith(key));
    const isOfRun = ofRun === null || ofRun.find(record.key) >= 0;
    if (isNamed && isOfRun && (ref === undefined || record.ref === ref)) found.push(record);
  }
  return found;
}

/**
 * Throws `SrqError('usage')` unless a word is about requests whose outcome is unknown, each key is that of one of them, and
 * an identifier is said of one alone.
 */
export function requireClear(doubtful: readonly LogRecord[], keys: readonly string[], word: PersonsWord): void {
  const named = (given: string) => doubtful.filter(({ key }) => key.startsWith(given)).length;
  const list = 'List them with: srq resolve';
  const several = keys.find((given) => named(given) > 1);
  if (several !== undefined) {
    const which = `Several requests with an unknown outcome have a key that begins with "${several}".`;
    throw new SrqError('doubt.several', `${which} Nothing was recorded.`, 'Give more of the key: srq resolve');
  }
  const idle = keys.find((given) => named(given) === 0);
  if (idle !== undefined) {
    const which = `No request with an unknown outcome has the key "${idle}".`;
    throw new SrqError('doubt.unknown', `${which} Nothing was recorded.`, list);
  }
  if (doubtful.length === 0) throw new SrqError('doubt.unknown', 'No such request has an unknown outcome.', list);
  if (word !== 'not-created' && word.id !== null && doubtful.length > 1) {
    const which = `${doubtful.length} requests are meant; they cannot share one identifier.`;
    throw new SrqError('doubt.several', which, 'Name one key.');
  }
}

/** Throws `SrqError('usage')` if the log has the identifier of a word for another request: somebody has copied the wrong line. */
export async function requireOwnIdentifier(store: Pick<LogStore, 'latest'>, word: PersonsWord): Promise<void> {
  if (word === 'not-created' || word.id === null) return;
  for await (const record of store.latest()) {
    if (!isSelected(record, { id: word.id, status: 'created' })) continue;
    const whose = record.ref === null ? `the request ${record.key}` : `the reference ${record.ref}`;
    const message = `The log has the identifier ${word.id} for ${whose}. Nothing was recorded.`;
    const hint = `Look the request up once more. To see that one: srq log --id ${shellWord(word.id)}`;
    throw new SrqError('arguments.invalid', message, hint);
  }
}

/**
 * Settles requests as a person states. Throws `SrqError('log')` before anything is recorded if one of them may
 * still be under way, and also if another process records something about one of them meanwhile. The log must be open
 * for a bulk run, because another run may still learn the outcome of what it has in flight.
 */
export async function settleByWord(log: DeliveryLog, doubtful: readonly LogRecord[], word: PersonsWord): Promise<void> {
  await log.prefetch(doubtful.map(({ key }) => key));
  const underWay = await Promise.all(doubtful.map(({ key }) => log.mayBeUnderWay(key)));
  if (underWay.includes(true)) {
    const message = 'Another process is sending with this log; one of these may be under way. Nothing was noted.';
    const others = 'Or settle those that are not under way by their keys: srq resolve KEY';
    const hint = `Wait until it has ended, then run the same command again.    ${others}`;
    throw new SrqError('log.under-way', message, hint);
  }
  const ids = word === 'not-created' || word.id === null ? {} : { id: word.id };
  const created = outcomeOf('created', 'You said that it was created.', { ids });
  for (const record of doubtful) {
    const { key, again } = record;
    const seen = log.lookup(key);
    const noted =
      word === 'not-created'
        ? await log.licence(record, seen, 'person', { again })
        : await log.outcome(record, created, { seen, by: 'person', again });
    const message = `Another process has just recorded something about ${key}.`;
    if (!noted) throw new SrqError('log.under-way', message, 'See: srq resolve');
  }
}
