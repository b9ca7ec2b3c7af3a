import type { ContractEncoding } from '../model/contract.ts';
import type { FaultKind } from './faults.ts';
import type { ReceivedAudio } from './request-content.ts';
import { TextArena } from './text-arena.ts';

export const OPERATIONS = ['token', 'create', 'validate'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One request as it arrived and what became of it. Holds no secret and no token. */
export interface ReceivedRequest {
  /** 1, 2, 3 … in the order of arrival. */
  readonly number: number;
  readonly operation: Operation;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  /** Null where the body could not be decoded. */
  readonly encoding: ContractEncoding | null;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /** The identity of the content, by which duplicates are recognised; null for tokens and what was not decoded. */
  readonly key: string | null;
  /** HTTP status of the answer; null if the connection was cut instead. */
  readonly status: number | null;
  /** The fault that struck. */
  readonly fault: FaultKind | null;
  /** The new identifier of a create that was acted on, arrived or not; for a duplicate, the one it was created under. */
  readonly requestId: string | null;
  /** From arrival to the end of the answer; null until then, or if the client left before it. */
  readonly answerMs: number | null;
}

/** What is known when a request has arrived and its answer is decided. */
export type Arrival = Omit<ReceivedRequest, 'number' | 'receivedAt' | 'answerMs'> & { readonly receivedAtMs: number };

type KeptContent = Pick<ReceivedRequest, 'encoding' | 'params' | 'audio' | 'key'>;

interface Entry {
  readonly number: number;
  readonly operation: Operation;
  readonly receivedAtMs: number;
  /** Where the arena holds encoding, parameters, audio and key, as JSON. */
  readonly contentPlace: number;
  readonly status: number | null;
  readonly fault: FaultKind | null;
  readonly requestId: string | null;
  answerMs: number | null;
}

/** Validate and create of one content come close together; looking back so far they share one text. */
const SHARED_CONTENTS = 1_000;

/** Everything received, in order. Kept compactly, so that 100,000 requests are no burden. */
export class ReceivedRequests {
  #entries: Entry[] = [];
  #lastNumber = 0;
  readonly #contents = new TextArena();
  readonly #recentPlaces = new Map<string, number>();
  readonly #watchers = new Set<() => void>();

  /** Adds an arrival and returns it as kept. */
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
    };
    this.#entries.push(entry);
    for (const look of this.#watchers) look();
    return this.#expand(entry);
  }

  /** Notes when an answer was complete. Does nothing for a request that was cleared away meanwhile. */
  answered(number: number, answerMs: number): void {
    const entry = this.#entries[number - (this.#entries[0]?.number ?? 0)];
    if (entry) entry.answerMs = answerMs;
  }

  all(): readonly ReceivedRequest[] {
    return this.#entries.map((entry) => this.#expand(entry));
  }

  /** One page of those that fit: `status` is an HTTP status, or null for cut connections; undefined fits all. */
  page(wanted: Wanted, offset: number, limit: number): { readonly total: number; readonly items: ReceivedRequest[] } {
    const fitting = this.#entries.filter(
      (entry) =>
        (wanted.status === undefined || entry.status === wanted.status) &&
        (wanted.operation === undefined || entry.operation === wanted.operation),
    );
    return { total: fitting.length, items: fitting.slice(offset, offset + limit).map((entry) => this.#expand(entry)) };
  }

  clear(): void {
    this.#entries = [];
    this.#contents.clear();
    this.#recentPlaces.clear();
  }

  /** Calls `look` after each arrival until the returned function is called. */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    return () => this.#watchers.delete(look);
  }

  #keepContent({ encoding, params, audio, key }: Arrival): number {
    const text = JSON.stringify({ encoding, params, audio, key });
    const recent = key === null ? undefined : this.#recentPlaces.get(key);
    if (recent !== undefined && this.#contents.read(recent) === text) return recent;
    const place = this.#contents.add(text);
    if (key !== null) this.#recentPlaces.set(key, place);
    const [oldest] = this.#recentPlaces.keys();
    if (oldest !== undefined && this.#recentPlaces.size > SHARED_CONTENTS) this.#recentPlaces.delete(oldest);
    return place;
  }

  #expand(entry: Entry): ReceivedRequest {
    const { number, operation, receivedAtMs, contentPlace, status, fault, requestId, answerMs } = entry;
    const content: KeptContent = JSON.parse(this.#contents.read(contentPlace));
    const receivedAt = new Date(receivedAtMs).toISOString();
    return { number, operation, receivedAt, ...content, status, fault, requestId, answerMs };
  }
}

export interface Wanted {
  readonly status?: number | null | undefined;
  readonly operation?: Operation | undefined;
}
