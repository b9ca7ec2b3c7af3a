import { type Problem, quotedMessage } from '../request/finding.ts';
import type { ImportPlan, RowReport, RunRow } from '../request/import-plan.ts';
import { parseMarket } from '../request/markets.ts';
import type { DeliveryLog, LogRecord } from '../request/ports.ts';
import { type Status, statusOfEvent } from '../request/status.ts';
import type { Mapping, Row } from '../request/table.ts';
import { mapRow, type Preparation, prepareRow } from './prepare.ts';
import { rowsInRange } from './reread.ts';

/**
 * Reports every row of the input with its result, read back from the log. `untried` is the message for rows that were
 * not sent. `untriedStatus` is `ready` as long as they may still be sent.
 */
export async function* reportRows(
  plan: ImportPlan,
  log: Pick<DeliveryLog, 'read'>,
  preparation: Preparation,
  untried: string,
  untriedStatus: 'failed' | 'ready' = 'failed',
): AsyncGenerator<RowReport> {
  for await (const batch of rowsInRange(plan.table, plan.range)) {
    // Look up the whole batch at once, to save round trips to a remote log.
    const asked = batch.map(({ number }) => recordOf(plan.ledger.key(number), plan.ledger.status(number), log));
    const records = await Promise.all(asked);
    for (const [at, row] of batch.entries()) {
      const status = plan.ledger.status(row.number);
      if (status === 'ready') yield { ...NOT_SENT, row, status: untriedStatus, message: untried };
      else if (status === 'invalid') yield { ...NOT_SENT, row, status, ...(await whyInvalid(row, plan, preparation)) };
      else yield { row, status, problems: [], ...recorded(row, plan, records[at] ?? null) };
    }
  }
}

const NOT_SENT = { ids: {}, record: null, problems: [] };

async function whyInvalid(
  row: Row,
  { mapping }: ImportPlan,
  preparation: Preparation,
): Promise<Pick<RowReport, 'message' | 'problems'>> {
  const { problems } = await prepareRow(row, mapping, preparation);
  const telling = problems.filter(({ severity }) => severity === 'error' || preparation.strict);
  return { message: sentences(telling, quotedMessage), problems: telling };
}

function sentences(problems: readonly Problem[], messageOf: (problem: Problem) => string): string {
  const each = (problem: Problem) => (problem.column === null ? '' : `${problem.column}: `) + messageOf(problem);
  return problems.map(each).join(' ');
}

function recordOf(key: string | null, status: Status, log: Pick<DeliveryLog, 'read'>): ReturnType<DeliveryLog['read']> {
  return key === null || status === 'ready' ? null : log.read(key);
}

function recorded(
  row: Row,
  { ledger }: ImportPlan,
  record: LogRecord | null,
): Pick<RowReport, 'ids' | 'message' | 'record'> {
  const first = ledger.firstRow(row.number);
  const ids = record?.ids ?? {};
  if (first !== row.number) return { ids, record, message: `The same content as row ${first}.` };
  return { ids, record, message: messageOf(record, ledger.status(row.number) === 'repeated') };
}

function messageOf(record: LogRecord | null, repeated: boolean): string | null {
  if (repeated) return `Already created${record ? ` on ${record.at}` : ''}, according to the log.`;
  if (record?.event === 'sending')
    return 'An earlier try may have been taken; it is not sent again before that is settled.';
  return record?.message ?? null;
}

const MIN_HIDDEN_LETTERS = 4;

/**
 * Converts a report into the row of a run report. With `withInput` it contains the cells, and messages may quote them.
 * These are personal data.
 */
export function runRowOf(report: RowReport, mapping: Mapping, withInput: boolean): RunRow {
  const { row, status, ids, record } = report;
  const shows = withInput || status !== 'invalid';
  const hide = (text: string) => (shows ? text : withoutCells(text, row.cells));
  const message =
    shows || report.message === null ? report.message : sentences(report.problems, (each) => each.message);
  const { country, ref } = row.problem === null ? mapRow(row, mapping).fields : {};
  return {
    row: row.number,
    ref: ref?.trim() || null,
    key: record?.key ?? null,
    market: country === undefined ? null : (parseMarket(country.trim())?.code ?? null),
    status,
    ids,
    http: record?.http ?? null,
    message: message === null ? null : hide(message),
    at: record?.at ?? null,
    problems: report.problems.map((each) => ({
      ...each,
      message: hide(each.message),
      value: shows ? each.value : null,
    })),
    cells: withInput ? row.cells : null,
  };
}

/**
 * Removes cell texts from a message. It may be about one of them, such as the name of a recording. Cells shorter
 * than `MIN_HIDDEN_LETTERS` are kept, because they may be words of the message itself.
 */
function withoutCells(text: string, cells: readonly string[]): string {
  const values = cells.map((cell) => cell.trim()).filter((cell) => cell.length >= MIN_HIDDEN_LETTERS);
  return values.sort((a, b) => b.length - a.length).reduce((rest, value) => rest.replaceAll(value, '…'), text);
}

/** Converts a record of the log into the row of a run report. */
export function runRowOfRecord({ row, ref, key, market, event, ids, http, message, at }: LogRecord): RunRow {
  const status = statusOfEvent(event);
  const told = event === 'sending' ? 'Sent, and no outcome is recorded: it is under way, or in doubt.' : message;
  return { row, ref, key, market: market ?? null, status, ids, http, message: told, at, problems: [], cells: null };
}
