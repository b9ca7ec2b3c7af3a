import type { Connection } from '../../account/connection.ts';
import type { Context } from '../../cli/context.ts';
import type { Contract } from '../../request/contract/contract.ts';
import type { CachedToken, TracedCall } from '../../request/ports.ts';
import type { ErrorReason } from '../../request/words/error-codes.ts';
import type { SrqError } from '../../request/words/errors.ts';
import type { Line } from '../../service/network/connector.ts';

/** What a check has found, if it did not fail. */
export interface Found {
  readonly message: string;
  readonly warning?: { readonly reason: ErrorReason; readonly hint: string };
  readonly isSkipped?: boolean;
  /** The time to show, if it is not the time that the check took. */
  readonly ms?: number;
}

/** The time of a step. A call that is under way then is still waited for, which takes at most as long as a call may. */
const STEP_MS = 10_000;
/** The time of a call, unless --timeout says another. */
const CALL_MS = 8_000;

/** What the steps hand to those after them. */
export class Examination {
  readonly context: Context;
  /** Set by the first step. */
  connection!: Connection;
  contract!: Contract;
  line: Line | null = null;
  /** Set by the step that reads the clock. */
  proof!: CachedToken | SrqError;
  proofMs = 0;
  /** How far the service's clock is ahead of this one, by its last answer, and how long that took. */
  skew: { readonly ms: number; readonly withinMs: number } | null = null;

  constructor(context: Context) {
    this.context = context;
  }

  get timeoutMs(): number {
    return (this.context.options.timeout ?? CALL_MS / 1000) * 1000;
  }

  note({ answer, ms }: TracedCall): void {
    const atMs = Date.parse(answer?.headers['date'] ?? '');
    if (!Number.isNaN(atMs)) this.skew = { ms: atMs - (this.context.clock.nowMs() - ms / 2), withinMs: ms };
  }

  /** Ends with the work. Nothing is sent or repeated once the time of a step is over. */
  halting<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.context.halt.abort(), STEP_MS);
    return work.finally(() => clearTimeout(timer));
  }
}

export const TRY_LATER =
  'Try again later. If that does not help, send the marketplace what srq doctor --json prints; it holds no secret.';

export const skipped = (message: string): Found => ({ message, isSkipped: true });
