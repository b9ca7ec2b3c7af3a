import type { HiddenServer, Reply } from './virtual-server.ts';

type Random = () => number;

/** Most answers take about `ms`, some twice as long. */
const about = (ms: number, random: Random): number => ms * (0.7 + 0.3 * random() + (random() < 0.1 ? 1 : 0));

/** Takes `perSecond` in the long run and `burst` at once. */
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
  /** Headers of an answer: what is left, and how long until the count starts anew. */
  readonly headers?: (left: number, resetMs: number, refused: boolean) => Record<string, string>;
}

/** Counts anew every `windowMs`, beginning somewhere within a window. */
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
      const said = headers?.(limit - count, resetMs, refused);
      const reply: Reply = { status: refused ? 429 : 200, atMs: nowMs + (refused ? 0 : about(workMs, random)) };
      return said ? { ...reply, headers: said } : reply;
    },
  };
}

/** Works on so many at once and refuses more. */
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

/** Takes everything and does one after the other. */
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
