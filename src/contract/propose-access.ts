import type { Authorization, Contract, Json, ServerSuggestion, TokenOperation } from '../request/contract/contract.ts';
import { isTokenOrigin } from '../request/contract/contract-schema.ts';
import { PATHS } from '../request/contract/wire.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { isSecretName, nameWords } from '../request/words/names.ts';
import { type ApiOperation, bodyOf, follow, operationCalled, Reach } from './document.ts';
import type { GivenValues, Question } from './given.ts';
import { isObject, type JsonObject, listOf, objectOf, scalarOf, textOf } from './json.ts';
import { type FoundPlace, placesOf } from './places.ts';
import type { ApiDescription } from './read-document.ts';

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

interface Scheme {
  readonly kind: 'token' | 'basic' | 'key' | 'other';
  readonly words: string;
  readonly name: string;
  readonly value: JsonObject;
}

const PLAIN_TOKEN: TokenOperation = {
  ...{ path: PATHS.token, auth: 'body', encoding: 'form', extra: {} },
  ...{ tokenPointer: null, lifetimePointer: null, lifetimeSeconds: null },
};
const WAY_WORDS = { basic: 'basic', key: 'key', none: 'none' } as const;

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
  const own = options.baseUrl ?? serverUrls(description).find((each) => URL.canParse(each));
  const host = own === undefined ? null : new URL(own).origin;
  const ways = waysOf(description, used[0]);
  const demanding = ways.filter((way) => way.length > 0);
  const servable = demanding.filter((way) => way.every(({ kind }) => kind !== 'other'));
  const kinds = [...new Set(servable.map(kindOf))];
  const fixed = (kind: 'basic' | 'key'): ProposedAccess => {
    const way = servable.find((each) => kindOf(each) === kind) ?? [];
    const auth: Authorization = kind === 'basic' ? { kind } : keyOf(way, values);
    const ownNames = auth.kind === 'apiKey' ? [auth.name.toLowerCase()] : [];
    return { contract: { token: PLAIN_TOKEN, auth }, questions: [], notes: otherKeys(way, auth), ownNames };
  };
  const word = said?.trim().toLowerCase();
  if (word === WAY_WORDS.basic || (word === WAY_WORDS.key && kinds.includes('key'))) return fixed(word);
  if (word === WAY_WORDS.none && kinds.includes('key')) return fixed('key');
  if (word === WAY_WORDS.none && kinds.includes('basic')) return fixed('basic');
  if (word === WAY_WORDS.none) {
    const auth = { kind: 'apiKey', in: 'header', name: 'Authorization', prefix: 'Bearer ' } as const;
    return {
      contract: { token: PLAIN_TOKEN, auth: { ...auth, value: values.of('Authorization') ?? null } },
      questions: [],
      notes: [],
      ownNames: [],
    };
  }
  const tokens = tokenPlaces(description, operations, demanding, options);
  if (said !== undefined)
    return tokenAccess(description, operations, placeSaid(description, operations, said, options), used, values);
  if (demanding.length > 0 && servable.length === 0) return asked(host, tokens, [], refusedText(demanding));
  const others = kinds.filter((kind) => kind !== 'token') as ('basic' | 'key')[];
  if (others.length > 0 && kinds.length === 1 && !(isLoginKey(servable) && tokens.length > 0)) {
    const [only] = others;
    return only === undefined || others.length > 1 ? asked(host, tokens, others, '') : fixed(only);
  }
  if (others.length > 0 && kinds.length > 1)
    return asked(host, tokens, others, 'The description lets callers in by several ways.');
  const [place] = tokens;
  if (place === undefined) {
    // A description that demands a token has to say who issues it. One that says nothing of it is as the public document.
    if (demanding.length > 0)
      return asked(
        host,
        [{ path: PATHS.token, operation: null, why: 'as the public document says' }],
        [],
        'The description does not say who issues the token.',
      );
    return tokenAccess(description, operations, { path: PATHS.token, operation: null, why: '' }, used, values);
  }
  const isForeign = place.origin !== undefined && place.origin !== 'service';
  if (tokens.length > 1 || isForeign || !place.isSure) return asked(host, tokens, others, '');
  return tokenAccess(description, operations, place, used, values);
}

const kindOf = (way: readonly Scheme[]): Scheme['kind'] => way.find(({ kind }) => kind !== 'key')?.kind ?? 'key';

/** A key in the header Authorization may be the token, if the description has an operation that issues one. */
const isLoginKey = (ways: readonly (readonly Scheme[])[]): boolean =>
  ways.every((way) => way.every(({ value }) => /^authorization$/i.test(textOf(value['name']))));

