import { SrqError } from '../../request/words/errors.ts';
import { type Confidence, DOCUMENTED_CONTRACT, type Question } from '../version-1/contract.ts';
import { isTokenOrigin } from '../version-1/contract-schema.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import type { TokenCandidate } from './find-token.ts';
import type { ClientCredentialsFlow } from './security.ts';
import {
  type BasePath,
  ownServerOf,
  serverSuggestions,
  type TokenPlace,
  tokenPlaces,
  withoutPrefix,
} from './servers.ts';

/** The place at which tokens are issued, with its provenance. */
export interface FoundTokenPlace {
  readonly place: TokenPlace;
  /** The operation that issues them, or null if the document does not describe it. */
  readonly operation: OpenApiOperation | null;
  readonly flow: ClientCredentialsFlow | null;
  readonly where: string;
  readonly confidence: Confidence;
  readonly why: string;
}

/** The place, if it is certain enough to be used without asking, or else the question about it. */
export type TokenSearch = FoundTokenPlace | Question;

export const isQuestion = (search: TokenSearch): search is Question => 'answer' in search;

/** The input of the search for a place. */
export interface TokenSurroundings {
  readonly reading: DocumentReading;
  readonly operations: readonly OpenApiOperation[];
  readonly base: BasePath;
  readonly baseUrl: string | null;
}

/** A person's answer that the service issues no tokens. */
export const NO_TOKEN = 'none';
const QUESTION = 'operation:token';
const ADDRESS = /^(?:post\s+)?((?:https?:\/)?\/\S*)$/i;

/** Tells whether a person has named a path or a whole address, which a document need not describe. */
export const isAddress = (said: string): boolean => ADDRESS.test(said.trim());

/**
 * Returns the place that a person has named: an operation of the document, a path below the base URL, or a whole
 * address. Throws `SrqError('input')` for an address that a secret must not be sent to. Returns null if the name is
 * none of these.
 */
export function namedPlace(said: string, around: TokenSurroundings): FoundTokenPlace | null {
  const [, address = ''] = ADDRESS.exec(said.trim()) ?? [];
  if (address === '') return null;
  const found = { operation: null, flow: null, where: '', confidence: 'certain', why: 'you said so' } as const;
  if (address.startsWith('/')) return { ...found, place: { path: withoutPrefix(address, around.base.path) } };
  const url = URL.canParse(address) ? new URL(address) : null;
  const [place] = url === null ? [] : tokenPlaces(url.href, around.reading, around.base, around.baseUrl);
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url === null || place === undefined || !isPlain || !isTokenOrigin(url.origin)) {
    const hint = 'Name one with https and without a query: --operation "token=https://login.example.com/oauth/token"';
    throw new SrqError('address.outside', `A client secret may not be sent to "${address}".`, hint);
  }
  return { ...found, place };
}

/** Returns the place at which an operation of the document issues tokens. */
function placeOfOperation(
  operation: OpenApiOperation,
  { reading, base, baseUrl }: TokenSurroundings,
): TokenPlace | null {
  const server = ownServerOf(reading, operation);
  if (server === null) return { path: base.before + operation.path };
  return tokenPlaces(server + operation.path, reading, base, baseUrl)[0] ?? null;
}

/** Returns the operation of the document at a place, or null. */
export function operationAt(place: TokenPlace, around: TokenSurroundings): OpenApiOperation | null {
  const posts = around.operations.filter(({ method }) => method === 'post');
  const isThere = (found: TokenPlace | null) =>
    found?.path === place.path && (found.origin ?? '') === (place.origin ?? '');
  return posts.find((operation) => isThere(placeOfOperation(operation, around))) ?? null;
}

/**
 * Searches for the place where tokens are issued. Flows state it, and without flows an operation may be the one that
 * issues them. Returns null if neither indicates a place.
 */
export function searchTokenPlace(
  flows: readonly ClientCredentialsFlow[],
  candidates: readonly TokenCandidate[],
  around: TokenSurroundings,
): TokenSearch | null {
  const named = flows.filter(({ tokenUrl }) => tokenUrl !== '');
  if (named.length > 0) return placeOfFlows(named, around);
  const sure = candidates.filter(({ sureness }) => sureness > 0 && sureness === candidates[0]?.sureness);
  const [only] = sure;
  const place = only && placeOfOperation(only.operation, around);
  if (only !== undefined && sure.length === 1 && place && !isForeign(place)) {
    const { operation, reason } = only;
    const found = { operation, flow: flows[0] ?? null, where: operation.pointer };
    return { ...found, place, confidence: 'likely', why: reason };
  }
  return candidates.length === 0 ? null : questionOfCandidates(sure.length > 0 ? sure : candidates, around);
}

const isForeign = ({ origin }: TokenPlace): boolean => origin !== undefined && origin !== 'service';

/** Returns a place as a person can name it, or null if no secret may be sent there. */
function nameOf({ path, origin }: TokenPlace, { reading, base, baseUrl }: TokenSurroundings): string | null {
  if (origin === undefined) return `POST ${base.path}${path}`;
  if (origin !== 'service') return isTokenOrigin(origin) ? origin + path : null;
  // The whole address is named, because a bare path would mean one below the base URL.
  const own = baseUrl ?? serverSuggestions(reading.described.document['servers'])[0]?.url;
  return own === undefined ? `POST ${path}` : new URL(own).origin + path;
}

