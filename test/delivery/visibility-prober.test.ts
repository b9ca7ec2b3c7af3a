import { describe, expect, test } from 'vitest';
import {
  isAtLeastAsLong,
  requestKind,
  storedProof,
  VisibilityProber,
  withLogTime,
} from '../../src/delivery/visibility-prober.ts';
import type { Verdict } from '../../src/request/ports.ts';
import type { ServiceRequest } from '../../src/request/service-request.ts';
import { MAX_VISIBILITY_LAG_MS, type VisibilityHistory, type VisibilityProbe } from '../../src/request/visibility.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { submissionOf } from './leads.ts';
import { trustedEvidence } from './settling.ts';

const KIND = requestKind(submissionOf('Need').request);
const SEEN: Verdict = 'duplicate';

/** A service whose validate answers like this, and the times at which it was asked about each need. */
function serviceOf(clock: VirtualClock, verdictOf: (need: string, times: number) => Verdict | 'away') {
  const asked: [need: string, atMs: number][] = [];
  const validate = async ({ params }: ServiceRequest) => {
    const need = params['request_text'] ?? '';
    asked.push([need, clock.nowMs()]);
    const verdict = verdictOf(need, asked.filter(([each]) => each === need).length);
    if (verdict === 'away') throw new Error('away');
    return { verdict, ids: {}, http: 200, message: null, refused: null, raw: null } as const;
  };
  const timesOf = (need: string) => asked.filter(([each]) => each === need).map(([, atMs]) => atMs);
  return { api: { validate }, asked, timesOf };
}

function probing(verdictOf: (need: string, times: number) => Verdict | 'away', known: VisibilityHistory | null = null) {
  const clock = new VirtualClock();
  const service = serviceOf(clock, verdictOf);
  const stop = new AbortController();
  const kept: VisibilityHistory[] = [];
  const prober = new VisibilityProber(service.api, clock, stop.signal, known, (evidence) => kept.push(evidence));
  const pass = (ms: number) => clock.until(clock.sleep(ms));
  const ends = () => prober.evidence.looks.map(({ end, afterMs }) => [end, afterMs]);
  return { clock, prober, stop, kept, pass, ends, ...service };
}
const lengths = ['', ' '.repeat(256), ' '.repeat(1_024), ' '.repeat(4_096)];
/** Needs of as many kinds as there are markets and lengths, three of each. */
function ofManyKinds(count: number): ReturnType<typeof submissionOf>[] {
  return Array.from({ length: count }, (_, at) => {
    const submission = submissionOf(`Need ${at}${lengths[at % 4]}`);
    const country = String.fromCharCode(65 + (Math.floor(at / 4) % 26)).repeat(2);
    return { ...submission, request: { ...submission.request, params: { ...submission.request.params, country } } };
  });
}

describe('A probe', () => {
  test('asks at once, and then after 1, 2, 4 … seconds, with a minute between two questions at most', async () => {
    const { prober, pass, timesOf, ends } = probing(() => 'clear');
    prober.created(submissionOf('Need'));
    await pass(MAX_VISIBILITY_LAG_MS * 2);
    const doubling = [0, 1, 3, 7, 15, 31, 63, 127];
    const seconds = [...doubling, ...Array.from({ length: 8 }, (_, at) => 127 + 64 * (at + 1))];
    expect(timesOf('Need')).toEqual(seconds.map((each) => each * 1_000));
    expect(ends()).toEqual([['unseen', 639_000]]);
  });

  test('ends with the first answer that sees the creation', async () => {
    const { prober, pass, timesOf, ends } = probing((_, times) => (times < 3 ? 'clear' : SEEN));
    prober.created(submissionOf('Need'));
    await pass(60_000);
    expect([timesOf('Need'), ends()]).toEqual([[0, 1_000, 3_000], [['seen', 3_000]]]);
  });

  test.each([
    ['that cannot be read is asked for again', 'unknown', 16],
    ['that does not come ends it for this run', 'away', 1],
  ] as const)('with an answer %s, and shows nothing', async (_, verdict, times) => {
    const { prober, pass, timesOf, ends } = probing(() => verdict);
    prober.created(submissionOf('Need'));
    await pass(MAX_VISIBILITY_LAG_MS * 2);
    expect([timesOf('Need').length, ends()]).toEqual([times, [['open', 0]]]);
  });

  test('of a run that is stopped asks nothing more, and its last answer does not count', async () => {
    const { prober, stop, pass, timesOf, ends } = probing((_, times) => {
      if (times === 2) stop.abort();
      return times === 2 ? SEEN : 'clear';
    });
    prober.created(submissionOf('Need'));
    await pass(60_000);
    expect([timesOf('Need'), ends()]).toEqual([[0, 1_000], [['open', 0]]]);
  });

  test('is kept when it begins and when it ends, and is asked about once', async () => {
    const { prober, pass, kept, timesOf } = probing(() => SEEN);
    prober.created(submissionOf('Need'));
    prober.created(submissionOf('Need'));
    expect(kept.map(({ looks }) => looks.map(({ end }) => end))).toEqual([['open']]);
    await pass(1);
    expect(kept.map(({ looks }) => looks.map(({ end }) => end))).toEqual([['open'], ['seen']]);
    expect(timesOf('Need')).toEqual([0]);
  });
});

