/** What validate has shown of its sight: requests that were clear, were created, and were then asked about again. */
export interface Evidence {
  readonly asked: number;
  /** Of those, how many validate came to call duplicates. */
  readonly found: number;
  /** Longest time from a creation until validate saw it, milliseconds. */
  readonly slowestMs: number;
}

export const NO_EVIDENCE: Evidence = { asked: 0, found: 0, slowestMs: 0 };

const LEAST_ASKED = 3;
const LEAST_WAIT_MS = 60_000;

/** Whether validate may decide about a request in doubt: it has seen every creation it was asked about, at least three. */
export function isTrusted({ asked, found }: Evidence): boolean {
  return asked >= LEAST_ASKED && found === asked;
}

/** Whether validate has not failed to see anything yet, and only lacks the proof. */
export function mayStillBeShown({ asked, found }: Evidence): boolean {
  return asked < LEAST_ASKED && found === asked;
}

/** How long after a doubtful send validate can be expected to see it. `chosenMs` is the user's --settle. */
export function settleWaitMs({ slowestMs }: Evidence, chosenMs: number | null): number {
  return chosenMs ?? Math.max(LEAST_WAIT_MS, 3 * slowestMs);
}
