import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runPass } from '../../src/delivery/import.ts';
import { planImport } from '../../src/delivery/plan.ts';
import type { Preparation } from '../../src/delivery/prepare.ts';
import type { Sent, Submission } from '../../src/delivery/submit.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { contentKey } from '../../src/request/lead/service-request.ts';
import type { Mapping, Row, Table } from '../../src/request/lead/table.ts';
import type { ImportPlan, RowRange } from '../../src/request/log/import-plan.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import type { DeliveryLog, LogRecord } from '../../src/request/ports.ts';
import type { SrqError } from '../../src/request/words/errors.ts';

/** The telephone number of the lead with this need. No other lead has it. */
export function phoneOf(need: string): string {
  const digits = createHash('sha256').update(need).digest().readUInt32BE() % 10_000_000;
  return `+35191${String(digits).padStart(7, '0')}`;
}

const DESTINATION = { baseUrl: 'http://127.0.0.1:9', clientId: '4711' };

export const PREPARATION: Preparation = {
  destination: DESTINATION,
  audio: () => Promise.reject(new Error('no audio here')),
  contract: DOCUMENTED_CONTRACT,
  operation: 'create',
};

/** A request with this need, as row number `row`. */
export function submissionOf(need: string, row = 1): Submission {
  const params = { country: 'PT', request_text: need, phone: phoneOf(need), lang: 'pt' };
  const request = { params, audio: null, ref: `A-${row}` };
  return { row, request, key: contentKey(request, DESTINATION) };
}

const COLUMNS = ['country', 'phone', 'request_text', 'ref'] as const;

/** A file of leads, one for each need, that is read two rows at a time. An empty need makes an invalid row. */
export function tableOf(needs: readonly string[]): Table {
  const rows = needs.map(
    (need, at): Row => ({
      number: at + 1,
      line: at + 2,
      cells: [need === '' ? 'Nowhere' : 'PT', phoneOf(need), need, `A-${at + 1}`],
      problem: null,
    }),
  );
  return {
    path: 'leads.csv',
    format: 'csv',
    encoding: 'UTF-8',
    delimiter: ',',
    columns: COLUMNS,
    notes: [],
    rows: async function* () {
      for (let at = 0; at < rows.length; at += 2) yield rows.slice(at, at + 2);
    },
  };
}

/** A mapping of no column to any field. */
export const NO_MAPPING: Mapping = {
  ...{ columns: [], sources: [], ignored: [], leftOut: [], warnings: [], missed: [] },
  ...{ remembered: null, parts: {} },
};

const MAPPING: Mapping = {
  ...NO_MAPPING,
  columns: COLUMNS,
  sources: COLUMNS.map((field, at) => ({
    field,
    columns: [at],
    how: 'first',
    template: null,
    prefix: null,
    because: 'alias',
    level: 'certain',
  })),
};

export function planOf(
  table: Table,
  { lookup, prefetch = async () => {} }: Pick<DeliveryLog, 'lookup'> & Partial<Pick<DeliveryLog, 'prefetch'>>,
  options: { onDuplicate?: 'skip' | 'create'; again?: boolean; range?: RowRange } = {},
): Promise<ImportPlan> {
  const { onDuplicate = 'skip', again = false, range = { skip: 0, limit: null } } = options;
  const log = { lookup, prefetch, read: () => null };
  return planImport({ table, mapping: MAPPING }, range, PREPARATION, log, { onDuplicate, again }, () => {});
}

/** A log as far away as a store: who looks a request up that was not fetched before is told so by an error. */
export function farLog(states: ReadonlyMap<string, LoggedState>, record: LogRecord | null = null) {
  const fetched = new Set<string>();
  let trips = 0;
  return {
    trips: () => trips,
    prefetch: async (keys: readonly string[]) => {
      trips += 1;
      await new Promise(setImmediate);
      for (const key of keys) fetched.add(key);
    },
    lookup: (key: string) => {
      if (!fetched.has(key)) throw new Error('It was looked up before it was there.');
      return states.get(key) ?? 'none';
    },
    read: () => record,
  };
}

/** The results of a pass, and why it ended early. */
export async function passOf(
  rows: AsyncGenerator<Sent>,
  plan: ImportPlan,
  halt: AbortController,
): Promise<{ yielded: Sent[]; returned: SrqError | null }> {
  const yielded: Sent[] = [];
  const watch = { row: (sent: Sent) => void yielded.push(sent), waiting: () => {}, end: () => {} };
  return { yielded, returned: await runPass(rows, plan, halt, watch) };
}

/** What a generator yields and, at its end, returns. */
export async function drain<T, R>(from: AsyncGenerator<T, R>): Promise<{ yielded: T[]; returned: R }> {
  const yielded: T[] = [];
  for (;;) {
    const next = await from.next();
    if (next.done) return { yielded, returned: next.value };
    yielded.push(next.value);
  }
}

/** All records of a log, as they stand in the file. */
export function readLines(
  path: string,
): { readonly event: string; readonly by?: string; readonly ids?: object; readonly again?: boolean }[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
