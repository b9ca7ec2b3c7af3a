import type { Dispatcher } from 'undici';
import type { TracedCall } from '../model/traced-call.ts';
import { type DispatcherOptions, openDispatcher } from './dispatcher.ts';
import type { Exchange } from './exchange.ts';
import { type Disguise, hideAll, tracedCall } from './trace.ts';

const ANSWER_LIMIT_BYTES = 1 << 20;

export interface HttpOptions extends DispatcherOptions {
  readonly baseUrl: string;
  readonly monotonicMs: () => number;
  /** Each is told of every call, as it may be shown. */
  readonly traces: readonly ((call: TracedCall) => void)[];
}

/** Sends to one service and never repeats anything by itself: no retries, no redirects. */
export class Http {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #monotonicMs: () => number;
  readonly #traces: HttpOptions['traces'];

  constructor(options: HttpOptions) {
    const url = new URL(options.baseUrl);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#monotonicMs = options.monotonicMs;
    this.#traces = options.traces;
    this.#dispatcher = openDispatcher(options);
  }

  /**
   * Never rejects: every failure is in the exchange. `disguise` says what of it a trace may show. `mayWrite` is asked right
   * before the first byte is written; false: nothing is, and the error is an {@link IntentRanOut}.
   */
  async send(
    method: 'POST' | 'PUT',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    disguise: () => Disguise = () => hideAll(path),
    mayWrite: () => boolean = () => true,
  ): Promise<Exchange> {
    const request = { origin: this.#origin, path: this.#prefix + path, method, headers, body };
    const exchange = await this.#exchange(request, mayWrite);
    if (this.#traces.length > 0) {
      const call = tracedCall(method, this.#origin + this.#prefix, headers, exchange, disguise());
      for (const trace of this.#traces) trace(call);
    }
    return exchange;
  }

  #exchange(request: Dispatcher.DispatchOptions, mayWrite: () => boolean): Promise<Exchange> {
    return new Promise((resolve) => {
      const handler = new Collector(this.#monotonicMs, mayWrite, resolve);
      try {
        this.#dispatcher.dispatch(request, handler);
      } catch (error) {
        handler.fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Ends idle connections; calls still under way fail. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }
}

/** Too much time passed between the intent to send and the write, which was given up: certainly nothing was sent. */
export class IntentRanOut extends Error {
  constructor() {
    super('it was held up for too long before it was sent');
  }
}

/** Gathers one answer. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #monotonicMs: () => number;
  readonly #mayWrite: () => boolean;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #startedMs: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #written = false;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(monotonicMs: () => number, mayWrite: () => boolean, resolve: (exchange: Exchange) => void) {
    this.#monotonicMs = monotonicMs;
    this.#mayWrite = mayWrite;
    this.#resolve = resolve;
    this.#startedMs = monotonicMs();
  }

  /** undici calls this in the same turn as, and right before, it writes to the socket. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#mayWrite()) this.#written = true;
    else controller.abort(new IntentRanOut());
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = ANSWER_LIMIT_BYTES - this.#bytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length > room) {
      this.#answer(false);
      controller.abort(new Error('answer too long'));
    }
  }

  onResponseEnd(): void {
    this.#answer(true);
  }

  /** Once a status was received the answer counts, even if the line is cut before its body is complete. */
  onResponseError(_: unknown, error: Error): void {
    if (this.#status > 0) this.#answer(false);
    else this.fail(error);
  }

  fail(error: Error): void {
    this.#resolve({ answer: null, error, written: this.#written, ms: this.#tookMs() });
  }

  #answer(complete: boolean): void {
    const answer = {
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks).toString('utf8'),
      complete,
      ms: this.#tookMs(),
    };
    this.#resolve({ answer, error: null, written: true });
  }

  #tookMs(): number {
    return Math.round(this.#monotonicMs() - this.#startedMs);
  }
}
