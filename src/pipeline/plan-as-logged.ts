import type { ImportPlan } from '../model/import-plan.ts';
import type { DeliveryLog } from '../model/ports.ts';
import { type LoggedState, statusOfState } from '../model/status.ts';

/** So many keys are asked about at a time. */
const GROUP_KEYS = 5_000;

type Known = Pick<DeliveryLog, 'lookup' | 'know'>;

/** Gives each row the status in which the log has its request, in place of what an import would do with it. */
export async function planAsLogged(plan: ImportPlan, log: Known): Promise<void> {
  for await (const [row, state] of loggedStates(plan, log, () => true))
    plan.ledger.setStatus(row, statusOfState(state));
}

/** The same for rows that a run leaves in doubt: another process, which had them in hand, may have ended with them since. */
export async function lookAgain(plan: ImportPlan, log: Known): Promise<void> {
  const { ledger } = plan;
  for await (const [row, state] of loggedStates(plan, log, (each) => ledger.status(each) === 'unknown')) {
    ledger.setStatus(row, state === 'created' ? 'repeated' : statusOfState(state));
  }
}

/** The rows that are wanted and were the first of their content. */
async function* loggedStates(
  { ledger, range }: ImportPlan,
  log: Known,
  isWanted: (row: number) => boolean,
): AsyncGenerator<[row: number, state: LoggedState]> {
  for (let from = range.skip + 1; ledger.has(from); from += GROUP_KEYS) {
    const keys = new Map<number, string>();
    for (let row = from; row < from + GROUP_KEYS && ledger.has(row); row++) {
      const key = ledger.key(row);
      if (key !== null && ledger.firstRow(row) === row && isWanted(row)) keys.set(row, key);
    }
    if (keys.size > 0) await log.know([...keys.values()]);
    for (const [row, key] of keys) yield [row, log.lookup(key)];
  }
}
