import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { settleRows } from '../../src/delivery/settle-rows.ts';
import { type Submission, submitRequest } from '../../src/delivery/submit.ts';
import { askRound } from '../../src/delivery/witness.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../../src/request/ports.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { answered, fakeApi, validated } from '../helpers/fake-api.ts';
import { seeded } from '../helpers/virtual-server.ts';
import { type Fate, ForgetfulService, type Nature } from './forgetful-service.ts';
import { drain, PREPARATION, planOf, submissionOf, tableOf } from './leads.ts';
import { neighbours } from './settling.ts';

/** Other seeds, and more of them: SRQ_TEST_SEED, SRQ_TEST_SCENARIOS. */
const SEED = Number(process.env['SRQ_TEST_SEED'] ?? 20_261_121);
const SCENARIOS = Number(process.env['SRQ_TEST_SCENARIOS'] ?? 600);
const BEGIN_MS = Date.UTC(2026, 10, 21);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OPTIONS = { validate: true, onDuplicate: 'skip', again: false } as const;
const NEVER = new Promise<never>(() => {});
const CREATED = { fate: 'created' } as const;
const needOf = ({ params }: Submission['request']) => params['request_text'] ?? '';

/** Time that goes on to the next who is to wake. What a dead process waited for never comes. */
class Time {
  nowMs = BEGIN_MS;
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  sleep(ms: number, isAlive: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', abort);
        if (isAlive()) resolve();
      };
      const sleeper = { atMs: this.nowMs + Math.max(0, ms), wake };
      const abort = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        wake();
      };
      const at = this.#sleepers.findLastIndex(({ atMs }) => atMs <= sleeper.atMs);
      this.#sleepers.splice(at + 1, 0, sleeper);
      signal?.addEventListener('abort', abort);
    });
  }

  /** Until this is settled, or the time has come. Nobody sleeps on after that. */
  async until(promise: Promise<unknown>, endMs: number): Promise<void> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await new Promise(setImmediate);
      const next = this.#sleepers[0];
      if (isSettled || !next || next.atMs > endMs) break;
      this.nowMs = next.atMs;
      for (; this.#sleepers[0]?.atMs === this.nowMs; this.#sleepers.shift()) this.#sleepers[0].wake();
    }
    this.#sleepers = [];
    if (isSettled) await promise;
    else this.nowMs = endMs;
  }
}

interface Lead {
  readonly submission: Submission;
  readonly fate: Fate;
}

/** Shares: of the runs that are killed, and of the files whose texts are of very different lengths; the least rows. */
interface Life {
  readonly least: number;
  readonly killed: number;
  readonly varied: number;
}

/** One file, imported again and again by processes of which some are killed. */
class Scenario {
  readonly #random: () => number;
  readonly #killed: number;
  readonly #time = new Time();
  readonly #service: ForgetfulService;
  readonly #log = new MemoryLog(() => this.#time.nowMs);
  readonly #leads: readonly Lead[];
  readonly #tried = new Set<string>();
  /** Requests that were in doubt at some time. */
  readonly doubts = new Set<string>();
  readonly #licensed = new Set<string>();
  readonly wronglyLicensed: string[] = [];

