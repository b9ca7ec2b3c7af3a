import { type Evidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { Clock, MarketplaceApi } from '../model/ports.ts';
import type { ServiceRequest } from '../model/service-request.ts';

/** The first creations of a run are looked at, and then one in so many. */
const FIRST_LOOKS = 3;
const LOOK_EVERY = 500;
/** How long validate is given to see a creation; asked after 0, 1, 2, 4, … seconds. */
const PATIENCE_MS = 60_000;
/** How long a finished run waits for looks that are still under way. */
const FAREWELL_MS = 10_000;

/**
 * Finds out whether validate sees what was created, by asking about created requests again, beside the run. Only requests
 * that validate called clear before tell anything: one that calls everything a duplicate must not be believed.
 */
export class Witness {
  readonly #api: Pick<MarketplaceApi, 'validate'>;
  readonly #clock: Clock;
  readonly #stopping: AbortSignal;
  readonly #looks = new Set<Promise<void>>();
  readonly #leaving = new AbortController();
  #created = 0;
  #evidence: Evidence;

  constructor(api: Pick<MarketplaceApi, 'validate'>, clock: Clock, stopping: AbortSignal, known: Evidence | null) {
    this.#api = api;
    this.#clock = clock;
    this.#stopping = stopping;
    this.#evidence = known ?? NO_EVIDENCE;
  }

  get evidence(): Evidence {
    return this.#evidence;
  }

  /** Notes a creation that validate had called clear before. Looks at some of them in the background. */
  created(request: ServiceRequest): void {
    this.#created += 1;
    if (this.#created > FIRST_LOOKS && this.#created % LOOK_EVERY !== 0) return;
    const look: Promise<void> = this.#look(request).finally(() => this.#looks.delete(look));
    this.#looks.add(look);
  }

  /** Resolves when all looks have ended; those that take too long are left without counting for anything. */
  async end(): Promise<void> {
    const given = this.#clock.sleep(FAREWELL_MS, this.#leaving.signal);
    await Promise.race([Promise.all(this.#looks), given]);
    this.#leaving.abort();
    await Promise.all(this.#looks);
  }

  async #look(request: ServiceRequest): Promise<void> {
    const createdMs = this.#clock.monotonicMs();
    for (let pauseMs = 1000; ; pauseMs *= 2) {
      // A service that cannot be asked any more is the run's to tell about.
      const answer = await this.#api.validate(request).catch(() => null);
      if (!answer || answer.refused || this.#left()) return;
      const tookMs = this.#clock.monotonicMs() - createdMs;
      if (answer.verdict === 'duplicate') this.#note(1, tookMs);
      else if (tookMs > PATIENCE_MS) this.#note(0, 0);
      else {
        await this.#clock.sleep(pauseMs, this.#leaving.signal);
        if (!this.#left()) continue;
      }
      return;
    }
  }

  #left(): boolean {
    return this.#leaving.signal.aborted || this.#stopping.aborted;
  }

  #note(found: number, tookMs: number): void {
    const { asked, found: before, slowestMs } = this.#evidence;
    this.#evidence = { asked: asked + 1, found: before + found, slowestMs: Math.max(slowestMs, Math.round(tookMs)) };
  }
}
