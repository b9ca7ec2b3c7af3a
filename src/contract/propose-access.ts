import type { Authorization, Contract, TokenOperation } from '../request/contract/contract.ts';
import { isTokenOrigin } from '../request/contract/contract-schema.ts';
import { DOCUMENTED_CONTRACT } from '../request/contract/public-api.ts';
import { PATHS } from '../request/contract/wire.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isSecretName } from '../request/words/names.ts';
import { type ApiOperation, bodyOf, operationCalled } from './document.ts';
import { type GivenValues, type Question, valueQuestion } from './given.ts';
import { listOf, scalarOf, textOf } from './json.ts';
import type { ApiDescription } from './read-document.ts';
import { bodyPlaces, clientFlow, kindOfWay, scopesOf, type Way, waysOf } from './security.ts';
import { type Address, addressesAt, ownServer, serverUrls } from './servers.ts';

export interface ProposedAccess {
  readonly contract: Pick<Contract, 'token'> & Partial<Pick<Contract, 'auth'>>;
  readonly questions: readonly Question[];
  readonly notes: readonly string[];
  /** Names of headers and query parameters, in lower case, that the authorization fills. */
  readonly ownNames: readonly string[];
}

interface AccessOptions {
  readonly said: string | undefined;
  readonly values: GivenValues;
  readonly baseUrl: string | null;
}

/** What a person says instead of an address for tokens. */
type Fixed = 'basic' | 'key' | 'none';

const PLAIN_TOKEN = DOCUMENTED_CONTRACT.token;

/**
 * Proposes how calls are authorized. One scheme is taken and shown; of several, a person says which. A person names any
 * host other than the service's, because the client secret goes there.
 */
export function proposeAccess(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  used: readonly ApiOperation[],
  options: AccessOptions,
): ProposedAccess {
  const { said, values } = options;
  const ways = waysOf(description, used[0]).filter((way) => way.length > 0);
  const servable = ways.filter((way) => way.every(({ kind }) => kind !== 'other'));
  const kinds = [...new Set(servable.map(kindOfWay))];
  const word = said?.trim().toLowerCase() as Fixed | undefined;
  if (word === 'basic' || word === 'none' || (word === 'key' && kinds.includes('key')))
    return fixedAccess(word, servable, values);
  const take = (place: TokenPlace) => tokenAccess(description, operations, place, used, values);
  if (said !== undefined) return take(placeSaid(description, operations, said, options));
  const tokens = tokenPlaces(description, operations, ways, options);
  const others = kinds.flatMap((kind) => (kind === 'basic' || kind === 'key' ? [kind] : []));
  const own = options.baseUrl ?? serverUrls(description).find((each) => URL.canParse(each));
  const ask = (why: string, some: readonly TokenPlace[] = tokens) =>
    asked(own === undefined ? null : new URL(own).origin, some, others, why);
  if (ways.length > 0 && servable.length === 0) return ask(refusedText(ways));
  if (others.length > 0 && kinds.length > 1) return ask('The description lets callers in by several ways.');
  const [only] = others;
  if (only !== undefined && !(isLoginKey(servable) && tokens.length > 0)) return fixedAccess(only, servable, values);
  const [place] = tokens;
  const public_ = { path: PATHS.token, operation: null, why: 'as in the public API', isSure: true };
  if (place === undefined)
    // A description that demands a token has to say who issues it. One that says nothing of it is as the public document.
    return ways.length > 0 ? ask('The description does not say who issues the token.', [public_]) : take(public_);
  return tokens.length > 1 || isForeign(place) || !place.isSure ? ask('') : take(place);
}

/** A key in the header Authorization may be the token, if the description has an operation that issues one. */
const isLoginKey = (ways: readonly Way[]): boolean =>
  ways.every((way) => way.every(({ value }) => /^authorization$/i.test(textOf(value['name']))));

/** Access without a token, or with one that the service gave to the partner: `none`. */
function fixedAccess(word: Fixed, ways: readonly Way[], values: GivenValues): ProposedAccess {
  const kinds = ways.map(kindOfWay);
  const kind = word !== 'none' ? word : kinds.includes('key') ? 'key' : kinds.includes('basic') ? 'basic' : 'none';
  const way = ways.find((each) => kindOfWay(each) === kind) ?? [];
  const keys = way.filter((each) => each.kind === 'key').map(({ value }) => value);
  // Of several keys the one with the name of a secret is the partner's.
  const main = keys.findLast(({ name }) => isSecretName(textOf(name))) ?? keys[0] ?? {};
  const name = kind === 'none' ? 'Authorization' : textOf(main['name']);
  const auth: Authorization =
    kind === 'basic'
      ? { kind }
      : {
          ...{ kind: 'apiKey', in: main['in'] === 'query' ? 'query' : 'header', name },
          ...{ prefix: kind === 'none' ? 'Bearer ' : '', value: values.of(name) ?? null },
        };
  const others = way.filter((each) => each.kind === 'key' && (kind === 'basic' || each.value['name'] !== name));
  return {
    contract: { token: PLAIN_TOKEN, auth },
    questions: [],
    notes: others.map(({ words }) => `The service wants ${words} as well. Write it into the page, under "always".`),
    ownNames: kind === 'key' ? [name.toLowerCase()] : [],
  };
}