describe('Of many probes', () => {
  test('32 are under way at most, and 8 ask as long as validate has seen nothing', async () => {
    const { prober, pass, asked } = probing(() => 'clear');
    for (const each of ofManyKinds(40)) prober.created(each);
    expect(prober.evidence.looks).toHaveLength(32);
    await pass(5_000);
    expect(new Set(asked.map(([need]) => need)).size).toBe(8);
    // They wait for a first sight no longer than a probe is worth asking; then each asks once.
    await pass(MAX_VISIBILITY_LAG_MS * 3);
    expect(new Set(asked.map(([need]) => need)).size).toBe(32);
    expect(Math.min(...asked.slice(-24).map(([, atMs]) => atMs))).toBeGreaterThanOrEqual(MAX_VISIBILITY_LAG_MS);
  });

  test('all ask once validate has seen one of them', async () => {
    const { prober, pass, asked } = probing((need, times) => (need.startsWith('Need 3') && times > 2 ? SEEN : 'clear'));
    for (const each of ofManyKinds(32)) prober.created(each);
    await pass(2_999);
    expect(new Set(asked.map(([need]) => need)).size).toBe(8);
    await pass(1);
    expect(new Set(asked.map(([need]) => need)).size).toBe(32);
  });

  test('all ask at once where validate has seen something before', async () => {
    const { prober, pass, asked } = probing(() => 'clear', trustedEvidence(0, 'another kind'));
    for (const each of ofManyKinds(32)) prober.created(each);
    await pass(1);
    expect(new Set(asked.map(([need]) => need)).size).toBe(32);
  });

  test('those that wait for a first sight ask nothing more once the run ends', async () => {
    const { prober, clock, asked } = probing(() => 'clear');
    for (const each of ofManyKinds(32)) prober.created(each);
    await clock.until(prober.end());
    expect(asked).toHaveLength(8);
    expect([clock.nowMs(), prober.evidence.looks.filter(({ end }) => end === 'open').length]).toEqual([0, 32]);
  });

  test('a place that is free again is taken by the next one', async () => {
    const { prober, pass } = probing(() => SEEN);
    const all = ofManyKinds(33);
    for (const each of all.slice(0, 32)) prober.created(each);
    await pass(1);
    const last = all[32];
    if (last) prober.created(last);
    expect(prober.evidence.looks).toHaveLength(33);
  });

  test('no warning of many listeners is given: each sleeps on the same signal', async () => {
    const warned: string[] = [];
    const warn = (warning: Error) => void warned.push(warning.name);
    process.on('warning', warn);
    const { prober, pass } = probing(() => 'clear', trustedEvidence(0, 'another kind'));
    for (const each of ofManyKinds(32)) prober.created(each);
    await pass(500);
    // A warning is given in a turn of its own.
    await new Promise(setImmediate);
    process.off('warning', warn);
    expect(warned).toEqual([]);
  });
});

