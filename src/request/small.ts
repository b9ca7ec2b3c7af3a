import type { Clock } from './ports.ts';

/** Returns the names in a JSON pointer (RFC 6901), from the top. */
export function pointerNames(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
/** Returns true if the URL leads to loopback, in a spelling that cannot lead to another machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
/** Returns a function that computes the value of each object once and keeps it as long as the object itself exists. */
export function memoize<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let made = known.get(key);
    if (!made) {
      made = { value: make(key) };
      known.set(key, made);
    }
    return made.value;
  };
}

/**
 * Starts a stopwatch, and returns the function that tells its time in milliseconds. It uses the clock that shows more
 * time: the monotonic clock may stand still while the machine sleeps, and the wall clock may be set back.
 */
export function stopwatch(clock: Clock): () => number {
  const [wallMs, startedMs] = [clock.nowMs(), clock.monotonicMs()];
  return () => Math.max(clock.nowMs() - wallMs, clock.monotonicMs() - startedMs);
}

/** A map that forgets its oldest entries. It holds the last `least` of them, and at most twice as many. */
export class RecentMap<Value> {
  readonly #least: number;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();

  constructor(least: number) {
    this.#least = least;
  }

  get(name: string): Value | undefined {
    return this.#recent.get(name) ?? this.#older.get(name);
  }

  /** Forgets many entries at once: the oldest entry of a map is found more slowly the more were taken out before. */
  set(name: string, value: Value): void {
    if (this.#recent.size >= this.#least) [this.#older, this.#recent] = [this.#recent, new Map()];
    this.#recent.set(name, value);
  }
}
