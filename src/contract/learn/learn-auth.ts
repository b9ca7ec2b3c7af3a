import { isSecretName } from '../../request/words/names.ts';
import { memberOf, objectOf, textOf } from '../documents/json-parts.ts';
import type { Placed } from '../documents/references.ts';
import {
  type Authorization,
  type Confidence,
  DOCUMENTED_CONTRACT,
  type TokenOperation,
} from '../version-1/contract.ts';
import { isSameParameter, type OpenApiOperation } from './described-operation.ts';
import { type TokenCandidate, tokenCandidates } from './find-token.ts';
import type { GivenConstants } from './given-constants.ts';
import { learnToken } from './learn-token.ts';
import type { Findings } from './notebook.ts';
import { allSchemes, clientCredentialsFlows, type SecurityScheme, type SecurityWay, securityWays } from './security.ts';
import {
  type FoundTokenPlace,
  isQuestion,
  NO_TOKEN,
  namedPlace,
  operationAt,
  refusedQuestion,
  searchTokenPlace,
  type TokenSearch,
  type TokenSurroundings,
  unknownPlace,
} from './token-place.ts';

/** How calls are authorized, according to a document and a person. */
export interface LearnedAuthorization {
  /** The credentials that are sent with each call. Undefined means a token. */
  readonly auth: Authorization | undefined;
  readonly token: TokenOperation;
  /**
   * Returns an operation with the other keys that it demands as parameters. The key that is its authorization is left
   * out.
   */
  withKeys(operation: OpenApiOperation): OpenApiOperation;
}

/** The input for learning how calls are authorized. */
export interface AuthorizationLearning extends TokenSurroundings {
  readonly create: OpenApiOperation | null;
  /** All operations that carry a request. */
  readonly used: readonly OpenApiOperation[];
  /**
   * A person's statement about the token operation: a name, an address, or {@link NO_TOKEN}. Undefined if there is
   * none.
   */
  readonly said: string | undefined;
  /** The operation of the document that this statement means, or null. */
  readonly named: OpenApiOperation | null;
  readonly given: GivenConstants;
  readonly notebook: Findings;
}

/**
 * Learns how calls are authorized. If a secret would be sent to a place that the document does not state, that becomes
 * a question of the proposal. So does a service that accepts no credentials that srq can provide.
 */
export function learnAuthorization(learning: AuthorizationLearning): LearnedAuthorization {
  const { notebook } = learning;
  const { search, fixed, way } = decided(learning);
  if (fixed !== null) notebook.add('auth', fixed.words, fixed.where, fixed.confidence, fixed.why);
  else if (search !== null && isQuestion(search)) notebook.ask(search);
  const isByToken = fixed === null && (search === null || !isQuestion(search));
  return {
    auth: fixed?.auth,
    token: isByToken ? learnToken(learning, search) : DOCUMENTED_CONTRACT.token,
    withKeys: (operation) => ({ ...operation, parameters: withKeysOf(way, fixed?.auth, operation.parameters) }),
  };
}

/** Credentials that are sent with each request. */
interface FixedCredentials {
  readonly auth: Authorization;
  readonly words: string;
  readonly where: string;
  readonly confidence: Confidence;
  readonly why: string;
}

interface Decision {
  /** The place where tokens are issued, or the question about it. Null means the place in the public document. */
  readonly search: TokenSearch | null;
  /** The credentials that replace a token, or null. */
  readonly fixed: FixedCredentials | null;
  readonly way: SecurityWay;
}

/** A combination of security schemes that srq can satisfy. */
interface ServableWay {
  readonly way: SecurityWay;
  readonly kind: 'clientCredentials' | 'bearer' | 'basic' | 'apiKey';
}

function decided(learning: AuthorizationLearning): Decision {
  const { reading, create, said, given } = learning;
  const { ways, isStated } = securityWays(reading, create);
  const demanding = ways.filter((way) => way.length > 0);
  const servable = demanding.flatMap(servableWay).sort((a, b) => keysOf(a.way).length - keysOf(b.way).length);
  const byToken =
    servable.find(({ kind }) => kind === 'clientCredentials') ?? servable.find(({ kind }) => kind === 'bearer');
  const token = (search: TokenSearch | null): Decision => ({ search, fixed: null, way: byToken?.way ?? [] });
  if (said !== undefined && said !== NO_TOKEN) return token(placeSaid(said, learning));
  const fixedWays = demanding.flatMap(servableWay).filter(({ kind }) => kind === 'basic' || kind === 'apiKey');
  const isGiven = ({ way, kind }: ServableWay) => kind === 'apiKey' && givenKey(mainKey(way), given) !== null;
  const chosen = fixedWays.find(isGiven) ?? fixedWays[0];
  const isAlone = servable.length === fixedWays.length && new Set(fixedWays.map(({ kind }) => kind)).size === 1;
  const confidence = said === NO_TOKEN || (isStated && isAlone) ? 'certain' : isStated ? 'likely' : 'weak';
  const fixed = (found: ServableWay): Decision => ({
    ...{ search: null, way: found.way },
    fixed: fixedCredentials(found, isGiven(found) ? 'certain' : confidence, given),
  });
  if (said === NO_TOKEN) return chosen ? fixed(chosen) : { search: null, fixed: fixedToken(given), way: [] };
  if (chosen && isGiven(chosen)) return fixed(chosen);
  const candidates = tokenCandidates(reading, learning.operations);
  if (byToken?.kind === 'clientCredentials') {
    const flows = clientCredentialsFlows(servable.flatMap(({ way }) => way));
    return token(searchTokenPlace(flows, candidates, learning) ?? unknownPlace(learning));
  }
  const search = tokenSearch(learning, candidates, byToken !== undefined || !isStated || demanding.length === 0);
  if (search !== null && !isQuestion(search)) return token(search);
  if (chosen) return fixed(chosen);
  if (demanding.length === 0) return token(search);
  if (byToken) return token(search ?? unknownPlace(learning));
  return token(refusedQuestion([...new Set(demanding.map(unservableWords))]));
}