/** Returns the combinations of schemes that an operation accepts, or each scheme of the description if none is said. */
function waysOf({ root, file }: ApiDescription, operation: ApiOperation | undefined): readonly (readonly Scheme[])[] {
  const schemes = objectOf(objectOf(root['components'])['securitySchemes']);
  const scheme = (name: string): Scheme => {
    const value = objectOf(follow(root, Object.hasOwn(schemes, name) ? schemes[name] : undefined, file));
    return { name, value, ...kindOfScheme(value) };
  };
  const general = listOf(root['security']);
  const said = operation?.value['security'] ?? (general.length > 0 ? general : undefined);
  if (said === undefined) return Object.keys(schemes).map((name) => [scheme(name)]);
  // A client certificate is set by srq login --cert, beside any scheme.
  return listOf(said).map((way) =>
    Object.keys(objectOf(way))
      .map(scheme)
      .filter(({ value }) => value['type'] !== 'mutualTLS'),
  );
}

function kindOfScheme(value: JsonObject): Pick<Scheme, 'kind' | 'words'> {
  const scheme = textOf(value['scheme']).toLowerCase();
  const [place, name] = [textOf(value['in']), textOf(value['name'])];
  switch (value['type']) {
    case 'http':
      if (scheme === 'basic') return { kind: 'basic', words: 'HTTP Basic' };
      if (scheme === 'bearer') return { kind: 'token', words: 'a bearer token' };
      return { kind: 'other', words: `the HTTP scheme "${scheme.slice(0, 50)}"` };
    case 'apiKey':
      if (/^(?:header|query)$/.test(place) && name !== '')
        return { kind: 'key', words: `a key in the ${place} ${name}` };
      return { kind: 'other', words: `a key in the ${place} ${name}` };
    case 'oauth2':
      if (isObject(objectOf(value['flows'])['clientCredentials']))
        return { kind: 'token', words: 'client credentials' };
      return { kind: 'other', words: 'OAuth 2.0 for a person with a browser' };
    default:
      return { kind: 'other', words: 'an authorization for a person, or one that the description does not explain' };
  }
}

/** Of several keys the one with the name of a secret is the partner's. */
function mainKey(way: readonly Scheme[]): JsonObject {
  const keys = way.filter(({ kind }) => kind === 'key').map(({ value }) => value);
  return keys.findLast(({ name }) => isSecretName(textOf(name))) ?? keys[0] ?? {};
}

function keyOf(way: readonly Scheme[], values: GivenValues): Authorization {
  const key = mainKey(way);
  const name = textOf(key['name']);
  const place = key['in'] === 'query' ? 'query' : 'header';
  return { kind: 'apiKey', in: place, name, prefix: '', value: values.of(name) ?? null };
}

function otherKeys(way: readonly Scheme[], auth: Authorization): string[] {
  const others = way.filter(
    ({ kind, value }) => kind === 'key' && !(auth.kind === 'apiKey' && value['name'] === auth.name),
  );
  return others.map(({ words }) => `The service wants ${words} as well. Write it into the page, under "always".`);
}

/** A place that may issue tokens. */
interface TokenPlace {
  readonly path: string;
  readonly origin?: string;
  readonly operation: ApiOperation | null;
  readonly why: string;
  /** Whether it is clear enough to be taken unasked. */
  readonly isSure?: boolean;
}

/** The address of a flow beats every operation. */
function tokenPlaces(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  ways: readonly (readonly Scheme[])[],
  { baseUrl, values }: AccessOptions,
): readonly TokenPlace[] {
  const demanded = ways.length > 0 ? ways.flat() : waysOf(description, undefined).flat();
  const flows = demanded.flatMap(
    ({ value }) => objectOf(objectOf(value['flows'])['clientCredentials'])['tokenUrl'] ?? [],
  );
  const urls = [...new Set(flows.map((each) => textOf(each).trim()).filter((each) => each !== ''))];
  const ofFlows = urls.flatMap((url) => {
    const filled = url.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.of(name) ?? whole);
    return placesAt(filled, description, baseUrl).map((place): TokenPlace => {
      return {
        ...place,
        operation: operationAt(operations, place),
        why: `the description has it at ${url}`,
        isSure: true,
      };
    });
  });
  if (ofFlows.length > 0) return [...new Map(ofFlows.map((each) => [`${each.origin} ${each.path}`, each])).values()];
  const issuing = operations.filter(
    (each) => each.method === 'POST' && TOKEN.test(each.path) && !OTHER.test(each.path),
  );
  const found = issuing.map((operation): TokenPlace => {
    const path = operation.path.replace(/\{([^{}]+)\}/g, (whole, name: string) => values.of(name) ?? whole);
    const own = ownServer(description, operation);
    const [place] = own === null ? [{ path }] : placesAt(own + path, description, baseUrl);
    const objection = objectionTo(description, operation);
    const isSure = objection === null;
    return { ...(place ?? { path }), operation, why: objection ?? 'it takes a client id and a client secret', isSure };
  });
  const sure = found.filter(({ isSure }) => isSure);
  return sure.length > 0 ? sure : found.slice(0, 5);
}

