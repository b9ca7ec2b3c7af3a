import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settleDoubt } from '../../src/pipeline/settle-doubt.ts';
import { type SubmitOptions, submitRequest } from '../../src/pipeline/submit-request.ts';
import { readLines, submissionOf } from './leads.ts';
import { Life } from './life.ts';
import { Machine, type Process } from './processes.ts';
import type { Sight, Step } from './scripted-service.ts';

const UNCHECKED: SubmitOptions = { validate: false, onDuplicate: 'skip', again: false };
const NEED = 'Pintar a sala';
const SUBMISSION = submissionOf(NEED);
const { key } = SUBMISSION;
const WAIT_MS = 60_000;

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const submit = () => machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED));

/** Leaves the request in doubt: it was taken, or it was not. */
async function fallIntoDoubt(acts: boolean, sight: Sight = { lagMs: 0 }): Promise<void> {
  machine.service.sight = sight;
  machine.service.script(NEED, [{ answer: 'reset after writing', acts }]);
  expect(await submit()).toMatchObject({ result: { status: 'unknown' } });
}

const settling =
  (resend: SubmitOptions | null) =>
  ({ api, log, clock, halt }: Process) =>
    settleDoubt(SUBMISSION, { api, log, clock, stopping: halt.signal, waitMs: WAIT_MS, resend });

const settle = (resend: SubmitOptions | null = null) => machine.run(settling(resend));
const answers = (...names: Step['answer'][]) =>
  machine.service.script(
    NEED,
    names.map((answer) => ({ answer, acts: false })),
  );

test('validate is asked twice, the first time when the wait since the send is over, the second some seconds later', async () => {
  await fallIntoDoubt(true);
  const sentAtMs = machine.service.arrivals[0]?.atMs ?? 0;
  machine.clock.passMs(10_000);
  await settle();
  const [first = 0, second = 0, ...more] = machine.service.asked.map(({ atMs }) => atMs - sentAtMs);
  expect(first).toBe(WAIT_MS);
  expect(second - first).toBeGreaterThanOrEqual(2_000);
  expect(more).toEqual([]);
});

test('a doubt that is old enough is not waited for', async () => {
  await fallIntoDoubt(true);
  machine.clock.passMs(WAIT_MS * 2);
  const beforeMs = machine.clock.nowMs();
  await settle();
  expect(machine.service.asked[0]?.atMs).toBe(beforeMs);
});

test('twice duplicate: it was taken; it is created, without identifiers, on the word of validate', async () => {
  await fallIntoDoubt(true);
  expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'created', ids: {} }, wasClear: false });
  expect(readLines(machine.logPath).map(({ event, by }) => [event, by])).toEqual([
    ['sending', undefined],
    ['unknown', undefined],
    ['created', 'validate'],
  ]);
  expect(machine.service.actsOn(NEED)).toBe(1);
});

test('twice clear: a licence is written down before the request is sent again', async () => {
  await fallIntoDoubt(false);
  const known: string[] = [];
  machine.service.meanwhile = async () => {
    known.push(await machine.known(key));
  };
  expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'created', ids: { request_id: 'R-77' } } });
  expect(known).toEqual(['unknown', 'unknown', 'parked']);
  expect(readLines(machine.logPath).map(({ event }) => event)).toEqual([
    'sending',
    'unknown',
    'licence',
    'sending',
    'created',
  ]);
});

test('twice clear without leave to send: the next run sends it, once', async () => {
  await fallIntoDoubt(false);
  expect(await settle(null)).toMatchObject({ result: { status: 'failed' }, stop: null });
  expect(machine.service.arrivals).toHaveLength(1);
  expect(await submit()).toMatchObject({ result: { status: 'created' } });
  expect(await submit()).toMatchObject({ result: { status: 'repeated' } });
  expect(machine.service.actsOn(NEED)).toBe(1);
});

