import { copyFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SubmitOptions, subjectOf, submitRequest } from '../../src/delivery/submit.ts';
import { withNeighbours } from '../../src/delivery/witness.ts';
import { outcomeOf } from '../../src/request/log/outcome.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { fakeApi } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { planOf, readLines, submissionOf, tableOf } from './leads.ts';
import { Life } from './life.ts';
import { Machine, type Process } from './processes.ts';
import type { Sight, Step } from './scripted-service.ts';
import {
  createNeighbours,
  NEIGHBOURS,
  neighbours,
  recordCreated,
  type Settling,
  settleOne,
  settlePlan,
} from './settling.ts';

const CHECKED: SubmitOptions = { validate: true, onDuplicate: 'skip', again: false };
const UNCHECKED: SubmitOptions = { ...CHECKED, validate: false };
const NEED = 'Pintar a sala';
const SUBMISSION = submissionOf(NEED);
const { key } = SUBMISSION;
const WAIT_MS = 60_000;

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const submit = (options = CHECKED) => machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options));

/** Leaves the outcome unknown: the request was taken, or it was not. Twelve others were created at that time. */
async function loseAnswer(acts: boolean, sight: Sight = { lagMs: 0 }, options = CHECKED): Promise<void> {
  machine.service.script(NEED, [{ answer: 'reset after writing', acts }]);
  expect(await submit(options)).toMatchObject({ status: 'unknown' });
  await createNeighbours(machine);
  machine.service.asked.length = 0;
  machine.service.sight = sight;
}

const settling =
  (given: Settling = {}, around?: string[]) =>
  (process: Process) =>
    settleOne(process, NEED, { settleMs: WAIT_MS, ...given }, around);
const settle = (given?: Settling, around?: string[]) => machine.run(settling(given, around));
/** The questions about the request itself, without the one that the second round asks alone. */
const asked = () => machine.service.asked.filter(({ need }) => need === NEED).filter((_, at) => at % 3 < 2);
const arrivals = () => machine.service.arrivals.filter(({ need }) => need === NEED).length;
const events = () => readLines(machine.logPath).filter((line) => Object(line)['key'] === key);
const stays = (words: RegExp) => ({ status: 'unknown', message: expect.stringMatching(words) });

