import { Document, isMap, isNode, stringify } from 'yaml';
import type { Call, Contract } from '../request/contract/contract.ts';
import type { JsonObject } from '../request/contract/json.ts';
import { writePlace } from '../request/contract/place.ts';
import { placesIn } from '../request/contract/places.ts';
import { withoutSecretValues } from './secrets.ts';

const MAX_OPEN = 60;

/** Writes a contract as the page that a person reads, edits and gives back. Secrets are left out. */
export function pageOf(contract: Contract): string {
  const shown = withoutSecretValues(contract);
  const { source, servers } = shown;
  const page = new Document(pageValueOf(shown), { aliasDuplicateObjects: false });
  page.commentBefore = comment([
    `${source === null ? 'The public API' : `${source.title} (${source.file}), ${source.kind}`}. A line that begins with "# ?" is a guess and not in force.`,
    'Edit it and give it back: srq contract learn contract.yaml',
  ]);
  explainFields(page, 'create', shown);
  explainFields(page, 'validate', shown);
  explain(page, ['token', 'at'], ['of the base URL, not below its path']);
  page.comment = comment(servers.map(({ url, description }) => `server ${url} ${description}`));
  return page.toString({ lineWidth: 0 });
}

/** Returns what the page of a contract says, without its comments. What is empty stays out. */
export function pageValueOf({ create, validate, token }: Contract) {
  return {
    create: callValue(create),
    // Without a word on its codes, those of create hold.
    validate:
      validate === null
        ? 'none'
        : { ...callValue(validate), ...(isEmpty(validate.codes) && !isEmpty(create.codes) && { codes: {} }) },
    token: tokenValue(token),
  };
}

const isEmpty = (table: object): boolean => Object.keys(table).length === 0;

/** What a page does not hold is taken from the description: schemas and answers. */
function callValue({ schema: _, success: __, call, as, fields, audio, ...rest }: Call): JsonObject {
  const isRecorded = Object.values(fields).includes('audio_file') || audio !== 'base64';
  return { call, as, fields, ...said({ ...rest, audio: isRecorded ? audio : null }) };
}

function tokenValue({ path, origin, auth, encoding, extra, answer }: Contract['token']): JsonObject {
  return said({
    call: `POST ${origin === undefined || origin === 'service' ? '' : origin}${path}`,
    at: origin === 'service' ? 'host' : null,
    ...{ credentials: auth, as: encoding, extra, answer },
  });
}

/** Leaves out what is null or empty. A place of a token may be `''`, the whole answer. */
const said = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== null && (typeof value !== 'object' || Object.keys(value).length > 0),
    ),
  );

/** Says of each field what the description demands there, and below them which places are guessed or open. */
function explainFields(page: Document, role: 'create' | 'validate', contract: Contract): void {
  const call = contract[role];
  if (call === null) return;
  const facts = factsOf(call);
  for (const place of Object.keys(call.fields)) explain(page, [role, 'fields', place], [facts.get(place) ?? '']);
  const guesses = contract.guesses.filter(({ operation, place }) => operation === role && !isSettled(call, place));
  const isKnown = (place: string) => isSettled(call, place) || guesses.some((each) => each.place === place);
  const open = [...facts].filter(([place]) => !isKnown(place));
  const lines = [
    ...guesses.map(({ place, value, why }) => `? ${written(place)}: ${written(value)} # ${why}`),
    ...open.slice(0, MAX_OPEN).map(([place, fact]) => `${written(place)}: # ${fact}`),
    ...(open.length > MAX_OPEN ? [`… and ${open.length - MAX_OPEN} more places`] : []),
  ];
  explain(page, [role, 'fields'], lines);
}

/** A text as YAML has it, so that a line counts once its mark is taken away. */
const written = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd();

/** Writes a comment behind a value, or below the lines of a table. */
function explain(page: Document, path: readonly string[], lines: readonly string[]): void {
  const node = page.getIn(path, true);
  if (!isNode(node)) return;
  node.comment = comment(lines);
  if (isMap(node)) node.commentBefore = comment(['place in the request: field of srq']);
}

const comment = (lines: readonly string[]): string =>
  lines.map((line) => ` ${line.replace(/\s+/g, ' ').trim()}`.trimEnd()).join('\n');

/** Tells whether a call says what goes to a place. Headers are the same in any case. */
function isSettled({ fields, always, when }: Call, place: string): boolean {
  const isSame = (each: string) =>
    each === place || (place.startsWith('header ') && each.toLowerCase() === place.toLowerCase());
  return [fields, always, ...Object.values(when)].some((each) => Object.keys(each).some(isSame));
}

/** Says of each place what the description demands there. */
function factsOf({ schema }: Call): ReadonlyMap<string, string> {
  return new Map(
    placesIn(schema).map((place) => {
      const { required, codes, maxLength, type } = place;
      const values = (codes ?? []).map(({ value }) => value);
      const said = [
        required ? 'required' : '',
        values.length > 1 ? `one of ${values.slice(0, 8).join(', ')}${values.length > 8 ? ' …' : ''}` : '',
        maxLength === null ? '' : `at most ${maxLength} characters`,
        type === 'string' ? '' : type,
      ];
      return [writePlace(place), said.filter((each) => each !== '').join(', ')];
    }),
  );
}
