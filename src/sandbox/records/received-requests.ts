import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OperationName } from '../../request/contract/operations.ts';
import type { FaultKind } from '../service/faults.ts';
import { type KeptExchange, parseExchange, serializeExchange } from './kept-exchange.ts';
import type { Arrival, KeptContent, ReceivedRequest } from './received-request.ts';
import { matchesContent, matchesHead, type RequestFilter, type RequestHead } from './request-filter.ts';

interface KeptEntry {
  readonly number: number;
  readonly operation: OperationName;
  readonly receivedAtMs: number;
  /** Place in the arena where encoding, parameters, audio and key are kept as JSON. */
  readonly contentPlace: number;
  readonly status: number | null;
  readonly fault: FaultKind | null;
  readonly requestId: string | null;
  readonly verdict: ReceivedRequest['verdict'];
  answerMs: number | null;
  /**
   * Place in the arena of exchanges, where newer exchanges may have pushed it out. Null if the exchange was never kept.
   */
  exchangePlace: number | null;
}

/** Selects the part of a list that a page shows. */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  /** Whether the newest request comes first. Otherwise the order is that of arrival. */
  readonly isNewestFirst: boolean;
}

/** A page of the requests that match a filter, and their total number. */
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
  #entries: KeptEntry[] = [];
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
    const { operation, receivedAtMs, status, fault, requestId, verdict } = arrival;
    const contentPlace = this.#keepContent(arrival);
    const entry = {
      number: this.#lastNumber,
      operation,
      receivedAtMs,
      contentPlace,
      status,
      fault,
      requestId,
      verdict,
      answerMs: null,
      exchangePlace: null,
    };
    this.#entries.push(entry);
    this.tellWatchers();
    return this.#expand(entry);
  }

  /** Keeps what went over the wire until newer exchanges need the room. */
  keepExchange(number: number, exchange: KeptExchange): void {
    const entry = this.#entry(number);
    if (entry) entry.exchangePlace = this.#exchanges.add(serializeExchange(exchange));
  }

  /** Returns the exchange of a request, or null if it was not kept or has been pushed out. */
  exchange(number: number): KeptExchange | null {
    const place = this.#entry(number)?.exchangePlace ?? null;
    return place === null ? null : parseExchange(this.#exchanges.read(place));
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
  async page(filter: RequestFilter, { offset, limit, isNewestFirst }: PageRequest): Promise<Page> {
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

  #entry(number: number): KeptEntry | undefined {
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

  #expand(entry: KeptEntry): ReceivedRequest {
    const { number, operation, receivedAtMs, status, fault, requestId, verdict, answerMs } = entry;
    const receivedAt = new Date(receivedAtMs).toISOString();
    return { number, operation, receivedAt, ...this.#contentOf(entry), status, fault, requestId, verdict, answerMs };
  }

  #contentOf({ contentPlace }: KeptEntry): KeptContent {
    return JSON.parse(this.#contents.read(contentPlace));
  }
}

/** The numbers of the requests that match a filter, among the first `looked` entries of the list. */
interface View {
  readonly numbers: number[];
  looked: number;
}

/**
 * Maximum number of filters whose results are kept. Paging through a list repeats the same filter, and a few lists may
 * be open at once.
 */
const MAX_VIEWS = 8;
/** Number of entries that are examined before other work of the sandbox gets its turn. */
const LOOKED_AT_ONCE = 1_000;

/**
 * Finds the numbers that match a filter in a list that only grows. A further search with the same filter examines only
 * new entries.
 */
class FilteredNumbers<KeptEntry extends RequestHead> {
  readonly #entries: () => readonly KeptEntry[];
  readonly #contentOf: (entry: KeptEntry) => KeptContent;
  readonly #views = new Map<string, View>();

  constructor(entries: () => readonly KeptEntry[], contentOf: (entry: KeptEntry) => KeptContent) {
    this.#entries = entries;
    this.#contentOf = contentOf;
  }

  /** Returns the matching numbers in the order of the list. */
  async find(filter: RequestFilter): Promise<readonly number[]> {
    const view = this.#viewOf(filter);
    while (this.#lookOn(view, filter)) await nextTurn();
    return view.numbers;
  }

  /** Forgets all results. It must be called when the list starts again. */
  clear(): void {
    this.#views.clear();
  }

  #viewOf(filter: RequestFilter): View {
    const name = JSON.stringify(filter);
    const view = this.#views.get(name) ?? { numbers: [], looked: 0 };
    // Each use moves the filter to the end, so that the first one is the least recently used.
    this.#views.delete(name);
    this.#views.set(name, view);
    const [oldest] = this.#views.keys();
    if (oldest !== undefined && this.#views.size > MAX_VIEWS) this.#views.delete(oldest);
    return view;
  }

  /** Examines the next batch of entries, and returns false once there are none left. */
  #lookOn(view: View, filter: RequestFilter): boolean {
    const entries = this.#entries();
    const some = entries.slice(view.looked, view.looked + LOOKED_AT_ONCE);
    view.looked += some.length;
    for (const entry of some) {
      const fits = matchesHead(filter, entry) && matchesContent(filter, entry, () => this.#contentOf(entry));
      if (fits) view.numbers.push(entry.number);
    }
    return view.looked < entries.length;
  }
}

const CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * The arena keeps texts outside of the JavaScript heap, where they are found by their place. As ordinary strings,
 * 100,000 requests tripled the memory of the whole process, most of which waited for the garbage collector.
 */
export class TextArena {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  /** Number of chunks that were dropped, all of which came before the first one that is left. */
  #goneChunks = 0;
  #bytes = 0;
  #used = 0;

  /**
   * Creates an arena. With a limit, the oldest texts make room for new ones. A single text may be longer than the
   * limit.
   */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps a text and returns its place. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    const chunk = this.#chunkFor(LENGTH_BYTES + length);
    const place = (this.#goneChunks + this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    chunk.writeUInt32LE(length, this.#used);
    chunk.write(text, this.#used + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + length;
    return place;
  }

  /** Returns the text at a place that `add` returned, or an empty text if it was dropped. */
  read(place: number): string {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES) - this.#goneChunks];
    const offset = place % CHUNK_BYTES;
    if (!chunk) return '';
    const start = offset + LENGTH_BYTES;
    return chunk.toString('utf8', start, start + chunk.readUInt32LE(offset));
  }

  clear(): void {
    this.#goneChunks += this.#chunks.length;
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#used = 0;
  }

  #chunkFor(bytes: number): Buffer {
    const last = this.#chunks.at(-1);
    if (last && this.#used + bytes <= last.length) return last;
    // A longer text fills a chunk of its own, so every text begins within the first megabyte of its chunk.
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#used = 0;
    this.#makeRoom();
    return chunk;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
      this.#goneChunks += 1;
    }
  }
}
