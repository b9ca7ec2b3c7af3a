import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AskMeaning, type SendDeps, type SendOptions, sendRows } from '../../src/delivery/send-rows.ts';
import { type Submitted, submitRequest } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { ImportPlan } from '../../src/request/import-plan.ts';
import type { MarketplaceApi } from '../../src/request/ports.ts';
import type { Table } from '../../src/request/table.ts';
import { PATHS } from '../../src/request/wire.ts';
import { fakeApi } from '../helpers/fake-api.ts';
import { drain, PREPARATION, planOf, readLines, submissionOf, tableOf } from './leads.ts';
import { Machine, type Process } from './processes.ts';
import type { AnswerName } from './scripted-service.ts';
import { createNeighbours, neighbours, settlePlan } from './settling.ts';

const OPTIONS = { validate: false, onDuplicate: 'skip', again: false, concurrency: 4 } as const;
const needsOf = (count: number) => Array.from({ length: count }, (_, at) => `Need ${at + 1}`);

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

/** Every create of these rows (from 1) meets this answer once. */
function meets(answer: AnswerName, ...rows: number[]): void {
  for (const row of rows) machine.service.script(`Need ${row}`, [{ answer, acts: true }]);
}

interface Ran {
  readonly plan: ImportPlan;
  readonly yielded: Submitted[];
  readonly stop: string | null;
  readonly why: string | null;
}

async function importWith(
  process: Process,
  table: Table,
  changes: Partial<SendOptions> = {},
  more: Partial<SendDeps> = {},
): Promise<Ran> {
  const { api, log, clock, halt } = process;
  const plan = await planOf(table, log);
  const deps = { api, log, clock, preparation: PREPARATION, halt, ...more };
  const { yielded, returned } = await drain(
    sendRows(plan, deps, { ...OPTIONS, supervisor: new Supervisor(null, 0), ...changes }),
  );
  return { plan, yielded, stop: returned?.code ?? null, why: returned?.reason ?? null };
}

/** Imports that many rows in a process that lives. */
async function importRows(
  count: number,
  changes: Partial<SendOptions> = {},
  more: Partial<SendDeps> = {},
): Promise<Ran> {
  const ran = await machine.run((process) => importWith(process, tableOf(needsOf(count)), changes, more));
  return ran === 'died' ? expect.fail('It was not meant to die.') : ran;
}

/** How many calls were under way at the beginning of each. The fourth to the seventh wait until all four are there. */
function watchFlight(): number[] {
  const most: number[] = [];
  let underWay = 0;
  let release: () => void = () => {};
  const four = new Promise<void>((resolve) => {
    release = resolve;
  });
  machine.service.meanwhile = async () => {
    underWay += 1;
    most.push(underWay);
    if (underWay === 4) release();
    if (most.length > 3) await four;
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    underWay -= 1;
  };
  return most;
}

test('the first three rows go one at a time, the others as many at once as is allowed', async () => {
  const most = watchFlight();
  const { plan } = await importRows(12);
  expect(plan.ledger.counts()).toMatchObject({ created: 12 });
  expect(most.slice(0, 3)).toEqual([1, 1, 1]);
  expect(Math.max(...most)).toBe(4);
});

test('a row that was created does not keep the next one from going while that is recorded; a refused one does', async () => {
  meets('422', 4);
  const { arrivals } = machine.service;
  let afterRefusal = 0;
  const ran = await machine.run((process) => {
    const { log } = process;
    const outcome: typeof log.outcome = async (subject, ...more) => {
      if (subject.row === 4) {
        // Who does not wait has recorded and sent the next one by the time that two others are recorded.
        for (const digit of ['a', 'b']) await log.sending({ ...subject, key: digit.repeat(32) }, 'none');
        afterRefusal = arrivals.length;
      }
      while (subject.row === 5 && arrivals.length < 6) await new Promise(setImmediate);
      return log.outcome(subject, ...more);
    };
    return importWith({ ...process, log: { ...log, outcome } }, tableOf(needsOf(6)), { concurrency: 1 });
  });
  expect(ran).toMatchObject({ stop: null });
  expect([afterRefusal, arrivals.length]).toEqual([4, 6]);
});

test('a first row that is denied ends the import; the others were not tried', async () => {
  meets('403', 1);
  const { plan, stop } = await importRows(5);
  expect(stop).toBe('auth');
  expect(plan.ledger.counts()).toMatchObject({ rejected: 1, ready: 4 });
  expect(machine.service.arrivals).toHaveLength(1);
});

