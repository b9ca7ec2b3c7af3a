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

/** Gives each row the status in which the log has its request, in place of what an import would do with it. */
export function planAsLogged({ ledger, range }: ImportPlan, log: Pick<DeliveryLog, 'lookup'>): void {
  for (let row = range.skip + 1; ledger.has(row); row++) {
    const key = ledger.key(row);
    if (key !== null && ledger.firstRow(row) === row) ledger.setStatus(row, STATUS_OF[log.lookup(key)]);
  }
}