describe('What validate calls a duplicate in both rounds', () => {
  test('A row that validate twice calls a duplicate was taken: created, without identifiers', async () => {
    await loseAnswer(true);
    expect(await settle()).toMatchObject({ status: 'created', ids: {} });
    expect(events().map(({ event, by }) => [event, by])).toEqual([
      ['sending', 'clear'],
      ['unknown', 'clear'],
      ['created', 'validate'],
    ]);
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('A duplicate that validate had not called clear before may be another request', async () => {
    await loseAnswer(true, { lagMs: 0 }, UNCHECKED);
    expect(await settle()).toMatchObject(stays(/did not call this one clear before/));
    expect([await machine.known(key), arrivals()]).toEqual(['unknown', 1]);
  });

  test('A duplicate of a deliberate second send may be the first send', async () => {
    await submit();
    machine.service.script(NEED, [{ answer: 'reset after writing', acts: false }]);
    expect(await submit({ ...UNCHECKED, again: true })).toMatchObject({ status: 'unknown' });
    await createNeighbours(machine);
    expect(await settle()).toMatchObject(stays(/may be the one that was sent before/));
    expect(events().map(({ event }) => event)).not.toContain('licence');
  });

  test('A row that validate twice calls a duplicate gets a note of its words, times and content', async () => {
    await loseAnswer(true, { lagMs: 0 }, UNCHECKED);
    const sentAtMs = machine.clock.nowMs();
    await settle();
    const last = Object(events().at(-1));
    expect(last).toMatchObject({ event: 'unknown', by: 'looked', message: expect.stringMatching(/knew it.* UTC\.$/) });
    // Its age is still that of the send.
    expect(Date.parse(last.at) - last.ms).toBeLessThanOrEqual(sentAtMs);
  });
});

test('What validate said ends the settling where it cannot be recorded', async () => {
  await loseAnswer(true, { lagMs: 0 }, UNCHECKED);
  const full = new SrqError('log.unwritable', 'The log is full.');
  const settled = await machine.run(async (process) => {
    const plan = await planOf(tableOf([NEED, ...neighbours()]), process.log);
    process.log.outcome = () => Promise.reject(full);
    return settlePlan(process, plan);
  });
  expect(settled).toEqual({ yielded: [], returned: full });
});

test('The wait for the age of a row ends when the process that sent it has found out its outcome', async () => {
  const clock = new VirtualClock();
  const memory = new MemoryLog(() => Date.UTC(2026, 10, 21) + clock.nowMs());
  const [sender, log] = [memory.openAs('who sent it'), memory.openAs('this run')];
  const unknown = outcomeOf('unknown', null, { http: 201, ms: 1 });
  await recordCreated(sender, neighbours(), sender.nowMs() - 1_000);
  await sender.outcome(subjectOf(SUBMISSION), unknown, { wasClear: true });
  const plan = await planOf(tableOf([NEED, ...neighbours()]), log);
  const settled = settlePlan({ api: fakeApi(), log, clock, halt: new AbortController() }, plan, { settleMs: null });
  void clock.sleep(7_000).then(() => sender.outcome(subjectOf(SUBMISSION), { ...unknown, status: 'created' }));
  expect(await clock.until(settled)).toMatchObject({ yielded: [{ row: 1, isFromLog: true }], returned: null });
  expect(clock.nowMs()).toBeLessThan(15_000);
});

describe('What validate calls clear in both rounds', () => {
  test('A row that validate twice calls clear was not taken: its licence is written before the next send', async () => {
    await loseAnswer(false);
    const known: string[] = [];
    machine.service.meanwhile = async () => {
      known.push(await machine.known(key));
    };
    expect(await settle()).toMatchObject({ status: 'created', ids: { request_id: 'R-77' } });
    expect(new Set(known.slice(0, -1))).toEqual(new Set(['unknown']));
    expect(known.at(-1)).toBe('parked');
    expect(events().map(({ event }) => event)).toEqual(['sending', 'unknown', 'licence', 'sending', 'created']);
  });

  test('A row that validate twice calls clear needs no earlier word of validate', async () => {
    await loseAnswer(false, { lagMs: 0 }, UNCHECKED);
    expect(await settle()).toMatchObject({ status: 'created' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test.each<[string, Step['answer'][]]>([
    ['at once', ['reset after writing']],
    ['after a try that was certainly not taken', ['404', 'reset after writing']],
    ['after a refusal of its data', ['422', 'reset after writing']],
  ])('A row that is unknown again on its licence is left to a person, %s', async (_, onLicence) => {
    await loseAnswer(false);
    machine.service.script(
      NEED,
      onLicence.map((answer) => ({ answer, acts: false })),
    );
    await settle();
    for (const _answer of onLicence.slice(1)) await submit(UNCHECKED);
    expect(await machine.known(key)).toBe('parked');
    const before = asked().length;
    expect(await settle()).toMatchObject({ status: 'unknown' });
    expect([asked().length, arrivals()]).toEqual([before, 1 + onLicence.length]);
  });
});

test('Of rows that validate calls clear, no other one is sent once one has no clear answer again', async () => {
  const needs = ['Pintar o teto', 'Pintar a porta', 'Pintar o muro'];
  for (const need of needs) {
    machine.service.script(need, Array(2).fill({ answer: 'reset after writing', acts: false }));
    await machine.run(({ api, log }) => submitRequest(submissionOf(need), api, log, CHECKED));
  }
  await createNeighbours(machine);
  const settled = await machine.run(async (process) => {
    const plan = await planOf(tableOf([...needs, ...neighbours()]), process.log);
    return settlePlan(process, plan, { settleMs: WAIT_MS });
  });
  expect(settled).toMatchObject({
    yielded: [{ row: 1, status: 'unknown' }, ...[2, 3].map((row) => ({ row, ...stays(/no clear answer again/) }))],
  });
  const sent = machine.service.arrivals.filter(({ need }) => needs.includes(need));
  expect(sent.map(({ need }) => need)).toEqual([...needs, needs[0]]);
});

describe('Validate is not believed', () => {
  test.each<[string, Sight]>([
    ['that calls everything clear', 'always clear'],
    ['that calls everything a duplicate', 'always duplicate'],
    ['that cannot be read', 'unreadable'],
    ['that is down', 'down'],
  ])('Validate settles nothing where %s; it can be asked later', async (_, sight) => {
    for (const acts of [true, false]) {
      machine.close();
      machine = new Machine();
      await loseAnswer(acts, sight);
      expect(await settle()).toMatchObject(stays(/does not tell created requests from others/));
      expect([await machine.known(key), arrivals()]).toEqual(['unknown', 1]);
      machine.service.sight = { lagMs: 0 };
      expect(await settle()).toMatchObject({ status: 'created' });
      expect(machine.service.actsOn(NEED)).toBe(1);
    }
  });

  test('Validate settles nothing where it contradicts itself', async () => {
    await loseAnswer(true, { lagMs: 0 });
    // It sees the others, and the request only after the first question about it.
    const { acts } = machine.service;
    const at = acts.findIndex(({ need }) => need === NEED);
    acts[at] = { need: NEED, atMs: machine.clock.nowMs() + WAIT_MS + 1 };
    expect(await settle()).toMatchObject(stays(/contradicts itself/));
    expect(asked().map(({ clear }) => clear)).toEqual([true, false]);
    expect([await machine.known(key), arrivals()]).toEqual(['unknown', 1]);
  });

  test.each([0, 5, 11])('Validate settles nothing if it misses one of twelve neighbours, number %d', async (number) => {
    await loseAnswer(false);
    const hidden = neighbours()[number];
    const { acts } = machine.service;
    acts.splice(0, acts.length, ...acts.filter(({ need }) => need !== hidden));
    expect(await settle()).toMatchObject(stays(/does not tell created requests from others/));
    expect(arrivals()).toBe(1);
  });

  test('Validate settles nothing with eleven created rows beside it; with twelve it does', async () => {
    await loseAnswer(false);
    expect(await settle({}, neighbours(NEIGHBOURS - 1))).toMatchObject(stays(/fewer than 12 requests/));
    expect([asked(), arrivals()]).toEqual([[], 1]);
    expect(await settle({}, neighbours(NEIGHBOURS))).toMatchObject({ status: 'created' });
  });

  test('Validate settles nothing under another description than that of the first try', async () => {
    const paths = { v0: contractWith({ create: { path: '/v0/requests' } }), public: undefined };
    for (const [first, now] of [
      [paths.v0, paths.public],
      [paths.public, paths.v0],
    ]) {
      machine.close();
      machine = new Machine(first);
      await loseAnswer(true, { lagMs: 0 }, UNCHECKED);
      const older = machine;
      machine = new Machine(now);
      copyFileSync(older.logPath, machine.logPath);
      older.close();
      expect(await settle()).toMatchObject(stays(/other than the one in force/));
      expect([machine.service.asked, machine.service.arrivals]).toEqual([[], []]);
    }
  });

  test('Validate settles no request with a longer text than its neighbours', async () => {
    const long = `${NEED} ${'x'.repeat(1_000)}`;
    const submission = submissionOf(long);
    machine.service.script(long, [{ answer: 'reset after writing', acts: true }]);
    await machine.run(({ api, log }) => submitRequest(submission, api, log, CHECKED));
    await createNeighbours(machine);
    const { acts } = machine.service;
    acts.splice(0, acts.length, ...acts.filter(({ need }) => need !== long));
    await machine.run((process) => settleOne(process, long));
    expect(machine.service.arrivals.filter(({ need }) => need === long)).toHaveLength(1);
  });
});

describe('Rounds', () => {
  const ages = async (given: Settling, run = 'run') => {
    const sentAtMs = machine.service.arrivals[0]?.atMs ?? 0;
    const told: number[] = [];
    await machine.run(settling({ waiting: (waitMs) => void told.push(waitMs), ...given }), { run });
    return [asked().map(({ atMs }) => atMs - sentAtMs), told];
  };

  // The neighbours were sent a millisecond before.
  test.each<[string, string, Settling, number, number]>([
    ['of this run, whose socket was reset: after a minute', 'run', {}, 60_000, 10_000],
    ['of another run: after four minutes', 'another run', {}, 240_000, 100_001],
    ['of this run through a proxy: after four minutes', 'run', { isProxied: true }, 240_000, 100_001],
    ['of this run as long as a person has chosen', 'run', { settleMs: 7_000 }, 7_000, 7_000],
    ['of another run as long as a person has chosen', 'another run', { settleMs: 7_000 }, 7_000, 7_001],
  ])('The rounds of a settlement about a request %s', async (_, run, given, waitMs, gapMs) => {
    await loseAnswer(false);
    expect(await ages({ settleMs: null, ...given }, run)).toEqual([
      [waitMs, waitMs + gapMs],
      [waitMs, gapMs],
    ]);
  });

  test('The rounds of a settlement begin at once if the request is old enough', async () => {
    await loseAnswer(true);
    machine.clock.passMs(2 * WAIT_MS);
    expect(await ages({})).toEqual([[2 * WAIT_MS, 2 * WAIT_MS + 10_000], [10_000]]);
  });

  test('The rounds compare request and neighbours at the same age', async () => {
    await loseAnswer(true, { lagMs: 150_000 });
    // The neighbours went 100 s before it and are seen at first; the request is seen 150 s after it was sent.
    const { acts } = machine.service;
    acts.splice(0, acts.length, ...acts.map((act) => (act.need === NEED ? act : { ...act, atMs: act.atMs - 100_000 })));
    machine.clock.passMs(-100_000);
    await machine.run(({ log }) => recordCreated(log, neighbours(), log.nowMs()));
    machine.clock.passMs(100_000);
    expect(await settle()).toMatchObject({ status: 'unknown' });
    const [first, second] = asked().map(({ clear, atMs }) => ({ clear, atMs }));
    expect([first?.clear, second?.clear]).toEqual([true, false]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(100_000);
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('The rounds wait until the kernel of a killed process has given up its bytes', async () => {
    const died = await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, CHECKED), {
      life: new Life({ at: 'the arrival', time: 1 }),
      run: 'one that was killed',
    });
    expect(died).toBe('died');
    await createNeighbours(machine);
    machine.service.acts.push({ need: NEED, atMs: machine.clock.nowMs() + 100_000 });
    expect(await settle({ settleMs: null })).toMatchObject({ status: 'created' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('The rounds are so far apart that one of them sees what was delivered late', async () => {
    await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, CHECKED), {
      life: new Life({ at: 'the arrival', time: 1 }),
      run: 'one that was killed',
    });
    await createNeighbours(machine);
    machine.service.sight = { lagMs: 200_000 };
    machine.service.acts.push({ need: NEED, atMs: machine.clock.nowMs() + 86_000 });
    await settle({ settleMs: null });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test.each([
    [true, 2 * 20_000],
    [false, 5_000],
  ])('The rounds wait for an intent without an outcome (%s) to expire: %d ms', async (dies, waitMs) => {
    const life = dies ? new Life({ at: 'the arrival', time: 1 }) : new Life(null);
    machine.service.script(NEED, [{ answer: 'reset after writing', acts: true }]);
    await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, CHECKED), { life });
    const intendedMs = machine.clock.nowMs();
    await createNeighbours(machine);
    machine.service.asked.length = 0;
    await machine.run((process) => {
      const log = { ...process.log, writeLeaseMs: 20_000, mayBeUnderWay: () => false };
      return settling({ settleMs: 5_000 })({ ...process, log });
    });
    expect((asked()[0]?.atMs ?? 0) - intendedMs).toBe(waitMs);
  });
});

describe('A request is left alone', () => {
  test('A request is not settled that a living process has under way', async () => {
    await loseAnswer(false);
    const left = await machine.run((process) =>
      settling()({ ...process, log: { ...process.log, mayBeUnderWay: () => true } }),
    );
    expect(left).toMatchObject({ status: 'unknown' });
    expect([asked(), arrivals()]).toEqual([[], 1]);
  });

  test('A request is not settled whose process is back after the questions', async () => {
    await loseAnswer(false);
    let looks = 0;
    const left = await machine.run((process) => {
      const log = { ...process.log, writeLeaseMs: 20_000, mayBeUnderWay: () => ++looks > 1 };
      return settling()({ ...process, log });
    });
    expect(left).toMatchObject({ status: 'unknown' });
    expect([looks, asked().length, arrivals(), await machine.known(key)]).toEqual([2, 2, 1, 'unknown']);
  });

  test('A request is left as it is when the user stops the command', async () => {
    await loseAnswer(false);
    await machine.run((process) => {
      process.halt.abort();
      return settling()(process);
    });
    expect([machine.service.asked, arrivals(), await machine.known(key)]).toEqual([[], 1, 'unknown']);
  });

  test('A request is left as it is when the user stops the command between the rounds', async () => {
    await loseAnswer(false);
    const left = await machine.run((process) => {
      machine.service.meanwhile = () => {
        if (asked().length === 1) process.halt.abort();
      };
      return settling()(process);
    });
    expect(left).toMatchObject({ status: 'unknown' });
    expect([arrivals(), await machine.known(key)]).toEqual([1, 'unknown']);
  });

  test('A request whose outcome is known is not settled again', async () => {
    await submit();
    await createNeighbours(machine);
    machine.service.asked.length = 0;
    expect(await settle()).toBeUndefined();
    expect(machine.service.asked).toEqual([]);
  });

  test.each(['duplicate', 'clear'])(
    'A request that validate calls %s keeps what another recorded meanwhile',
    async (says) => {
      await loseAnswer(says === 'duplicate');
      const left = await machine.run((process) => {
        const log = { ...process.log, outcome: async () => false, licence: async () => false };
        return settling()({ ...process, log });
      });
      expect(left).toMatchObject({ status: 'unknown', reason: 'request.in-doubt' });
      expect(arrivals()).toBe(1);
    },
  );
});

test('what another process found out meanwhile is not covered up', async () => {
  await loseAnswer(false);
  machine.service.meanwhile = async () => {
    machine.service.meanwhile = () => {};
    await machine.run(settling(), { exclusive: false });
  };
  await settle();
  expect(machine.service.actsOn(NEED)).toBe(1);
  expect(events().at(-1)).toMatchObject({ event: 'created', ids: { request_id: 'R-77' } });
});

describe('A record whose time cannot be true', () => {
  test.each([
    ['from 60 days ahead', 60 * 24 * 3_600_000],
    ['from a day ahead', 24 * 3_600_000],
    ['from two minutes ahead', 120_000],
    ['from before the service was', -20 * 365 * 24 * 3_600_000],
  ])('A record of a time that cannot be true, %s, is neither waited for nor settled', async (_, shiftMs) => {
    const now = machine.clock.nowMs;
    machine.clock.nowMs = () => now() + shiftMs;
    await loseAnswer(false);
    machine.clock.nowMs = now;
    const beforeMs = now();
    expect(await settle()).toMatchObject(stays(/dated \d{4}-.* contradicts.*srq resolve KEY/));
    expect([now(), asked(), arrivals()]).toEqual([beforeMs, [], 1]);
    expect(await machine.known(key)).toBe('unknown');
  });

  test('A record that is a little ahead, as clocks are, is settled', async () => {
    await loseAnswer(true);
    machine.clock.passMs(-30_000);
    expect(await settle()).toMatchObject({ status: 'created' });
  });
});

describe('Neighbours', () => {
  const NOW_MS = Date.UTC(2026, 10, 21);
  const SENT = { firstMs: NOW_MS, lastMs: NOW_MS };
  const created = (need: string, country = 'PT') => {
    const submission = submissionOf(need);
    return { ...submission, request: { ...submission.request, params: { ...submission.request.params, country } } };
  };
  /** Candidates that were created at these times after the request, with their log. */
  async function chosen(offsets: readonly number[], of = (at: number) => created(`Need at home ${at}`)) {
    let nowMs = NOW_MS;
    const memory = new MemoryLog(() => nowMs);
    const log = memory.openAs('before');
    const candidates = offsets.map((_, at) => of(at));
    for (const [at, { key: name }] of candidates.entries()) {
      nowMs = NOW_MS + (offsets[at] ?? 0);
      const outcome = { status: 'created', ids: {}, http: 201, message: null, raw: null, ms: null } as const;
      await log.outcome({ key: name, row: at, ref: null }, outcome);
    }
    nowMs = NOW_MS + 3_600_000;
    return { log, candidates, asked: await withNeighbours(SUBMISSION, SENT, candidates, { log, api: fakeApi() }) };
  }

  test('Neighbours are of the same market if there are enough', async () => {
    const market = (at: number) => created(`Need at home ${at}`, at < 12 ? 'PT' : 'ES');
    const many = await chosen([...Array(12).fill(-60_000), ...Array(12).fill(0)], market);
    expect(new Set(many.asked?.neighbours.map(({ request }) => request.params['country']))).toEqual(new Set(['PT']));
    const few = await chosen([...Array(11).fill(-60_000), ...Array(12).fill(0)], (at) => market(at + 1));
    expect(few.asked?.neighbours.some(({ request }) => request.params['country'] === 'ES')).toBe(true);
  });

  test('Neighbours are no help if they were sent more than twenty minutes before, or all of them after', async () => {
    const at = async (ms: number) => (await chosen(Array(12).fill(ms))).asked !== null;
    expect([await at(-20 * 60_000), await at(-20 * 60_000 - 1)]).toEqual([true, false]);
    expect([await at(0), await at(1)]).toEqual([true, false]);
  });

  test('Neighbours are no help if all of them have shorter texts', async () => {
    const at = async (need: string) =>
      (await chosen(Array(12).fill(0), (row) => created(`${need}${row}`))).asked !== null;
    // With the number of the last rows that is as long as the request's text, or not quite.
    const letters = NEED.length - 2;
    expect([await at('x'.repeat(letters)), await at('x'.repeat(letters - 1))]).toEqual([true, false]);
    expect(await at(`${'é'.repeat(5)}x`)).toBe(true);
  });

  test('Neighbours include an older one and one with a long text, however far these are', async () => {
    const { asked: found } = await chosen([-60_000, 90_000, ...Array(30).fill(1_000)], (at) =>
      created(at === 1 ? 'Need at home more' : `Need ${at}`),
    );
    const needs = found?.neighbours.map(({ request }) => request.params['request_text']) ?? [];
    expect(needs).toEqual(expect.arrayContaining(['Need 0', 'Need at home more']));
    expect([needs.length, found?.gapMs]).toEqual([24, 60_000]);
  });

  test('Neighbours were created by the word of the service, not of validate or a person', async () => {
    for (const by of ['validate', 'person'] as const) {
      const { log, candidates } = await chosen(Array(12).fill(0));
      const [first] = candidates;
      const outcome = { status: 'created', ids: {}, http: 201, message: null, raw: null, ms: null } as const;
      await log.outcome({ key: first?.key ?? '', row: 0, ref: null }, outcome, { by });
      expect(await withNeighbours(SUBMISSION, SENT, candidates, { log, api: fakeApi() })).toBeNull();
    }
  });
});