const TOKEN = /token|oauth|login|signin|sign-in|\/auth(?:enticat\w*)?(?:\/|$)|session/i;
const OTHER =
  /\{[^{}]*(?:token|auth)[^{}]*\}|revo[ck]|introspect|refresh|logout|userinfo|authori[sz]e|verif|valid|check|callback|device|push|card|payment|password|reset|register|webhook|confirm|exchange|otp|mfa/i;

/** Says what speaks against sending the client credentials to an operation, or null. */
function objectionTo(description: ApiDescription, operation: ApiOperation): string | null {
  if (operation.path === PATHS.token && operation.value['requestBody'] === undefined) return null;
  const places = bodyPlaces(description, operation);
  const names = new Map(places.map((each) => [each.path.join('.'), each]));
  if (!names.has('grant_type') && !(names.has('client_id') && names.has('client_secret')))
    return 'it takes neither a grant type nor a client id and secret';
  const required = places.filter(({ requiredFrom }) => requiredFrom === 0).map(({ path }) => path.join('.'));
  const unknown = required.find((name) => /user|pass|code|assertion|refresh|otp/i.test(name));
  if (unknown !== undefined) return `it requires ${unknown}`;
  const grants = names.get('grant_type')?.keywords ?? {};
  const said = [grants['const'], ...listOf(grants['enum']), grants['default']].flatMap((each) => scalarOf(each) ?? []);
  return said.length === 0 || said.includes('client_credentials') ? null : `it takes the grant ${said[0]}`;
}

function bodyPlaces(description: ApiDescription, operation: ApiOperation): FoundPlace[] {
  try {
    const reach = new Reach(description);
    const body = bodyOf(description, operation);
    return placesOf(reach.of(body?.schema), reach.defs);
  } catch (error) {
    if (error instanceof SrqError) return [];
    throw error;
  }
}

const operationAt = (
  operations: readonly ApiOperation[],
  { path, origin }: { path: string; origin?: string },
): ApiOperation | null =>
  origin === undefined || origin === 'service'
    ? (operations.find((each) => each.method === 'POST' && (each.path === path || path.endsWith(each.path))) ?? null)
    : null;

function placeSaid(
  description: ApiDescription,
  operations: readonly ApiOperation[],
  said: string,
  { baseUrl }: AccessOptions,
): TokenPlace {
  const why = 'you said so';
  const operation = operationCalled(operations, said);
  if (operation !== undefined && ownServer(description, operation) === null)
    return { path: operation.path, operation, why };
  const [, address = ''] = /^(?:post\s+)?((?:https?:\/)?\/\S*)$/i.exec(said.trim()) ?? [];
  if (address.startsWith('/')) return { path: address, operation: null, why };
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain =
    url !== null && `${url.search}${url.hash}${url.username}${url.password}` === '' && isTokenOrigin(url.origin);
  const [place] = isPlain ? placesAt(address, description, baseUrl) : [];
  if (place !== undefined) return { ...place, operation: operationAt(operations, { path: place.path }), why };
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
  const questions: Question[] = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => ({
    name: `constant:${name}`,
    text: `The address for tokens ${path} holds {${name}}, and only you know it.`,
    answer: `--set ${shellWord(`${name}=VALUE`)}`,
  }));
  const from = operation ?? operationAt(operations, { path });
  const places = from === null ? [] : bodyPlaces(description, from);
  const extra: Record<string, string> = { ...scopesOf(description, used) };
  for (const { path: names, keywords, requiredFrom, fixed } of places) {
    const isRequired = requiredFrom === 0;
    const name = names.join('.');
    if (/^(?:grant_type|client_id|client_secret)$/.test(name) || names.length > 1) continue;
    const value = values.of(name) ?? (isRequired ? scalarOf(fixed.get('') ?? keywords['default']) : null);
    if (value !== null) extra[name] = value;
    else if (isRequired && extra[name] === undefined)
      questions.push({
        name: `constant:${name}`,
        text: `The token request has to hold ${name}. What is it?`,
        answer: `--set ${shellWord(`${name}=VALUE`)}`,
      });
  }
  const body = from === null ? null : bodyOf(description, from);
  const isBasic =
    from !== null &&
    (takesBasic(description, from) || (places.length > 0 && places.every((each) => each.path[0] !== 'client_secret')));
  const place = origin === undefined ? { path } : { path, origin };
  const token = {
    ...PLAIN_TOKEN,
    ...place,
    auth: isBasic ? 'basic' : 'body',
    encoding: body?.encoding === 'json' ? 'json' : 'form',
    extra,
  } as const;
  return { contract: { token }, questions, notes: [], ownNames: [] };
}