/** A place that may issue tokens. */
interface TokenPlace extends Address {
  readonly operation: ApiOperation | null;
  readonly why: string;
  /** Whether it is clear enough to be taken unasked. */
  readonly isSure: boolean;
}

const isForeign = ({ origin }: Address): boolean => origin !== undefined && origin !== 'service';

const TOKEN = /token|oauth|login|signin|sign-in|\/auth(?:enticat\w*)?(?:\/|$)|session/i;
const OTHER =
  /\{[^{}]*(?:token|auth)[^{}]*\}|revo[ck]|introspect|refresh|logout|userinfo|authori[sz]e|verif|valid|check|callback|device|push|card|payment|password|reset|register|webhook|confirm|exchange|otp|mfa/i;

/** Finds where tokens may come from. The address of a flow beats every operation. */
function tokenPlaces(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  ways: readonly Way[],
  { baseUrl, values }: AccessOptions,
): readonly TokenPlace[] {
  const filled = (text: string) => text.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.of(name) ?? whole);
  const demanded = (ways.length > 0 ? ways : waysOf(description, undefined)).flat();
  const urls = demanded.map(({ value }) => textOf(clientFlow(value)?.['tokenUrl']).trim());
  const ofFlows = [...new Set(urls)].flatMap((url) =>
    (url === '' ? [] : addressesAt(filled(url), description, baseUrl)).map(
      (place): TokenPlace => ({
        ...place,
        ...{ operation: operationAt(operations, place), why: `the description has it at ${url}`, isSure: true },
      }),
    ),
  );
  if (ofFlows.length > 0) return [...new Map(ofFlows.map((each) => [`${each.origin} ${each.path}`, each])).values()];
  const found = operations.flatMap((operation): TokenPlace[] => {
    if (operation.method !== 'POST' || !TOKEN.test(operation.path) || OTHER.test(operation.path)) return [];
    const path = filled(operation.path);
    const own = ownServer(description, operation);
    const [place = { path }] = own === null ? [] : addressesAt(own + path, description, baseUrl);
    const objection = objectionTo(description, operation);
    const why = objection ?? 'it takes a client id and a client secret';
    return [{ ...place, operation, why, isSure: objection === null }];
  });
  const sure = found.filter(({ isSure }) => isSure);
  return sure.length > 0 ? sure : found.slice(0, 5);
}

/** Says what speaks against sending the client credentials to an operation, or null. */
function objectionTo(description: ApiDescription, operation: ApiOperation): string | null {
  if (operation.path === PATHS.token && operation.value['requestBody'] === undefined) return null;
  const places = bodyPlaces(description, operation);
  const names = new Map(places.map((each) => [each.path.join('.'), each]));
  if (!names.has('grant_type') && !(names.has('client_id') && names.has('client_secret')))
    return 'it takes neither a grant type nor a client id and secret';
  const unknown = [...names].find(
    ([name, { requiredFrom }]) => requiredFrom === 0 && /user|pass|code|assertion|refresh|otp/i.test(name),
  );
  if (unknown !== undefined) return `it requires ${unknown[0]}`;
  const grants = names.get('grant_type')?.keywords ?? {};
  const said = [grants['const'], ...listOf(grants['enum']), grants['default']].flatMap((each) => scalarOf(each) ?? []);
  return said.length === 0 || said.includes('client_credentials') ? null : `it takes the grant ${said[0]}`;
}

const operationAt = (operations: readonly ApiOperation[], place: Address): ApiOperation | null =>
  isForeign(place)
    ? null
    : (operations.find(({ method, path }) => method === 'POST' && place.path.endsWith(path)) ?? null);

