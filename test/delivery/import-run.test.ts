import { describe, expect, test } from 'vitest';
import {
  type ImportDeps,
  type ImportUi,
  type Pass,
  type RunImportOptions,
  runImport,
  runPass,
  type ServiceConnection,
} from '../../src/delivery/import.ts';
import { haltOnError, sendRows, trackResults } from '../../src/delivery/send-rows.ts';
import type { Sent } from '../../src/delivery/submit.ts';
import { inDoubt } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import type { RunNote } from '../../src/request/log/log-store.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { DeliveryLog } from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { answered, fakeApi, validated } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { drain, PREPARATION, planOf, submissionOf, tableOf } from './leads.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const MINUTE_MS = 60_000;
const AWAY = new SrqError('log.unwritable', 'The store is away.');
const OPTIONS: RunImportOptions = {
  ...({ validate: false, onDuplicate: 'skip', again: false, concurrency: 4, inDoubt: 'park' } as const),
  ...{ range: { skip: 0, limit: null }, maxErrors: null, settleMs: null },
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
  connection: Partial<ServiceConnection> = {};
  ui: Partial<ImportUi> = {};
  deps: Partial<ImportDeps> = {};
  outcomeOf: (need: string) => Partial<Outcome> = () => ({});
  columnOf: (field: string) => string | null = () => null;

  get log(): DeliveryLog {
    const own = this.memory.openAs('this run');
    return { ...own, nowMs: () => NOW_MS + this.clock.nowMs(), ...this.logChanges };
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

  /** Has requests created before, as another run did. */
  async creations(...needs: string[]): Promise<void> {
    const other = this.memory.openAs('another run');
    for (const need of needs) {
      const { key, row, request } = submissionOf(need);
      await other.outcome({ key, row, ref: request.ref }, OUTCOME);
    }
  }

  async run(rows: readonly string[], options: Partial<RunImportOptions> = {}) {
    const { clock, halt, log } = this;
    const ui: ImportUi = {
      agree: (planFile) => {
        const table = tableOf(rows);
        return planFile({ table, mapping: planMapping(table.columns, { map: {}, set: {} }) }, () => {});
      },
      watch: async (pass: Pass) => {
        this.told.push(
          `${pass.is} ${pass.rows}${pass.is === 'settling' ? ` ${pass.byKey} ${pass.byValidate} ${pass.stillInDoubt()}` : ''}`,
        );
        return {
          row: () => {},
          waiting: (ms) => void this.told.push(`waits ${ms}`),
          end: () => void this.told.push('passed'),
        };
      },
      report: async (_plan, lines) => {
        for await (const line of lines) this.reports.push(line);
      },
      ...this.ui,
    };
    const connection: ServiceConnection = {
      ...{ api: this.api, mayValidate: true, isProxied: false, isFamiliar: true },
      keepRate: () => void this.told.push('keeps the rate'),
      hold: (pauseMs) => void this.told.push(`holds ${pauseMs}`),
      ...this.connection,
    };
    const deps: ImportDeps = {
      ...{ log, clock, halt },
      confirm: async (plan) => void this.told.push(`confirms ${plan.rows}`),
      connect: async (columnOf) => {
        this.columnOf = columnOf;
        this.told.push('connects');
        return connection;
      },
      notes: { note: (note) => void this.told.push(wordsOf(note)), flush: async () => {} },
      ...this.deps,
    };
    return this.clock.until(runImport(deps, { preparation: PREPARATION, ui }, { ...OPTIONS, ...options }));
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
  test('confirms before it connects, and reports when nothing more is sent', async () => {
    const bench = new Bench();
    const { stop, plan } = await bench.run(['a', 'b']);
    expect([stop, plan.rows]).toEqual([null, 2]);
    const sends = ['sending 2', 'creates a', 'creates b', 'passed'];
    expect(bench.told).toEqual(['confirms 2', 'connects', ...sends, 'keeps the rate', 'ended well']);
    expect(bench.statuses).toEqual(['created', 'created']);
  });

  test('of which nothing is left to send connects to nothing', async () => {
    const bench = new Bench();
    await bench.run(['a']);
    bench.told.length = 0;
    await bench.run(['a', '']);
    expect(bench.told).toEqual(['confirms 2', 'ended well']);
    expect(bench.statuses).toEqual(['created', 'repeated', 'invalid']);
  });

  test('of one row in doubt connects, as it may be settled', async () => {
    const bench = new Bench();
    await bench.doubts('a');
    await bench.run(['a']);
    expect(bench.told).toEqual(['confirms 1', 'connects', 'sending 0', 'passed', 'keeps the rate', 'ended well']);
  });

  test('that its user does not agree to sends nothing', async () => {
    const bench = new Bench();
    const no = new SrqError('interrupted.unfinished', 'No.');
    bench.deps = { confirm: () => Promise.reject(no) };
    await expect(bench.run(['a'])).rejects.toBe(no);
    expect(bench.told).toEqual([]);
  });

  test('tells a message in words of the file that is being sent, if the field comes from one of its columns', async () => {
    const bench = new Bench();
    const names: (string | null)[] = [];
    bench.outcomeOf = () => {
      names.push(...['request_text', 'fullname'].map((field) => bench.columnOf(field)));
      return {};
    };
    await bench.run(['a']);
    expect(names).toEqual(['request_text', null]);
  });

  test('has no column for a field that comes from several', async () => {
    const bench = new Bench();
    const names: (string | null)[] = [];
    bench.ui = {
      agree: async () => {
        const plan = await planOf(tableOf(['a']), bench.log);
        const sources = plan.mapping.sources.map((source) =>
          source.field === 'ref' ? { ...source, columns: [2, 3] } : source,
        );
        return { ...plan, mapping: { ...plan.mapping, sources } };
      },
    };
    bench.outcomeOf = () => {
      names.push(bench.columnOf('ref'), bench.columnOf('phone'));
      return {};
    };
    await bench.run(['a']);
    expect(names).toEqual([null, 'phone']);
  });

  test('that is halted sends no further row, and says that the rest was not tried', async () => {
    const bench = new Bench();
    bench.outcomeOf = () => {
      bench.halt.abort();
      return {};
    };
    const { stop } = await bench.run(['a', 'b'], { concurrency: 1 });
    expect([stop, bench.statuses]).toEqual([null, ['created', 'failed']]);
    expect(bench.reports[1]?.message).toBe('Not tried: the run was interrupted. The next run sends it.');
  });

  test('that stops says why in each row that it did not try', async () => {
    const bench = new Bench();
    bench.outcomeOf = () => ({ status: 'rejected', http: 403, ids: {} });
    const { stop } = await bench.run(['a', 'b'], { concurrency: 1 });
    expect(stop).toMatchObject({ reason: 'auth.denied' });
    expect(bench.told.filter((each) => /sending|ended/.test(each))).toEqual(['sending 2', `ended ${stop?.message}`]);
    expect(bench.reports[1]?.message).toBe(`Not tried: ${stop?.message} The next run sends it.`);
  });

  test.each<[RunImportOptions['maxErrors'], number, boolean]>([
    [{ count: 2, percent: false }, 2, true],
    [{ count: 3, percent: false }, 2, false],
    // Of eleven rows twenty of a hundred are 2.2, so that the third one is too many.
    [{ count: 20, percent: true }, 3, true],
    [{ count: 20, percent: true }, 2, false],
    [{ count: 0, percent: true }, 1, true],
    [{ count: 0, percent: true }, 0, false],
    [null, 10, false],
  ])('with the limit %j and %d refused rows stops: %s', async (maxErrors, refused, stops) => {
    const bench = new Bench();
    const needs = Array.from({ length: 11 }, (_, at) => `Need ${at}`);
    bench.outcomeOf = (need) =>
      Number(need.slice(5)) < refused ? { status: 'rejected', http: 422, ids: {}, message: need } : {};
    const { stop } = await bench.run(needs, { maxErrors, concurrency: 1 });
    expect(stop?.reason ?? null).toBe(stops ? 'rows.error-budget' : null);
  });

  test('counts its invalid rows towards the limit', async () => {
    const bench = new Bench();
    const { stop } = await bench.run(['a', '', ''], { maxErrors: { count: 2, percent: false } });
    expect([stop?.reason, bench.told.filter((each) => each.startsWith('creates'))]).toEqual(['rows.error-budget', []]);
  });

  test('tells a file that changed under way as such, as something may have been sent', async () => {
    const bench = new Bench();
    const table = tableOf(['a', 'b']);
    let reads = 0;
    const changing = { ...table, rows: () => (reads++ === 0 ? table.rows() : tableOf(['a', 'other']).rows()) };
    bench.ui = { agree: async () => planOf(changing, bench.log) };
    const { stop } = await bench.run(['a']);
    expect(stop).toMatchObject({ reason: 'file.changed-under-way', message: expect.stringContaining('Row 2 of') });
  });

  test('whose results cannot be written says so, unless there is another reason to tell', async () => {
    const full = new SrqError('results.unwritable', 'The disk is full.');
    const failing = () => {
      const bench = new Bench();
      bench.ui = { report: () => Promise.reject(full) };
      return bench;
    };
    await expect(failing().run(['a'])).rejects.toBe(full);
    const stopped = failing();
    stopped.outcomeOf = () => ({ status: 'rejected', http: 403, ids: {} });
    expect((await stopped.run(['a'])).stop).toMatchObject({ reason: 'auth.denied' });
    const gone = new SrqError('file.unreadable', 'It is gone.');
    const unread = new Bench();
    unread.ui = { report: () => Promise.reject(gone) };
    expect((await unread.run(['a'])).stop).toMatchObject({
      reason: 'file.changed-under-way',
      message: 'It is gone.',
    });
    const faulty = new Bench();
    faulty.ui = { report: () => Promise.reject(new TypeError('ours')) };
    await expect(faulty.run(['a'])).rejects.toThrow('ours');
  });

  test('looks once more at rows in doubt before it reports them, and reports them also if it cannot', async () => {
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
    away.logChanges = { prefetch: async () => (isEnded ? Promise.reject(AWAY) : undefined) };
    await away.run(['a']);
    expect(away.statuses).toEqual(['unknown']);
  });

  test('holds the account, and then shows it, when too much ends in doubt', async () => {
    const bench = new Bench();
    bench.outcomeOf = (need) => (['c', 'd', 'e'].includes(need) ? { status: 'unknown', ids: {} } : {});
    await bench.run(['a', 'b', 'c', 'd', 'e', 'f', 'g'], { concurrency: 1 });
    const at = bench.told.indexOf('holds 2000');
    expect(bench.told.slice(at, at + 4)).toEqual(['holds 2000', 'shows 2000', 'validates e', 'creates f']);
    expect(bench.clock.nowMs()).toBeGreaterThanOrEqual(2_000);
  });
});

describe('Rows in doubt', () => {
  const OLDER = 'Neighbour 0';
  const NEIGHBOURS = [OLDER, ...Array.from({ length: 11 }, (_, at) => `Neighbour ${at + 1}`)];
  const doubtsAfterOne = async (bench: Bench) => {
    await bench.creations(OLDER);
    await bench.doubts('a');
  };

  test('are settled after all rows are sent, by validate and twelve rows that were created', async () => {
    const bench = new Bench();
    await doubtsAfterOne(bench);
    await bench.clock.until(bench.clock.sleep(10 * MINUTE_MS));
    await bench.run(['a', ...NEIGHBOURS], { inDoubt: 'validate' });
    const steps = bench.told.filter((each) => !/Nobody|Neighbour/.test(each));
    expect(steps).toEqual([
      ...['confirms 13', 'connects', 'sending 11', 'passed'],
      // Twice in each of two rounds.
      ...['settling 1 false true 1', ...Array(4).fill('validates a'), 'passed', 'keeps the rate', 'ended well'],
    ]);
    expect(bench.statuses).toEqual(['created', 'repeated', ...Array(11).fill('created')]);
  });

  test.each<[string, Partial<RunImportOptions>, Partial<ServiceConnection>]>([
    ['where a person wants to do that', { inDoubt: 'park' }, {}],
    ['where validate may not be asked', {}, { mayValidate: false }],
  ])('are left alone %s', async (_, options, connection) => {
    const bench = new Bench();
    await bench.doubts('a');
    bench.connection = connection;
    await bench.run(['a', ...NEIGHBOURS], { inDoubt: 'validate', ...options });
    expect(bench.told.filter((each) => each.includes('settling'))).toEqual([]);
    expect(bench.statuses[0]).toBe('unknown');
  });

  test('are settled under their keys where the service knows these, without asking validate', async () => {
    const bench = new Bench();
    await bench.doubts('a');
    const known = { idempotencyWindowMs: MINUTE_MS, wireForm: WIRE_FORM };
    bench.connection = { api: { ...bench.api, ...known }, mayValidate: false };
    await bench.run(['a'], { inDoubt: 'validate' });
    expect(bench.told).toContain('settling 1 true false 1');
    expect([bench.told.includes('validates a'), bench.statuses]).toEqual([false, ['created']]);
  });

  test('that none is of are not settled', async () => {
    const bench = new Bench();
    await bench.run(['a'], { inDoubt: 'validate' });
    expect(bench.told.filter((each) => each.includes('settling'))).toEqual([]);
  });

  test('are not settled in a run that was stopped', async () => {
    const bench = new Bench();
    await bench.doubts('a');
    bench.outcomeOf = () => {
      bench.halt.abort();
      return {};
    };
    await bench.run(['a', 'b'], { inDoubt: 'validate' });
    expect(bench.told.filter((each) => each.includes('settling'))).toEqual([]);
  });

  test('wait as long as a person has chosen, and that is told', async () => {
    const bench = new Bench();
    await doubtsAfterOne(bench);
    await bench.run(['a', ...NEIGHBOURS], { inDoubt: 'validate', settleMs: 5_000 });
    const [waits = '', ...more] = bench.told.filter((each) => each.startsWith('waits'));
    expect([Number(waits.slice(6)) <= 5_000, more]).toEqual([true, []]);
    expect(bench.statuses).toEqual(['created', 'repeated', ...Array(11).fill('created')]);
  });
});

describe('A pass', () => {
  const submittedOf = (row: number, stop: SrqError | null = null): Sent => ({
    ...inDoubt(submissionOf(`Need ${row}`, row)),
    stop,
  });

  test('shows each row, and ends its display whatever ends it', async () => {
    for (const failing of [false, true]) {
      const told: string[] = [];
      const watch = {
        row: ({ row }: Sent) => void told.push(`row ${row}`),
        waiting: () => {},
        end: () => void told.push('end'),
      };
      async function* rows(): AsyncGenerator<Sent, SrqError | null> {
        yield submittedOf(1);
        yield submittedOf(2);
        if (failing) throw new TypeError('ours');
        return AWAY;
      }
      const passing = runPass(rows(), watch);
      if (failing) await expect(passing).rejects.toThrow('ours');
      else expect(await passing).toBe(AWAY);
      expect(told).toEqual(['row 1', 'row 2', 'end']);
    }
  });

  test('halts at the first reason to stop, goes on with what is under way, and tells that reason', async () => {
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
    const { yielded, returned } = await drain(trackResults(results(), plan, halt));
    expect([yielded.length, returned, halted]).toEqual([3, AWAY, [false, true, true]]);
    expect(plan.ledger.counts().unknown).toBe(3);
    async function* failing(): AsyncGenerator<Sent> {
      yield submittedOf(1);
      throw AWAY;
    }
    expect(await drain(trackResults(failing(), plan, halt))).toMatchObject({ returned: AWAY });
    async function* faulty(): AsyncGenerator<Sent> {
      yield submittedOf(1);
      throw new TypeError('ours');
    }
    await expect(drain(trackResults(faulty(), plan, halt))).rejects.toThrow('ours');
  });

  test('whose work fails halts the others, and one that succeeds does not', async () => {
    const halt = new AbortController();
    expect(await haltOnError(Promise.resolve(7), halt)).toBe(7);
    expect(halt.signal.aborted).toBe(false);
    await expect(haltOnError(Promise.reject(AWAY), halt)).rejects.toBe(AWAY);
    expect(halt.signal.aborted).toBe(true);
  });

  test('looks many rows up at once, two hundred at most', async () => {
    const needs = Array.from({ length: 450 }, (_, at) => `Need ${at + 1}`);
    const bench = new Bench();
    const { log } = bench;
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    const asked: number[] = [];
    const prefetch: DeliveryLog['prefetch'] = (keys) => {
      if (keys.length > 1) asked.push(keys.length);
      return log.prefetch(keys);
    };
    const deps = {
      api: bench.api,
      log: { ...log, prefetch },
      clock: bench.clock,
      preparation: PREPARATION,
      halt: bench.halt,
    };
    const options = { ...OPTIONS, concurrency: 8, supervisor: new Supervisor(null, 0, { isFamiliar: true }) };
    await bench.clock.until(drain(sendRows(plan, deps, options)));
    expect(asked).toEqual([200, 200, 50]);
    expect(plan.ledger.counts().created).toBe(450);
  });

  test('sends the first of many rows only once they are looked up, and none if they cannot be', async () => {
    for (const isAway of [false, true]) {
      const bench = new Bench();
      const plan = await planOf(tableOf(['a', 'b']), { lookup: () => 'none' });
      const prefetch: DeliveryLog['prefetch'] = async (keys) => {
        if (keys.length === 1) return;
        await bench.clock.sleep(100);
        if (isAway) throw AWAY;
        bench.told.push('looked up');
      };
      const log = { ...bench.log, prefetch };
      const deps = { api: bench.api, log, clock: bench.clock, preparation: PREPARATION, halt: bench.halt };
      const options = { ...OPTIONS, supervisor: new Supervisor(null, 0) };
      const { returned } = await bench.clock.until(drain(sendRows(plan, deps, options)));
      expect([returned, bench.told]).toEqual(isAway ? [AWAY, []] : [null, ['looked up', 'creates a', 'creates b']]);
    }
  });
});
