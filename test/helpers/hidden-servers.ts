import type { HiddenServer, Reply } from './virtual-server.ts';

type Random = () => number;

/** Returns a random answer time. Most are about `ms`, and some are twice as long. */
const about = (ms: number, random: Random): number => ms * (0.7 + 0.3 * random() + (random() < 0.1 ? 1 : 0));

/** Returns a server that allows `perSecond` requests in the long run and `burst` at once. */
export function tokenBucket(
  perSecond: number,
  burst: number,
  workMs: number,
  random: Random,
  refusal: 429 | 503 = 429,
): HiddenServer {
  let tokens = burst;
  let lastMs = 0;
  return {
    arrive(nowMs) {
      tokens = Math.min(burst, tokens + ((nowMs - lastMs) * perSecond) / 1000);
      lastMs = nowMs;
      if (tokens < 1) return { status: refusal, atMs: nowMs };
      tokens -= 1;
      return { status: 200, atMs: nowMs + about(workMs, random) };
    },
  };
}

export interface WindowLimit {
  readonly limit: number;
  readonly windowMs: number;
  readonly workMs: number;
  /** Returns the headers of an answer, given the time until the count is reset. */
  readonly headers?: (resetMs: number, refused: boolean) => Record<string, string>;
}

/** Returns a server that resets its count every `windowMs`, beginning at a random time within a window. */
export function fixedWindow({ limit, windowMs, workMs, headers }: WindowLimit, random: Random): HiddenServer {
  const offsetMs = random() * windowMs;
  let window = -1;
  let count = 0;
  return {
    arrive(nowMs) {
      const current = Math.floor((nowMs + offsetMs) / windowMs);
      if (current !== window) count = 0;
      window = current;
      const refused = count >= limit;
      if (!refused) count += 1;
      const resetMs = (current + 1) * windowMs - offsetMs - nowMs;
      const said = headers?.(resetMs, refused);
      const reply: Reply = { status: refused ? 429 : 200, atMs: nowMs + (refused ? 0 : about(workMs, random)) };
      return said ? { ...reply, headers: said } : reply;
    },
  };
}

/** Returns a server that processes this many requests at once and refuses more. */
export function atMostAtOnce(places: number, workMs: number, random: Random, refusal: 429 | 503 = 429): HiddenServer {
  let ends: number[] = [];
  return {
    arrive(nowMs) {
      ends = ends.filter((endMs) => endMs > nowMs);
      if (ends.length >= places) return { status: refusal, atMs: nowMs };
      const atMs = nowMs + about(workMs, random);
      ends.push(atMs);
      return { status: 200, atMs };
    },
  };
}

/** Returns a server that accepts everything and processes one request after the other. */
export function queueing(perSecond: number, random: Random): HiddenServer {
  let freeMs = 0;
  return {
    arrive(nowMs) {
      freeMs = Math.max(freeMs, nowMs) + (1000 / perSecond) * (0.8 + 0.4 * random());
      return { status: 200, atMs: freeMs };
    },
  };
}

export function unlimited(workMs: number, random: Random): HiddenServer {
  return { arrive: (nowMs) => ({ status: 200, atMs: nowMs + about(workMs, random) }) };
}