describe('A probe that an earlier run left open', () => {
  const open = (changes: Partial<VisibilityProbe> = {}): VisibilityProbe => ({
    ...{ key: submissionOf('Need').key, kind: KIND, createdAtMs: 0, end: 'open', afterMs: 1_000 },
    ...changes,
  });
  /** Resumes it after so long. */
  async function resumed(known: VisibilityProbe, afterMs: number, verdict: Verdict = SEEN) {
    const probes = probing(() => verdict, { looks: [known] });
    await probes.pass(afterMs);
    const { openKeys } = probes.prober;
    probes.prober.resume(submissionOf('Need'));
    probes.prober.resume(submissionOf('Another need'));
    await probes.pass(1);
    return { openKeys: [...openKeys], asked: probes.asked.length, ends: probes.ends() };
  }
  const { key } = submissionOf('Need');

  test.each<[string, VisibilityProbe, number, Verdict, number, unknown[]]>([
    ['seen within ten minutes', open(), MAX_VISIBILITY_LAG_MS, SEEN, 1, ['seen', MAX_VISIBILITY_LAG_MS]],
    [
      'seen after ten minutes, when it was last asked about before',
      open(),
      MAX_VISIBILITY_LAG_MS + 1,
      SEEN,
      1,
      ['late', MAX_VISIBILITY_LAG_MS + 1],
    ],
    [
      'seen after it had been asked about at ten minutes',
      open({ afterMs: MAX_VISIBILITY_LAG_MS }),
      700_000,
      SEEN,
      1,
      ['unseen', 700_000],
    ],
    [
      'seen after it had been asked about just before',
      open({ afterMs: MAX_VISIBILITY_LAG_MS - 1 }),
      700_000,
      SEEN,
      1,
      ['late', 700_000],
    ],
    ['still clear at ten minutes', open(), MAX_VISIBILITY_LAG_MS, 'clear', 1, ['open', MAX_VISIBILITY_LAG_MS]],
    ['still clear after that', open(), MAX_VISIBILITY_LAG_MS + 1, 'clear', 1, ['unseen', MAX_VISIBILITY_LAG_MS + 1]],
  ])('%s', async (_, known, afterMs, verdict, times, end) => {
    expect(await resumed(known, afterMs, verdict)).toEqual({ openKeys: [key], asked: times, ends: [end] });
  });

  test.each<[string, VisibilityProbe, string[]]>([
    ['of another kind of end', open({ end: 'seen' }), []],
    ['of a time that is yet to come', open({ createdAtMs: 10_001 }), [key]],
  ])('%s is not gone on with', async (_, known, openKeys) => {
    expect(await resumed(known, 10_000)).toMatchObject({ openKeys, asked: 0 });
  });

  test('that is still clear at ten minutes is asked about once more, and then given up', async () => {
    const { prober, pass, asked, ends } = probing(() => 'clear', { looks: [open()] });
    await pass(MAX_VISIBILITY_LAG_MS);
    prober.resume(submissionOf('Need'));
    await pass(60_000);
    expect([asked.length, ends()]).toEqual([2, [['unseen', MAX_VISIBILITY_LAG_MS + 1_000]]]);
  });

  test('that began just now is', async () => {
    expect(await resumed(open({ createdAtMs: 10_000, afterMs: 0 }), 10_000)).toMatchObject({ asked: 1 });
  });
});

test('a proof from what is stored grows by nothing that is under way', () => {
  let evidence: VisibilityHistory = { looks: [] };
  const proof = storedProof(
    () => evidence,
    () => 10_000,
  );
  expect(proof.sight(KIND)).toEqual({ seen: 0, unseen: 0, slowestMs: 0 });
  evidence = trustedEvidence(10_000, KIND);
  expect([proof.sight(KIND).seen, proof.sight('another').seen]).toEqual([3, 0]);
  expect(proof.mayBecomeTrusted(KIND)).toBe(false);
});

test('a clock by the log has its time of day, and sleeps and measures as before', async () => {
  const clock = new VirtualClock();
  const ofLog = withLogTime({ nowMs: () => 5_000 }, clock);
  expect([ofLog.nowMs(), ofLog.monotonicMs()]).toEqual([5_000, 0]);
  await clock.until(ofLog.sleep(10));
  expect(ofLog.monotonicMs()).toBe(10);
});

describe('The kind of a request', () => {
  const requestWith = (params: Record<string, string>, sizeBytes: number | null = null): ServiceRequest => ({
    params,
    audio: sizeBytes === null ? null : { path: 'a', sizeBytes, sha256: '', mediaType: null },
    ref: null,
  });
  const text = (length: number, letter = 'x') => requestWith({ country: 'PT', request_text: letter.repeat(length) });

  test.each<[ServiceRequest, string]>([
    [text(0), 'PT/0/text'],
    [text(255), 'PT/0/text'],
    [text(256), 'PT/1/text'],
    [text(1_023), 'PT/1/text'],
    [text(1_024), 'PT/2/text'],
    [text(4_095), 'PT/2/text'],
    [text(4_096), 'PT/3/text'],
    // Bytes count, as services store them.
    [text(128, 'é'), 'PT/1/text'],
    [text(127, 'é'), 'PT/0/text'],
    [requestWith({ country: 'PT', request_text: 'x' }, 1_024), 'PT/2/audio'],
    [requestWith({ country: 'PT', audio: 'x'.repeat(256) }), 'PT/1/audio'],
    [requestWith({ request_text: 'x' }), '--/0/text'],
    [requestWith({ country: 'Portugal' }), '--/0/text'],
    [requestWith({ country: 'pt' }), '--/0/text'],
    [requestWith({ country: 'XPT' }), '--/0/text'],
  ])('of %j is %s', (request, kind) => {
    expect(requestKind(request)).toBe(kind);
  });

  test.each([
    [text(5), text(5), true],
    [text(4), text(5), false],
    [text(6), text(5), true],
    // As many bytes, but fewer letters; and more letters, but fewer bytes.
    [text(5, 'é'), text(10), false],
    [text(6), text(5, 'é'), false],
    [text(5, 'é'), text(5), true],
  ])('is at least as long by its bytes and by its letters', (one, other, is) => {
    expect(isAtLeastAsLong(one, other)).toBe(is);
  });
});
