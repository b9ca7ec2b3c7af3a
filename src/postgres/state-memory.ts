import type { LoggedState } from '../model/status.ts';

/** So many states are kept for sure; whoever looks one up has just asked for it. */
const KEPT = 50_000;
/** Whoever acts on a `none` that has become untrue meanwhile is refused by the store, and learns better. */
const NONE_HOLDS_MS = 10_000;

interface Known {
  readonly state: LoggedState;
  readonly atMs: number;
}

/** The states of keys that were last asked about, in bounded memory: a process may send for months. */
export class StateMemory {
  readonly #monotonicMs: () => number;
  #young = new Map<string, Known>();
  #old = new Map<string, Known>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** `none` for what was never set, or too long ago. */
  get(key: string): LoggedState {
    return this.#find(key)?.state ?? 'none';
  }

  /** Whether the store need not be asked again just now. */
  isFresh(key: string): boolean {
    const known = this.#find(key);
    return known?.state === 'none' && this.#monotonicMs() - known.atMs < NONE_HOLDS_MS;
  }

  set(key: string, state: LoggedState): void {
    this.#young.set(key, { state, atMs: this.#monotonicMs() });
    if (this.#young.size < KEPT) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Those of `keys` that `found` lacks have no state. */
  setAll(keys: readonly string[], found: ReadonlyMap<string, LoggedState>): void {
    for (const key of keys) this.set(key, found.get(key) ?? 'none');
  }

  #find(key: string): Known | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }
}
