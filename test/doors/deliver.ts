import { setMaxListeners } from 'node:events';
import { type ImportUi, runImport, type ServiceConnection } from '../../src/delivery/import.ts';
import { planImport } from '../../src/delivery/plan.ts';
import type { Preparation } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { isFamiliar, NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Row, Table } from '../../src/request/lead/table.ts';
import type { Identifiers } from '../../src/request/log/outcome.ts';
import type { Clock, DeliveryLog } from '../../src/request/ports.ts';
import type { RequestApi } from '../../src/service/client.ts';
import type { Exchange } from '../../src/service/network/exchange.ts';
import { clientOf, lineOf, NO_AUDIO } from './client.ts';
import { type Call, contentOf, type Lead, type Reply, type Service } from './judged-service.ts';
import { MemoryLog } from './memory-log.ts';
import { BEGIN_MS, Time } from './time.ts';

/*
 * The door to a whole import: plan, send and settle behind the real client, without sockets, files and timers. It is the
 * only file of the judges that knows what is behind; they see leads go in, and statuses and the service's books come out.
 */

export interface DeliverOptions {
  readonly validate?: boolean;
  readonly concurrency?: number;
  readonly inDoubt?: 'park' | 'validate';
  readonly isProxied?: boolean;
  /** The process is killed after this time. */
  readonly lifeMs?: number;
}

export interface RowDelivered {
  /** The status in the results file; `untried` for a row whose turn did not come. */
  readonly told: string;
  /** How often the service has taken the request, in all runs. */
  readonly taken: number;
  /** Whether the service had the request before one of the calls about it, in this or an earlier run. */
  readonly knew: boolean;
  readonly ids: Identifiers;
}

export interface Delivered {
  /** Empty if the process was killed. */
  readonly rows: readonly RowDelivered[];
  readonly calls: { readonly token: number; readonly validate: number; readonly create: number };
  /** The reason to stop, `killed`, or null. */
  readonly stop: string | null;
  /** What the next run on the same machine finds. */
  readonly profile: Profile;
}

const NEVER = new Promise<never>(() => {});

/** One machine and one service: their time, the log, what was learned (which nobody looks into), and the books. */
export class Profile {
  readonly time = new Time();
  readonly log = new MemoryLog(() => this.time.nowMs);
  readonly learned = { answers: NOTHING_KNOWN };
  readonly takenAtMs = new Map<string, number[]>();
  readonly known = new Set<string>();
  runs = 0;

  has = (content: string): boolean => this.takenAtMs.get(content)?.some((atMs) => atMs <= this.time.nowMs) ?? false;
}

const DESTINATION = { baseUrl: 'http://127.0.0.1:9', clientId: '4711' };
const PREPARATION: Preparation = {
  ...{ destination: DESTINATION, contract: DOCUMENTED_CONTRACT, operation: 'create' },
  audio: NO_AUDIO,
};
const COLUMNS = ['country', 'phone', 'email', 'request_text', 'ref', 'category'];
const MAPPING = planMapping(COLUMNS, { map: {}, set: {} });
const BATCH = 500;

function tableOf(leads: readonly Lead[]): Table {
  const rows = leads.map(({ text, phone, email = '', category = '' }, at): Row => {
    const number = at + 1;
    return { number, line: at + 2, cells: ['PT', phone, email, text, `A-${number}`, category], problem: null };
  });
  return {
    ...{ path: 'leads.csv', format: 'csv', encoding: 'UTF-8', delimiter: ',', columns: COLUMNS, notes: [] },
    rows: async function* () {
      for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH);
    },
  };
}

const CUT = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const OPERATIONS: Readonly<Record<string, 'token' | 'validate' | 'create'>> = {
  '/oauth/token': 'token',
  '/v1/request/validate': 'validate',
  '/v1/request/create': 'create',
};

function exchangeOf({ status, headers, body, cut, afterMs = 1 }: Reply): Exchange {
  if (cut === 'unwritten') return { answer: null, error: REFUSED, written: false, ms: afterMs };
  if (cut === 'unanswered') return { answer: null, error: CUT, written: true, ms: afterMs };
  const whole = cut === undefined;
  const come = whole ? body : body.slice(0, body.length >> 1);
  return { answer: { status, headers, body: come, complete: whole, ms: afterMs }, error: null, written: true };
}

