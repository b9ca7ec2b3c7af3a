import type { Dispatcher } from 'undici';
import { Agent, EnvHttpProxyAgent } from 'undici';

const CONNECT_TIMEOUT_MS = 10_000;
/** Long, because a timeout does not stop the service: a short one manufactures doubt. */
const HEADERS_TIMEOUT_MS = 120_000;
const BODY_TIMEOUT_MS = 60_000;
/** Below the 5 s after which common servers close idle connections, so that we close first. */
const KEEP_ALIVE_MS = 4_000;
const ANSWER_LIMIT_BYTES = 1 << 20;

/** An HTTP answer as received. `headers` have lower-case names; several of one name are joined by a comma. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most 1 MiB; `complete` is false if it was cut there or by the line. */
  readonly body: string;
  readonly complete: boolean;
  readonly ms: number;
}

/**
 * One call: an answer, or why there is none. `written` is what decides whether the service may have acted: false means
 * that certainly no byte of the request left this process.
 */
export type Exchange =
  | { readonly answer: Answer; readonly error: null; readonly written: true }
  | { readonly answer: null; readonly error: Error; readonly written: boolean; readonly ms: number };

export interface HttpOptions {
  readonly baseUrl: string;
  /** Most connections at once. */
  readonly connections: number;
  /** Longest wait for the head of an answer; null for the default. */
  readonly timeoutMs: number | null;
  readonly proxy: { readonly https: string | null; readonly no: string | null };
  readonly monotonicMs: () => number;
  /** Called with a line per call, for --verbose: method, path, status, time. Never headers, query or bodies. */
  readonly trace: ((line: string) => void) | null;
}

/**
 * Sends to one service and never repeats anything by itself: no retries, no redirects, HTTP/1.1 without pipelining
 * (HTTP/2 replays buffered bodies).
 */
export class Http {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #monotonicMs: () => number;
  readonly #trace: HttpOptions['trace'];

  constructor(options: HttpOptions) {
    const url = new URL(options.baseUrl);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#monotonicMs = options.monotonicMs;
    this.#trace = options.trace;
    const settings = {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: options.timeoutMs ?? HEADERS_TIMEOUT_MS,
      bodyTimeout: Math.min(options.timeoutMs ?? BODY_TIMEOUT_MS, BODY_TIMEOUT_MS),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    };
    // Plain http is allowed to loopback alone, and that never goes through a proxy.
    const throughProxy = url.protocol === 'https:' && options.proxy.https !== null;
    this.#dispatcher = throughProxy
      ? new EnvHttpProxyAgent({ ...settings, httpsProxy: options.proxy.https ?? '', noProxy: options.proxy.no ?? '' })
      : new Agent(settings);
  }

  /** Never rejects: every failure is in the exchange. */
  async send(
    method: 'POST' | 'PUT',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
  ): Promise<Exchange> {
    const exchange = await this.#exchange({ origin: this.#origin, path: this.#prefix + path, method, headers, body });
    if (this.#trace) {
      const { answer } = exchange;
      const end = answer ? `HTTP ${answer.status}, ${answer.ms} ms` : `${exchange.error.message}, ${exchange.ms} ms`;
      this.#trace(`${method} ${this.#origin}${this.#prefix}${path.split('?')[0]}: ${end}`);
    }
    return exchange;
  }

  #exchange(request: Dispatcher.DispatchOptions): Promise<Exchange> {
    return new Promise((resolve) => {
      const handler = new Collector(this.#monotonicMs, resolve);
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

/** Gathers one answer. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #monotonicMs: () => number;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #startedMs: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #written = false;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(monotonicMs: () => number, resolve: (exchange: Exchange) => void) {
    this.#monotonicMs = monotonicMs;
    this.#resolve = resolve;
    this.#startedMs = monotonicMs();
  }

  /** undici calls this in the same turn as, and right before, it writes to the socket. */
  onRequestStart(): void {
    this.#written = true;
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
