import { LineCounter, parseDocument } from 'yaml';
import type { Call, Contract, Json } from '../request/contract/contract.ts';
import { contractSchema } from '../request/contract/contract-schema.ts';
import { writePlace } from '../request/contract/place.ts';
import { SrqError } from '../request/words/errors.ts';
import { SECRET } from '../request/words/names.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, scalarOf, textOf } from './json.ts';
import { placesOf } from './places.ts';
import { withoutSecretValues } from './secrets.ts';

const MAX_OPEN = 60;

/** Writes a contract as the page that a person reads, edits and gives back. Secrets are left out. */
export function pageOf(contract: Contract): string {
  const { source, create, validate, token, auth, unavailableIsNotActed, servers, guesses } =
    withoutSecretValues(contract);
  const of = (role: string) => guesses.filter(({ operation }) => operation === role);
  const lines = [
    `# ${source === null ? 'As the public document has it' : `${source.title} (${source.file}), ${source.kind}`}. A line that begins with "# ?" is a guess and not in force.`,
    '# Edit it and give it back: srq contract learn contract.yaml',
    'create:',
    ...callLines(create, of('create')),
    ...(create.again === null ? [] : [`  again: ${flow(create.again)}`]),
    ...(validate === null ? ['validate: none'] : ['validate:', ...callLines(validate, of('validate'))]),
    ...(auth !== undefined && auth.kind !== 'bearer' ? [] : tokenLines(token)),
    ...(auth === undefined ? [] : [`auth: ${flow(auth)}`]),
    ...(unavailableIsNotActed ? ['503: not acted'] : []),
    ...servers.map(({ url, description }) => `# server ${url} ${description}`.replace(/\s+/g, ' ').trim()),
  ];
  return `${lines.join('\n')}\n`;
}

function tokenLines(token: Contract['token']): string[] {
  const origin = token.origin === undefined || token.origin === 'service' ? '' : token.origin;
  const { tokenPointer, lifetimePointer, lifetimeSeconds } = token;
  const answer = { token: tokenPointer, seconds: lifetimePointer, life: lifetimeSeconds };
  return [
    'token:',
    `  call: ${text(`POST ${origin}${token.path}`)}`,
    ...(token.origin === 'service' ? ['  at: host  # of the base URL, not below its path'] : []),
    `  credentials: ${token.auth}`,
    `  as: ${token.encoding}`,
    ...table('extra', token.extra, 2),
    ...(Object.values(answer).every((each) => each === null) ? [] : [`  answer: ${flow(answer)}`]),
  ];
}

function callLines(call: Call, guesses: Contract['guesses']): string[] {
  const facts = factsOf(call);
  const fields = Object.entries(call.fields).map(
    ([place, field]) => [`    ${text(place)}: ${text(field)}`, facts.get(place) ?? ''] as const,
  );
  const guessed = guesses
    .filter(({ place }) => !isSettled(call, place))
    .map(({ place, value, why }) => [`    # ? ${text(place)}: ${text(value)}`, why] as const);
  const known = new Set([...Object.keys(call.fields), ...guesses.map(({ place }) => place)]);
  const open = [...facts]
    .filter(([place]) => !known.has(place) && !isSettled(call, place))
    .map(([place, fact]) => [`    # ${text(place)}:`, fact] as const);
  const { id, duplicate, error } = call.reads;
  return [
    `  call: ${text(call.call)}`,
    `  as: ${text(call.as)}`,
    `  fields:${fields.length === 0 ? ' {}' : ''}  # place in the request: field of srq`,
    ...beside([...fields, ...guessed, ...open.slice(0, MAX_OPEN)]),
    ...(open.length > MAX_OPEN ? [`    # … and ${open.length - MAX_OPEN} more places`] : []),
    ...table('always', call.always, 2),
    ...tables('when', call.when),
    ...tables('codes', call.codes),
    ...(Object.values(call.fields).includes('audio_file') || call.audio !== 'base64' ? [`  audio: ${call.audio}`] : []),
    ...(id.length + duplicate.length + error.length === 0 ? [] : [`  reads: ${flow(call.reads)}`]),
  ];
}

function isSettled({ fields, always, when }: Call, place: string): boolean {
  const all = [fields, always, ...Object.values(when)];
  // Headers are the same in any case.
  const isSame = (each: string) =>
    each === place || (place.startsWith('header ') && each.toLowerCase() === place.toLowerCase());
  return all.some((each) => Object.keys(each).some(isSame));
}

