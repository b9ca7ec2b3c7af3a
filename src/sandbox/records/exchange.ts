import type { IncomingMessage } from 'node:http';
import type { OperationName } from '../../request/contract/operations.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { Service } from '../service/routes.ts';
import { shownHeader, shownPath, withoutCredentials } from '../service/secrets.ts';

/** One exchange as it went over the wire, without secrets. */
export type KeptExchange = ReturnType<typeof exchangeOf>;

/** Maximum size of a body that is kept. */
const MAX_BODY_BYTES = 64 * 1024;

/** Returns the exchange of a call and its answer, without secrets. The body is null if it was too long to be read. */
export function exchangeOf(
  operation: OperationName,
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  body: Buffer | null,
  answer: SandboxAnswer | 'cut',
  { offered: { idempotencyHeader, keyName }, credentials: { clientSecret } }: Service,
) {
  const isToken = operation === 'token';
  const headers = request.rawHeaders.flatMap((name, place, all) => {
    if (place % 2 === 1) return [];
    const value = all[place + 1] ?? '';
    const isShown = name.toLowerCase() === idempotencyHeader?.toLowerCase();
    return [[name, isShown ? value : shownHeader(name, value, keyName)] as const];
  });
  const shownAnswer = ({ status, headers, body }: SandboxAnswer) => {
    const text = String(body);
    return { status, headers: Object.entries(headers), body: isToken ? withoutCredentials(text, clientSecret) : text };
  };
  return {
    method: request.method ?? '',
    path: withoutCredentials(shownPath(request.url ?? '', keyName), clientSecret),
    headers,
    // That of a token request holds the secret.
    body: !isToken && body !== null && body.length <= MAX_BODY_BYTES ? body.toString('utf8') : null,
    /** The answer, or null if the connection was cut instead. */
    answer: answer === 'cut' ? null : shownAnswer(answer),
  };
}
