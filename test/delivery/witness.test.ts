import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendRows } from '../../src/delivery/send-rows.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import { requestKind, VisibilityProber } from '../../src/delivery/visibility-prober.ts';
import {
  isTrusted,
  MAX_VISIBILITY_LAG_MS,
  type VisibilityHistory,
  type VisibilityProbe,
  visibilityStats,
} from '../../src/request/visibility.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { drain, PREPARATION, planOf, submissionOf, tableOf } from './leads.ts';
import { Machine, type Process } from './processes.ts';
import { trustedEvidence } from './settling.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const SUBMISSION = submissionOf('Pintar');
const { request, key } = SUBMISSION;
const KIND = requestKind(request);
const DAY_MS = 24 * 60 * 60_000;

const ends = ({ looks }: VisibilityHistory) => looks.map(({ end, afterMs }) => [end, afterMs]);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** Creates a request now, has it looked at, and gives time to see it. */
async function witnessOne({ api, clock, halt }: Process, count: number) {
  const prober = new VisibilityProber(api, clock, halt.signal, null);
  await api.create(request, async () => true, key);
  prober.created(SUBMISSION);
  await turns(count);
  await prober.end();
  return prober.evidence;
}

const lookAt = async (sight: Machine['service']['sight'], count: number): Promise<VisibilityHistory> => {
  machine.service.sight = sight;
  const evidence = await machine.run((process) => witnessOne(process, count));
  return evidence === 'died' ? expect.fail('It was not meant to die.') : evidence;
};

describe('A creation counts as seen', () => {
  test('with the time it took validate to see it, asked about again and again', async () => {
    // Asked after 0, 1, 3 and 7 seconds.
    expect(ends(await lookAt({ lagMs: 5_000 }, 200))).toEqual([['seen', 7_000]]);
  });

  test('never, when validate has not seen it after ten minutes', async () => {
    const evidence = await lookAt('always clear', 400);
    expect(ends(evidence)).toEqual([['unseen', expect.any(Number)]]);
    expect(evidence.looks[0]?.afterMs).toBeGreaterThan(MAX_VISIBILITY_LAG_MS);
  });

  test('not yet, when the run ends before: the look stays open', async () => {
    expect(ends(await lookAt({ lagMs: 50_000 }, 0))).toEqual([['open', 0]]);
  });

  test('not yet, when the run is stopped', async () => {
    machine.service.sight = 'always duplicate';
    const evidence = await machine.run(async ({ api, clock, halt }) => {
      const prober = new VisibilityProber(api, clock, halt.signal, null);
      prober.created(SUBMISSION);
      halt.abort();
      await prober.end();
      return prober.evidence;
    });
    expect(evidence).toMatchObject({ looks: [{ end: 'open', afterMs: 0 }] });
  });

  test('neither way, when validate cannot be read', async () => {
    for (const sight of ['down', 'unreadable'] as const) {
      expect(ends(await lookAt(sight, 400))).toEqual([['open', 0]]);
    }
  });
});

describe('A look that outlasted its run', () => {
  const begun = (ageMs: number, afterMs: number): VisibilityProbe => ({
    ...{ key, kind: KIND, createdAtMs: machine.clock.nowMs() - ageMs, end: 'open', afterMs },
  });
  /** The next run has the same row, and gives time to see it. */
  async function goOn(look: VisibilityProbe, sight: Machine['service']['sight']): Promise<unknown> {
    machine.service.acts.push({ need: 'Pintar', atMs: look.createdAtMs });
    machine.service.sight = sight;
    return machine.run(async ({ api, clock, halt }) => {
      const prober = new VisibilityProber(api, clock, halt.signal, { looks: [look] });
      for (const each of [SUBMISSION, submissionOf('Limpar')]) prober.resume(each);
      await turns(400);
      await prober.end();
      return ends(prober.evidence);
    });
  }

  test('is gone on with: seen within ten minutes is seen', async () => {
    expect(await goOn(begun(90_000, 3_000), { lagMs: 60_000 })).toEqual([['seen', 90_000]]);
  });

  test('is unseen when validate still does not see it after that', async () => {
    expect(await goOn(begun(MAX_VISIBILITY_LAG_MS + 1, 3_000), 'always clear')).toEqual([
      ['unseen', MAX_VISIBILITY_LAG_MS + 1],
    ]);
  });

  test('seen late after a long pause in the asking says that nobody knows how late that was', async () => {
    expect(await goOn(begun(3_600_000, 3_000), { lagMs: 0 })).toEqual([['late', 3_600_000]]);
  });

  test('is left alone after a day: it counts as given up', async () => {
    const look = begun(DAY_MS + 1, 3_000);
    expect(await goOn(look, { lagMs: 0 })).toEqual([['open', 3_000]]);
    expect(machine.service.asked).toEqual([]);
    expect(visibilityStats({ looks: [look] }, KIND, machine.clock.nowMs())).toMatchObject({ unseen: 1 });
  });
});

