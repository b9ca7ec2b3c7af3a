import { nameWords } from '../../request/words/names.ts';
import { scalarOf } from '../documents/json-parts.ts';
import { valuesOf } from '../schema/flat-schema.ts';
import { answersOf } from './answers.ts';
import type { Leaf } from './body-leaves.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { operationBody } from './operation-body.ts';

/** An operation that may issue tokens. */
export interface TokenCandidate {
  readonly operation: OpenApiOperation;
  /**
   * How certain it is. 2 means that its body or its description says that it takes client credentials. 1 means that
   * only its path says so. 0 means that it is not certain.
   */
  readonly sureness: 0 | 1 | 2;
  /** The reason for or against it, for people. */
  readonly reason: string;
}

const MAX_NODES = 500;
const MAX_CANDIDATES = 50;
const TOKEN_WORDS = /^(?:tokens?|oauth2?|authenticate|login|signin|auth)$/;
/** Matches words of operations that do something else with tokens, or issue other ones. */
const OTHER_WORDS =
  /^(?:revoke|revocation|introspect\w*|refresh|invalidate|logout|signout|userinfo|authorize|authorise|authorization|verify|validate|check|validation|callback|device|devices|push|cards?|payments?|fcm|apns|password|reset|forgot|invite|invitation|register|signup|webhooks?|confirm|exchange|magic|otp|mfa|2fa|csrf|unsubscribe)$/;
const CLIENT_CREDENTIALS = /client[_ -]?credentials/i;
const TOKEN_NAME = /^(?:access|bearer|id|auth|jwt)?token$|^jwt$/;

/** Tells whether the path or the id of an operation mentions tokens. */
export function speaksOfTokens({ path, id }: OpenApiOperation): boolean {
  const words = [...nameWords(path.replace(/\{[^{}]*\}/g, '')), ...nameWords(id)];
  return words.some((word) => TOKEN_WORDS.test(word)) && !words.some((word) => OTHER_WORDS.test(word));
}

/** Returns the operations that may issue tokens, the best first. */
export function tokenCandidates(
  reading: DocumentReading,
  operations: readonly OpenApiOperation[],
): readonly TokenCandidate[] {
  return operations
    .filter((operation) => operation.method === 'post' && speaksOfTokens(operation))
    .slice(0, MAX_CANDIDATES)
    .map((operation) => ({ ...judged(reading, operation), operation }))
    .sort((a, b) => b.sureness - a.sureness || b.points - a.points)
    .map(({ operation, sureness, reason }) => ({ operation, sureness, reason }));
}

/** The evidence of a body and of words about who gets a token. */
interface Evidence {
  readonly takesClient: boolean;
  readonly takesGrant: boolean;
  readonly isSaid: boolean;
  readonly isNamed: boolean;
  readonly givesToken: boolean;
}

const REASONS: readonly (readonly [keyof Evidence, number, string])[] = [
  ['takesClient', 8, 'it takes a client id and a client secret'],
  ['takesGrant', 6, 'it takes a grant type'],
  ['isSaid', 4, 'its words speak of client credentials'],
  ['isNamed', 3, 'its path is that of a token endpoint'],
  ['givesToken', 1, 'it answers with a token'],
];

function judged(reading: DocumentReading, operation: OpenApiOperation) {
  const leaves = operationBody(reading, operation, MAX_NODES)?.leaves ?? [];
  const names = new Set(leaves.map(bareName));
  const grant = leaves.find((leaf) => bareName(leaf) === 'granttype');
  const evidence: Evidence = {
    takesClient: names.has('clientid') && names.has('clientsecret'),
    takesGrant: grant !== undefined && allowsClientCredentials(grant),
    isSaid: CLIENT_CREDENTIALS.test(`${operation.words} ${operation.id}`),
    isNamed: TOKEN_PATH.test(operation.path),
    givesToken: answersOf(reading, operation).some(
      ({ status, places }) => status < 300 && places.some(({ words }) => TOKEN_NAME.test(words.join(''))),
    ),
  };
  const { takesClient, takesGrant, isSaid, isNamed } = evidence;
  const objection = objectionTo(leaves, grant, takesClient || takesGrant || isSaid);
  if (objection !== null) return { sureness: UNSURE, reason: objection, points: 0 };
  const speaking = REASONS.filter(([name]) => evidence[name]);
  return {
    sureness: takesClient || takesGrant || isSaid ? SURE : isNamed && leaves.length === 0 ? NAMED : UNSURE,
    reason: speaking[0]?.[2] ?? 'its name speaks of tokens',
    points: speaking.reduce((sum, [, points]) => sum + points, 0),
  };
}

const [UNSURE, NAMED, SURE] = [0, 1, 2] as const;

const bareName = ({ path }: Leaf): string => (path.at(-1) ?? '').toLowerCase().replace(/[^a-z\d]/g, '');

/** Tells whether a grant type may be that of client credentials. It may if nothing is said about it. */
function allowsClientCredentials({ keywords }: Leaf): boolean {
  const values = valuesOf(keywords);
  const said = values.length > 0 ? values : [keywords['default'], keywords['example'], keywords['description']];
  const text = said.flatMap((each) => scalarOf(each) ?? []).join(' ');
  return CLIENT_CREDENTIALS.test(text) || (values.length === 0 && !OTHER_GRANT.test(text));
}

/** Returns the reason against sending the client credentials to an operation with this body, or null. */
function objectionTo(leaves: readonly Leaf[], grant: Leaf | undefined, isForClients: boolean): string | null {
  const required = leaves.filter((leaf) => leaf.required).map(bareName);
  const asked = isForClients ? required : leaves.map(bareName);
  if (asked.some((name) => PASSWORD.test(name)) && asked.some((name) => PERSON.test(name))) {
    return "it takes a person's user name and password";
  }
  const renamed = leaves.find((leaf) => RENAMED.test(leaf.path.at(-1) ?? ''));
  if (renamed !== undefined) return `it has "${renamed.path.at(-1)}" where srq sends the standard's name`;
  if (grant !== undefined && !allowsClientCredentials(grant)) return 'it takes another grant than client credentials';
  const unknown = required.find((name) => (isForClients ? OF_A_PERSON.test(name) : !KNOWN.test(name)));
  return unknown === undefined ? null : `it requires ${unknown}`;
}

const TOKEN_PATH = /(?:^|\/)(?:oauth2?|connect|openid-connect|auth)\/(?:v\d+\/)?(?:access_?)?token\/?$/i;
/**
 * Matches names of the client id, the client secret and the grant type other than those of RFC 6749. srq sends only the
 * latter.
 */
const RENAMED = /^(?!(?:client_id|client_secret|grant_type)$)(?:client[_-]?(?:id|secret)|grant[_-]?type)$/i;
const OTHER_GRANT = /password|authorization_code|refresh_token|implicit|device_code|assertion/i;
const PASSWORD = /^(?:password|passwd|pass|pin|senha|contrasena|passwort)$/;
const PERSON = /^(?:user|username|userid|email|login|phone|mobile|identifier|usuario|benutzername)$/;
/** Matches names of what only a person, or an earlier token, can provide. */
const OF_A_PERSON = /^(?:code|codeverifier|refreshtoken|assertion|username|password|otp)$/;
const KNOWN = /^(?:granttype|clientid|clientsecret|scope|audience|resource)$/;