describe('Where intents run out after 20 s, as in a store', () => {
  const LIFE_MS = 20_000;
  const SHORT_MS = 5_000;
  const settleShared = (mayBeUnderWay: () => boolean = () => false) =>
    machine.run(({ api, log, clock, halt }) => {
      const shared = { ...log, intentLifeMs: LIFE_MS, mayBeUnderWay };
      return settleDoubt(SUBMISSION, {
        api,
        log: shared,
        clock,
        stopping: halt.signal,
        waitMs: SHORT_MS,
        resend: UNCHECKED,
      });
    });
  const firstAskedMs = () => machine.service.asked[0]?.atMs ?? 0;

  test('one without an outcome is not asked about before twice that: whoever made it may yet send', async () => {
    const intendedMs = machine.clock.nowMs();
    const died = await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED), {
      life: new Life({ at: 'the arrival', time: 1 }),
    });
    expect(died).toBe('died');
    expect(await machine.known(key)).toBe('sending');
    await settleShared();
    expect(firstAskedMs() - intendedMs).toBeGreaterThanOrEqual(2 * LIFE_MS);
  });

  test('one with an outcome is used up', async () => {
    await fallIntoDoubt(true);
    await settleShared();
    expect(firstAskedMs() - (machine.service.arrivals[0]?.atMs ?? 0)).toBe(SHORT_MS);
  });

  test('a process that is back after the questions is left alone', async () => {
    await fallIntoDoubt(false);
    let looks = 0;
    expect(await settleShared(() => ++looks > 1)).toMatchObject({ result: { status: 'unknown' } });
    expect([looks, machine.service.asked.length, machine.service.arrivals.length]).toEqual([2, 2, 1]);
    expect(await machine.known(key)).toBe('unknown');
  });
});

describe('Left to a person', () => {
  test('is a request about which validate contradicts itself', async () => {
    await fallIntoDoubt(true, { lagMs: WAIT_MS + 1_500 });
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(machine.service.asked.map(({ clear }) => clear)).toEqual([true, false]);
    expect(await machine.known(key)).toBe('parked');
    await settle(UNCHECKED);
    expect(machine.service.asked).toHaveLength(2);
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test.each<[string, Step['answer'][]]>([
    ['at once', ['reset after writing']],
    ['after a try that was certainly not taken', ['404', 'reset after writing']],
    ['after a refusal of its data', ['422', 'reset after writing']],
  ])('is a request that is in doubt again on its licence, %s', async (_, onLicence) => {
    await fallIntoDoubt(false);
    await settle(null);
    answers(...onLicence);
    for (const _answer of onLicence) await submit();
    expect(await machine.known(key)).toBe('parked');
    const askedBefore = machine.service.asked.length;
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(machine.service.asked).toHaveLength(askedBefore);
    expect(machine.service.arrivals).toHaveLength(1 + onLicence.length);
  });
});

describe('Nothing is settled', () => {
  test.each(['unreadable', 'down'] as const)('by a validate that is %s; it can be asked later', async (sight) => {
    await fallIntoDoubt(true, sight);
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(await machine.known(key)).toBe('unknown');
    machine.service.sight = { lagMs: 0 };
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'created' } });
  });

  test('when the user stops the command: nothing is asked, sent or recorded any more', async () => {
    await fallIntoDoubt(false);
    const stopped = await machine.run((process) => {
      process.halt.abort();
      return settling(UNCHECKED)(process);
    });
    expect(stopped).toMatchObject({ result: { status: 'unknown' } });
    expect([machine.service.asked.length, machine.service.arrivals.length]).toEqual([0, 1]);
    expect(await machine.known(key)).toBe('unknown');
  });

  test('about a request that is not in doubt', async () => {
    await submit();
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(machine.service.asked).toEqual([]);
    expect(await machine.known(key)).toBe('created');
  });
});

test('what another process found out meanwhile is not covered up', async () => {
  await fallIntoDoubt(false);
  machine.service.meanwhile = async () => {
    machine.service.meanwhile = () => {};
    await machine.run(settling(UNCHECKED), { exclusive: false });
  };
  await settle(UNCHECKED);
  expect(machine.service.actsOn(NEED)).toBe(1);
  expect(readLines(machine.logPath).at(-1)).toMatchObject({ event: 'created', ids: { request_id: 'R-77' } });
});
