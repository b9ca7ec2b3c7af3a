import { describe, expect, test } from 'vitest';
import {
  type ImportDeps,
  type ImportUi,
  type Pass,
  type RunImportOptions,
  runImport,
  type ServiceConnection,
} from '../../src/delivery/import.ts';
import { sendRows } from '../../src/delivery/send-rows.ts';
import type { Sent } from '../../src/delivery/submit.ts';
import { inDoubt } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import type { RunNote } from '../../src/request/log/log-store.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { DeliveryLog } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { answered, fakeApi, validated } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { PREPARATION, passOf, planOf, submissionOf, tableOf } from './leads.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const AWAY = new SrqError('log.unwritable', 'The store is away.');
const OPTIONS: RunImportOptions = {
  ...({ validate: false, onDuplicate: 'skip', again: false, concurrency: 4, inDoubt: 'park' } as const),
  ...{ maxErrors: null, settleMs: null },
};
const OUTCOME: Outcome = { status: 'created', ids: { id: 'R-1' }, http: 201, message: null, raw: null, ms: 1 };
const needOf = ({ params }: ServiceRequest) => params['request_text'] ?? '';

const WIRE_FORM = 'idempotency-key text';

/** A run on a log in memory. `told` has what its user, its service and its connection were told. */
class Bench {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryLog(() => NOW_MS + this.clock.nowMs());
  readonly halt = new AbortController();
  readonly told: string[] = [];
  readonly reports: RowReport[] = [];
  logChanges: Partial<DeliveryLog> = {};
  ui: Partial<ImportUi> = {};
  deps: Partial<ImportDeps> = {};
  outcomeOf: (need: string) => Partial<Outcome> = () => ({});
  columnOf: (field: string) => string | null = () => null;

  get log(): DeliveryLog {
    return { ...this.memory.openAs('this run'), ...this.logChanges };
  }

  readonly api = fakeApi({
    wireForm: WIRE_FORM,
    validate: async (request) => {
      this.told.push(`validates ${needOf(request)}`);
      return validated(/^Nobody/.test(needOf(request)) ? 'clear' : 'duplicate');
    },
    create: async (request, intend) => {
      if (!(await intend())) return null;
      this.told.push(`creates ${needOf(request)}`);
      await this.clock.sleep(10);
      return answered({ ...OUTCOME, ...this.outcomeOf(needOf(request)) });
    },
  });

  /** Leaves requests in doubt, as another run did. */
  async doubts(...needs: string[]): Promise<void> {
    const other = this.memory.openAs('another run');
    for (const need of needs) {
      const { key, row, request } = submissionOf(need);
      const how = { wireForm: WIRE_FORM, wasClear: true };
      await other.outcome({ key, row, ref: request.ref }, { ...OUTCOME, status: 'unknown' }, how);
    }
  }

  async run(rows: readonly string[], options: Partial<RunImportOptions> = {}) {
    const { clock, halt, log } = this;
    const plan = await planOf(tableOf(rows), log);
    const ui: ImportUi = {
      watch: async (pass: Pass) => {
        this.told.push(`${pass.is} ${pass.rows}${pass.is === 'settling' ? ` ${pass.byKey} ${pass.byValidate}` : ''}`);
        return {
          row: () => {},
          waiting: (ms) => void this.told.push(`waits ${ms}`),
          end: () => void this.told.push('passed'),
        };
      },
      report: async (lines) => {
        for await (const line of lines) this.reports.push(line);
      },
      ...this.ui,
    };
    const connection: ServiceConnection = {
      ...{ api: this.api, mayValidate: true, isProxied: false, isFamiliar: true },
      keepRate: () => void this.told.push('keeps the rate'),
    };
    const deps: ImportDeps = {
      ...{ log, clock, halt, ui, preparation: PREPARATION },
      connect: async (columnOf) => {
        this.columnOf = columnOf;
        this.told.push('connects');
        return connection;
      },
      notes: { note: (note) => void this.told.push(wordsOf(note)), flush: async () => {} },
      ...this.deps,
    };
    return this.clock.until(runImport(plan, deps, { ...OPTIONS, ...options }));
  }

