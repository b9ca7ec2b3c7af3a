import type { IncomingMessage } from 'node:http';
import type { Encoding } from '../../request/contract/contract.ts';
import { OPERATION_NAMES, type OperationName } from '../../request/contract/operations.ts';
import { SrqError } from '../../request/words/errors.ts';
import { folded } from '../../request/words/names.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { FaultKind } from '../service/faults.ts';
import type { ReceivedAudio } from '../service/interface.ts';
import type { Service, ToldVerdict } from '../service/routes.ts';
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
  /** Time from arrival to the end of the answer. Null until then, or if the client left before. */
  readonly answerMs: number | null;
}

/** The facts that are known when a request has arrived and its answer is decided. */
export type Arrival = Omit<ReceivedRequest, 'number' | 'answerMs'>;

/** Number of requests whose exchanges are kept. They take the most room, and are of interest only while they are fresh. */
const EXCHANGES = 1_000;

/** The requests that arrived last, in order. What was created is counted by the marketplace, for all requests. */
export class ReceivedRequests {
  readonly #keep: number;
  readonly #requests = new Map<number, ReceivedRequest>();
  readonly #exchanges = new Map<number, KeptExchange>();
  #lastNumber = 0;

  /** `keep` is the maximum number of requests. The oldest make room for new ones. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** Adds a request and what went over the wire, unless nobody can look at that, and returns its number. */
  add(arrival: Arrival, exchange: KeptExchange | null): number {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#requests.set(number, { number, ...arrival, answerMs: null });
    if (exchange) this.#exchanges.set(number, exchange);
    this.#requests.delete(number - this.#keep);
    this.#exchanges.delete(number - EXCHANGES);
    return number;
  }

  /** Notes when an answer was complete. Does nothing for a request that is no longer kept. */
  answered(number: number, answerMs: number): void {
    const request = this.#requests.get(number);
    if (request) this.#requests.set(number, { ...request, answerMs });
  }

  /** Returns a request with what went over the wire, as far as they are still kept. */
  find(number: number): (ReceivedRequest & { readonly exchange: KeptExchange | null }) | null {
    const request = this.#requests.get(number);
    return request ? { ...request, exchange: this.#exchanges.get(number) ?? null } : null;
  }

  all(): readonly ReceivedRequest[] {
    return [...this.#requests.values()];
  }

  clear(): void {
    this.#requests.clear();
    this.#exchanges.clear();
  }
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
