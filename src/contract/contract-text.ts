import { type Call, type Contract, isByToken, type Json } from '../request/contract/contract.ts';
import { isObject, type JsonObject } from '../request/contract/json.ts';
import { writePlace } from '../request/contract/place.ts';
import { placesIn } from '../request/contract/places.ts';
import { withoutSecretValues } from './secrets.ts';

const MAX_OPEN = 60;
/** Tables that are written as lines, by how deep they go. Everything else is written on one line. */
const BLOCKS: Readonly<Record<string, number>> = { always: 1, when: 2, codes: 2, extra: 1 };

/** Writes a contract as the page that a person reads, edits and gives back. Secrets are left out. */
export function pageOf(contract: Contract): string {
  const shown = withoutSecretValues(contract);
  const { source, servers } = shown;
  const { create, validate, token, ...rest }: JsonObject = pageValueOf(shown);
  const lines = [
    `# ${source === null ? 'The public API' : `${source.title} (${source.file}), ${source.kind}`}. A line that begins with "# ?" is a guess and not in force.`,
    '# Edit it and give it back: srq contract learn contract.yaml',
    ...callLines('create', create, shown),
    ...callLines('validate', validate, shown),
    ...(isObject(token) ? ['token:', ...linesOf(token, 2)] : []),
    ...linesOf(rest, 0),
    ...servers.map(({ url, description }) => `# server ${url} ${description}`.replace(/\s+/g, ' ').trim()),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns what the page of a contract says, without its comments. What is empty stays out. */
export function pageValueOf({ create, validate, token, auth }: Contract) {
  return {
    create: callValue(create),
    // Without a word on its codes, those of create hold.
    validate:
      validate === null
        ? 'none'
        : { ...(isEmpty(validate.codes) && !isEmpty(create.codes) && { codes: {} }), ...callValue(validate) },
    ...said({
      token: isByToken({ auth }) ? tokenValue(token) : null,
      auth: auth ?? null,
    }),
  };
}

const isEmpty = (table: object): boolean => Object.keys(table).length === 0;

/** What a page does not hold is taken from the description: schemas and answers. */
function callValue({ schema: _, success: __, audio, ...call }: Call): JsonObject {
  const isRecorded = Object.values(call.fields).includes('audio_file') || audio !== 'base64';
  return said({ ...call, audio: isRecorded ? audio : null });
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

function callLines(role: 'create' | 'validate', value: Json | undefined, contract: Contract): string[] {
  const call = contract[role];
  if (!isObject(value) || call === null) return [`${role}: none`];
  const { call: address, as, fields: _, ...rest } = value;
  const facts = factsOf(call);
  const fields = Object.entries(call.fields).map(
    ([place, field]) => [`    ${text(place)}: ${text(field)}`, facts.get(place) ?? ''] as const,
  );
  const guesses = contract.guesses.filter(({ operation, place }) => operation === role && !isSettled(call, place));
  const guessed = guesses.map((each) => [`    # ? ${text(each.place)}: ${text(each.value)}`, each.why] as const);
  const isKnown = (place: string) => isSettled(call, place) || guesses.some((each) => each.place === place);
  const open = [...facts].filter(([place]) => !isKnown(place));
  return [
    `${role}:`,
    ...linesOf({ call: address ?? '', as: as ?? '' }, 2),
    `  fields:${fields.length === 0 ? ' {}' : ''}  # place in the request: field of srq`,
    ...beside([
      ...fields,
      ...guessed,
      ...open.slice(0, MAX_OPEN).map(([place, fact]) => [`    # ${text(place)}:`, fact] as const),
    ]),
    ...(open.length > MAX_OPEN ? [`    # … and ${open.length - MAX_OPEN} more places`] : []),
    ...linesOf(rest, 2),
  ];
}

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

function linesOf(values: JsonObject, blanks: number, depth?: number): string[] {
  const start = ' '.repeat(blanks);
  return Object.entries(values).flatMap(([name, value]) => {
    const deep = depth ?? BLOCKS[name] ?? 0;
    if (deep > 0 && isObject(value) && !isEmpty(value))
      return [`${start}${text(name)}:`, ...linesOf(value, blanks + 2, deep - 1)];
    const line = `${start}${text(name)}: ${flow(value ?? null)}`;
    return [name === 'at' ? `${line}  # of the base URL, not below its path` : line];
  });
}

function beside(lines: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(40, Math.max(0, ...lines.map(([line]) => line.length)));
  return lines.map(([line, why]) =>
    why === '' ? line : `${line.padEnd(width)}  # ${why.replace(/\s+/g, ' ')}`.trimEnd(),
  );
}

/** Writes a text plainly where YAML reads it as the same text. */
const text = (value: string): string =>
  /^[A-Za-z][\w./<>+-]*(?: [\w./+-]+)*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);

function flow(value: Json): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${text(name)}: ${flow(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
