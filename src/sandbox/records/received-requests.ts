import type { IncomingMessage } from 'node:http';
import type { Encoding } from '../../request/contract/contract.ts';
import { OPERATION_NAMES, type OperationName } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { folded, isSecretName, SECRET } from '../../request/words/names.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { FaultKind } from '../service/faults.ts';
import type { ReceivedAudio } from '../service/interface.ts';
import type { ToldVerdict } from '../service/routes.ts';

/** What went over the wire, without secrets. */
export type KeptExchange = ReturnType<typeof exchangeOf>;

/** Maximum size of a body that is kept. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Returns what went over the wire in a call and its answer, or null for a token request, which holds secrets. A body that
 * was too long is null.
 */
export function exchangeOf(
  operation: OperationName,
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
  body: Buffer | null,
  answer: SandboxAnswer | 'cut',
) {
  if (operation === 'token') return null;
  return {
    method,
    path: shownPath(url ?? ''),
    body: body !== null && body.length <= MAX_BODY_BYTES ? body.toString('utf8') : null,
    /** The answer, or null if the connection was cut instead. */
    answer: answer === 'cut' ? null : { ...answer, body: String(answer.body) },
  };
}

function shownPath(path: string): string {
  return path.replace(/([?&])([^=&]*)=[^&]*/g, (pair, mark: string, name: string) =>
    isSecretName(name) ? `${mark}${name}=${SECRET}` : pair,
  );
}

/** A request as it arrived, with its result. It contains no secret and no token. */
export interface ReceivedRequest {
  /** Sequence number in the order of arrival, from 1. */
  readonly number: number;
  readonly operation: OperationName;
  /** Time in ISO 8601, UTC. */
  readonly receivedAt: string;
  /** Encoding of the body, or null if it could not be decoded. */
  readonly encoding: Encoding | null;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /**
   * The identity of the content, by which duplicates are recognised. Null for tokens and for bodies that were not
   * decoded.
   */
  readonly key: string | null;
  /** HTTP status of the answer, or null if the connection was cut instead. */
  readonly status: number | null;
  readonly fault: FaultKind | null;
  /**
   * The new identifier of a create that was acted on, whether its answer arrived or not. For a duplicate, the
   * identifier under which it was created.
   */
  readonly requestId: string | null;
  /** The verdict that validate gave on the content. Null for other operations, refusals, and answers that were lost. */
  readonly verdict: ToldVerdict | null;
}

/** Number of requests whose exchanges are kept. They take the most room, and are of interest only while they are fresh. */
const EXCHANGES = 1_000;

/**
 * The requests that arrived last, in order: at most `keep`, of which the oldest make room. What was created is counted by the
 * marketplace, for all requests.
 */
export function receivedRequests(keep: number) {
  const requests = new Map<number, ReceivedRequest>();
  const exchanges = new Map<number, KeptExchange>();
  let lastNumber = 0;
  return {
    /** Adds a request, and what went over the wire if that is kept. */
    add(request: Omit<ReceivedRequest, 'number'>, exchange: KeptExchange): void {
      lastNumber += 1;
      requests.set(lastNumber, { number: lastNumber, ...request });
      if (exchange) exchanges.set(lastNumber, exchange);
      requests.delete(lastNumber - keep);
      exchanges.delete(lastNumber - EXCHANGES);
    },
    /** Returns a request with what went over the wire, as far as they are still kept. */
    find(number: number) {
      const request = requests.get(number);
      return request ? { ...request, exchange: exchanges.get(number) ?? null } : null;
    },
    all: (): readonly ReceivedRequest[] => [...requests.values()],
    clear(): void {
      requests.clear();
      exchanges.clear();
    },
  };
}

/**
 * Returns the test that a query asks for by `operation` and `text`, whose words may stand anywhere: in a parameter, the
 * operation, the status. Throws `SrqError('usage')` for an operation that there is not.
 */
export function parseFilter(query: URLSearchParams): (request: ReceivedRequest) => boolean {
  const wanted = query.get('operation') ?? '';
  if (wanted && !OPERATION_NAMES.some((each) => each === wanted))
    throw new SrqError('sandbox.bad-call', `operation is one of ${OPERATION_NAMES.join(', ')}.`);
  const words = folded(query.get('text') ?? '').split(' ');
  return ({ params, requestId, key, fault, operation, status, verdict }) => {
    if (wanted && operation !== wanted) return false;
    // The inbox asks for all of them each second.
    if (words.join('') === '') return true;
    const own = [...Object.values(params), requestId, key, fault, operation, status ?? 'cut', verdict];
    const text = folded(own.join('\n'));
    return words.every((word) => text.includes(word));
  };
}