describe('A person who is asked what an answer to one of the first rows means, which validate does not see', () => {
  /** Imports five rows that are answered alike. */
  const importAsked = async (said: Awaited<ReturnType<AskMeaning>>) => {
    machine.service.sight = 'always clear';
    const asked: [number, string][] = [];
    const askMeaning: AskMeaning = async (row, { text }) => {
      asked.push([row, text]);
      return said;
    };
    const { plan, why, yielded } = await importRows(5, { validate: true }, { askMeaning });
    const events = readLines(machine.logPath).filter(({ by }) => by === 'person');
    return { asked, why, counts: plan.ledger.counts(), told: yielded.map(({ result }) => result), events };
  };

  test.each(['taken', 'id'] as const)('says that it was taken (%s): it is created, and so are others', async (said) => {
    const { asked, why, counts, told, events } = await importAsked(said);
    expect([asked[0], why]).toEqual([[1, expect.stringMatching(/^201 .*request_id/)], null]);
    expect(counts).toMatchObject({ created: 5 });
    expect(told[0]).toMatchObject({ row: 1, status: 'created', ids: { request_id: 'R-77' }, http: 201 });
    expect(events[0]).toMatchObject({ event: 'created', ids: { request_id: 'R-77' } });
    expect(machine.service.arrivals).toHaveLength(5);
    // The next import asks nobody, as that is known.
    expect(machine.answers.forms).toContainEqual(expect.objectContaining({ means: 'taken', by: 'person' }));
  });

  test('is asked once where it was taken', async () => {
    expect((await importAsked('taken')).asked).toHaveLength(1);
  });

  test('says that it was refused: it is rejected without an identifier, and so are those after it', async () => {
    const { asked, why, counts, told, events } = await importAsked('refused');
    expect([asked.map(([row]) => row), why]).toEqual([[1], null]);
    expect(counts).toMatchObject({ rejected: 5 });
    expect(told[0]).toMatchObject({ row: 1, status: 'rejected', ids: {}, http: 201 });
    expect(events).toMatchObject([{ event: 'rejected' }]);
  });

  test('does not know: the row stays unknown, and the import ends', async () => {
    const { asked, why, counts, events } = await importAsked(null);
    expect([asked.map(([row]) => row), why, events]).toEqual([[1], 'answer.unproven', []]);
    expect(counts).toMatchObject({ unknown: 1, ready: 4 });
  });
});

test('what makes every call pointless ends the import with what is in flight accounted for', async () => {
  meets('404', 5);
  const { plan, stop, yielded } = await importRows(20);
  expect(stop).toBe('service');
  const { created, failed, ready } = plan.ledger.counts();
  expect([failed > 0, ready > 0, created + failed + ready]).toEqual([true, true, 20]);
  expect([yielded.length, machine.service.acts.length]).toEqual([created + failed, created]);
});

test('invalid rows that exceed the budget let nothing be sent', async () => {
  const ran = await machine.run((process) =>
    importWith(process, tableOf(['a', '', '']), { supervisor: new Supervisor(2, 2) }),
  );
  expect(ran).toMatchObject({ stop: 'stopped', yielded: [] });
  expect(machine.service.arrivals).toEqual([]);
});

