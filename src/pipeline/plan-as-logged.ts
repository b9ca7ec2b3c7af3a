import type { ImportPlan } from '../model/import-plan.ts';
import type { Status } from '../model/outcome.ts';
import type { DeliveryLog, LoggedState } from '../model/ports.ts';

const STATUS_OF: Readonly<Record<LoggedState, Status>> = {
  none: 'ready',
  sending: 'unknown',
  unknown: 'unknown',
  parked: 'unknown',
  licensed: 'failed',
  created: 'created',
  duplicate: 'duplicate',
  rejected: 'rejected',
  failed: 'failed',
};

/** So many keys are asked about at a time. */
const GROUP_KEYS = 5_000;

/** Gives each row the status in which the log has its request, in place of what an import would do with it. */
export async function planAsLogged(
  { ledger, range }: ImportPlan,
  log: Pick<DeliveryLog, 'lookup' | 'know'>,
): Promise<void> {
  for (let from = range.skip + 1; ledger.has(from); from += GROUP_KEYS) {
    const keys = new Map<number, string>();
    for (let row = from; row < from + GROUP_KEYS && ledger.has(row); row++) {
      const key = ledger.key(row);
      if (key !== null && ledger.firstRow(row) === row) keys.set(row, key);
    }
    await log.know([...keys.values()]);
    for (const [row, key] of keys) ledger.setStatus(row, STATUS_OF[log.lookup(key)]);
  }
}
