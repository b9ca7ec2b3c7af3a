import { PATHS } from '../model/wire.ts';
import { type Answer, jsonAnswer, rawJson, refusal, tooManyRequests } from './answer.ts';
import { refuseParameters } from './check-parameters.ts';
import type { Marketplace } from './marketplace.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Operation } from './received-requests.ts';
import type { Content } from './request-content.ts';

/** The partner's credentials. The identifier is a number, as in the API's example. */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the three operations work on. */
export interface Service {
  readonly credentials: Credentials;
  readonly marketplace: Marketplace;
  /** Create and validate draw from it; null for no limit. */
  readonly rateLimit: RateLimit | null;
}

/** One call to one of the three operations, its body read. */
export interface ApiCall {
  readonly operation: Operation;
  /** The bearer token, or null. */
  readonly token: string | null;
  /** An answer is the refusal of a body that could not be decoded. */
  readonly content: Content | Answer;
  readonly nowMs: number;
  /** How long validate will not see what this call creates. */
  readonly hideFromValidateMs: number;
}

/** What was answered, and the identifier that it names or would have named. */
export interface Acted {
  readonly answer: Answer;
  readonly requestId: string | null;
}

const OPERATION_BY_PATH: Readonly<Record<string, Operation>> = {
  [PATHS.token]: 'token',
  [PATHS.create]: 'create',
  [PATHS.validate]: 'validate',
};

/** Which operation a request is for; an {@link Answer} is the refusal (404, 405). */
export function findOperation(method: string, path: string): Operation | Answer {
  const operation = Object.hasOwn(OPERATION_BY_PATH, path) ? OPERATION_BY_PATH[path] : undefined;
  if (operation === undefined) {
    return refusal(404, 'not_found', `Nothing here. The paths are ${Object.values(PATHS).join(', ')}.`);
  }
  if (method === 'POST') return operation;
  return refusal(405, 'method_not_allowed', 'All operations use POST.', { allow: 'POST' });
}

/** Does what a call asks for, checks first. */
export function actOn(call: ApiCall, service: Service): Acted {
  if (call.operation === 'token') return { answer: grantToken(call, service), requestId: null };
  const refused = refuseRate(call, service) ?? refuseToken(call, service);
  if (refused) return { answer: refused, requestId: null };
  const content = call.content;
  if ('status' in content) return { answer: content, requestId: null };
  const refusedParameters = refuseParameters(content);
  if (refusedParameters) return { answer: refusedParameters, requestId: null };
  return call.operation === 'create' ? create(call, content, service) : validate(call, content, service);
}

/** Shapes and codes of RFC 6749, sections 5.1 and 5.2. */
function grantToken({ content, nowMs }: ApiCall, { credentials, marketplace }: Service): Answer {
  if ('status' in content) return content;
  const { grant_type: grantType, client_id: clientId, client_secret: clientSecret } = content.params;
  const refuse = (status: number, error: string, description: string): Answer =>
    jsonAnswer(status, { error, error_description: description }, { 'cache-control': 'no-store' });
  if (!grantType) return refuse(400, 'invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials') {
    return refuse(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
  }
  if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret) {
    return refuse(401, 'invalid_client', 'client_id and client_secret do not belong together');
  }
  const { accessToken, expiresInSeconds } = marketplace.grantToken(nowMs);
  const granted = { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds };
  return jsonAnswer(200, granted, { 'cache-control': 'no-store', pragma: 'no-cache' });
}

function refuseRate({ nowMs }: ApiCall, { rateLimit }: Service): Answer | null {
  const waitMs = rateLimit?.take(nowMs) ?? 0;
  return waitMs > 0 ? tooManyRequests(waitMs) : null;
}

/** RFC 6750, section 3: without a token no error code, with a bad one `invalid_token`. */
function refuseToken({ token, nowMs }: ApiCall, { marketplace }: Service): Answer | null {
  if (token === null) {
    return refusal(401, 'unauthorized', `Send Authorization: Bearer, with a token from ${PATHS.token}.`, {
      'www-authenticate': 'Bearer realm="sandbox"',
    });
  }
  if (marketplace.isTokenValid(token, nowMs)) return null;
  return refusal(401, 'invalid_token', 'The token is unknown or its life has ended.', {
    'www-authenticate': 'Bearer realm="sandbox", error="invalid_token"',
  });
}

function create(call: ApiCall, content: Content, { marketplace }: Service): Acted {
  const created = marketplace.create(content.key, call.nowMs, call.hideFromValidateMs);
  const { requestId, reference } = created;
  const body = `{"request_id":${requestId},"reference":"${reference}","status":"received"}`;
  return { answer: rawJson(201, body), requestId };
}

function validate(call: ApiCall, content: Content, { marketplace }: Service): Acted {
  const requestId = marketplace.findDuplicate(content.key, call.nowMs);
  const body = requestId === null ? '{"duplicate":false}' : `{"duplicate":true,"request_id":${requestId}}`;
  return { answer: rawJson(200, body), requestId };
}
