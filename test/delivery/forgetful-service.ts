import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { MarketplaceApi, Verdict } from '../../src/request/ports.ts';
import { validated } from '../helpers/fake-api.ts';

/** How a service's validate sees what was created. Times are the clock's. */
export interface Nature {
  /** How late each part of the service sees a creation. */
  readonly lagsMs: readonly number[];
  /** Each request belongs to one part; else any part answers any question. */
  readonly isSharded: boolean;
  /** It sees nothing meanwhile. */
  readonly blind: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Of longer texts it recognises none. */
  readonly mostLetters: number;
  readonly memoryMs: number;
  /** From then on it gives the same answer to every question. */
  readonly lie: { readonly fromMs: number; readonly verdict: Verdict } | null;
}

/** What becomes of a create whose answer is lost. */
export type Fate = 'created' | 'lost' | { readonly takenAfterMs: number };

/** A service that takes requests and is asked about them. */
export class ForgetfulService {
  readonly #nature: Nature;
  readonly #random: () => number;
  readonly #nowMs: () => number;
  /** When each request takes, or took, effect. */
  readonly #takenAtMs = new Map<string, number>();
  /** Requests that took effect again. */
  readonly doubled: string[] = [];

  constructor(nature: Nature, random: () => number, nowMs: () => number) {
    this.#nature = nature;
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** Also what is still on its way. */
  has({ params }: ServiceRequest): boolean {
    return this.#takenAtMs.has(params['request_text'] ?? '');
  }

  take({ params }: ServiceRequest, afterMs: number): void {
    const need = params['request_text'] ?? '';
    if (this.#takenAtMs.has(need)) this.doubled.push(need);
    this.#takenAtMs.set(need, this.#nowMs() + afterMs);
  }

  validate: MarketplaceApi['validate'] = async ({ params }) => validated(this.#verdict(params['request_text'] ?? ''));

  #verdict(need: string): Verdict {
    const { lie, blind, mostLetters, memoryMs, lagsMs, isSharded } = this.#nature;
    const nowMs = this.#nowMs();
    if (lie && nowMs >= lie.fromMs) return lie.verdict;
    const part = isSharded ? digest(need) % lagsMs.length : Math.floor(this.#random() * lagsMs.length);
    const ageMs = nowMs - (this.#takenAtMs.get(need) ?? Number.POSITIVE_INFINITY);
    const isHidden =
      ageMs < (lagsMs[part] ?? 0) ||
      ageMs > memoryMs ||
      need.length > mostLetters ||
      blind.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
    return isHidden ? 'clear' : 'duplicate';
  }
}

/** FNV-1a, so that neighbours go to different parts. */
function digest(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return (sum ^ (sum >>> 15)) >>> 0;
}