/**
 * Searches for the place where tokens are issued. Flows that the operation does not name itself count only if
 * `mayBeByFlow`.
 */
function tokenSearch(
  learning: AuthorizationLearning,
  candidates: readonly TokenCandidate[],
  mayBeByFlow: boolean,
): TokenSearch | null {
  const flows = mayBeByFlow ? clientCredentialsFlows(allSchemes(learning.reading)) : [];
  return searchTokenPlace(flows, candidates, learning);
}

function placeSaid(said: string, learning: AuthorizationLearning): FoundTokenPlace | null {
  const { named } = learning;
  if (named === null) {
    const found = namedPlace(said, learning);
    return found && { ...found, operation: operationAt(found.place, learning) };
  }
  const place = { path: learning.base.before + named.path };
  return { place, operation: named, flow: null, where: named.pointer, confidence: 'certain', why: 'you said so' };
}

const keysOf = (way: SecurityWay): readonly SecurityScheme[] => way.filter(({ kind }) => kind === 'apiKey');

function servableWay(way: SecurityWay): ServableWay[] {
  if (way.some(({ kind }) => kind === 'other')) return [];
  const [first] = way.filter(({ kind }) => kind !== 'apiKey');
  return [{ way, kind: first?.kind === undefined || first.kind === 'other' ? 'apiKey' : first.kind }];
}

const unservableWords = (way: SecurityWay): string =>
  way.flatMap(({ kind, words }) => (kind === 'other' ? [words] : [])).join(' with ');

/** Returns the key that is the secret, if several keys are demanded. The others identify the caller. */
function mainKey(way: SecurityWay): SecurityScheme | undefined {
  const keys = keysOf(way);
  return keys.findLast((key) => isSecretName(nameOf(key))) ?? keys[0];
}

const nameOf = ({ placed }: SecurityScheme): string => textOf(memberOf(placed.value, 'name'));

function givenKey(key: SecurityScheme | undefined, given: GivenConstants): string | null {
  return (key && given.among([]).valueOf([nameOf(key)])) || null;
}

function fixedCredentials({ way, kind }: ServableWay, confidence: Confidence, given: GivenConstants): FixedCredentials {
  const key = mainKey(way);
  if (kind !== 'apiKey' || key === undefined) {
    const where = way.find((each) => each.kind === 'basic')?.placed.pointer ?? '';
    const why = 'no token is asked for; the client id and the client secret go with each request';
    return { auth: { kind: 'basic' }, words: 'HTTP Basic', where, confidence, why };
  }
  const value = givenKey(key, given);
  const place = memberOf(key.placed.value, 'in') === 'query' ? 'query' : 'header';
  const word = /^authorization$/i.test(nameOf(key)) ? ', with the word before it if the service wants one' : '';
  const why = value === null ? `srq login asks for the key${word}` : 'you gave the key';
  return {
    auth: { kind: 'apiKey', in: place, name: nameOf(key), prefix: '', value },
    ...{ words: key.words, where: key.placed.pointer, confidence, why: `no token is asked for; ${why}` },
  };
}

/** Returns the authorization by a fixed token that a person was given. */
function fixedToken(given: GivenConstants): FixedCredentials {
  const name = 'Authorization';
  const value = given.among([]).valueOf([name]) || null;
  const why = value === null ? 'srq login asks for the token' : 'you gave the token';
  return {
    auth: { kind: 'apiKey', in: 'header', name, prefix: 'Bearer ', value },
    ...{ words: 'a bearer token that stays', where: '', confidence: 'certain', why: `you said so; ${why}` },
  };
}

/** Adds the keys that a way demands as required parameters, because a description names them only under `security`. */
function withKeysOf(
  way: SecurityWay,
  auth: Authorization | undefined,
  parameters: OpenApiOperation['parameters'],
): OpenApiOperation['parameters'] {
  const isOf = (value: Placed['value'], key: SecurityScheme) => isSameParameter(value, key.placed.value);
  const main = auth?.kind === 'apiKey' ? mainKey(way) : undefined;
  const said = parameters.filter(({ value }) => main === undefined || !isOf(value, main));
  const keys = keysOf(way).filter((key) => key !== main && !said.some(({ value }) => isOf(value, key)));
  const added = keys.map(({ placed }) => {
    const value = objectOf(placed.value);
    const description = textOf(value['description']) || 'a key beside the token';
    return { ...placed, value: { ...value, description, required: true } };
  });
  return [...said, ...added];
}
