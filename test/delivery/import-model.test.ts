import { expect, test } from 'vitest';
import { sendRows } from '../../src/delivery/send-rows.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { ImportPlan } from '../../src/request/log/import-plan.ts';
import type { DeliveryLog } from '../../src/request/ports.ts';
import fc from '../helpers/fast-check.ts';
import { knowledgeOf } from './delivery-table.ts';
import { PREPARATION, passOf, planOf, tableOf } from './leads.ts';
import { type Death, Life, MOMENTS } from './life.ts';
import { Machine } from './processes.ts';
import { ANSWER_NAMES, type ScriptedService, type Step } from './scripted-service.ts';
import { createNeighbours, neighbours, settlePlan } from './settling.ts';

const LAG_LIMIT_MS = 20_000;
const WAIT_MS = 60_000;
/** The last one repeats the first; the row after it is invalid. */
const NEEDS = ['Pintar', 'Limpar', 'Montar', 'Cortar', 'Soldar', 'Pregar', 'Raspar', 'Pintar'];
const ROWS = NEEDS.length + 13;
/** By these rows validate is checked. They are known to be created. */
const AROUND = neighbours();
const table = tableOf([...NEEDS, '', ...AROUND]);

/** How a process ends before its time. */
interface Fate {
  readonly death: Death | null;
  readonly torn: boolean;
}

interface Day extends Fate {
  readonly validate: boolean;
  readonly concurrency: number;
  /** What the creates of each row meet. */
  readonly scripts: readonly (readonly Step[])[];
  /** How late validate tells the truth. */
  readonly lagMs: number;
  /** How a process ends that settles after the import, if there is one. */
  readonly settling: Fate | null;
}

const fate = {
  death: fc.option(fc.record({ at: fc.constantFrom(...MOMENTS), time: fc.integer({ min: 1, max: 12 }) })),
  torn: fc.boolean(),
};
const step = fc.record({ answer: fc.constantFrom(...ANSWER_NAMES), acts: fc.boolean() });
/** Mostly well, so that imports get beyond their first rows. */
const script = fc.oneof(
  fc.constant([]),
  fc.constant([{ answer: '429 for two minutes' as const, acts: false }]),
  fc.array(step, { maxLength: 4 }),
);
const day: fc.Arbitrary<Day> = fc.record({
  validate: fc.boolean(),
  concurrency: fc.integer({ min: 1, max: 4 }),
  scripts: fc.array(script, { minLength: NEEDS.length, maxLength: NEEDS.length }),
  lagMs: fc.integer({ min: 0, max: LAG_LIMIT_MS }),
  settling: fc.option(fc.record(fate)),
  ...fate,
});

/** The same file, imported on a day: send, perhaps die, perhaps settle. */
async function live(machine: Machine, each: Day): Promise<void> {
  const { service } = machine;
  service.sight = { lagMs: each.lagMs };
  for (const [at, need] of NEEDS.entries()) service.script(need, each.scripts[at] ?? []);
  await createNeighbours(machine);
  const options = { validate: each.validate, onDuplicate: 'skip', again: false } as const;
  await machine.run(
    async ({ api, log, clock, halt }) => {
      const plan = await planOf(table, log);
      const deps = { api, log, clock, preparation: PREPARATION, halt };
      const { yielded } = await passOf(
        sendRows(plan, deps, { ...options, concurrency: each.concurrency, supervisor: new Supervisor(null, 0) }),
        plan,
        halt,
      );
      expect(new Set(yielded.map(({ row }) => row)).size, 'results').toBe(yielded.length);
      expectTrueAccounts(plan, log, service);
    },
    { life: new Life(each.death), torn: each.torn },
  );
  await expectNothingLostOrDoubled(machine);
  const { settling } = each;
  if (!settling) return;
  await createNeighbours(machine);
  await machine.run(
    async ({ api, log, clock, halt }) => {
      const plan = await planOf(table, log);
      await settlePlan({ api, log, clock, halt }, plan, { settleMs: WAIT_MS, resend: options });
      expectTrueAccounts(plan, log, service);
    },
    { life: new Life(settling.death), torn: settling.torn },
  );
  await expectNothingLostOrDoubled(machine);
}

/** Rows = sum of the statuses, and what a status says of a row is so. */
function expectTrueAccounts({ ledger, rows }: ImportPlan, log: DeliveryLog, service: ScriptedService): void {
  const counts = ledger.counts();
  expect([rows, Object.values(counts).reduce((sum, count) => sum + count)]).toEqual([ROWS, ROWS]);
  expect(counts.invalid).toBe(1);
  NEEDS.forEach((need, at) => {
    const status = ledger.status(at + 1);
    const state = log.lookup(ledger.key(at + 1) ?? '');
    const acts = service.actsOn(need);
    if (/failed|rejected|ready/.test(status)) expect([at, status, acts]).toEqual([at, status, 0]);
    if (status === 'created') expect([at, state]).toEqual([at, 'created']);
    if (status === 'unknown') expect([at, knowledgeOf(state)]).toEqual([at, expect.stringMatching(/doubt|parked/)]);
  });
}

/** Nothing was created twice; what was created is known as created or duplicate, or known to be in doubt. */
async function expectNothingLostOrDoubled(machine: Machine): Promise<void> {
  const { ledger } = await planOf(table, { lookup: () => 'none' });
  for (const [at, need] of NEEDS.entries()) {
    const acts = machine.service.actsOn(need);
    expect(acts, `creations of "${need}"`).toBeLessThanOrEqual(1);
    if (acts === 0) continue;
    const state = await machine.known(ledger.key(at + 1) ?? '');
    expect([need, state]).toEqual([need, expect.stringMatching(/^(?:created|duplicate|sending|unknown|parked)$/)]);
  }
}

test('a file imported day after day, with a validate that tells the truth late, loses no row and doubles none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: 4 }), async (days) => {
      const machine = new Machine();
      try {
        for (const each of days) await live(machine, each);
      } finally {
        machine.close();
      }
    }),
    { numRuns: 50 },
  );
});
