import { aliasOf, countKnownFields } from '../request/lead/field-aliases.ts';
import { SrqError } from '../request/words/errors.ts';

/** Names of lists of requests in the answers of APIs. */
export const LIST_NAMES: readonly string[] = ['data', 'leads', 'results', 'rows', 'items', 'records', 'requests'];

/**
 * Throws `SrqError('input')` for objects that contain a list which was probably meant. Otherwise one request would be
 * sent for the whole list, perhaps with a text of the object around it. `columns` are the names of the flattened
 * values.
 */
export function refuseListWithin(columns: readonly string[], path: string): void {
  const list = listWithin(columns);
  if (list === null) return;
  // Any other name would need quoting, in jq and in the shell.
  const isPlain = /^[\w.]+$/.test(list);
  throw new SrqError(
    'json.nested',
    `${path} is a JSON object; the requests seem to be in its list "${list}".`,
    isPlain ? `Give that list alone: jq -c '.${list}[]' FILE > list.ndjson` : 'Give a file with that list alone.',
  );
}

/**
 * Returns the name of the list that was probably meant, or null. An object without known fields is no request. One with
 * some may still be the answer of an API, which says `"message":"Success"` beside its list of leads; but it may also be
 * the request of a person, with a list of its own, such as one of addresses or of earlier messages.
 */
function listWithin(columns: readonly string[]): string | null {
  const lists = new Map<string, string[]>();
  const own: string[] = [];
  for (const column of columns) {
    const [, list, name = ''] = MEMBER.exec(column) ?? [];
    if (list === undefined) own.push(column);
    else lists.set(list, [...(lists.get(list) ?? []), name]);
  }
  const isUnknown = countKnownFields(columns) === 0;
  const isPersons = isPerson(meaningsOf(own));
  for (const [name, members] of lists) {
    const meanings = meaningsOf(members);
    const isNamedSo = LIST_NAMES.includes(lastName(name).toLowerCase()) && hasContact(meanings);
    if (isUnknown || isNamedSo || (!isPersons && isPerson(meanings))) return name;
  }
  return null;
}

type Meanings = readonly string[];

const hasContact = (meanings: Meanings): boolean => meanings.includes('phone') || meanings.includes('email');

const PERSON_OR_PLACE = /^(?:fullname|first_name|last_name|location|street|postal_code|city|request_text)$/;

const isPerson = (meanings: Meanings): boolean =>
  hasContact(meanings) && meanings.some((meaning) => PERSON_OR_PLACE.test(meaning));

/** Matches the name of a value in a list of objects. The groups are the list and the rest. */
const MEMBER = /^(.+?)\.\d+\.(.+)$/;

const meaningsOf = (names: readonly string[]): Meanings =>
  names.flatMap((name) => aliasOf(name)?.meaning ?? aliasOf(lastName(name))?.meaning ?? []);

const lastName = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