/** Says of each place what the description demands there. */
function factsOf({ schema }: Call): ReadonlyMap<string, string> {
  const { properties, $defs } = objectOf(schema);
  const facts = new Map<string, string>();
  for (const where of ['body', 'header', 'query'] as const) {
    for (const { path, keywords, requiredFrom } of placesOf(objectOf(properties)[where] ?? {}, objectOf($defs))) {
      const values = listOf(keywords['enum']).flatMap((each) => scalarOf(each) ?? []);
      const said = [
        requiredFrom === 0 ? 'required' : '',
        values.length > 1 ? `one of ${values.slice(0, 8).join(', ')}${values.length > 8 ? ' …' : ''}` : '',
        typeof keywords['maxLength'] === 'number' ? `at most ${keywords['maxLength']} characters` : '',
        /^(?:integer|number|boolean)$/.test(textOf(keywords['type'])) ? textOf(keywords['type']) : '',
      ];
      facts.set(writePlace({ in: where, path }), said.filter((each) => each !== '').join(', '));
    }
  }
  return facts;
}

function table(name: string, values: Readonly<Record<string, Json>>, depth: number): string[] {
  const entries = Object.entries(values);
  const blanks = ' '.repeat(depth);
  if (entries.length === 0) return [];
  return [`${blanks}${name}:`, ...entries.map(([key, value]) => `${blanks}  ${text(key)}: ${flow(value)}`)];
}

function tables(name: string, values: Readonly<Record<string, Readonly<Record<string, Json>>>>): string[] {
  const some = Object.entries(values).filter(([, each]) => Object.keys(each).length > 0);
  return some.length === 0 ? [] : [`  ${name}:`, ...some.flatMap(([key, each]) => table(text(key), each, 4))];
}

function beside(lines: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(40, Math.max(0, ...lines.map(([line]) => line.length)));
  return lines.map(([line, why]) => comment(why === '' ? line : line.padEnd(width), why));
}

const comment = (line: string, why: string): string =>
  why === '' ? line : `${line}  # ${why.replace(/\s+/g, ' ')}`.trimEnd();

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

const nameOf = (place: string): string => place.split(/[. ]/).at(-1) ?? place;

/** Tells whether parsed JSON or YAML is a page, and no API description. */
export const isPage = (value: JsonObject): boolean =>
  isObject(value['create']) && ['openapi', 'swagger', 'item', 'paths'].every((name) => !Object.hasOwn(value, name));

export interface ReadPage {
  readonly contract: Contract;
  /** Names of the secrets that the page was written without, and that nobody has given. */
  readonly missing: readonly string[];
}

/**
 * Reads a page. What it does not hold, such as the schemas of the description, is taken from the contract that is known,
 * as long as the call is the same. A mistake is told with its line.
 */
export function readPage(
  content: string,
  file: string,
  known: Contract,
  given: Readonly<Record<string, string>>,
): ReadPage {
  const { page, wrong } = parsedPage(content, file);
  const missing = new Set<string>();
  const restored: Restore = (place, value, before) => {
    if (value !== SECRET) return value;
    const name = nameOf(place);
    if (Object.hasOwn(given, name)) return given[name] ?? null;
    if (before === undefined || before === null) missing.add(name);
    return before ?? null;
  };
  const call = (role: 'create' | 'validate') => callOn(page, role, known[role], restored, wrong);
  const auth = page['auth'];
  const key = known.auth?.kind === 'apiKey' ? known.auth : null;
  const whole = {
    ...{ version: 2, source: known.source, servers: known.servers },
    create: call('create'),
    validate: page['validate'] === 'none' ? null : call('validate'),
    token: page['token'] === undefined ? known.token : tokenOn(objectOf(page['token']), known, restored),
    ...(isObject(auth) && {
      auth:
        auth['kind'] === 'apiKey'
          ? { ...auth, value: restored(textOf(auth['name']), auth['value'] ?? null, key?.value) }
          : auth,
    }),
    unavailableIsNotActed: page['503'] === 'not acted',
    guesses: known.guesses,
  };
  const parsed = contractSchema.safeParse(whole);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(issue?.path ?? [], issue?.message ?? 'is not as expected');
  }
  const contract: Contract = parsed.data;
  const guesses = contract.guesses.filter(({ operation, place }) => {
    const own = operation === 'token' ? null : contract[operation];
    return own !== null && !isSettled(own, place);
  });
  return { contract: { ...contract, guesses }, missing: [...missing] };
}