  get statuses() {
    return this.reports.map(({ status }) => status);
  }
}

function wordsOf(note: RunNote): string {
  if (note.event === 'breaker') return `shows ${note.pauseMs}`;
  return note.event === 'end' ? `ended ${note.stopped ?? 'well'}` : note.event;
}

describe('An import', () => {
  test('An import reports a refusal in words of the file, if a column gives the field', async () => {
    const bench = new Bench();
    const names: (string | null)[] = [];
    bench.outcomeOf = () => {
      names.push(...['request_text', 'fullname'].map((field) => bench.columnOf(field)));
      return {};
    };
    await bench.run(['a']);
    expect(names).toEqual(['request_text', null]);
  });

  test('An import whose results cannot be written says so, unless there is another reason', async () => {
    const full = new SrqError('results.unwritable', 'The disk is full.');
    const failing = () => {
      const bench = new Bench();
      bench.ui = { report: () => Promise.reject(full) };
      return bench;
    };
    await expect(failing().run(['a'])).rejects.toBe(full);
    const stopped = failing();
    stopped.outcomeOf = () => ({ status: 'rejected', http: 403, ids: {} });
    expect(await stopped.run(['a', 'b', 'c', 'd', 'e'])).toMatchObject({ reason: 'auth.denied' });
    const gone = new SrqError('file.unreadable', 'It is gone.');
    const unread = new Bench();
    unread.ui = { report: () => Promise.reject(gone) };
    expect(await unread.run(['a'])).toMatchObject({
      reason: 'file.changed-under-way',
      message: 'It is gone.',
    });
    const faulty = new Bench();
    faulty.ui = { report: () => Promise.reject(new TypeError('ours')) };
    await expect(faulty.run(['a'])).rejects.toThrow('ours');
  });

  test('An import asks about unknown rows once more before it reports them', async () => {
    const bench = new Bench();
    await bench.doubts('a');
    bench.deps = {
      notes: {
        note: () => {},
        flush: async () => {
          const { key, row } = submissionOf('a');
          await bench.memory.openAs('another run').outcome({ key, row, ref: null }, OUTCOME);
        },
      },
    };
    await bench.run(['a']);
    expect(bench.statuses).toEqual(['repeated']);
    const away = new Bench();
    await away.doubts('a');
    let isEnded = false;
    away.deps = {
      notes: {
        note: () => {},
        flush: async () => {
          isEnded = true;
        },
      },
    };
    const { lookup, prefetch } = away.log;
    away.logChanges = { lookup, prefetch: (keys) => (isEnded ? Promise.reject(AWAY) : prefetch(keys)) };
    await away.run(['a']);
    expect(away.statuses).toEqual(['unknown']);
  });
});

