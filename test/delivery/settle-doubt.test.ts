import { copyFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ControlRounds, knownCreated } from '../../src/delivery/controls.ts';
import { type SettleDeps, settleDoubt, type Validation } from '../../src/delivery/settle-doubt.ts';
import { type SubmitOptions, submitRequest } from '../../src/delivery/submit.ts';
import type { MarketplaceApi, ValidateResult } from '../../src/request/ports.ts';
import { FEW_CONTROLS_WAIT_MS, MAX_CONTROLS } from '../../src/request/visibility.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { readLines, submissionOf } from './leads.ts';
import { Life } from './life.ts';
import { Machine, type Process } from './processes.ts';
import type { Sight, Step } from './scripted-service.ts';
import { createdBeside, settlingOf, TRUSTED } from './settling.ts';

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

const settling = (resend: SubmitOptions | null) => (process: Process) =>
  settleDoubt(SUBMISSION, settlingOf(process, key, WAIT_MS, resend, machine.service));

/** The questions about the request itself, controls left out. */
const asked = () => machine.service.asked.filter(({ need }) => need === NEED);
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

test('twice duplicate says nothing of a second send, for the first one is there', async () => {
  const again = (options: SubmitOptions) => machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options));
  await submit();
  machine.service.script(NEED, [{ answer: 'reset after writing', acts: false }]);
  expect(await again({ ...UNCHECKED, again: true })).toMatchObject({ result: { status: 'unknown' } });
  expect(await settle(UNCHECKED)).toMatchObject({
    result: { status: 'unknown', message: expect.stringContaining('may be the one that was sent before') },
  });
  expect(asked()).toHaveLength(2);
  expect(readLines(machine.logPath).map(({ event }) => event)).toEqual(['sending', 'created', 'sending', 'unknown']);
});

test('validate is not asked by another contract than the one that wrote the first try, since it may look elsewhere', async () => {
  const paths = { v0: contractWith({ create: { path: '/v0/requests' } }), public: undefined };
  for (const [first, now] of [
    [paths.v0, paths.public],
    [paths.public, paths.v0],
  ]) {
    const older = new Machine(first);
    older.service.script(NEED, [{ answer: 'reset after writing', acts: true }]);
    await older.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED));
    machine.close();
    machine = new Machine(now);
    copyFileSync(older.logPath, machine.logPath);
    older.close();
    let passedOn = 0;
    const settled = await machine.run((process) => {
      const deps = settlingOf(process, key, WAIT_MS, UNCHECKED, machine.service);
      return settleDoubt(SUBMISSION, { ...deps, lacksControls: () => (passedOn += 1) });
    });
    expect(settled).toMatchObject({
      result: { status: 'unknown', message: expect.stringContaining('by another contract') },
    });
    expect([machine.service.asked, machine.service.arrivals, passedOn]).toEqual([[], [], 1]);
  }
});

test('twice duplicate says nothing of what validate knew before it was sent', async () => {
  // Another log's, or another partner's, request of the same content is at the service.
  machine.service.acts.push({ need: NEED, atMs: machine.clock.nowMs() });
  machine.service.script(NEED, [{ answer: 'reset after writing', acts: false }]);
  const options: SubmitOptions = { validate: true, onDuplicate: 'create', again: false };
  const sent = await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options));
  expect(sent).toMatchObject({ result: { status: 'unknown' } });
  expect(await settle(UNCHECKED)).toMatchObject({
    result: { status: 'unknown', message: expect.stringContaining('may be the one that was sent before') },
  });
  expect(readLines(machine.logPath).map(({ event }) => event)).toEqual(['sending', 'unknown']);
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
  expect(new Set(known.slice(0, -1))).toEqual(new Set(['unknown']));
  expect(known.at(-1)).toBe('parked');
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

test('what a living process has under way is neither asked about nor sent', async () => {
  await fallIntoDoubt(false);
  const left = await machine.run((process) => {
    const beside = { ...process, log: { ...process.log, mayBeUnderWay: () => true } };
    return settleDoubt(SUBMISSION, settlingOf(beside, key, WAIT_MS, UNCHECKED, machine.service));
  });
  expect(left).toMatchObject({ result: { status: 'unknown' } });
  expect([asked().length, machine.service.arrivals.length]).toEqual([0, 1]);
});