/** One import of these leads by a process of its own. */
export async function deliver(asked: {
  readonly rows: readonly Lead[];
  readonly service: Service;
  readonly profile?: Profile;
  readonly options?: DeliverOptions;
}): Promise<Delivered> {
  const { rows: leads, service, profile = new Profile(), options = {} } = asked;
  const { validate = true, concurrency = 4, inDoubt = 'validate', isProxied = false } = options;
  const { time, learned, takenAtMs, known } = profile;
  const endMs = time.nowMs + (options.lifeMs ?? Number.POSITIVE_INFINITY);
  const calls = { token: 0, validate: 0, create: 0 };
  let isAlive = true;
  // What a dead process waited for never comes, so it records and sends nothing any more.
  const living = <Value>(value: Promise<Value>): Promise<Value> => value.then((is) => (isAlive ? is : NEVER));

  // A fault of the judge would pass for one of srq.
  const broken: unknown[] = [];
  const answerOf = (call: Call): Reply => {
    try {
      return service.answer(call, profile.has);
    } catch (error) {
      broken.push(error);
      throw error;
    }
  };
  const token = { access_token: 'token', expires_in: 360_000_000 };
  const replyTo = (path: string, body: string): Reply => {
    const operation = OPERATIONS[path];
    if (operation === undefined) throw new Error(`There is no ${path} here.`);
    calls[operation] += 1;
    const headers = { 'content-type': 'application/json' };
    if (operation === 'token') return { status: 200, headers, body: JSON.stringify(token) };
    const params = Object.fromEntries(new URLSearchParams(body));
    const content = contentOf({ text: params['request_text'] ?? '', phone: params['phone'] ?? '' });
    const had = profile.has(content);
    const reply = answerOf({ operation, params, content, atMs: time.nowMs });
    if (had || reply.knows) known.add(content);
    const { takes } = reply;
    if (takes !== undefined) takenAtMs.set(content, [...(takenAtMs.get(content) ?? []), time.nowMs + takes]);
    return reply;
  };
  const http = lineOf(async (path, _headers, body) => {
    if (!isAlive) return NEVER;
    time.pass(1);
    const reply = replyTo(path, body);
    if (reply.afterMs !== undefined) await time.sleep(reply.afterMs);
    if (reply.kills) isAlive = false;
    return isAlive ? exchangeOf(reply) : NEVER;
  });

  const halt = new AbortController();
  setMaxListeners(0, halt.signal);
  const clock: Clock = {
    nowMs: () => time.nowMs,
    monotonicMs: () => time.nowMs - BEGIN_MS,
    sleep: time.sleep.bind(time),
  };
  const opened = profile.log.openAs(`run ${++profile.runs}`);
  const log: DeliveryLog = {
    ...opened,
    sending: (...of) => (isAlive ? living(opened.sending(...of)) : NEVER),
    licence: (...of) => (isAlive ? living(opened.licence(...of)) : NEVER),
    outcome: (...of) => (isAlive ? living(opened.outcome(...of)) : NEVER),
  };
  const clients: RequestApi[] = [];
  const connect = async (): Promise<ServiceConnection> => {
    const remember = (answers: typeof learned.answers) => {
      if (isAlive) learned.answers = answers;
    };
    const stopping = halt.signal;
    const { api } = clientOf(http, { clock, concurrency, stopping, known: learned.answers, remember });
    clients.push(api);
    return {
      ...{ api, mayValidate: true, isProxied, isFamiliar: isFamiliar(learned.answers) },
      ...{ keepRate: () => {}, hold: () => {} },
    };
  };

  const rows: RowDelivered[] = [];
  const ui: ImportUi = {
    watch: async () => ({ row: () => {}, waiting: () => {}, end: () => {} }),
    report: async (reports) => {
      for await (const { row, status, reason, ids } of reports) {
        const lead = leads[row.number - 1];
        if (!lead) throw new Error('A row that nobody asked for.');
        const content = contentOf(lead);
        const told = reason === 'request.not-tried' ? 'untried' : status;
        rows.push({ told, taken: takenAtMs.get(content)?.length ?? 0, knew: known.has(content), ids });
      }
    },
  };
  const notes = { note: () => {}, flush: async () => {} };
  const taken = () => profile.log.taken();
  const deps = { log, clock, halt, connect, notes, preparation: PREPARATION, taken, ui };
  const finality = { onDuplicate: 'skip', again: false } as const;
  const range = { skip: 0, limit: null };
  const mapped = { table: tableOf(leads), mapping: MAPPING };
  const running = planImport(mapped, range, PREPARATION, log, finality, () => {}).then((plan) =>
    runImport(plan, deps, { ...finality, validate, concurrency, inDoubt, settleMs: null, maxErrors: null }),
  );
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  running.then(settle, settle);
  await time.until(() => isSettled || !isAlive, endMs);
  if (broken.length > 0) throw broken[0];
  const isKilled = !isSettled;
  if (!isKilled) learned.answers = clients[0]?.known ?? learned.answers;
  isAlive = false;
  const stop = isKilled ? 'killed' : ((await running)?.reason ?? null);
  return { rows: isKilled ? [] : rows, calls, stop, profile };
}