function takesBasic({ root, file }: ApiDescription, { value }: ApiOperation): boolean {
  const schemes = objectOf(objectOf(root['components'])['securitySchemes']);
  const names = listOf(value['security']).flatMap((each) => Object.keys(objectOf(each)));
  return names.some((name) => kindOfScheme(objectOf(follow(root, schemes[name], file))).kind === 'basic');
}

/** Returns the scopes that the operations ask for, or those of the only flow. */
function scopesOf(description: ApiDescription, used: readonly ApiOperation[]): Record<string, string> {
  const schemes = waysOf(description, used[0]).flat();
  const flow = schemes.find(({ value }) => isObject(objectOf(value['flows'])['clientCredentials']));
  const scopes = Object.keys(objectOf(objectOf(objectOf(flow?.value['flows'])['clientCredentials'])['scopes']));
  const demands = used.flatMap(({ value }) => listOf(value['security'] ?? description.root['security']));
  const demanded = demands.flatMap((each) => listOf(objectOf(each)[flow?.name ?? '']).map(textOf));
  const asked = scopes.filter((each) => demanded.includes(each));
  const scope = (asked.length > 0 ? asked : scopes).join(' ');
  return scope === '' ? {} : { scope };
}

function refusedText(ways: readonly (readonly Scheme[])[]): string {
  const words = [...new Set(ways.flat().flatMap(({ kind, words }) => (kind === 'other' ? [words] : [])))].join(', or ');
  return `The description lets callers in by ${words}, which a program cannot do. Ask the service for client credentials, a key or HTTP Basic.`;
}

/** Another host is never proposed as a flag: who copies it unread would send the secret there. */
function asked(
  host: string | null,
  tokens: readonly TokenPlace[],
  others: readonly ('basic' | 'key')[],
  why: string,
): ProposedAccess {
  // A path alone means one below the base URL.
  const nameOf = ({ path, origin }: TokenPlace) =>
    origin === undefined
      ? `POST ${path}`
      : origin === 'service'
        ? host === null
          ? `POST ${path}`
          : host + path
        : origin + path;
  const usable = tokens.filter(({ origin }) => origin === undefined || origin === 'service' || isTokenOrigin(origin));
  const foreign = usable.find(({ origin }) => origin !== undefined && origin !== 'service');
  const own =
    usable.find(({ origin }) => origin === undefined || origin === 'service') ??
    (foreign && { path: foreign.path, operation: null, why: '' });
  const list = [
    ...usable.map(
      (each) => `${nameOf(each)} for a token (${each.why}${each === foreign ? ', another host than the service' : ''})`,
    ),
    ...others.map((each) =>
      each === 'basic' ? 'basic: HTTP Basic with each request' : 'key: a key with each request',
    ),
    'none: a key or a token that stays, which the service gave you',
  ];
  const unusable = tokens
    .filter((each) => !usable.includes(each))
    .map((each) => ` No secret may be sent to ${nameOf(each)}, as the description has it.`);
  const choices = [...usable.map(nameOf), ...others, WAY_WORDS.none];
  const question = {
    name: 'operation:token',
    text: `${why === '' ? '' : `${why} `}Where does your client secret go? ${list.map((each, index) => `${index + 1}. ${each}`).join('; ')}.${unusable.join('')}`,
    answer: `--operation ${shellWord(`token=${own === undefined ? (others[0] ?? 'POST /path') : nameOf(own)}`)}`,
    choices,
  };
  return { contract: { token: PLAIN_TOKEN }, questions: [question], notes: [], ownNames: [] };
}

const ROOT = 'http://relative.invalid';
const TEST_WORDS =
  /^(?:sandbox|test|testing|tests|staging|stage|uat|demo|trial|try|trying|dev|development|qa|preprod|mock|playground|integration)$/;
const LIVE_WORDS = /^(?:live|prod|production)$/;

