import type { IncomingMessage } from 'node:http';
import type { OperationName } from '../../request/contract/operations.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { Service } from '../service/routes.ts';
import { shownHeader, shownPath, withoutCredentials } from '../service/secrets.ts';

type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** One exchange as it went over the wire, without secrets. */
export interface KeptExchange {
  readonly method: string;
  /** Path of the request with its query. */
  readonly path: string;
  readonly headers: HeaderPairs;
  /** The body as it arrived, or null if it was not kept. */
  readonly body: Buffer | null;
  /** The answer, or null if the connection was cut instead. */
  readonly answer: { readonly status: number; readonly headers: HeaderPairs; readonly body: string } | null;
}

/** Maximum size of a body that is kept, because a few longer ones would push out all others. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Returns the exchange of a call and its answer, without secrets. The body is null if it was too long to be read. */
export function exchangeOf(
  operation: OperationName,
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  body: Buffer | null,
  answer: SandboxAnswer | 'cut',
  service: Service,
  nowMs: number,
): KeptExchange {
  const { idempotencyHeader, callers } = service.offered;
  const keyName = callers?.keyName ?? null;
  const isToken = operation === 'token';
  const headers = pairsOf(request.rawHeaders).map(([name, value]) => {
    const isShown = name.toLowerCase() === idempotencyHeader?.toLowerCase();
    return [name, isShown ? value : shownHeader(name, value, keyName)] as const;
  });
  // The body of a token request holds the secret.
  const isKept = !isToken && body !== null && body.length <= MAX_BODY_BYTES;
  const answered = answer === 'cut' ? null : { ...answer, headers: Object.entries(answer.headers) };
  const text = answered?.body.toString() ?? '';
  return {
    method: request.method ?? '',
    path: withoutCredentials(shownPath(request.url ?? '', keyName), service, nowMs),
    headers,
    body: isKept ? body : null,
    answer: answered && { ...answered, body: isToken ? withoutCredentials(text, service, nowMs) : text },
  };
}

function pairsOf(rawHeaders: readonly string[]): HeaderPairs {
  return rawHeaders.flatMap((name, place) => (place % 2 === 0 ? [[name, rawHeaders[place + 1] ?? ''] as const] : []));
}
