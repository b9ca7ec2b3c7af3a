import type { OperationName } from '../../request/contract/operations.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, refusal, type SandboxAnswer, tooManyRequests } from '../messages/answer.ts';
import { createdAnswer, verdictAnswer, withValueAt } from './answers.ts';
import type { RequestContent, ServiceInterface } from './interface.ts';
import type { LocalMarketplace, TokenBucket } from './marketplace.ts';

/** The verdict of validate on a request. */
export type ToldVerdict = 'clear' | 'duplicate';

export interface SandboxSettings {
  /** Delay that is added to every answer of the three operations. */
  latencyMs: number;
  /** Maximum number of creates and validates a second, above which 429 is answered. Null for no limit. */
  readonly ratePerSecond: number | null;
  readonly tokenTtlSeconds: number;
}

/** The service on which the three operations work. */
export interface Service {
  readonly offered: ServiceInterface;
  /** Those of the partner. The identifier is a number, as in the API's example. */
  readonly credentials: Readonly<Record<'clientId' | 'clientSecret', string>>;
  readonly marketplace: LocalMarketplace;
  readonly settings: SandboxSettings;
  /** The calls of create and validate that the rate leaves. */
  readonly rateLimit: TokenBucket;
}

/** A call to one of the three operations, with its body read. */
export interface ApiCall {
  readonly operation: OperationName;
  readonly token: string | null;
  /** The decoded content, or the answer that refuses a body that could not be decoded. */
  readonly content: RequestContent | SandboxAnswer;
  readonly nowMs: number;
  /** Time for which validate does not see what this call creates. */
  readonly hideFromValidateMs: number;
}

/** The answer to a call, and the identifier that it contains or would have contained. */
export interface Acted {
  readonly answer: SandboxAnswer | 'cut';
  readonly requestId: string | null;
  /** The verdict in the answer of validate. It is left out for other answers. */
  readonly verdict?: ToldVerdict;
}

/** Returns the operation that a request calls. An {@link SandboxAnswer} is the refusal (404, 405). */
export function findOperation(method: string, path: string, offered: ServiceInterface): OperationName | SandboxAnswer {
  const { endpoints } = offered;
  const exact = endpoints.filter((each) => path === each.path);
  const here = exact.length > 0 ? exact : endpoints.filter((each) => isFilled(each.path, path));
  if (here.length === 0)
    return refusal(404, 'not_found', `Nothing here. The paths are ${endpoints.map((each) => each.path).join(', ')}.`);
  const called = here.find((each) => each.method === method);
  if (called) return called.operation;
  const allow = here.map((each) => each.method).join(', ');
  return refusal(405, 'method_not_allowed', `This path takes ${allow}.`, { allow });
}

/** A variable that was not filled in, such as `{id}`, matches any value. */
function isFilled(template: string, path: string): boolean {
  const [given, parts] = [path.split('/'), template.split('/')];
  const isAlike = (part: string, place: number): boolean =>
    part === given[place] || (/\{[^{}]*\}/.test(part) && given[place] !== '');
  return parts.length === given.length && parts.every(isAlike);
}

/** Checks a call and carries it out. */
export function actOn(call: ApiCall, service: Service): Acted {
  const { operation, content, nowMs } = call;
  const { offered, rateLimit, settings } = service;
  const refuse = (answer: SandboxAnswer): Acted => ({ answer, requestId: null });
  if (operation === 'token') return refuse('status' in content ? content : grantToken(content, nowMs, service));
  const waitMs = rateLimit.take(nowMs, settings.ratePerSecond);
  if (waitMs > 0) return refuse(tooManyRequests(waitMs));
  const stranger = refuseStranger(call, service);
  if (stranger) return refuse(stranger);
  if ('status' in content) return refuse(content);
  const wrong = offered.refuse(content);
  if (wrong) return refuse(wrong);
  return operation === 'create' ? create(call, content, service) : validate(call, content, service);
}

/** Grants a token, with the shapes and codes of RFC 6749, sections 5.1 and 5.2. */
function grantToken({ params }: RequestContent, nowMs: number, service: Service): SandboxAnswer {
  const { credentials, marketplace, offered, settings } = service;
  const { extra, answer } = offered.contract.token;
  const { grant_type: grantType, client_id: clientId, client_secret: clientSecret } = params;
  const refuse = (status: number, error: string, description: string): SandboxAnswer =>
    jsonAnswer(status, { error, error_description: description }, { 'cache-control': 'no-store' });
  if (grantType !== 'client_credentials')
    return refuse(
      400,
      grantType ? 'unsupported_grant_type' : 'invalid_request',
      'grant_type must be client_credentials',
    );
  if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret)
    return refuse(401, 'invalid_client', 'client_id and client_secret do not belong together');
  const wrong = Object.entries(extra).find(([name, value]) => params[name] !== value);
  if (wrong)
    return refuse(400, wrong[0] === 'scope' ? 'invalid_scope' : 'invalid_request', `${wrong[0]} must be ${wrong[1]}`);
  const accessToken = marketplace.grantToken(nowMs + settings.tokenTtlSeconds * 1000, nowMs);
  const timed = { token_type: 'Bearer', expires_in: settings.tokenTtlSeconds };
  return jsonAnswer(200, withValueAt(timed, pointerNames(answer ?? '/access_token'), accessToken), {
    'cache-control': 'no-store',
    pragma: 'no-cache',
  });
}

/** Refuses a call that does not come from the partner, as RFC 6750, section 3, has it. */
function refuseStranger({ token, nowMs }: ApiCall, { offered, marketplace }: Service): SandboxAnswer | null {
  if (token !== null && marketplace.isTokenValid(token, nowMs)) return null;
  const [error, message, challenge] =
    token === null
      ? ['unauthorized', `Send Authorization: Bearer, with a token from ${offered.contract.token.path}.`, '']
      : ['invalid_token', 'The token is unknown or its life has ended.', ', error="invalid_token"'];
  return refusal(401, error, message, { 'www-authenticate': `Bearer realm="sandbox"${challenge}` });
}

/** Creates a request. A repeated value of the idempotency header gets the earlier answer, and nothing is created. */
function create(call: ApiCall, { params, key, likeness }: RequestContent, { offered, marketplace }: Service): Acted {
  const { idempotencyHeader: header, contract } = offered;
  const value = header === null ? '' : (params[header] ?? '');
  const earlier = marketplace.taken.get(value);
  if (earlier) return createdAnswer(contract.create, earlier);
  const fresh = marketplace.next();
  const acted = createdAnswer(contract.create, fresh);
  const visibleAtMs = call.nowMs + call.hideFromValidateMs;
  marketplace.remember(key, likeness, acted.requestId, visibleAtMs);
  if (value !== '') marketplace.taken.set(value, fresh);
  return acted;
}

function validate({ nowMs }: ApiCall, { likeness }: RequestContent, { marketplace }: Service): Acted {
  const requestId = marketplace.findDuplicate(likeness, nowMs);
  return { answer: verdictAnswer(requestId), requestId, verdict: requestId === null ? 'clear' : 'duplicate' };
}
