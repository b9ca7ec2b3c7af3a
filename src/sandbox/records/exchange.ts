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
  /** The body as it arrived, or null if it was not kept: that of a token request holds the secret. */
  readonly body: string | null;
  /** The answer, or null if the connection was cut instead. */
  readonly answer: { readonly status: number; readonly headers: HeaderPairs; readonly body: string } | null;
}

/** Maximum size of a body that is kept. */
const MAX_BODY_BYTES = 64 * 1024;

/** Returns the exchange of a call and its answer, without secrets. The body is null if it was too long to be read. */
export function exchangeOf(
  operation: OperationName,
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  body: Buffer | null,
  answer: SandboxAnswer | 'cut',
  { offered: { idempotencyHeader, keyName }, credentials: { clientSecret } }: Service,
): KeptExchange {
  const isToken = operation === 'token';
  const headers = request.rawHeaders.flatMap((name, place, all) => {
    if (place % 2 === 1) return [];
    const value = all[place + 1] ?? '';
    const isShown = name.toLowerCase() === idempotencyHeader?.toLowerCase();
    return [[name, isShown ? value : shownHeader(name, value, keyName)] as const];
  });
  const text = answer === 'cut' ? '' : String(answer.body);
  return {
    method: request.method ?? '',
    path: withoutCredentials(shownPath(request.url ?? '', keyName), clientSecret),
    headers,
    body: !isToken && body !== null && body.length <= MAX_BODY_BYTES ? body.toString('utf8') : null,
    answer:
      answer === 'cut'
        ? null
        : {
            status: answer.status,
            headers: Object.entries(answer.headers),
            body: isToken ? withoutCredentials(text, clientSecret) : text,
          },
  };
}
