import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { OperationName } from '../request/contract/operations.ts';
import { refusal } from './messages/answer.ts';
import { bearerToken, readBody, sendAnswer } from './messages/http-message.ts';
import { exchangeOf } from './records/received-requests.ts';
import type { SandboxState } from './records/sandbox-state.ts';
import { DEFAULT_FAULT_MS, drawFault, type Fault, type FaultKind, faultOf } from './service/faults.ts';
import type { RequestContent } from './service/interface.ts';
import { type Acted, actOn } from './service/routes.ts';

/** Maximum length of a body, which has room for a long recording in base64. */
const MAX_BODY_BYTES = 40 * 1024 * 1024;

/** What became of a call that a fault keeps from the service. */
const NOTHING: Acted = { answer: 'cut', requestId: null };

/**
 * Answers one call to an operation, given its body. The effects of the call are kept before any pause of the answer.
 */
export async function answerCall(
  operation: OperationName,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  state: SandboxState,
): Promise<void> {
  const { offered, marketplace, received } = state;
  const { headers } = request;
  const body = await readBody(request, MAX_BODY_BYTES);
  const content = body
    ? await offered.decode(operation, { headers, query, body })
    : refusal(413, 'payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const decoded = 'status' in content ? null : content;
  const token = bearerToken(headers.authorization);
  const nowMs = state.now();

  const fault = chooseFault(operation, decoded, state);
  const { answer: instead, isActedOn, delays, endsToken }: Partial<Fault> = fault ? faultOf(fault.kind) : {};
  const delayMs = fault?.ms ?? DEFAULT_FAULT_MS;
  const hideFromValidateMs = delays === 'sight' ? delayMs : 0;
  if (endsToken && token !== null) marketplace.expireToken(token);
  const done = instead && !isActedOn ? NOTHING : actOn({ operation, token, content, nowMs, hideFromValidateMs }, state);
  const answer = instead?.(fault?.ms) ?? done.answer;

  const { client_secret: _secret, ...params } = decoded?.params ?? {};
  const facts = {
    operation,
    receivedAt: new Date(nowMs).toISOString(),
    encoding: decoded?.encoding ?? null,
    params,
    audio: decoded?.audio ?? null,
    key: operation !== 'token' ? (decoded?.key ?? null) : null,
    status: answer === 'cut' ? null : answer.status,
    fault: fault?.kind ?? null,
    requestId: done.requestId,
    // A fault may have replaced the answer. The client then never saw the verdict.
    verdict: answer === done.answer ? (done.verdict ?? null) : null,
  };
  const exchange = state.hasInbox ? exchangeOf(operation, request, body, answer) : null;
  received.add(facts, exchange);
  const wholePauseMs = state.settings.latencyMs + (delays === 'answer' ? delayMs : 0);
  if (wholePauseMs > 0) await pause(wholePauseMs, undefined, { signal: state.closing });
  if (answer === 'cut') request.socket.resetAndDestroy();
  else sendAnswer(response, answer);
}

function chooseFault(
  operation: OperationName,
  content: RequestContent | null,
  { instructions, faultRates, random }: SandboxState,
): { readonly kind: FaultKind; readonly ms?: number | undefined } | null {
  const instructed = instructions.take(operation, content?.params ?? {});
  if (instructed) return { kind: instructed.fault, ms: instructed.ms };
  const drawn = operation !== 'token' ? drawFault(operation, faultRates, random) : null;
  return drawn && { kind: drawn };
}