describe('Where intents run out after 20 s, as in a store', () => {
  const LIFE_MS = 20_000;
  const SHORT_MS = 5_000;
  const settleShared = (mayBeUnderWay: () => boolean = () => false) =>
    machine.run((process) => {
      const shared = { ...process, log: { ...process.log, writeLeaseMs: LIFE_MS, mayBeUnderWay } };
      return settleDoubt(SUBMISSION, settlingOf(shared, key, SHORT_MS, UNCHECKED, machine.service));
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
    expect([looks, asked().length, machine.service.arrivals.length]).toEqual([2, 3, 1]);
    expect(await machine.known(key)).toBe('unknown');
  });
});

describe('Left to a person', () => {
  test('is a request about which validate contradicts itself', async () => {
    await fallIntoDoubt(true, { lagMs: WAIT_MS + 1_500 });
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(asked().map(({ clear }) => clear)).toEqual([true, true, false]);
    expect(await machine.known(key)).toBe('parked');
    await settle(UNCHECKED);
    expect(asked()).toHaveLength(3);
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

describe('A licence needs controls', () => {
  /** Settles with these controls; `validate` stands before the service's own. */
  const settleWith = (
    known: SettleDeps['loadControls'],
    validate: (need: string, own: () => Promise<ValidateResult>) => Promise<ValidateResult> = (_, own) => own(),
  ) =>
    machine.run((process) => {
      const own = process.api;
      const api: MarketplaceApi = {
        idempotencyWindowMs: null,
        wireForm: null,
        create: own.create.bind(own),
        confirm: own.confirm.bind(own),
        slowDown: own.slowDown.bind(own),
        validate: (request) => validate(request.params['request_text'] ?? '', () => own.validate(request)),
      };
      const settling = settlingOf({ ...process, api }, key, WAIT_MS, UNCHECKED, null);
      return settleDoubt(SUBMISSION, { ...settling, loadControls: known });
    });
  const sentAtMs = () => machine.service.arrivals[0]?.atMs ?? 0;
  const beside = (count: number) => async () => createdBeside(machine.service, sentAtMs(), count);
  const stillInDoubt = (words: RegExp) => ({ result: { status: 'unknown', message: expect.stringMatching(words) } });

  test('three of them; with fewer the request stays in doubt, and a later run may settle it', async () => {
    await fallIntoDoubt(false);
    expect(await settleWith(beside(2))).toMatchObject(stillInDoubt(/cannot be checked/));
    expect([await machine.known(key), machine.service.arrivals.length]).toEqual(['unknown', 1]);
    expect(await settleWith(beside(3))).toMatchObject({ result: { status: 'created' } });
  });

  test('what is there needs none', async () => {
    await fallIntoDoubt(true);
    expect(await settleWith(async () => [])).toMatchObject({ result: { status: 'created' } });
  });

  test('that validate sees, all of them', async () => {
    await fallIntoDoubt(false);
    const blindToOne = async (need: string, own: () => Promise<ValidateResult>) =>
      need.startsWith('Control 2') ? CLEAR : own();
    expect(await settleWith(beside(3), blindToOne)).toMatchObject(stillInDoubt(/did not see 1 of 3 requests/));
    expect(machine.service.arrivals).toHaveLength(1);
  });

  // The questions about a request that is there, and the three rounds of three controls, in their order.
  const ORDER = ['p', 'c', 'c', 'c', 'q', 'c', 'c', 'c', 'q', 'c', 'c', 'c'];
  test.each([
    ['before the questions', 1, 3],
    ['between them', 5, 7],
    ['after them', 9, 11],
    ['at one control after them', 11, 11],
  ])('that validate sees %s', async (_, from, to) => {
    await fallIntoDoubt(true);
    const order: string[] = [];
    const blindFor = async (need: string, own: () => Promise<ValidateResult>) => {
      const at = order.push(need === NEED ? (order.length === 0 ? 'p' : 'q') : 'c') - 1;
      if (need === NEED) return CLEAR;
      return at >= from && at <= to ? CLEAR : own();
    };
    expect(await settleWith(beside(3), blindFor)).toMatchObject(stillInDoubt(/did not see \d of 3/));
    expect(order).toEqual(ORDER);
    expect(machine.service.arrivals).toHaveLength(1);
  });

  test('that are as old as it when they are asked about: what is younger than a lag looks as if it were not there', async () => {
    // Seen after 110 s: the controls, which went 50 s before it, as soon as it is 60 s old.
    await fallIntoDoubt(true, { lagMs: 105_000 });
    machine.clock.passMs(60_000);
    const older = async () => createdBeside(machine.service, sentAtMs() - 50_000, 3);
    expect(await settleWith(older)).toMatchObject({ result: { status: 'created' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('that become as old as it was: what is older than a memory looks as if it were not there', async () => {
    const dayMs = 24 * 3_600_000;
    await fallIntoDoubt(true);
    machine.clock.passMs(dayMs);
    const youngerBy = 50_000;
    const younger = async () => createdBeside(machine.service, sentAtMs() + youngerBy, 3);
    const forgetful = async (need: string, own: () => Promise<ValidateResult>) => {
      const ageMs = machine.clock.nowMs() - sentAtMs() - (need === NEED ? 0 : youngerBy);
      return ageMs > dayMs - 1_000 ? CLEAR : own();
    };
    expect(await settleWith(younger, forgetful)).toMatchObject(stillInDoubt(/did not see 3 of 3/));
    expect(machine.service.arrivals).toHaveLength(1);
  });

  test('that are created, by the service’s own word', async () => {
    await fallIntoDoubt(false);
    const known = await machine.run(async ({ log }) => {
      const submissions = ['one', 'two', 'three', 'four', 'five'].map((need, at) => submissionOf(need, at + 2));
      for (const [at, { key: name }] of submissions.entries()) {
        const subject = { key: name, row: at + 2, ref: null };
        const outcome = { ids: {}, http: 201, message: null, raw: null, ms: 700 };
        if (at < 4) await log.outcome(subject, { ...outcome, status: 'created' }, at === 3 ? { by: 'validate' } : {});
        else await log.outcome(subject, { ...outcome, status: 'duplicate' });
      }
      return knownCreated(submissions, log);
    });
    if (known === 'died') expect.fail('It was not meant to die.');
    const sent = machine.clock.nowMs() - 700;
    expect(known).toMatchObject(['one', 'two', 'three'].map((need) => ({ sentAtMs: sent, ...needOf(need) })));
    expect(known).toHaveLength(3);
  });
});

const CLEAR: ValidateResult = { verdict: 'clear', ids: {}, http: 200, message: null, refused: null, raw: null };
const needOf = (need: string) => ({ request: { params: { request_text: need } } });

describe('As long as nothing else was chosen', () => {
  /** How long after the send the request is asked about first, and last. */
  async function waited(
    run: string,
    { controls = MAX_CONTROLS, ...changes }: Partial<Validation> & { readonly controls?: number } = {},
  ): Promise<number[]> {
    const sentAtMs = machine.clock.nowMs();
    const told: number[] = [];
    await machine.run(
      (process) => {
        const settling = settlingOf(process, key, 1, UNCHECKED, null);
        const known = async () => createdBeside(machine.service, sentAtMs, controls);
        const waiting = (waitMs: number) => told.push(waitMs);
        const believing = settling.validation && { ...settling.validation, settleMs: null, waiting, ...changes };
        return settleDoubt(SUBMISSION, { ...settling, validation: believing, loadControls: known });
      },
      { run },
    );
    const ages = asked().map(({ atMs }) => atMs - sentAtMs);
    if (told.length > 0 && ages.length > 0) expect(told[0]).toBe(ages[0]);
    return [ages[0] ?? 0, ages.at(-1) ?? 0];
  }

  test('a doubt of this run is asked about after a minute, for its socket was reset', async () => {
    await fallIntoDoubt(false);
    expect(await waited('run')).toEqual([60_000, 63_000]);
  });

  test.each([
    ['of another run', 'another run', {}],
    ['of this run that went through a proxy', 'run', { isProxied: true }],
  ] as const)('a doubt %s, after four minutes', async (_, run, changes) => {
    await fallIntoDoubt(false);
    expect(await waited(run, changes)).toEqual([240_000, 243_000]);
  });

  test('what was written as a process died is not sent again before its kernel has given up delivering it', async () => {
    const died = await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED), {
      life: new Life({ at: 'the arrival', time: 1 }),
      run: 'one that was killed',
    });
    expect(died).toBe('died');
    const writtenAtMs = machine.clock.nowMs();
    const sleep = machine.clock.sleep;
    const deliver = () => {
      const isThere = machine.service.actsOn(NEED) > 0;
      if (!isThere && machine.clock.nowMs() - writtenAtMs >= 81_000)
        machine.service.acts.push({ need: NEED, atMs: writtenAtMs + 81_000 });
    };
    machine.clock.sleep = async (ms, signal) => {
      await sleep(ms, signal);
      deliver();
    };
    const settled = machine.run(
      (process) => {
        const settling = settlingOf(process, key, null, UNCHECKED, null);
        const known = async () => createdBeside(machine.service, writtenAtMs, MAX_CONTROLS);
        const rounds = new ControlRounds(process.api, process.halt.signal);
        const believing = { proof: TRUSTED, settleMs: null, isProxied: false, waits: true, rounds };
        return settleDoubt(SUBMISSION, { ...settling, validation: believing, loadControls: known });
      },
      { run: 'the next one' },
    );
    expect(await settled).toMatchObject({ result: { status: 'created' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('three times the slowest look is waited for, where that is longer', async () => {
    await fallIntoDoubt(false);
    const sight = () => ({ seen: 3, unseen: 0, slowestMs: 100_000 });
    expect((await waited('run', { proof: { ...TRUSTED, sight } }))[0]).toBe(300_000);
  });

  test('with few controls it is not sent again before it is so old that no lag counts', async () => {
    await fallIntoDoubt(false);
    expect(await waited('run', { controls: 3 })).toEqual([60_000, FEW_CONTROLS_WAIT_MS + 3_000]);
  });

  test('it is left alone by a validate that has not proven to see its kind, or proves it too late', async () => {
    await fallIntoDoubt(false);
    let looks = 0;
    for (const proof of [
      { sight: () => ({ seen: 2, unseen: 0, slowestMs: 0 }), mayBecomeTrusted: () => false },
      { sight: () => ({ seen: 2, unseen: looks > 1 ? 1 : 0, slowestMs: 0 }), mayBecomeTrusted: () => ++looks < 4 },
      { sight: () => ({ seen: 9, unseen: 1, slowestMs: 0 }), mayBecomeTrusted: () => false },
    ]) {
      await waited('run', { proof });
      expect([await machine.known(key), asked()]).toEqual(['unknown', []]);
    }
  });

  test('it is not sent again by a validate that is found not to see while the last question is asked', async () => {
    await fallIntoDoubt(false);
    const sight = () => ({ seen: 9, unseen: asked().length < 3 ? 0 : 1, slowestMs: 0 });
    await waited('run', { proof: { ...TRUSTED, sight } });
    expect([await machine.known(key), asked().length, machine.service.arrivals.length]).toEqual(['unknown', 3, 1]);
  });

  test('a proof that comes while it waits is good', async () => {
    await fallIntoDoubt(true);
    let looks = 0;
    const sight = () => ({ seen: looks < 5 ? 2 : 3, unseen: 0, slowestMs: 0 });
    await waited('run', { proof: { sight, mayBecomeTrusted: () => ++looks < 9 } });
    expect(await machine.known(key)).toBe('created');
  });

  test('a command that does not wait leaves a young doubt alone', async () => {
    await fallIntoDoubt(true);
    const before = machine.clock.nowMs();
    expect(await waited('run', { waits: false })).toEqual([0, 0]);
    expect([machine.clock.nowMs(), await machine.known(key)]).toEqual([before, 'unknown']);
  });
});

describe('A record whose time cannot be true', () => {
  test.each([
    ['from 60 days ahead', 60 * 24 * 3_600_000],
    ['from a day ahead', 24 * 3_600_000],
    ['from two minutes ahead', 120_000],
    ['from before the service was', -20 * 365 * 24 * 3_600_000],
  ])('%s, is neither waited for nor settled', async (_, shiftMs) => {
    const now = machine.clock.nowMs;
    machine.clock.nowMs = () => now() + shiftMs;
    await fallIntoDoubt(false);
    machine.clock.nowMs = now;
    const beforeMs = now();
    expect(await settle(UNCHECKED)).toMatchObject({
      result: { status: 'unknown', message: expect.stringMatching(/dated \d{4}-.* contradicts.*srq resolve KEY/) },
    });
    expect([now(), asked(), machine.service.arrivals.length]).toEqual([beforeMs, [], 1]);
    expect(await machine.known(key)).toBe('unknown');
  });

  test('is one that is a little ahead only as clocks are', async () => {
    await fallIntoDoubt(true);
    machine.clock.passMs(-30_000);
    expect(await settle(UNCHECKED)).toMatchObject({ result: { status: 'created' } });
  });
});