function placeSaid(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  said: string,
  { baseUrl }: AccessOptions,
): TokenPlace {
  const known = { why: 'you said so', isSure: true };
  const operation = operationCalled(operations, said);
  if (operation !== undefined && ownServer(description, operation) === null)
    return { ...known, path: operation.path, operation };
  const [, address = ''] = /^(?:post\s+)?((?:https?:\/)?\/\S*)$/i.exec(said.trim()) ?? [];
  if (address.startsWith('/')) return { ...known, path: address, operation: null };
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain =
    url !== null && `${url.search}${url.hash}${url.username}${url.password}` === '' && isTokenOrigin(url.origin);
  const [place] = isPlain ? addressesAt(address, description, baseUrl) : [];
  if (place !== undefined) return { ...known, ...place, operation: operationAt(operations, { path: place.path }) };
  if (address !== '') {
    const hint = 'Name one with https and without a query: --operation "token=https://login.example.com/oauth/token"';
    throw new SrqError('address.outside', `A client secret may not be sent to "${address}".`, hint);
  }
  throw new SrqError(
    'operation.not-found',
    `${description.file} has no operation "${said.trim()}".`,
    'Name a path or a whole address: --operation "token=POST /oauth/token"',
  );
}

function tokenAccess(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  { path, origin, operation }: TokenPlace,
  used: readonly ApiOperation[],
  values: GivenValues,
): ProposedAccess {
  const questions = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) =>
    valueQuestion(name, `The address for tokens ${path} holds {${name}}, and only you know it.`),
  );
  const from = operation ?? operationAt(operations, { path });
  const places = from === null ? [] : bodyPlaces(description, from);
  const extra: Record<string, string> = { ...scopesOf(description, used) };
  for (const { path: names, keywords, requiredFrom, fixed } of places) {
    const name = names.join('.');
    if (/^(?:grant_type|client_id|client_secret)$/.test(name) || names.length > 1) continue;
    const isRequired = requiredFrom === 0;
    const value = values.of(name) ?? (isRequired ? scalarOf(fixed.get('') ?? keywords['default']) : null);
    if (value !== null) extra[name] = value;
    else if (isRequired && extra[name] === undefined)
      questions.push(valueQuestion(name, `The token request has to hold ${name}. What is it?`));
  }
  const isJson = from !== null && bodyOf(description, from)?.encoding === 'json';
  const isBasic = places.length > 0 && places.every((each) => each.path[0] !== 'client_secret');
  const token: TokenOperation = {
    ...{ ...PLAIN_TOKEN, path, auth: isBasic ? 'basic' : 'body', encoding: isJson ? 'json' : 'form', extra },
    ...(origin !== undefined && { origin }),
  };
  return { contract: { token }, questions, notes: [], ownNames: [] };
}

function refusedText(ways: readonly Way[]): string {
  const words = [...new Set(ways.flat().flatMap(({ kind, words }) => (kind === 'other' ? [words] : [])))].join(', or ');
  return `The description lets callers in by ${words}, which a program cannot do. Ask the service for client credentials, a key or HTTP Basic.`;
}

const WORDS: Readonly<Record<Fixed, string>> = {
  basic: 'basic: HTTP Basic with each request',
  key: 'key: a key with each request',
  none: 'none: a key or a token that stays, which the service gave you',
};

/** Another host is never proposed as a flag: who copies it unread would send the secret there. */
function asked(
  host: string | null,
  tokens: readonly TokenPlace[],
  others: readonly ('basic' | 'key')[],
  why: string,
): ProposedAccess {
  // A path alone means one below the base URL.
  const nameOf = ({ path, origin }: Address) => {
    if (origin === undefined || (origin === 'service' && host === null)) return `POST ${path}`;
    return (origin === 'service' ? host : origin) + path;
  };
  const usable = tokens.filter((each) => !isForeign(each) || isTokenOrigin(each.origin ?? ''));
  const [first] = usable;
  const own = usable.find((each) => !isForeign(each)) ?? (first && { path: first.path });
  const list = [
    ...usable.map(
      (each) => `${nameOf(each)} for a token (${each.why}${isForeign(each) ? ', another host than the service' : ''})`,
    ),
    ...[...others, 'none' as const].map((each) => WORDS[each]),
  ].map((each, index) => `${index + 1}. ${each}`);
  const unusable = tokens
    .filter((each) => !usable.includes(each))
    .map((each) => ` No secret may be sent to ${nameOf(each)}, as the description has it.`);
  const question = {
    name: 'operation:token',
    text: `${why === '' ? '' : `${why} `}Where does your client secret go? ${list.join('; ')}.${unusable.join('')}`,
    answer: `--operation ${shellWord(`token=${own === undefined ? (others[0] ?? 'POST /path') : nameOf(own)}`)}`,
    choices: [...usable.map(nameOf), ...others, 'none'],
  };
  return { contract: { token: PLAIN_TOKEN }, questions: [question], notes: [], ownNames: [] };
}
