import { setMaxListeners } from 'node:events';
import type { ImportPlan } from '../request/import-plan.ts';
import { memoize } from '../request/memoize.ts';
import type { Clock, DeliveryLog, MarketplaceApi, ValidateResult } from '../request/ports.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import {
  isTrusted,
  MAX_VISIBILITY_LAG_MS,
  mayContinue,
  mergeVisibilityHistories,
  NO_VISIBILITY_HISTORY,
  type VisibilityHistory,
  type VisibilityProbe,
  type VisibilityStats,
  visibilityStats,
  wouldBeTrusted,
} from '../request/visibility.ts';
import { AUDIO_PARAMETER } from '../request/wire.ts';
import { type RereadOptions, rereadRows } from './read-rows.ts';
import type { Submission } from './submit.ts';

/**
 * The first `FIRST_PROBES` creations of each kind are probed, or `FIRST_PROBES_TRUSTED` if validate is already trusted.
 * After that, one in `PROBE_EVERY` is.
 */
const FIRST_PROBES = 3;
const FIRST_PROBES_TRUSTED = 1;
const PROBE_EVERY = 500;
/** Maximum number of probes at once. Their calls count towards the rate of the run. */
const MAX_PROBES = 32;
/** The same number as long as validate has seen nothing. Where it never sees anything, each probe costs a call every few seconds. */
const MAX_PROBES_UNSEEN = 8;
/** Maximum pause between two questions of a probe. The pauses are 1, 2, 4, … seconds. */
const MAX_PAUSE_MS = 64_000;
/** Time that a finished run waits for pending answers. Probes without an answer stay open for a later run. */
const END_TIMEOUT_MS = 2_000;

/** Tells how well validate sees created requests. */
export interface Proof {
  /** Returns what the probes have shown for one kind of requests. */
  sight(kind: string): VisibilityStats;
  /** Tells whether this kind is not trusted yet, but may be once the running probes have ended. */
  mayBecomeTrusted(kind: string): boolean;
}

/** Returns a proof from stored evidence only, for callers that do not wait for running probes. */
export function storedProof(evidence: () => VisibilityHistory, nowMs: () => number): Proof {
  return { sight: (kind) => visibilityStats(evidence(), kind, nowMs()), mayBecomeTrusted: () => false };
}

