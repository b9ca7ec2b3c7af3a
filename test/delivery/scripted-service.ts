import type { Clock } from '../../src/request/ports.ts';
import type { Exchange } from '../../src/service/network/exchange.ts';
import type { Http } from '../../src/service/wire/http.ts';
import { lineOf } from '../doors/client.ts';
import { answerWith } from '../helpers/api-client.ts';
import { phoneOf } from './leads.ts';
import type { Life } from './life.ts';

const lost = (code: string, written: boolean): Exchange => ({
  answer: null,
  error: Object.assign(new Error(code), { code }),
  written,
  ms: 1,
});

const said = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Exchange => {
  const answer = answerWith(body);
  return { answer: { ...answer, status, headers: { ...answer.headers, ...headers } }, error: null, written: true };
};

/** What can come back from a create, and whether a service that answers so has created the request. */
export const ANSWERS = {
  refused: { acts: 'never', comes: lost('ECONNREFUSED', false) },
  'reset before writing': { acts: 'never', comes: lost('ECONNRESET', false) },
  'bad certificate': { acts: 'never', comes: lost('CERT_HAS_EXPIRED', false) },
  'reset after writing': { acts: 'perhaps', comes: lost('ECONNRESET', true) },
  'no answer in time': { acts: 'perhaps', comes: lost('UND_ERR_HEADERS_TIMEOUT', true) },
  '201 with an id': { acts: 'always', comes: said(201, { request_id: 'R-77' }) },
  '200 empty': { acts: 'always', comes: said(200, '') },
  '200 with half an answer': { acts: 'always', comes: said(200, '{"request_') },
  '200 duplicate': { acts: 'never', comes: said(200, { duplicate: true }) },
  '200 refused': { acts: 'never', comes: said(200, { success: false, message: 'No.' }) },
  '200 web page': { acts: 'perhaps', comes: said(200, '<!doctype html><p>Hello</p>', { 'content-type': 'text/html' }) },
  '301': { acts: 'never', comes: said(301, '', { location: 'https://example.com/' }) },
  '302': { acts: 'perhaps', comes: said(302, '', { location: 'https://example.com/' }) },
  '400': { acts: 'never', comes: said(400, { message: 'No.' }) },
  '401': { acts: 'never', comes: said(401) },
  '403': { acts: 'never', comes: said(403) },
  '404': { acts: 'never', comes: said(404) },
  '408': { acts: 'perhaps', comes: said(408) },
  '409': { acts: 'perhaps', comes: said(409, { message: 'Conflict.' }) },
  '409 duplicate': { acts: 'never', comes: said(409, { error: 'duplicate' }) },
  '422': { acts: 'never', comes: said(422, { message: 'No.' }) },
  '429': { acts: 'never', comes: said(429) },
  '429 for two minutes': { acts: 'never', comes: said(429, {}, { 'retry-after': '120' }) },
  '500': { acts: 'perhaps', comes: said(500) },
  '503 with Retry-After': { acts: 'perhaps', comes: said(503, {}, { 'retry-after': '1' }) },
  '799': { acts: 'perhaps', comes: said(799) },
} as const satisfies Record<string, { acts: 'never' | 'always' | 'perhaps'; comes: Exchange }>;

export type AnswerName = keyof typeof ANSWERS;
export const ANSWER_NAMES = Object.keys(ANSWERS) as AnswerName[];

/** One create as it is going to go. `acts` counts only where the answer leaves it open. */
export interface Step {
  readonly answer: AnswerName;
  readonly acts: boolean;
}

/** What validate sees: creations after a lag, or nothing of the kind. */
export type Sight = { readonly lagMs: number } | 'always clear' | 'always duplicate' | 'unreadable' | 'down';

type Headers = Readonly<Record<string, string>>;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Seen {
  readonly need: string;
  readonly atMs: number;
}