describe('After three doubts in a row', () => {
  test('everything waits, validate is asked, and the import goes on slower', async () => {
    meets('reset after writing', 4, 5, 6);
    const calls: string[] = [];
    machine.service.meanwhile = (path) => {
      calls.push(path === PATHS.create ? 'create' : 'validate');
    };
    const slowed: number[] = [];
    const ran = await machine.run((process) => {
      const { api } = process;
      const slowDown = (share: number) => slowed.push(share);
      const watched = fakeApi({ validate: api.validate.bind(api), create: api.create.bind(api), slowDown });
      return importWith({ ...process, api: watched }, tableOf(needsOf(10)), { concurrency: 1 });
    });
    expect(ran).toMatchObject({ stop: null });
    expect(calls.join(' ').replaceAll('create', 'c')).toMatch(/^c c c c c c(?: validate)+ c c c c$/);
    expect(slowed).toEqual([0.5]);
    const [before = 0, after = 0] = machine.service.arrivals.slice(5, 7).map(({ atMs }) => atMs);
    expect(after - before).toBeGreaterThanOrEqual(2_000);
  });

  test('the third time, the import stops; what is in doubt is unknown, and the rest was not tried', async () => {
    meets('reset after writing', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    const { plan, stop } = await importRows(20);
    expect(stop).toBe('stopped');
    expect(plan.ledger.counts()).toMatchObject({ unknown: 9, ready: 11 });
  });
});

describe('When the log fails', () => {
  test('in the middle, what was in flight is told, marked as recorded nowhere, and nothing more is sent', async () => {
    let calls = 0;
    machine.service.meanwhile = async () => {
      calls += 1;
      if (calls === 6) rmSync(machine.logPath);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    };
    const { plan, stop, yielded } = await importRows(40);
    expect(stop).toBe('log');
    // Whatever the service created, this run knows and says.
    const told = yielded.filter(({ result }) => result.status === 'created').map(({ result }) => result.row);
    expect(told).toHaveLength(machine.service.acts.length);
    expect(yielded.some(({ unrecorded }) => unrecorded)).toBe(true);
    expect(plan.ledger.counts()).toMatchObject({ created: told.length, ready: 40 - told.length });
    expect(machine.service.arrivals.length).toBeLessThan(12);
  });
});

test('a log that takes no intent ends the waiting of the others for their turn', { timeout: 90_000 }, async () => {
  const ran = await machine.run((process) => {
    const { api, halt } = process;
    const waiting = new Promise((resolve) => halt.signal.addEventListener('abort', resolve));
    const create: MarketplaceApi['create'] = async (request, intend, terms) => {
      const need = request.params['request_text'];
      if (need === 'Need 4') rmSync(machine.logPath);
      else if (Number(need?.slice(5)) > 4) await waiting;
      return api.create(request, intend, terms);
    };
    const watched = fakeApi({ create, validate: api.validate.bind(api) });
    return importWith({ ...process, api: watched }, tableOf(needsOf(9)));
  });
  expect(ran).toMatchObject({ stop: 'log' });
  expect(machine.service.acts).toHaveLength(3);
});

test('a file that changes while it is imported ends the import before the changed row, with all results told', async () => {
  const needs = needsOf(10);
  const first = tableOf(needs);
  const changed = tableOf(needs.with(6, 'Something else'));
  let reads = 0;
  const table: Table = { ...first, rows: () => (reads++ === 0 ? first.rows() : changed.rows()) };
  const ran = await machine.run((process) => importWith(process, table));
  expect(ran).toMatchObject({ stop: 'input', yielded: Array.from({ length: 6 }, () => ({ unrecorded: false })) });
  expect(machine.service.acts.map(({ need }) => need)).toEqual(needs.slice(0, 6));
});

test('a user who stops lets what is in flight end; the rest was not tried', async () => {
  const ran = await machine.run((process) => {
    machine.service.meanwhile = () => {
      if (machine.service.arrivals.length === 5) process.halt.abort();
    };
    return importWith(process, tableOf(needsOf(20)), { concurrency: 2 });
  });
  if (ran === 'died') expect.fail('It was not meant to die.');
  const { created, ready } = ran.plan.ledger.counts();
  expect([ran.stop, created, created + ready]).toEqual([null, machine.service.acts.length, 20]);
  expect(ready).toBeGreaterThan(10);
});

describe('Settling an import', () => {
  const NEEDS = [...needsOf(6), ...neighbours()];

  test('asks about the rows in doubt and about those by which validate is checked, and about no others', async () => {
    meets('reset after writing', 2);
    machine.service.script('Need 4', [{ answer: '500', acts: false }]);
    const counts = await machine.run(async (process) => {
      const { plan } = await importWith(process, tableOf([...NEEDS, ...needsOf(20).slice(6)]), { validate: true });
      expect(plan.ledger.counts()).toMatchObject({ created: 30, unknown: 2 });
      machine.service.asked.length = 0;
      await settlePlan(process, plan);
      return plan.ledger.counts();
    });
    expect(counts).toMatchObject({ created: 32, unknown: 0 });
    const times = new Map<string, number>();
    for (const { need } of machine.service.asked) times.set(need, (times.get(need) ?? 0) + 1);
    expect([times.get('Need 2'), times.get('Need 4')]).toEqual([2, 2]);
    // Twelve neighbours of each, which may be the same ones, and four requests that cannot exist.
    const known = [...times.keys()].filter((need) => machine.service.actsOn(need) > 0 && !/^Need [24]$/.test(need));
    expect([known.length >= 12, known.length <= 24]).toEqual([true, true]);
    expect(machine.service.acts).toHaveLength(32);
  });

  test('that has to stop accounts for every row it was at', async () => {
    await machine.run(async ({ api, log }) => {
      for (let row = 1; row <= 12; row++) {
        if (row <= 8) machine.service.script(`Need ${row}`, [{ answer: '500', acts: false }]);
        await submitRequest(submissionOf(`Need ${row}`, row), api, log, OPTIONS);
      }
    });
    await createNeighbours(machine);
    const before = machine.service.acts.length;
    // Sent again, the second one meets a service that has moved; its neighbours are taken.
    meets('301', 2);
    await machine.run(async (process) => {
      const table = tableOf([...needsOf(12), ...neighbours()]);
      const plan = await planOf(table, process.log);
      const inDoubt = plan.counts.unknown;
      const { yielded, returned } = await settlePlan(process, plan, { resend: OPTIONS });
      expect([inDoubt, returned]).toMatchObject([8, { code: 'service' }]);
      const counts = plan.ledger.counts();
      const created = machine.service.acts.length - before;
      expect(yielded.filter(({ result }) => result.status === 'created')).toHaveLength(created);
      expect(counts).toMatchObject({ created, repeated: 16 });
      const { failed, unknown } = counts;
      expect(created + failed + unknown).toBe(8);
    });
  });
});
