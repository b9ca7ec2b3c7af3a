import type { IncomingMessage } from 'node:http';
import type { OperationName } from '../../request/contract/operations.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { Service } from '../service/routes.ts';
import { shownHeader, shownPath, shownTokenBody, withoutCredentials } from '../service/secrets.ts';

type KeptHeaders = readonly (readonly [name: string, value: string])[];

/** One exchange as it went over the wire, without secrets. */
export interface KeptExchange {
  readonly method: string;
  /** Path of the request with its query. */
  readonly path: string;
  readonly headers: KeptHeaders;
  /** The body as it arrived, or null if it was not kept. */
  readonly body: Buffer | null;
  /** The answer, or null if the connection was cut instead. */
  readonly answer: { readonly status: number; readonly headers: KeptHeaders; readonly body: string } | null;
}

/** Maximum size of a body that is kept, because a few longer ones would push out all others. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** A call with its answer, before secrets are removed. */
export interface AnsweredCall {
  readonly operation: OperationName;
  readonly request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>;
  /** The body, or null if it was too long to be read. */
  readonly body: Buffer | null;
  readonly answer: SandboxAnswer | 'cut';
  readonly nowMs: number;
}

/** Returns the exchange of a call and its answer, without secrets. */
export function exchangeOf({ operation, request, body, answer, nowMs }: AnsweredCall, service: Service): KeptExchange {
  const { idempotencyHeader, callers } = service.offered;
  const keyName = callers?.keyName ?? null;
  const headers = pairsOf(request.rawHeaders).map(([name, value]) => {
    const isShown = name.toLowerCase() === idempotencyHeader?.toLowerCase();
    return [name, isShown ? value : shownHeader(name, value, keyName)] as const;
  });
  return {
    method: request.method ?? '',
    path: withoutCredentials(shownPath(request.url ?? '', keyName), service, nowMs),
    headers,
    body: keptBody(operation, request.headers['content-type'], body),
    answer: answer === 'cut' ? null : keptAnswer(operation, answer, service, nowMs),
  };
}

function pairsOf(rawHeaders: readonly string[]): KeptHeaders {
  return rawHeaders.flatMap((name, place) => (place % 2 === 0 ? [[name, rawHeaders[place + 1] ?? ''] as const] : []));
}

function keptBody(operation: OperationName, contentType: string | undefined, body: Buffer | null): Buffer | null {
  if (body === null || body.length > MAX_BODY_BYTES) return null;
  return operation === 'token' ? shownTokenBody(contentType, body) : body;
}

function keptAnswer(
  operation: OperationName,
  answer: SandboxAnswer,
  service: Service,
  nowMs: number,
): KeptExchange['answer'] {
  const { status, headers } = answer;
  const body = answer.body.toString();
  const shown = operation === 'token' ? withoutCredentials(body, service, nowMs) : body;
  return { status, headers: Object.entries(headers), body: shown };
}

/**
 * Serialises an exchange as one text. The first line is JSON without the body. After it comes the body, with one
 * character for each byte. {@link parseExchange} is the inverse, and returns null for the empty text.
 */
export function serializeExchange({ body, ...head }: KeptExchange): string {
  return `${JSON.stringify({ ...head, hasBody: body !== null })}\n${body?.toString('latin1') ?? ''}`;
}

export function parseExchange(text: string): KeptExchange | null {
  if (text === '') return null;
  const end = text.indexOf('\n');
  const { hasBody, ...head }: Omit<KeptExchange, 'body'> & { hasBody: boolean } = JSON.parse(text.slice(0, end));
  return { ...head, body: hasBody ? Buffer.from(text.slice(end + 1), 'latin1') : null };
}
