import type { ImportPlan, RowReport } from '../model/import-plan.ts';
import type { DeliveryLog, LogRecord } from '../model/ports.ts';
import type { Row } from '../model/table.ts';
import { rowsInRange } from './plan-import.ts';
import { type Preparation, prepareRow } from './prepare-row.ts';

/**
 * Every row of the input with what became of it, read back from the log. `untried`: what to say of rows that the run did
 * not get to.
 */
export async function* reportRows(
  plan: ImportPlan,
  log: Pick<DeliveryLog, 'read'>,
  preparation: Preparation,
  untried: string,
): AsyncGenerator<RowReport> {
  for await (const batch of rowsInRange(plan.table, plan.range)) {
    for (const row of batch) {
      const status = plan.ledger.status(row.number);
      if (status === 'ready') yield { row, status: 'failed', ids: {}, message: untried };
      else if (status === 'invalid') yield { row, status, ids: {}, message: await whyInvalid(row, plan, preparation) };
      else yield { row, status, ...recorded(row, plan, log) };
    }
  }
}

async function whyInvalid(row: Row, { mapping }: ImportPlan, preparation: Preparation): Promise<string> {
  const { problems } = await prepareRow(row, mapping, preparation);
  const telling = problems.filter(({ severity }) => severity === 'error' || preparation.strict);
  return telling.map(({ column, message }) => (column === null ? message : `${column}: ${message}`)).join(' ');
}

function recorded(
  row: Row,
  { ledger }: ImportPlan,
  log: Pick<DeliveryLog, 'read'>,
): Pick<RowReport, 'ids' | 'message'> {
  const key = ledger.key(row.number);
  const record = key === null ? null : log.read(key);
  const first = ledger.firstRow(row.number);
  if (first !== row.number) return { ids: record?.ids ?? {}, message: `The same content as row ${first}.` };
  return { ids: record?.ids ?? {}, message: messageOf(record, ledger.status(row.number) === 'repeated') };
}

function messageOf(record: LogRecord | null, repeated: boolean): string | null {
  if (repeated) return `Already created${record ? ` on ${record.at}` : ''}, according to the log.`;
  if (record?.event === 'sending')
    return 'An earlier try may have been taken; it is not sent again before that is settled.';
  return record?.message ?? null;
}