/** Returns a server with each value of its first variable that has several, the default first. */
function variantsOf(server: Json): { readonly url: string; readonly words: readonly string[] }[] {
  const { url, variables } = objectOf(server);
  const members = Object.entries(objectOf(variables));
  const defaults = new Map(members.map(([name, each]) => [name, scalarOf(objectOf(each)['default']) ?? '']));
  const [name = '', several] = members.find(([, each]) => listOf(objectOf(each)['enum']).length > 1) ?? [];
  const values = listOf(objectOf(several)['enum']).flatMap((each) => scalarOf(each) ?? []);
  const ordered = values.length === 0 ? [''] : [...new Set([defaults.get(name) ?? '', ...values])].slice(0, 10);
  return ordered.map((value) => {
    const chosen = new Map([...defaults, ...(values.length === 0 ? [] : [[name, value] as const])]);
    return {
      url: textOf(url).replace(/\{([^{}]{1,100})\}/g, (whole, each: string) => chosen.get(each) ?? whole),
      words: nameWords(value),
    };
  });
}

const serverUrls = ({ root }: ApiDescription): string[] =>
  listOf(root['servers'])
    .slice(0, 20)
    .flatMap(variantsOf)
    .map(({ url }) => url);

function ownServer({ root }: ApiDescription, { value, path }: ApiOperation): string | null {
  const item = objectOf(objectOf(root['paths'])[path]);
  const [server] = [...listOf(value['servers']), ...listOf(item['servers'])].filter(isObject);
  return server === undefined ? null : (variantsOf(server)[0]?.url ?? '').replace(/\/+$/, '');
}

/** Returns the places that an address may mean: two, if it depends on how a relative address is resolved. */
function placesAt(
  address: string,
  description: ApiDescription,
  baseUrl: string | null,
): { path: string; origin?: string }[] {
  const servers = serverUrls(description);
  const text = address.startsWith('//') ? `https:${address}` : address;
  const paths = servers.map(pathOf);
  const shared = paths.every((each) => each === paths[0]) ? (paths[0] ?? '') : '';
  const under = (path: string) => {
    const plain = path.replace(/%7b/gi, '{').replace(/%7d/gi, '}');
    if (shared !== '' && plain.startsWith(`${shared}/`)) return { path: plain.slice(shared.length) };
    return paths.some((each) => each !== '') ? { path: plain, origin: 'service' } : { path: plain };
  };
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    if (!URL.canParse(text)) return [];
    const { origin, pathname } = new URL(text);
    const isOwn = [...servers, baseUrl ?? ''].some((each) => URL.canParse(each) && new URL(each).origin === origin);
    return [isOwn ? under(pathname) : { path: pathname.replace(/%7b/gi, '{').replace(/%7d/gi, '}'), origin }];
  }
  const start = (servers[0] ?? '').replace(/\{[^{}]*\}/g, 'x');
  const bases = [start.replace(/\/*$/, '/'), start].map((each) =>
    URL.canParse(each, ROOT) ? new URL(each, ROOT).href : ROOT,
  );
  return [...new Set(bases.flatMap((each) => (URL.canParse(text, each) ? [new URL(text, each).pathname] : [])))].map(
    under,
  );
}

const pathOf = (url: string): string =>
  URL.canParse(url, ROOT) ? new URL(url, ROOT).pathname.replace(/\/+$/, '') : '';

/** Returns the addresses that a description names. They are suggestions for profiles, no more. */
export function serversOf({ root }: ApiDescription): ServerSuggestion[] {
  const names = new Set<string>();
  return listOf(root['servers'])
    .slice(0, 20)
    .flatMap((server) => {
      const description = textOf(objectOf(server)['description']).slice(0, 300);
      return variantsOf(server).flatMap(({ url, words }): ServerSuggestion[] => {
        if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return [];
        const { hostname } = new URL(url);
        const kinds = [nameWords(description), [...words, ...hostname.split('.')].flatMap(nameWords)].map((some) => ({
          test: some.find((word) => TEST_WORDS.test(word)),
          live: some.find((word) => LIVE_WORDS.test(word)),
        }));
        const { test, live } = kinds.find((each) => each.test !== undefined || each.live !== undefined) ?? {};
        const isTest =
          test !== undefined && live === undefined ? true : live !== undefined && test === undefined ? false : null;
        const word =
          isTest === true ? (/^try/.test(test ?? '') ? 'test' : test) : isTest === false ? 'live' : undefined;
        const base = word ?? nameWords(hostname).find((each) => !/^(?:www|api)$/.test(each)) ?? 'service';
        let name = base;
        for (let count = 2; names.has(name); count += 1) name = `${base}-${count}`;
        names.add(name);
        return [{ name, url: url.replace(/\/+$/, ''), description, test: isTest }];
      });
    });
}
