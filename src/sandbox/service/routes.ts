import type { OperationName, RequestOperationName } from '../../request/contract/operations.ts';
import { jsonAnswer, refusal, type SandboxAnswer, tooManyRequests } from '../messages/answer.ts';
import type { ToldVerdict } from './answers.ts';
import type { PartnerCredentials } from './callers.ts';
import type { ServiceInterface } from './interface.ts';
import type { LocalMarketplace, TokenBucket } from './marketplace.ts';
import type { RequestContent } from './request-content.ts';

/** The service on which the three operations work. */
export interface Service {
  readonly offered: ServiceInterface;
  readonly credentials: PartnerCredentials;
  readonly marketplace: LocalMarketplace;
  /** The rate limit of create and validate together, or null if there is none. */
  rateLimit: TokenBucket | null;
}

/** A call to one of the three operations, with its body read. */
export interface ApiCall {
  readonly operation: OperationName;
  readonly token: string | null;
  /** Whether the call contains the partner's credentials, for services without tokens. */
  readonly isOfPartner: boolean;
  /** The decoded content, or the answer that refuses a body that could not be decoded. */
  readonly content: RequestContent | SandboxAnswer;
  readonly nowMs: number;
  /** Time for which validate does not see what this call creates. */
  readonly hideFromValidateMs: number;
}

/** The answer to a call, and the identifier that it contains or would have contained. */
export interface Acted {
  readonly answer: SandboxAnswer;
  readonly requestId: string | null;
  /** The verdict in the answer of validate. It is left out for other answers. */
  readonly verdict?: ToldVerdict;
}

/** Returns the operation that a request calls. An {@link SandboxAnswer} is the refusal (404, 405). */
export function findOperation(method: string, path: string, offered: ServiceInterface): OperationName | SandboxAnswer {
  const { endpoints } = offered;
  const exact = endpoints.filter((each) => path === each.path);
  const here = exact.length > 0 ? exact : endpoints.filter((each) => isFilled(each.path, path));
  if (here.length === 0) {
    const paths = endpoints.map((each) => each.path);
    return refusal(404, 'not_found', `Nothing here. The paths are ${paths.join(', ')}.`);
  }
  const called = here.find((each) => each.method === method);
  if (called) return called.operation;
  const allow = here.map((each) => each.method).join(', ');
  return refusal(405, 'method_not_allowed', `This path takes ${allow}.`, { allow });
}

/**
 * Tells whether a path matches the path of an endpoint. A variable that was not filled in, such as `{id}`, matches any
 * value.
 */
function isFilled(template: string, path: string): boolean {
  const [given, parts] = [path.split('/'), template.split('/')];
  const isAlike = (part: string, place: number): boolean =>
    part === given[place] || (/\{[^{}]*\}/.test(part) && given[place] !== '');
  return parts.length === given.length && parts.every(isAlike);
}

/** Checks a call and carries it out. */
export function actOn(call: ApiCall, service: Service): Acted {
  const { operation } = call;
  if (operation === 'token') return { answer: grantToken(call, service), requestId: null };
  const refused = refuseRate(call, service) ?? refuseCaller(call, service);
  if (refused) return { answer: refused, requestId: null };
  const content = call.content;
  if ('status' in content) return { answer: content, requestId: null };
  const refusedParameters = service.offered.refuse(operation, content);
  if (refusedParameters) return { answer: refusedParameters, requestId: null };
  return ACTIONS[operation](call, content, service);
}

type Act = (call: ApiCall, content: RequestContent, service: Service) => Acted;

const ACTIONS: Readonly<Record<RequestOperationName, Act>> = { create, validate };