  constructor(random: () => number, nature: Nature, { killed, varied, least }: Life) {
    this.#random = random;
    this.#killed = killed;
    const isVaried = random() < varied;
    this.#service = new ForgetfulService(nature, random, () => this.#time.nowMs);
    const count = this.#between(least, 60);
    this.#leads = Array.from({ length: count }, (_, at) => {
      const letters = isVaried ? this.#between(10, 1_500) : this.#between(20, 200);
      const { row, request, key } = submissionOf(`Need ${at + 1} ${'x'.repeat(letters)}`, at + 1);
      return { submission: { row, request, key }, fate: this.#fate() };
    });
  }

  get doubled(): readonly string[] {
    return this.#service.doubled;
  }

  get settled(): number {
    return [...this.doubts].filter((key) => !/sending|unknown|parked/.test(this.#log.state(key))).length;
  }

  async play(): Promise<void> {
    const runs = this.#between(2, 4);
    for (let run = 1; run <= runs; run++) {
      // The last one lives, for what nobody comes back to is nobody's to settle.
      const isKilled = run < runs && this.#random() < this.#killed;
      const lifeMs = isKilled ? this.#pick([10_000, MINUTE_MS, 10 * MINUTE_MS]) * this.#random() : 7 * DAY_MS;
      await this.#run(`run ${run}`, lifeMs);
      this.#time.nowMs += this.#pick([1_000, 5 * MINUTE_MS, 2 * HOUR_MS, 23 * HOUR_MS, 30 * HOUR_MS]) * this.#random();
    }
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.#random() * values.length)] ?? values[0];
  }

  #fate(): Fate {
    if (this.#random() > 0.12) return 'created';
    return this.#random() < 0.5 ? 'lost' : { takenAfterMs: 0 };
  }

  async #run(run: string, lifeMs: number): Promise<void> {
    let isAlive = true;
    const time = this.#time;
    const halt = new AbortController();
    setMaxListeners(0, halt.signal);
    const living = <Value>(value: Value): Value | Promise<never> => (isAlive ? value : NEVER);
    const clock: Clock = {
      nowMs: () => time.nowMs,
      monotonicMs: () => time.nowMs,
      sleep: (ms, signal) => time.sleep(ms, () => isAlive, signal),
    };
    const log = this.#watched(this.#log.openAs(run));
    const validate: MarketplaceApi['validate'] = async (request) => living(await this.#service.validate(request));
    const api = fakeApi({
      validate,
      create: async (request, intend) => {
        if (!(await intend())) return null;
        const need = needOf(request);
        const { fate } = this.#leads.find(({ submission }) => needOf(submission.request) === need) ?? CREATED;
        const tookMs = 200 + 1_500 * this.#random();
        const isDying = time.nowMs + tookMs > endMs;
        // What a dead process has written its kernel goes on delivering.
        if (isDying && this.#random() < 0.5) this.#service.take(request, 100_000 * this.#random());
        if (isDying) return NEVER;
        await clock.sleep(tookMs);
        return this.#answered(request, fate);
      },
    });
    const endMs = time.nowMs + lifeMs;
    await time.until(this.#work(api, log, clock, halt), endMs);
    isAlive = false;
  }

  #answered(request: Submission['request'], fate: Fate) {
    const need = needOf(request);
    // Only the first try goes wrong: a second doubt is a person's in any case.
    const isFirst = !this.#tried.has(need);
    this.#tried.add(need);
    const isLost = isFirst && fate === 'lost';
    if (!isLost) this.#service.take(request, 0);
    const isAnswered = fate === 'created' || !isFirst;
    return isAnswered ? answered({ status: 'created', ids: { id: '1' } }) : answered({ status: 'unknown' });
  }

  async #work(api: MarketplaceApi, log: DeliveryLog, clock: Clock, halt: AbortController): Promise<void> {
    for (const { submission } of this.#leads) {
      if (!/none|failed|licensed/.test(log.lookup(submission.key))) continue;
      await submitRequest(submission, api, log, OPTIONS);
    }
    const plan = await planOf(tableOf(this.#leads.map(({ submission }) => needOf(submission.request))), log);
    const options = { resend: OPTIONS, byValidate: true, settleMs: null, isProxied: false, waiting: () => {} };
    await drain(settleRows(plan, { api, log, clock, preparation: PREPARATION, halt }, options));
  }

  /** Notes what comes to be in doubt, and every licence for a request that is there. */
  #watched(log: DeliveryLog): DeliveryLog {
    const requestOf = new Map(this.#leads.map(({ submission }) => [submission.key, submission.request]));
    return {
      ...log,
      sending: async (subject, ...more) => {
        this.doubts.add(subject.key);
        return log.sending(subject, ...more);
      },
      outcome: async (subject, outcome, how) => {
        // One that goes again after its doubt had one all the same.
        const hadNone = outcome.status !== 'unknown' && how?.by === undefined && !this.#licensed.has(subject.key);
        if (hadNone) this.doubts.delete(subject.key);
        return log.outcome(subject, outcome, how);
      },
      licence: async (subject, ...more) => {
        const request = requestOf.get(subject.key);
        if (request && this.#service.has(request)) this.wronglyLicensed.push(subject.key);
        this.#licensed.add(subject.key);
        return log.licence(subject, ...more);
      },
    };
  }
}

const HONEST = { blind: [], mostLetters: Number.POSITIVE_INFINITY, memoryMs: Number.POSITIVE_INFINITY, lie: null };

function honestNature(random: () => number): Nature {
  const lagsMs = Array.from(
    { length: 1 + Math.floor(random() * 3) },
    () => (random() < 0.5 ? 500 : MINUTE_MS) * random(),
  );
  return { ...HONEST, lagsMs, isSharded: random() < 0.5 };
}

function anyNature(random: () => number): Nature {
  const pick = (values: readonly number[]) => values[Math.floor(random() * values.length)];
  const lagMs = () => pick([0, 1_000, MINUTE_MS, 300_000, 1_000_000]) ?? 0;
  const is = (share: number) => random() < share;
  const blind = Array.from({ length: is(0.4) ? 1 + Math.floor(random() * 8) : 0 }, () => {
    const fromMs = BEGIN_MS + HOUR_MS * random() * random();
    return { fromMs, toMs: fromMs + (pick([5_000, MINUTE_MS, HOUR_MS]) ?? 0) * random() };
  });
  return {
    lagsMs: Array.from({ length: 1 + Math.floor(random() * 3) }, () => lagMs() * random()),
    isSharded: is(0.5),
    blind,
    mostLetters: is(0.3) ? (pick([100, 255, 600, 1_000]) ?? 0) : Number.POSITIVE_INFINITY,
    memoryMs: is(0.3) ? DAY_MS : Number.POSITIVE_INFINITY,
    lie: is(0.2)
      ? { fromMs: BEGIN_MS + HOUR_MS * random() * random(), verdict: is(0.5) ? 'clear' : 'duplicate' }
      : null,
  };
}

/** What became of all the doubts. */
async function playAll(natureOf: (random: () => number) => Nature, life: Life, scenarios: number) {
  const told = { doubts: 0, settled: 0, licences: [] as string[], doubled: [] as string[] };
  for (let at = 0; at < scenarios; at++) {
    const random = seeded(SEED * 1_000_003 + at);
    const scenario = new Scenario(random, natureOf(random), life);
    await scenario.play();
    told.doubts += scenario.doubts.size;
    told.settled += scenario.settled;
    for (const key of scenario.wronglyLicensed) told.licences.push(`scenario ${at}: ${key}`);
    for (const need of scenario.doubled) told.doubled.push(`scenario ${at}: ${need.slice(0, 20)}`);
  }
  return told;
}

test('no request that a service has is ever licensed to go again, however that service sees', {
  timeout: 300_000,
}, async () => {
  const told = await playAll(anyNature, { killed: 0.5, varied: 0.4, least: 5 }, SCENARIOS);
  process.stdout.write(`any service: ${told.settled} of ${told.doubts} doubts settled\n`);
  expect(told.doubts).toBeGreaterThan(SCENARIOS);
  expect([told.licences, told.doubled]).toEqual([[], []]);
});

test('of the doubts at services that see within a minute, nine in ten need no person', {
  timeout: 600_000,
}, async () => {
  const told = await playAll(honestNature, { killed: 0.25, varied: 0.1, least: 30 }, Math.ceil((SCENARIOS * 2) / 5));
  process.stdout.write(`honest services: ${told.settled} of ${told.doubts} doubts settled\n`);
  expect([told.licences, told.doubled]).toEqual([[], []]);
  expect(told.settled / told.doubts).toBeGreaterThanOrEqual(0.9);
});

const ROUNDS = 150;
const MAX_ROWS = 12;

const isLost = (need: string) => /^(?:Nobody|Lost)/.test(need);

/** One round about some rows. From some call on, a share of the answers belongs to the call that arrived before. */
async function roundOf(random: () => number, share: number) {
  const rows = 1 + Math.floor(random() * MAX_ROWS);
  const honest = random() < 0.5 ? 0 : Math.floor(random() * rows * 8);
  let calls = 0;
  let before = random() < 0.5;
  const api = fakeApi({
    validate: async ({ params }) => {
      const own = isLost(params['request_text'] ?? '');
      const isCrossed = ++calls > honest && random() < share;
      const told = isCrossed ? before : own;
      before = own;
      for (let turns = Math.floor(random() * 4); turns >= 0; turns--) await new Promise(setImmediate);
      return validated(told ? 'clear' : 'duplicate');
    },
  });
  const near = neighbours().map((need, at) => submissionOf(need, at + 100));
  const asked = Array.from({ length: rows }, (_, at) => {
    const submission = submissionOf(`${random() < 0.5 ? 'Lost' : 'Taken'} ${at}`, at + 1);
    const controls = [false, true].map((text) => api.invented(submission.request, { customer: true, text }));
    return { submission, controls, sent: { firstMs: 0, lastMs: 0 }, neighbours: near, gapMs: 0 };
  });
  const said = await askRound(asked, api, new AbortController().signal);
  return said.map((says, at) => {
    const truth = isLost(asked[at]?.submission.request.params['request_text'] ?? '') ? 'clear' : 'duplicate';
    return says === 'nothing' ? 'nothing' : says === truth ? 'right' : `${says}, but ${truth}`;
  });
}

test.each([0, 0.05, 0.5, 1])(
  'of the answers %d belong to the call before: none is taken for that of a row',
  async (share) => {
    const random = seeded(SEED + share * 100);
    const told: string[] = [];
    for (let round = 0; round < ROUNDS; round++) told.push(...(await roundOf(random, share)));
    expect(told.filter((each) => each.includes('but'))).toEqual([]);
    expect(told).toContain('right');
    if (share === 0) expect(new Set(told)).toEqual(new Set(['right']));
  },
);