describe('A pass', () => {
  const passDeps = ({ api, log, clock, halt }: Bench, changes: Partial<Parameters<typeof sendRows>[1]> = {}) => ({
    ...{ api, log, clock, halt, preparation: PREPARATION },
    ...changes,
  });
  const submittedOf = (row: number, stop: SrqError | null = null): Sent => ({
    ...inDoubt(submissionOf(`Need ${row}`, row)),
    stop,
  });

  test('A pass halts at the first reason to stop, finishes what is under way, and reports that reason', async () => {
    const plan = await planOf(tableOf(['a', 'b', 'c']), { lookup: () => 'none' });
    const halt = new AbortController();
    const halted: boolean[] = [];
    const later = new SrqError('service.failed', 'Later.');
    async function* results() {
      for (const [at, stop] of [null, AWAY, later].entries()) {
        yield submittedOf(at + 1, stop);
        halted.push(halt.signal.aborted);
      }
    }
    const { yielded, returned } = await passOf(results(), plan, halt);
    expect([yielded.length, returned, halted]).toEqual([3, AWAY, [false, true, true]]);
    expect(plan.ledger.counts().unknown).toBe(3);
    async function* failing(): AsyncGenerator<Sent> {
      yield submittedOf(1);
      throw AWAY;
    }
    expect(await passOf(failing(), plan, halt)).toMatchObject({ returned: AWAY });
    async function* faulty(): AsyncGenerator<Sent> {
      yield submittedOf(1);
      throw new TypeError('ours');
    }
    await expect(passOf(faulty(), plan, halt)).rejects.toThrow('ours');
  });

  test('A pass looks many rows up at once, two hundred at most', async () => {
    const needs = Array.from({ length: 450 }, (_, at) => `Need ${at + 1}`);
    const bench = new Bench();
    const { log } = bench;
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    const asked: number[] = [];
    const prefetch: DeliveryLog['prefetch'] = (keys) => {
      if (keys.length > 1) asked.push(keys.length);
      return log.prefetch(keys);
    };
    const deps = passDeps(bench, { log: { ...log, prefetch } });
    const options = { ...OPTIONS, concurrency: 8, supervisor: new Supervisor(null, 0, { isFamiliar: true }) };
    await bench.clock.until(passOf(sendRows(plan, deps, options), plan, bench.halt));
    expect(asked).toEqual([200, 200, 50]);
    expect(plan.ledger.counts().created).toBe(450);
  });

  test('A pass that somebody ends does not say that the service fails, however many rows were left', async () => {
    const bench = new Bench();
    const plan = await planOf(tableOf(Array.from({ length: 20 }, (_, at) => `Need ${at}`)), { lookup: () => 'none' });
    const { api, clock, halt } = bench;
    const ended = async (...[request, intend, terms]: Parameters<typeof api.create>) => {
      if (Number(needOf(request).slice(5)) < 3) return api.create(request, intend, terms);
      await clock.sleep(100);
      halt.abort();
      return answered({ ...OUTCOME, status: 'failed', ids: {}, http: null });
    };
    const deps = passDeps(bench, { api: { ...api, create: ended } });
    const options = { ...OPTIONS, concurrency: 16, supervisor: new Supervisor(null, 0, { isFamiliar: true }) };
    const { yielded, returned } = await clock.until(passOf(sendRows(plan, deps, options), plan, halt));
    expect([returned, yielded.filter(({ status }) => status === 'failed').length]).toEqual([null, 16]);
  });

  test('A pass does not wait for a pause that its last rows have caused', async () => {
    const bench = new Bench();
    bench.outcomeOf = () => ({ status: 'unknown', ids: {}, http: 500 });
    const plan = await planOf(tableOf(['a', 'b', 'c']), { lookup: () => 'none' });
    const paused: (AbortSignal | undefined)[] = [];
    const sleep = (ms: number, signal?: AbortSignal) => {
      paused.push(signal);
      return bench.clock.sleep(ms, signal);
    };
    const clock = { nowMs: () => NOW_MS, monotonicMs: () => bench.clock.monotonicMs(), sleep };
    const deps = passDeps(bench, { clock });
    const options = { ...OPTIONS, supervisor: new Supervisor(null, 0, { isFamiliar: true }) };
    await bench.clock.until(passOf(sendRows(plan, deps, options), plan, bench.halt));
    expect([plan.ledger.counts().unknown, paused.map((signal) => signal?.aborted)]).toEqual([3, [true]]);
  });

  test('A pass sends the first of many rows only once they are looked up, and none if they cannot be', async () => {
    for (const isAway of [false, true]) {
      const bench = new Bench();
      const { log } = bench;
      const plan = await planOf(tableOf(['a', 'b']), { lookup: () => 'none' });
      const prefetch: DeliveryLog['prefetch'] = async (keys) => {
        if (keys.length === 1) return log.prefetch(keys);
        await bench.clock.sleep(100);
        if (isAway) throw AWAY;
        bench.told.push('looked up');
      };
      const deps = passDeps(bench, { log: { ...log, prefetch } });
      const options = { ...OPTIONS, supervisor: new Supervisor(null, 0) };
      const { returned } = await bench.clock.until(passOf(sendRows(plan, deps, options), plan, bench.halt));
      expect([returned, bench.told]).toEqual(isAway ? [AWAY, []] : [null, ['looked up', 'creates a', 'creates b']]);
    }
  });
});