/** Returns the value of a place, which is the known or given one where the page was written without it. */
type Restore = (place: string, value: Json, before: Json | undefined) => Json;

/** Returns the error for a mistake on the page, with its line. */
type Wrong = (path: readonly PropertyKey[], why: string) => SrqError;

/** Parses a page and looks whether its parts are those of a contract. */
function parsedPage(content: string, file: string): { readonly page: JsonObject; readonly wrong: Wrong } {
  const lines = new LineCounter();
  const document = parseDocument(content, {
    schema: 'core',
    stringKeys: true,
    merge: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  const wrong: Wrong = (path, why) => {
    let names = [...path];
    while (names.length > 0 && !document.hasIn(names)) names = names.slice(0, -1);
    const node = document.getIn(names, true) as { readonly range?: readonly number[] } | undefined;
    const { line } = lines.linePos(node?.range?.[0] ?? 0);
    return new SrqError(
      'contract.unusable',
      `${file}, line ${Math.max(1, line)}: ${path.map(String).join('.')} ${why}.`.replace(/\s+/g, ' '),
      'Correct it, then: srq contract learn FILE. The page in force: srq contract show',
    );
  };
  const [error] = document.errors;
  if (error)
    throw new SrqError(
      'contract.unusable',
      `${file}: ${error.message.split('\n')[0] ?? ''}`,
      'Correct it, then: srq contract learn FILE',
    );
  const page = objectOf(document.toJS({ maxAliasCount: 0 }) as Json);
  const odd = Object.keys(page).find((name) => !PAGE.has(name));
  if (odd !== undefined) throw wrong([odd], 'is no part of a contract');
  if (page['503'] !== undefined && page['503'] !== 'not acted') throw wrong(['503'], 'can only be "not acted"');
  if (page['validate'] === undefined)
    throw wrong(['validate'], 'is missing. If the service has none, write "validate: none"');
  return { page, wrong };
}

function callOn(
  page: JsonObject,
  role: 'create' | 'validate',
  before: Call | null,
  restored: Restore,
  wrong: Wrong,
): JsonObject {
  const own = objectOf(page[role]);
  const strange = Object.keys(own).find((name) => !CALL.has(name) && !(role === 'create' && name === 'again'));
  if (strange !== undefined) throw wrong([role, strange], 'is no part of a call');
  const isSame = before !== null && before.call === own['call'];
  const empty = {
    fields: {},
    always: {},
    when: {},
    codes: {},
    audio: 'base64',
    reads: { id: [], duplicate: [], error: [] },
  };
  const kept = isSame
    ? { as: before.as, schema: before.schema, answers: before.answers }
    : { as: 'application/json', schema: null, answers: { success: null, refusal: null } };
  const filled = (values: Json | undefined, known: Json | undefined) =>
    Object.fromEntries(
      Object.entries(objectOf(values)).map(([place, value]) => [place, restored(place, value, memberOf(known, place))]),
    );
  const when = Object.entries(objectOf(own['when'])).map(([field, values]) => [
    field,
    filled(values, memberOf(before?.when as Json, field)),
  ]);
  return {
    ...empty,
    ...kept,
    ...own,
    ...(isObject(own['always']) && { always: filled(own['always'], before?.always as Json) }),
    ...(isObject(own['when']) && { when: Object.fromEntries(when) }),
    ...(role === 'create' && { again: own['again'] ?? null }),
  } as JsonObject;
}

function tokenOn(token: JsonObject, known: Contract, restored: Restore) {
  const [, origin = '', path = ''] = /^(?:POST )?(https?:\/\/[^/]+)?(\/.*)$/.exec(textOf(token['call'])) ?? [];
  const { token: pointer = null, seconds = null, life = null } = objectOf(token['answer']);
  const extra = Object.entries(objectOf(token['extra'])).map(([name, value]) => [
    name,
    restored(name, scalarOf(value) ?? '', known.token.extra[name]),
  ]);
  return {
    path,
    ...(origin !== '' ? { origin } : token['at'] === 'host' && { origin: 'service' }),
    ...{ auth: token['credentials'] ?? 'body', encoding: token['as'] ?? 'form', extra: Object.fromEntries(extra) },
    ...{ tokenPointer: pointer, lifetimePointer: seconds, lifetimeSeconds: life },
  };
}

const PAGE = new Set(['create', 'validate', 'token', 'auth', '503']);
const CALL = new Set(['call', 'as', 'fields', 'always', 'when', 'codes', 'audio', 'reads']);