function placeOfFlows(flows: readonly ClientCredentialsFlow[], around: TokenSurroundings): TokenSearch {
  const { reading, base, baseUrl } = around;
  const places = flows.flatMap((flow) =>
    tokenPlaces(flow.tokenUrl, reading, base, baseUrl).map((place) => ({ flow, place })),
  );
  const names = places.map(({ place }) => nameOf(place, around));
  const different = places.filter((_, index) => names.indexOf(names[index] ?? null) === index);
  const [only] = different;
  const addresses = flows.map(({ tokenUrl }) => tokenUrl).join(', ');
  if (only === undefined || different.length > 1 || isForeign(only.place)) {
    const isOne = different.length === 1;
    const why = isOne
      ? `the document names ${addresses}, another host than that of the service`
      : `the document names ${addresses}`;
    return question(
      why,
      different.map(({ place }) => ({ place, reason: '' })),
      around,
    );
  }
  const { flow, place } = only;
  const isMoved = isOtherHost(flow.tokenUrl, baseUrl);
  return {
    ...{ place, flow, operation: operationAt(place, around), where: `${flow.pointer}/tokenUrl` },
    confidence: isMoved || flow.tokenUrl.includes('?') ? 'weak' : 'certain',
    why: isMoved
      ? `the document has it at ${flow.tokenUrl}; the host of the base URL is asked`
      : flow.tokenUrl.includes('?')
        ? 'the client credentials flow, without the query of its address'
        : 'the client credentials flow',
  };
}

function isOtherHost(url: string, baseUrl: string | null): boolean {
  return baseUrl !== null && URL.canParse(url) && new URL(url).origin !== new URL(baseUrl).origin;
}

function questionOfCandidates(candidates: readonly TokenCandidate[], around: TokenSurroundings): Question {
  const choices = candidates.slice(0, 3).flatMap(({ operation, reason }) => {
    const place = placeOfOperation(operation, around);
    return place === null ? [] : [{ place, reason }];
  });
  const isSure = candidates.some(({ sureness }) => sureness > 0);
  const elsewhere = candidates.length === 1 ? UNKNOWN_HOST : 'several operations are alike';
  return question(isSure ? elsewhere : 'no operation certainly takes a client id and a client secret', choices, around);
}

const UNKNOWN_HOST = 'it is at another host than that of the service, or the document does not say at which';

/** A place that a person can choose, with the reason for or against it. */
interface Choice {
  readonly place: TokenPlace;
  readonly reason: string;
}

/** Returns the question about the place if the document does not mention one. */
export function unknownPlace(around: TokenSurroundings): Question {
  const documented = { place: { path: DOCUMENTED_CONTRACT.token.path }, reason: 'as the public document says' };
  return question('the document demands a token and does not say who issues it', [documented], around);
}

/**
 * Asks where tokens are issued. Another host is never proposed as a flag, because a person who copies it unread would
 * send the secret there.
 */
function question(why: string, choices: readonly Choice[], around: TokenSurroundings): Question {
  const named = choices.flatMap(({ place, reason }) => {
    const name = nameOf(place, around);
    return name === null ? [] : [{ place, name, told: reason === '' ? name : `${name}: ${reason}` }];
  });
  const list = [
    ...named.map(({ told }) => told),
    `${NO_TOKEN}, if the service has given you a key or a token that stays`,
  ];
  const unusable = choices.filter(({ place }) => nameOf(place, around) === null);
  const ofUnusable = unusable.map(
    ({ place }) =>
      ` The document has it at ${place.origin}${place.path}, which is no address that a secret may be sent to.`,
  );
  const foreign = named.find(({ place }) => isForeign(place));
  const own = named.find(({ place }) => !isForeign(place))?.name ?? (foreign && `POST ${foreign.place.path}`);
  const ofHosts = foreign
    ? ` A path is asked at the host of the base URL. If you are sure of the other host: --operation "token=${foreign.name}"`
    : '';
  return {
    name: QUESTION,
    text:
      `Where does the service issue tokens? Your client secret goes there. It is not clear: ${why}. ` +
      `The choices are: ${list.map((each, index) => `${index + 1}. ${each}`).join('; ')}.${ofUnusable.join('')}${ofHosts}`,
    answer: `--operation "token=${own ?? 'POST /path'}"`,
    choices: [...named.map(({ name }) => name), NO_TOKEN],
  };
}

/**
 * Returns the question about a service that accepts no credentials that srq can provide. A person may know other ones.
 */
export function refusedQuestion(words: readonly string[]): Question {
  const way = words.join(', or ');
  return {
    name: QUESTION,
    text:
      `The document lets in callers by ${way}, which srq cannot do: it sends by itself, as a program. ` +
      'Ask the service for client credentials (OAuth 2.0), an API key or HTTP Basic. If it has given you the address of a token endpoint, say it; ' +
      `a key or a token that does not change: --operation token=${NO_TOKEN}`,
    answer: '--operation "token=POST /path"',
  };
}