/** A service that keeps count of what it did, and answers each create by a script, then with 201. */
export class ScriptedService {
  /** Creations, also those whose answer was lost. */
  readonly acts: Seen[] = [];
  /** Creates that arrived. */
  readonly arrivals: Seen[] = [];
  readonly asked: (Seen & { readonly clear: boolean })[] = [];
  /** Number in the identifier of the next creation. */
  nextId = 77;
  sight: Sight = { lagMs: 0 };
  /** The header by which it knows a create that it has acted on before; null: it knows none. */
  idempotencyHeader: string | null = null;
  /** For so long it knows that. */
  rememberedMs = DAY_MS;
  readonly #actedOn = new Map<string, number>();
  /** What goes on elsewhere while a create or a validate is under way, before it is answered. */
  meanwhile: (path: string) => void | Promise<void> = () => {};
  #tokens = 0;
  readonly #scripts = new Map<string, Step[]>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the next creates with this need meet. */
  script(need: string, steps: readonly Step[]): void {
    this.#scripts.set(need, [...steps]);
  }

  actsOn(need: string): number {
    return this.acts.filter((each) => each.need === need).length;
  }

  /** The line to it, for one process. `answered` is called after each create. */
  line(life: Life, answered: () => void): Http {
    return lineOf(async (path, headers, body) => {
      const beganMs = this.#clock.monotonicMs();
      const exchange = await this.#answer(path, headers, body, life);
      if (path === '/v1/request/create') answered();
      const ms = Math.max(1, this.#clock.monotonicMs() - beganMs);
      return exchange.answer ? { ...exchange, answer: { ...exchange.answer, ms } } : { ...exchange, ms };
    });
  }

  async #answer(path: string, headers: Headers, body: string, life: Life): Promise<Exchange> {
    await life.reach('a call');
    if (path === '/oauth/token') return said(200, { access_token: `token-${++this.#tokens}` });
    const need = needOf(body);
    await this.meanwhile(path);
    if (path === '/v1/request/validate') return this.#validate(need);
    const { answer, acts } = this.#scripts.get(need)?.shift() ?? { answer: '201 with an id', acts: true };
    const { acts: acting, comes } = ANSWERS[answer];
    if (comes.written) {
      await life.reach('the arrival');
      this.arrivals.push({ need, atMs: this.#clock.nowMs() });
    }
    if (acting === 'always' || (acting === 'perhaps' && acts)) this.#act(need, headers);
    await life.reach('the answer');
    return answer === '201 with an id' ? said(201, { request_id: `R-${this.nextId++}` }) : comes;
  }

  #act(need: string, headers: Headers): void {
    const atMs = this.#clock.nowMs();
    const value = this.idempotencyHeader === null ? undefined : headers[this.idempotencyHeader];
    const before = this.#actedOn.get(value ?? '');
    if (before !== undefined && atMs - before < this.rememberedMs) return;
    if (value !== undefined) this.#actedOn.set(value, atMs);
    this.acts.push({ need, atMs });
  }

  #validate(need: string): Exchange {
    if (this.sight === 'unreadable') return said(200, { hello: 'there' });
    if (this.sight === 'down') return said(500);
    const clear = this.#isClear(need);
    this.asked.push({ need, atMs: this.#clock.nowMs(), clear });
    return said(200, { duplicate: !clear });
  }

  #isClear(need: string): boolean {
    if (typeof this.sight === 'string') return this.sight === 'always clear';
    const seenBeforeMs = this.#clock.nowMs() - this.sight.lagMs;
    return !this.acts.some((each) => each.need === need && each.atMs <= seenBeforeMs);
  }
}

/** What a request is told apart by: its text, and its telephone number unless that is the one of this text. */
function needOf(body: string): string {
  const params = new URLSearchParams(body);
  const [text, phone] = [params.get('request_text') ?? '', params.get('phone')];
  return phone === phoneOf(text) ? text : `${text} for ${phone}`;
}
