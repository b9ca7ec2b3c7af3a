import type { KeptExchange } from './exchange.ts';
import type { Arrival, ReceivedRequest } from './received-request.ts';

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
