import { redactedValue } from '../../request/words/names.ts';
import { listOf, memberOf, objectOf, pointerTo, scalarOf, textOf } from '../documents/json-parts.ts';
import { valuesOf } from '../schema/flat-schema.ts';
import { DOCUMENTED_CONTRACT, isElsewhere, type TokenOperation } from '../version-1/contract.ts';
import { type AnswerPlace, answersOf } from './answers.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import type { GivenConstants } from './given-constants.ts';
import type { Findings } from './notebook.ts';
import { type OperationBody, operationBody } from './operation-body.ts';
import { filledPath } from './operation-parameters.ts';
import { allSchemes, type ClientCredentialsFlow, clientCredentialsFlows } from './security.ts';
import type { FoundTokenPlace } from './token-place.ts';

/** Matches the members of every token request, which srq writes itself. */
const CREDENTIALS = /^(?:grant_?type|client_?(?:id|secret))$/i;

/**
 * Learns the request and the answer of the token endpoint at a place. Null means that the document does not say where
 * tokens are issued.
 */
export function learnToken(learning: TokenLearning, found: FoundTokenPlace | null): TokenOperation {
  const { reading, given, notebook } = learning;
  const documented = DOCUMENTED_CONTRACT.token;
  const { place, where, confidence, why } = found ?? UNKNOWN_PLACE;
  const address = isElsewhere(place) ? place.origin + place.path : place.path;
  const start = place.origin === 'service' ? `${why}; from the root of the host` : why;
  notebook.add('token.path', `POST ${address}`, where, confidence, start);
  const parameters = found?.operation?.parameters ?? [];
  const at = { ...place, path: filledPath(reading, { path: place.path, parameters }, given, notebook) };
  const extra = scopesOf(learning, found?.flow ?? null);
  const operation = found?.operation ?? null;
  if (operation === null) return { ...documented, ...at, extra };
  const body = operationBody(reading, operation);
  const auth = isBasic(reading, operation, body) ? 'basic' : 'body';
  const reason = auth === 'basic' ? 'HTTP Basic is asked for' : 'its body';
  notebook.add('token.auth', auth, operation.pointer, 'likely', reason);
  return {
    ...at,
    auth,
    encoding: body?.encoding === 'json' ? 'json' : 'form',
    extra: { ...extra, ...extraOf(body, given, notebook) },
    ...answerOf(reading, operation, notebook),
  };
}

/** The input for learning the token endpoint. */
interface TokenLearning {
  readonly reading: DocumentReading;
  /** The operations for which a token is needed. */
  readonly used: readonly OpenApiOperation[];
  readonly given: GivenConstants;
  readonly notebook: Findings;
}

const UNKNOWN_PLACE: Pick<FoundTokenPlace, 'place' | 'where' | 'confidence' | 'why'> = {
  place: { path: DOCUMENTED_CONTRACT.token.path },
  where: '',
  confidence: 'weak',
  why: 'not in the document; as the public document says',
};

function isBasic(reading: DocumentReading, operation: OpenApiOperation, body: OperationBody | null): boolean {
  if (body?.leaves.some(({ path }) => /^client_?secret$/i.test(path.at(-1) ?? ''))) return false;
  const schemes = objectOf(objectOf(reading.described.document['components'])['securitySchemes']);
  const asked = listOf(operation.value['security']).flatMap((each) => Object.keys(objectOf(each)));
  const hasScheme = asked.some((name) => {
    const scheme = reading.references.follow(memberOf(schemes, name), '/components/securitySchemes').value;
    return memberOf(scheme, 'type') === 'http' && /^basic$/i.test(textOf(memberOf(scheme, 'scheme')));
  });
  const header = operation.parameters.find(({ value }) => /^authorization$/i.test(textOf(memberOf(value, 'name'))));
  const words = `${operation.words} ${textOf(memberOf(header?.value, 'description'))}`;
  return hasScheme || /\bBasic\b/.test(words);
}

