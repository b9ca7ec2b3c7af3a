import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { carriesRequest, type OperationName } from '../request/contract/operations.ts';
import { refusal, type SandboxAnswer } from './messages/answer.ts';
import { bearerToken, readBody, sendAnswer } from './messages/http-message.ts';
import { exchangeOf } from './records/kept-exchange.ts';
import type { SandboxState } from './records/sandbox-state.ts';
import { applyFault, drawFault, type FaultableCall, type FaultKind, type Reply } from './service/faults.ts';
import type { RequestContent } from './service/request-content.ts';
import { type Acted, type ApiCall, actOn } from './service/routes.ts';

/** Maximum length of a body, which has room for a long recording in base64. */
const MAX_BODY_BYTES = 40 * 1024 * 1024;

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
  const body = await readBody(request, MAX_BODY_BYTES);
  const content = body
    ? await state.service.offered.decode(operation, { headers: request.headers, query, body })
    : refusal(413, 'payload_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const { callers } = state.service.offered;
  const caller = {
    token: bearerToken(request.headers.authorization),
    isOfPartner: callers?.isPartner({ headers: request.headers, query }, state.service.credentials) ?? false,
  };
  const { reply, number, receivedAtMs } = decide(operation, caller, content, state);
  const pauseMs = state.latencyMs + reply.pauseMs;
  const heard = { operation, request, body, answer: reply.answer, nowMs: receivedAtMs };
  state.received.keepExchange(number, exchangeOf(heard, state.service));
  if (pauseMs > 0) await pause(pauseMs, undefined, { signal: state.closing });
  if (reply.answer === 'cut') {
    request.socket.resetAndDestroy();
  } else if (await sendAnswer(response, reply.answer)) {
    state.received.answered(number, state.now() - receivedAtMs);
  }
}

interface Decided {
  readonly reply: Reply;
  readonly number: number;
  readonly receivedAtMs: number;
}

function decide(
  operation: OperationName,
  caller: Pick<ApiCall, 'token' | 'isOfPartner'>,
  content: RequestContent | SandboxAnswer,
  state: SandboxState,
): Decided {
  const { token } = caller;
  const nowMs = state.now();
  const decoded = 'status' in content ? null : content;
  const fault = chooseFault(operation, decoded, state);
  const acted: Acted[] = [];
  const call: FaultableCall = {
    act: (hideFromValidateMs = 0) => {
      const done = actOn({ operation, ...caller, content, nowMs, hideFromValidateMs }, state.service);
      acted.push(done);
      return done.answer;
    },
    expireToken: () => {
      if (token !== null) state.service.marketplace.expireToken(token);
    },
  };
  const reply = fault ? applyFault(fault.kind, call, fault.ms) : { answer: call.act(), pauseMs: 0 };
  const done = acted.at(-1);
  const { number } = state.record({
    operation,
    receivedAtMs: nowMs,
    encoding: decoded?.encoding ?? null,
    params: withoutSecret(decoded?.params ?? {}),
    audio: decoded?.audio ?? null,
    key: carriesRequest(operation) ? (decoded?.key ?? null) : null,
    status: reply.answer === 'cut' ? null : reply.answer.status,
    fault: fault?.kind ?? null,
    requestId: done?.requestId ?? null,
    // A fault may have replaced the answer. The client then never saw the verdict.
    verdict: reply.answer === done?.answer ? (done.verdict ?? null) : null,
  });
  return { reply, number, receivedAtMs: nowMs };
}

function chooseFault(
  operation: OperationName,
  content: RequestContent | null,
  { instructions, faultRates, random }: SandboxState,
): { readonly kind: FaultKind; readonly ms?: number | undefined } | null {
  const instructed = instructions.take(operation, content?.params ?? {});
  if (instructed) return { kind: instructed.fault, ms: instructed.ms };
  const drawn = carriesRequest(operation) ? drawFault(operation, faultRates, random) : null;
  return drawn && { kind: drawn };
}

function withoutSecret(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { client_secret: _secret, ...rest } = params;
  return rest;
}