/** Grants a token, with the shapes and codes of RFC 6749, sections 5.1 and 5.2. */
function grantToken({ content, nowMs }: ApiCall, { credentials, marketplace, offered }: Service): SandboxAnswer {
  if ('status' in content) return content;
  const { grant_type: grantType, client_id: clientId, client_secret: clientSecret } = content.params;
  const refuse = (status: number, error: string, description: string): SandboxAnswer =>
    jsonAnswer(status, { error, error_description: description }, { 'cache-control': 'no-store' });
  if (!grantType) return refuse(400, 'invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials') {
    return refuse(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
  }
  if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret) {
    return refuse(401, 'invalid_client', 'client_id and client_secret do not belong together');
  }
  const refused = offered.refuse('token', content);
  if (refused) return refused;
  const granted = offered.granted(marketplace.grantToken(nowMs));
  return { ...granted, headers: { ...granted.headers, 'cache-control': 'no-store', pragma: 'no-cache' } };
}

function refuseRate({ nowMs }: ApiCall, { rateLimit }: Service): SandboxAnswer | null {
  const waitMs = rateLimit?.take(nowMs) ?? 0;
  return waitMs > 0 ? tooManyRequests(waitMs) : null;
}

/** Refuses a call that does not come from the partner. */
function refuseCaller(call: ApiCall, service: Service): SandboxAnswer | null {
  const { callers } = service.offered;
  if (callers === null) return refuseToken(call, service);
  if (call.isOfPartner) return null;
  const challenge = { 'www-authenticate': `${callers.keyName === null ? 'Basic' : 'ApiKey'} realm="sandbox"` };
  return refusal(401, 'unauthorized', `Send ${callers.demand}.`, challenge);
}

/**
 * Refuses a call without a valid token. Following RFC 6750, section 3, there is no error code without a token, and
 * `invalid_token` with a bad one.
 */
function refuseToken({ token, nowMs }: ApiCall, { marketplace, offered }: Service): SandboxAnswer | null {
  if (token === null) {
    const path = offered.endpoints.find((each) => each.operation === 'token')?.path;
    const message = `Send Authorization: Bearer, with a token from ${path}.`;
    return refusal(401, 'unauthorized', message, { 'www-authenticate': 'Bearer realm="sandbox"' });
  }
  if (marketplace.isTokenValid(token, nowMs)) return null;
  return refusal(401, 'invalid_token', 'The token is unknown or its life has ended.', {
    'www-authenticate': 'Bearer realm="sandbox", error="invalid_token"',
  });
}

/**
 * Creates a request. A repeated value of the idempotency header gets the earlier answer, and nothing is created. With
 * other content it is refused, because the caller has mixed up two requests.
 */
function create(call: ApiCall, content: RequestContent, service: Service): Acted {
  const { offered, marketplace } = service;
  const { idempotencyHeader: header } = offered;
  const value = header === null ? '' : (content.params[header] ?? '');
  const earlier = marketplace.taken.get(value);
  if (earlier && earlier.key !== content.key) {
    const message = `This ${header} came with other content before.`;
    return { answer: refusal(422, 'idempotency_conflict', message), requestId: null };
  }
  if (earlier) {
    marketplace.replayed += 1;
    return offered.created(earlier.fresh);
  }
  const likeness = offered.likeness('create', content);
  const isKnown = marketplace.findDuplicate(likeness, call.nowMs) !== null;
  const refused = isKnown ? offered.refuseKnown() : null;
  if (refused) return { answer: refused, requestId: null };
  const fresh = marketplace.next();
  const acted = offered.created(fresh);
  const visibleAtMs = call.nowMs + call.hideFromValidateMs;
  marketplace.remember({ key: content.key, likeness, requestId: acted.requestId, visibleAtMs });
  if (value !== '') marketplace.taken.set(value, { key: content.key, fresh });
  return acted;
}

function validate(call: ApiCall, content: RequestContent, { marketplace, offered }: Service): Acted {
  const requestId = marketplace.findDuplicate(offered.likeness('validate', content), call.nowMs);
  return { answer: offered.validated(requestId), requestId, verdict: requestId === null ? 'clear' : 'duplicate' };
}