/** Returns further parameters that the token request must have, or whose value the document fixes. */
function extraOf(body: OperationBody | null, given: GivenConstants, notebook: Findings): Record<string, string> {
  const extra: Record<string, string> = {};
  const own = given.among((body?.leaves ?? []).map(({ path }) => ({ path, isCarried: false })));
  for (const { path, keywords, required, where, shape } of body?.leaves ?? []) {
    const name = path.join('.');
    if (CREDENTIALS.test(name) || path.length > 1 || shape === 'object') continue;
    const [only, ...others] = valuesOf(keywords);
    const fixed = only !== undefined && others.length === 0 ? only : keywords['default'];
    const value = (own.valueOf(path) || null) ?? (required ? scalarOf(fixed) : null);
    if (value !== null) {
      extra[name] = value;
      notebook.add(`token.${name}`, redactedValue(name, value), where, 'certain', 'the token request has to hold it');
    } else if (required) notebook.ask(own.question(path, keywords));
  }
  return extra;
}

/** Returns the scopes that the operations require, or else all scopes of the flow, or of the only one there is. */
function scopesOf(
  { reading, used, notebook }: TokenLearning,
  found: ClientCredentialsFlow | null,
): Record<string, string> {
  const [only, ...others] = clientCredentialsFlows(allSchemes(reading));
  const flow = found ?? (others.length === 0 ? only : undefined);
  if (flow === undefined || flow.scopes.length === 0) return {};
  const demands = used.flatMap(({ value }) => listOf(value['security'] ?? reading.described.document['security']));
  const demanded = demands.flatMap((each) => listOf(memberOf(each, flow.scheme)).map(textOf));
  const asked = flow.scopes.filter((each) => demanded.includes(each));
  const scope = (asked.length > 0 ? asked : flow.scopes).join(' ');
  const why = asked.length > 0 ? 'the operations ask for it' : 'all scopes of the flow';
  const confidence = asked.length > 0 || flow.scopes.length === 1 ? 'likely' : 'weak';
  notebook.add('token.scope', scope, pointerTo(flow.pointer, 'scopes'), confidence, why);
  return { scope };
}

function answerOf(
  reading: DocumentReading,
  operation: OpenApiOperation,
  notebook: Findings,
): Pick<TokenOperation, 'tokenPointer' | 'lifetimePointer' | 'lifetimeSeconds'> {
  const answer = answersOf(reading, operation).find(({ status }) => status >= 200 && status < 300);
  const named = (pattern: RegExp): AnswerPlace | undefined =>
    answer?.places.find(({ words }) => pattern.test(words.join('')));
  const token = named(/^(?:access|bearer|id)?token$/);
  const lifetime = named(/^(?:expiresin|expirein|ttl|lifetime|validfor|expires)$/);
  const said = `${operation.words} ${answer?.description ?? ''} ${lifetime?.description ?? ''} ${token?.description ?? ''}`;
  const shown = Number(lifetime?.values.flatMap((each) => scalarOf(each) ?? [])[0]);
  const lifetimeSeconds = shown > 0 ? shown : secondsInWords(said);
  if (token) notebook.add('token.pointer', token.pointer, answer?.pointer ?? '', 'certain', 'its name');
  if (lifetime) notebook.add('token.lifetime', lifetime.pointer, answer?.pointer ?? '', 'certain', 'its name');
  if (lifetimeSeconds !== null) {
    const why = shown > 0 ? 'its example; for answers that do not say' : 'said in words; for answers that do not say';
    notebook.add('token.lifetimeSeconds', String(lifetimeSeconds), answer?.pointer ?? operation.pointer, 'likely', why);
  }
  return { tokenPointer: token?.pointer ?? null, lifetimePointer: lifetime?.pointer ?? null, lifetimeSeconds };
}

/** Reads a lifetime in seconds from prose: `valid for 30 minutes`, `expires after 3600 seconds`. */
function secondsInWords(text: string): number | null {
  const found = /(?:valid|expir|li[fv]e)[^.\d]{0,60}?(\d{1,6})[ -]?(second|minute|hour|s\b|m\b|min|h\b)/i.exec(text);
  if (found === null) return null;
  const unit = { s: 1, m: 60, h: 3600 }[found[2]?.[0]?.toLowerCase() ?? ''] ?? 1;
  return Number(found[1]) * unit || null;
}