/** Returns a clock whose time of day is that of the log, because the ages of records are computed with it. */
export function withLogTime(log: Pick<DeliveryLog, 'nowMs'>, clock: Clock): Clock {
  return {
    nowMs: () => log.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/**
 * Finds out whether validate sees created requests, by asking again about some of them while the run continues. Only
 * requests that validate called clear before are probed. Otherwise a validate that calls everything a duplicate would
 * be trusted.
 */
export class VisibilityProber implements Proof {
  readonly #api: Pick<MarketplaceApi, 'validate'>;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #keep: (evidence: VisibilityHistory) => void;
  readonly #ending = new AbortController();
  readonly #created = new Map<string, number>();
  readonly #underWay = new Map<string, VisibilityProbe>();
  readonly #running = new Set<Promise<unknown>>();
  /** Aborted once validate has seen a creation. */
  readonly #sighted = new AbortController();
  #evidence: VisibilityHistory;

  /** `keep` is called when a probe begins and when it ends, so that no probe is lost if the run is killed. */
  constructor(
    api: Pick<MarketplaceApi, 'validate'>,
    clock: Clock,
    stopping: AbortSignal,
    known: VisibilityHistory | null,
    keep: (evidence: VisibilityHistory) => void = () => {},
  ) {
    this.#api = api;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#evidence = known ?? NO_VISIBILITY_HISTORY;
    this.#keep = keep;
    // Every running probe may sleep on these signals, so the number of listeners is not a leak.
    setMaxListeners(0, this.#ending.signal, this.#sighted.signal);
    if (this.#evidence.looks.some(isSight)) this.#sighted.abort();
  }

  /** Everything known so far, from this run and earlier ones. */
  get evidence(): VisibilityHistory {
    return this.#evidence;
  }

  /** The keys of requests whose probes earlier runs left open and this run may continue. */
  get openKeys(): ReadonlySet<string> {
    const nowMs = this.#clock.nowMs();
    return new Set(this.#evidence.looks.filter((probe) => mayContinue(probe, nowMs)).map(({ key }) => key));
  }

  sight(kind: string): VisibilityStats {
    return visibilityStats(this.#evidence, kind, this.#clock.nowMs());
  }

  mayBecomeTrusted(kind: string): boolean {
    if (this.#hasEnded()) return false;
    const sight = this.sight(kind);
    const underWay = [...this.#underWay.values()].filter((probe) => probe.kind === kind).length;
    return !isTrusted(sight) && wouldBeTrusted(sight, underWay);
  }

  /** Tells whether validate is trusted for any kind of requests, or may become so. */
  isHopeful(): boolean {
    const kinds = new Set(this.#evidence.looks.map(({ kind }) => kind));
    return [...kinds].some((kind) => isTrusted(this.sight(kind)) || this.mayBecomeTrusted(kind));
  }

  /** Counts a created request that validate had called clear before, and starts a probe for some of them. */
  created({ key, request }: Pick<Submission, 'key' | 'request'>): void {
    const kind = requestKind(request);
    const count = (this.#created.get(kind) ?? 0) + 1;
    this.#created.set(kind, count);
    if (count % PROBE_EVERY !== 0 && !this.#isOneOfTheFirst(kind, count)) return;
    this.#begin(request, { key, kind, createdAtMs: this.#clock.nowMs(), end: 'open', afterMs: 0 });
  }

  /** Continues the probe that an earlier run left open for this request, if there is one. */
  resume({ key, request }: Pick<Submission, 'key' | 'request'>): void {
    const nowMs = this.#clock.nowMs();
    const probe = this.#evidence.looks.findLast((each) => each.key === key && mayContinue(each, nowMs));
    if (probe && probe.createdAtMs <= nowMs) this.#begin(request, probe);
  }

  /** Ends all probes. Those without a result stay open for a later run. */
  async end(): Promise<void> {
    this.#ending.abort();
    const answered = new AbortController();
    const asking = Promise.allSettled(this.#running).then(() => answered.abort());
    await Promise.race([asking, this.#clock.sleep(END_TIMEOUT_MS, answered.signal)]);
  }

  #isOneOfTheFirst(kind: string, count: number): boolean {
    if (count > FIRST_PROBES) return false;
    return count <= (isTrusted(this.sight(kind)) ? FIRST_PROBES_TRUSTED : FIRST_PROBES);
  }

  #begin(request: ServiceRequest, probe: VisibilityProbe): void {
    if (this.#underWay.size >= MAX_PROBES || this.#underWay.has(probe.key)) return;
    this.#note(probe);
    const running: Promise<void> = this.#probe(request, probe).finally(() => {
      this.#running.delete(running);
      this.#underWay.delete(probe.key);
      this.#keep(this.#evidence);
    });
    this.#running.add(running);
    this.#keep(this.#evidence);
  }

  async #probe(request: ServiceRequest, begun: VisibilityProbe): Promise<void> {
    const beganMs = this.#clock.monotonicMs() - (this.#clock.nowMs() - begun.createdAtMs);
    let probe = begun;
    if (this.#underWay.size > MAX_PROBES_UNSEEN) {
      await this.#firstSight();
      if (this.#hasEnded()) return;
    }
    for (let pauseMs = 1000; probe.end === 'open'; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      // If the service cannot be reached any more, the run itself reports that.
      const answer = await this.#api.validate(request).catch(() => null);
      if (!answer || this.#stopping.aborted) return;
      const tookMs = Math.max(0, Math.round(this.#clock.monotonicMs() - beganMs));
      probe = probeAfter(probe, answer, tookMs);
      this.#note(probe);
      // If no answer could be read within this time, a later run may continue the probe.
      if (this.#ending.signal.aborted || tookMs > MAX_VISIBILITY_LAG_MS) return;
      if (probe.end === 'open') await this.#clock.sleep(pauseMs, this.#ending.signal);
      if (this.#hasEnded()) return;
    }
  }

  /** Waits until validate has seen a creation, but no longer than a probe is worth asking. */
  #firstSight(): Promise<void> {
    const awaited = AbortSignal.any([this.#sighted.signal, this.#ending.signal]);
    return this.#clock.sleep(MAX_VISIBILITY_LAG_MS, awaited);
  }

  /** Stores the state of a running probe. */
  #note(probe: VisibilityProbe): void {
    if (isSight(probe)) this.#sighted.abort();
    this.#underWay.set(probe.key, probe);
    this.#evidence = mergeVisibilityHistories(this.#evidence, { looks: [probe] });
  }

  #hasEnded(): boolean {
    return this.#ending.signal.aborted || this.#stopping.aborted;
  }
}

const isSight = ({ end }: VisibilityProbe): boolean => end === 'seen';

/** Returns the state of a probe after one more answer, `tookMs` after the creation. */
function probeAfter(probe: VisibilityProbe, { verdict }: ValidateResult, tookMs: number): VisibilityProbe {
  if (verdict === 'unknown') return probe;
  if (verdict === 'clear')
    return { ...probe, end: tookMs > MAX_VISIBILITY_LAG_MS ? 'unseen' : 'open', afterMs: tookMs };
  if (tookMs <= MAX_VISIBILITY_LAG_MS) return { ...probe, end: 'seen', afterMs: tookMs };
  return { ...probe, end: probe.afterMs < MAX_VISIBILITY_LAG_MS ? 'late' : 'unseen', afterMs: tookMs };
}

/**
 * Lower bounds of the length classes in bytes, in powers of four. Texts of one class are assumed to be stored and
 * indexed alike.
 */
const CLASS_BOUNDS = [256, 1024, 4096] as const;

interface Likeness {
  readonly kind: string;
  /** Size of the part that may be truncated on its way: the text, or the recording that replaces it. */
  readonly bytes: number;
  readonly letters: number;
}

const likenessOf = memoize(({ params, audio }: ServiceRequest): Likeness => {
  const recording = params[AUDIO_PARAMETER];
  const isRecorded = audio !== null || recording !== undefined;
  const text = (isRecorded ? recording : params['request_text']) ?? '';
  const bytes = audio ? audio.sizeBytes : Buffer.byteLength(text);
  const lengthClass = CLASS_BOUNDS.filter((bound) => bytes >= bound).length;
  // A market that is not a country code is unchecked text and must not be stored.
  const market = /^[A-Z]{2}$/.exec(params['country'] ?? '')?.[0] ?? '--';
  return { kind: `${market}/${lengthClass}/${isRecorded ? 'audio' : 'text'}`, bytes, letters: text.length };
});

/**
 * Returns the kind of a request: its market, its length class, and whether it is a recording. A service may treat kinds
 * differently, so each kind is probed separately.
 */
export function requestKind(request: ServiceRequest): string {
  return likenessOf(request).kind;
}

/**
 * Tells whether `request` is at least as long as `other`. If so, anything that truncates or ignores `other` because of
 * its length does the same to `request`. Both bytes and letters are compared, because some services count one and some
 * the other.
 */
export function isAtLeastAsLong(request: ServiceRequest, other: ServiceRequest): boolean {
  const [one, two] = [likenessOf(request), likenessOf(other)];
  return one.bytes >= two.bytes && one.letters >= two.letters;
}

/** Resumes the probes that earlier runs left open, if their requests are rows of this file. */
export async function resumeProbes(
  plan: ImportPlan,
  prober: Pick<VisibilityProber, 'openKeys' | 'resume'>,
  reading: RereadOptions,
): Promise<void> {
  const { openKeys } = prober;
  if (openKeys.size === 0) return;
  const { ledger, range } = plan;
  const wanted = new Set<number>();
  for (let row = range.skip + 1; ledger.has(row); row++) {
    const key = ledger.status(row) === 'repeated' && ledger.firstRow(row) === row ? ledger.key(row) : null;
    if (key !== null && openKeys.has(key)) wanted.add(row);
  }
  if (wanted.size === 0) return;
  for await (const submission of rereadRows(plan, reading, (row) => wanted.has(row))) prober.resume(submission);
}
