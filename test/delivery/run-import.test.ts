import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PassDeps, type SendOptions, sendRows } from '../../src/delivery/send-rows.ts';
import { type Sent, submitRequest } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { Table } from '../../src/request/lead/table.ts';
import type { ImportPlan } from '../../src/request/log/import-plan.ts';
import { PREPARATION, passOf, planOf, submissionOf, tableOf } from './leads.ts';
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
  readonly yielded: Sent[];
  readonly stop: string | null;
  readonly why: string | null;
}

async function importWith(
  process: Process,
  table: Table,
  changes: Partial<SendOptions> = {},
  more: Partial<PassDeps> = {},
): Promise<Ran> {
  const { api, log, clock, halt } = process;
  const plan = await planOf(table, log);
  const deps = { api, log, clock, preparation: PREPARATION, halt, ...more };
  const { yielded, returned } = await passOf(
    sendRows(plan, deps, { ...OPTIONS, supervisor: new Supervisor(null, 0), ...changes }),
    plan,
    halt,
  );
  return { plan, yielded, stop: returned?.code ?? null, why: returned?.reason ?? null };
}

test('a created row does not hold up the next one while it is recorded; a refused one does', async () => {
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

test('a file that changes during its import ends it before the changed row, with all results', async () => {
  const needs = needsOf(10);
  const first = tableOf(needs);
  const changed = tableOf(needs.with(6, 'Something else'));
  let reads = 0;
  const table: Table = { ...first, rows: () => (reads++ === 0 ? first.rows() : changed.rows()) };
  const ran = await machine.run((process) => importWith(process, table));
  expect(ran).toMatchObject({ stop: 'input', yielded: Array.from({ length: 6 }, () => ({ unrecorded: false })) });
  expect(machine.service.acts.map(({ need }) => need)).toEqual(needs.slice(0, 6));
});

describe('Settling an import', () => {
  test('A settlement that has to stop accounts for every row it was at', async () => {
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
      expect(yielded.filter(({ status }) => status === 'created')).toHaveLength(created);
      expect(counts).toMatchObject({ created, repeated: 16 });
      const { failed, unknown } = counts;
      expect(created + failed + unknown).toBe(8);
    });
  });
});
