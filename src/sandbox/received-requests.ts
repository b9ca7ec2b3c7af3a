import type { FaultKind } from './faults.ts';
import { FilteredNumbers } from './filtered-numbers.ts';
import { type Exchange, packExchange, unpackExchange } from './kept-exchange.ts';
import type { Operation } from './operation.ts';
import type { Arrival, KeptContent, ReceivedRequest } from './received-request.ts';
import type { Filter } from './request-filter.ts';
import { TextArena } from './text-arena.ts';

interface Entry {
  readonly number: number;
  readonly operation: Operation;
  readonly receivedAtMs: number;
  /** Place in the arena where encoding, parameters, audio and key are kept as JSON. */
  readonly contentPlace: number;
  readonly status: number | null;
  readonly fault: FaultKind | null;
  readonly requestId: string | null;
  answerMs: number | null;
  /**
   * Place in the arena of exchanges, where newer exchanges may have pushed it out. Null if the exchange was never kept.
   */
  exchangePlace: number | null;
}

/** Selects the part of a list that a page shows. */
export interface Stretch {
  readonly offset: number;
  readonly limit: number;
  /** Whether the newest request comes first. Otherwise the order is that of arrival. */
  readonly isNewestFirst: boolean;
}

export interface Page {
  readonly total: number;
  readonly items: readonly ReceivedRequest[];
}

/**
 * Maximum memory for raw bodies and answers. They take the most room, and are of interest only while they are fresh.
 */
const MAX_EXCHANGE_BYTES = 48 * 1024 * 1024;
/**
 * Number of recent contents that are compared, so that equal ones share one text. Validate and create of one content
 * come close together.
 */
const MAX_SHARED_CONTENTS = 1_000;

/** Keeps everything that was received, in order. The form is compact, so that 100,000 requests are no burden. */
export class ReceivedRequests {
  #entries: Entry[] = [];
  #lastNumber = 0;
  readonly #contents = new TextArena();
  readonly #recentPlaces = new Map<string, number>();
  readonly #exchanges = new TextArena(MAX_EXCHANGE_BYTES);
  readonly #fitting = new FilteredNumbers(
    () => this.#entries,
    (entry) => this.#contentOf(entry),
  );
  readonly #watchers = new Set<() => void>();

  /** Adds an arrival and returns the request as kept. */
  add(arrival: Arrival): ReceivedRequest {
    this.#lastNumber += 1;
    const { operation, receivedAtMs, status, fault, requestId } = arrival;
    const contentPlace = this.#keepContent(arrival);
    const entry = {
      number: this.#lastNumber,
      operation,
      receivedAtMs,
      contentPlace,
      status,
      fault,
      requestId,
      answerMs: null,
      exchangePlace: null,
    };
    this.#entries.push(entry);
    this.tellWatchers();
    return this.#expand(entry);
  }

  /** Keeps what went over the wire until newer exchanges need the room. */
  keepExchange(number: number, exchange: Exchange): void {
    const entry = this.#entry(number);
    if (entry) entry.exchangePlace = this.#exchanges.add(packExchange(exchange));
  }

  /** Returns the exchange of a request, or null if it was not kept or has been pushed out. */
  exchange(number: number): Exchange | null {
    const place = this.#entry(number)?.exchangePlace ?? null;
    return place === null ? null : unpackExchange(this.#exchanges.read(place));
  }

  /** Notes when an answer was complete. Does nothing for a request that was cleared away in the meantime. */
  answered(number: number, answerMs: number): void {
    const entry = this.#entry(number);
    if (!entry) return;
    entry.answerMs = answerMs;
    this.tellWatchers();
  }

  /** The number of the oldest request that is kept, and the count of those kept. The numbers have no gaps. */
  get extent(): { readonly first: number; readonly count: number } {
    return { first: this.#entries[0]?.number ?? this.#lastNumber + 1, count: this.#entries.length };
  }

  find(number: number): ReceivedRequest | null {
    const entry = this.#entry(number);
    return entry ? this.#expand(entry) : null;
  }

  all(): readonly ReceivedRequest[] {
    return this.#entries.map((entry) => this.#expand(entry));
  }

  /** Returns one page of the requests that match the filter. */
  async page(filter: Filter, { offset, limit, isNewestFirst }: Stretch): Promise<Page> {
    const fitting = await this.#fitting.find(filter);
    const total = fitting.length;
    const [from, to] = isNewestFirst ? [total - offset - limit, total - offset] : [offset, offset + limit];
    const numbers = fitting.slice(Math.max(0, from), Math.max(0, to));
    if (isNewestFirst) numbers.reverse();
    return { total, items: numbers.flatMap((number) => this.find(number) ?? []) };
  }

  clear(): void {
    this.#entries = [];
    this.#contents.clear();
    this.#recentPlaces.clear();
    this.#exchanges.clear();
    this.#fitting.clear();
    this.tellWatchers();
  }

  /** Calls `look` after each change until the returned function is called. */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    return () => this.#watchers.delete(look);
  }

  tellWatchers(): void {
    for (const look of this.#watchers) look();
  }

  #entry(number: number): Entry | undefined {
    return this.#entries[number - this.extent.first];
  }

  #keepContent({ encoding, params, audio, key }: Arrival): number {
    const text = JSON.stringify({ encoding, params, audio, key });
    const recent = key === null ? undefined : this.#recentPlaces.get(key);
    if (recent !== undefined && this.#contents.read(recent) === text) return recent;
    const place = this.#contents.add(text);
    if (key !== null) this.#recentPlaces.set(key, place);
    const [oldest] = this.#recentPlaces.keys();
    if (oldest !== undefined && this.#recentPlaces.size > MAX_SHARED_CONTENTS) this.#recentPlaces.delete(oldest);
    return place;
  }

  #expand(entry: Entry): ReceivedRequest {
    const { number, operation, receivedAtMs, status, fault, requestId, answerMs } = entry;
    const receivedAt = new Date(receivedAtMs).toISOString();
    return { number, operation, receivedAt, ...this.#contentOf(entry), status, fault, requestId, answerMs };
  }

  #contentOf({ contentPlace }: Entry): KeptContent {
    return JSON.parse(this.#contents.read(contentPlace));
  }
}
