import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isTrusted, NO_EVIDENCE, settleWaitMs } from '../../src/model/evidence.ts';
import { runImport } from '../../src/pipeline/run-import.ts';
import { Witness } from '../../src/pipeline/witness.ts';
import { drain, PREPARATION, planOf, submissionOf, tableOf } from './leads.ts';
import { Machine, type Process } from './processes.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const { request, key } = submissionOf('Pintar');

/** Creates a request now, has it looked at, and gives time to see it. */
async function witnessOne({ api, clock, halt }: Process, seconds: number) {
  const witness = new Witness(api, clock, halt.signal, null);
  await api.create(request, async () => true, key);
  witness.created(request);
  await clock.sleep(0);
  for (let second = 0; second < seconds; second++) await new Promise(setImmediate);
  await witness.end();
  return witness.evidence;
}

describe('A creation counts as seen', () => {
  test('with the time it took validate to see it, asked about again and again', async () => {
    machine.service.sight = { lagMs: 5_000 };
    const evidence = await machine.run((process) => witnessOne(process, 100));
    // Asked after 0, 1, 3 and 7 seconds.
    expect(evidence).toEqual({ asked: 1, found: 1, slowestMs: 7_000 });
  });

  test('never, when validate has not seen it after a minute', async () => {
    machine.service.sight = 'always clear';
    const evidence = await machine.run((process) => witnessOne(process, 100));
    expect(evidence).toEqual({ asked: 1, found: 0, slowestMs: 0 });
  });

  test('neither way, when the run ends before', async () => {
    machine.service.sight = { lagMs: 50_000 };
    expect(await machine.run((process) => witnessOne(process, 0))).toEqual(NO_EVIDENCE);
  });

  test('neither way, when the run is stopped', async () => {
    machine.service.sight = 'always duplicate';
    const evidence = await machine.run(async ({ api, clock, halt }) => {
      const witness = new Witness(api, clock, halt.signal, null);
      witness.created(request);
      halt.abort();
      await witness.end();
      return witness.evidence;
    });
    expect(evidence).toEqual(NO_EVIDENCE);
  });

  test('neither way, when validate cannot be used', async () => {
    machine.service.sight = 'down';
    expect(await machine.run((process) => witnessOne(process, 100))).toEqual(NO_EVIDENCE);
  });
});

test('of many creations the first three are looked at, and one in five hundred', async () => {
  const asked = await machine.run(async ({ api, clock, halt }) => {
    const witness = new Witness(api, clock, halt.signal, { asked: 7, found: 7, slowestMs: 900 });
    await api.create(request, async () => true, key);
    for (let count = 0; count < 1_000; count++) witness.created(request);
    await witness.end();
    return witness.evidence;
  });
  expect(asked).toEqual({ asked: 12, found: 12, slowestMs: 900 });
  expect(machine.service.asked).toHaveLength(5);
});

describe('An import gathers evidence', () => {
  const runAll = (options: { validate: boolean; onDuplicate: 'skip' | 'create' }) =>
    machine.run(async ({ api, log, clock, halt }) => {
      const plan = await planOf(tableOf(['a', 'b', 'c', 'd', 'e']), log);
      const witness = new Witness(api, clock, halt.signal, null);
      const deps = { api, log, clock, witness, preparation: PREPARATION, halt };
      const importing = { ...options, again: false, concurrency: 2, budget: null };
      await drain(runImport(plan, deps, importing));
      await witness.end();
      expect(plan.ledger.counts()).toMatchObject({ created: 5 });
      return witness.evidence;
    });

  test('from requests that validate called clear before', async () => {
    expect(await runAll({ validate: true, onDuplicate: 'skip' })).toMatchObject({ asked: 3, found: 3 });
  });

  test('never from a validate that calls everything a duplicate', async () => {
    machine.service.sight = 'always duplicate';
    expect(await runAll({ validate: true, onDuplicate: 'create' })).toEqual(NO_EVIDENCE);
  });

  test('never without having asked before', async () => {
    expect(await runAll({ validate: false, onDuplicate: 'skip' })).toEqual(NO_EVIDENCE);
  });
});

test('validate is trusted when it saw all of at least three, and is then given a minute or three times its slowest', () => {
  expect(isTrusted({ asked: 2, found: 2, slowestMs: 0 })).toBe(false);
  expect(isTrusted({ asked: 3, found: 3, slowestMs: 0 })).toBe(true);
  expect(isTrusted({ asked: 900, found: 899, slowestMs: 0 })).toBe(false);
  expect(settleWaitMs({ asked: 3, found: 3, slowestMs: 19_000 }, null)).toBe(60_000);
  expect(settleWaitMs({ asked: 3, found: 3, slowestMs: 21_000 }, null)).toBe(63_000);
  expect(settleWaitMs({ asked: 3, found: 3, slowestMs: 21_000 }, 5_000)).toBe(5_000);
});