describe('Of many creations', () => {
  async function lookAtMany(known: VisibilityHistory | null, needs: readonly string[]): Promise<string[]> {
    await machine.run(async ({ api, clock, halt }) => {
      const prober = new VisibilityProber(api, clock, halt.signal, known);
      for (const need of needs) prober.created(submissionOf(need));
      await prober.end();
    });
    return machine.service.asked.map(({ need }) => need);
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => `Need ${at + 1}`);

  test('the first three are looked at, and one in five hundred', async () => {
    const looked = await lookAtMany(null, numbered(1_000));
    expect(looked).toEqual(['Need 1', 'Need 2', 'Need 3', 'Need 500', 'Need 1000']);
  });

  test('one is enough where validate is trusted', async () => {
    expect(await lookAtMany(trustedEvidence(machine.clock.nowMs()), numbered(20))).toEqual(['Need 1']);
  });

  test('each kind has its first ones', async () => {
    const long = 'x'.repeat(300);
    const looked = await lookAtMany(null, [...numbered(4), ...numbered(4).map((need) => `${need} ${long}`)]);
    expect(looked.map((need) => need.length > 300)).toEqual([false, false, false, true, true, true]);
  });
});

// Its user waits for that, after the last row.
test('a run that ends waits for what validate is about to say, but two seconds at most', async () => {
  const endAfter = async (answerMs: number) => {
    const clock = new VirtualClock();
    const answer = { verdict: 'duplicate', ids: {}, http: 200, message: null, refused: null, raw: null } as const;
    const validate = () => clock.sleep(answerMs).then(() => answer);
    const prober = new VisibilityProber({ validate }, clock, new AbortController().signal, null);
    prober.created(SUBMISSION);
    await clock.until(prober.end());
    return [clock.nowMs(), ends(prober.evidence)];
  };
  expect(await endAfter(0)).toEqual([0, [['seen', 0]]]);
  expect(await endAfter(1_500)).toEqual([1_500, [['seen', 1_500]]]);
  expect(await endAfter(60_000)).toEqual([2_000, [['open', 0]]]);
});

test('every look is kept as it begins, so that a run that is killed hides none', async () => {
  const kept: VisibilityHistory[] = [];
  await machine.run(async ({ api, clock, halt }) => {
    const prober = new VisibilityProber(api, clock, halt.signal, null, (evidence) => kept.push(evidence));
    prober.created(SUBMISSION);
    expect(kept.map(ends)).toEqual([[['open', 0]]]);
    await prober.end();
  });
});

describe('An import gathers evidence', () => {
  const runAll = (options: { validate: boolean; onDuplicate: 'skip' | 'create' }) =>
    machine.run(async ({ api, log, clock, halt }) => {
      const plan = await planOf(tableOf(['a', 'b', 'c', 'd', 'e']), log);
      const prober = new VisibilityProber(api, clock, halt.signal, null);
      const deps = { api, log, clock, prober, preparation: PREPARATION, halt };
      const importing = { ...options, again: false, concurrency: 2, supervisor: new Supervisor(null, 0) };
      await drain(sendRows(plan, deps, importing));
      await turns(20);
      await prober.end();
      expect(plan.ledger.counts()).toMatchObject({ created: 5 });
      return ends(prober.evidence);
    });

  test('from requests that validate called clear before', async () => {
    const seen = ['seen', expect.any(Number)];
    expect(await runAll({ validate: true, onDuplicate: 'skip' })).toEqual([seen, seen, seen]);
  });

  test('never from a validate that calls everything a duplicate', async () => {
    machine.service.sight = 'always duplicate';
    expect(await runAll({ validate: true, onDuplicate: 'create' })).toEqual([]);
  });

  test('never without having asked before', async () => {
    expect(await runAll({ validate: false, onDuplicate: 'skip' })).toEqual([]);
  });
});

test('a proof can come yet from looks that are under way, and from nothing else', async () => {
  await machine.run(async ({ api, clock, halt }) => {
    machine.service.sight = { lagMs: 50_000 };
    const prober = new VisibilityProber(api, clock, halt.signal, null);
    prober.created(submissionOf('a'));
    prober.created(submissionOf('b'));
    expect([prober.mayBecomeTrusted(KIND), prober.isHopeful()]).toEqual([false, false]);
    prober.created(submissionOf('c'));
    expect([prober.mayBecomeTrusted(KIND), prober.isHopeful()]).toEqual([true, true]);
    expect(isTrusted(prober.sight(KIND))).toBe(false);
    await prober.end();
    expect([prober.mayBecomeTrusted(KIND), prober.isHopeful()]).toEqual([false, false]);
  });
});
