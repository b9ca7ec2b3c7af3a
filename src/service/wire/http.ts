import type { Dispatcher } from 'undici';
import type { TracedCall } from '../../request/ports.ts';
import type { CarriedCall, ConnectionTracker, PooledConnection } from '../network/connection.ts';
import {
  answerTimeoutOf,
  type DispatcherOptions,
  openDispatcher,
  type ServiceDispatcher,
} from '../network/connector.ts';
import type { Exchange } from '../network/exchange.ts';
import { type RedactedCall, tracedCall } from '../redaction/trace.ts';

export interface HttpOptions extends DispatcherOptions {
  readonly baseUrl: string;
  readonly monotonicMs: () => number;
  /** Listeners that receive each call in the form in which it may be shown. */
  readonly traces: readonly ((call: TracedCall) => void)[];
}

/**
 * The value of Accept-Encoding that asks for an uncompressed answer. An answer that was never compressed cannot fail to
 * decompress.
 */
const IDENTITY = 'identity';

/** Sends requests to one service. It never repeats anything by itself: no retries, no redirects. */
export class Http {
  readonly #options: HttpOptions;
  readonly #dispatcher: ServiceDispatcher;
  readonly #origin: string;
  readonly #prefix: string;

  constructor(options: HttpOptions) {
    const url = new URL(options.baseUrl);
    this.#options = options;
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#dispatcher = openDispatcher(options);
  }

  /**
   * Sends one request and returns the exchange. Never rejects, because every failure is part of the exchange. `headers`
   * have lower-case names. `redacted` returns the parts of the call that a trace may show; without it there is no trace.
   * `mayWrite` is asked right before the first byte is written. If it returns false, nothing is written and the error is
   * an {@link LeaseExpired}.
   */
  async send(
    method: 'POST' | 'PUT',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    redacted: (() => RedactedCall) | null = null,
    mayWrite: () => boolean = () => true,
  ): Promise<Exchange> {
    // The name is there before it is set again, because adding a name after the spread takes V8 twenty times as long.
    const sent = { 'accept-encoding': IDENTITY, ...headers };
    sent['accept-encoding'] = IDENTITY;
    const request = { origin: this.#origin, path: this.#prefix + path, method, headers: sent, body };
    const exchange = await this.#exchange(request, mayWrite);
    const { traces } = this.#options;
    if (redacted !== null && traces.length > 0) {
      const call = tracedCall(method, this.#origin + this.#prefix, sent, exchange, redacted());
      for (const trace of traces) trace(call);
    }
    return exchange;
  }

  #exchange(request: Dispatcher.DispatchOptions, mayWrite: () => boolean): Promise<Exchange> {
    const { agent, connections } = this.#dispatcher;
    return new Promise((resolve) => {
      const collector = new Collector(connections, this.#options, mayWrite, resolve);
      try {
        agent.dispatch(request, collector);
      } catch (error) {
        collector.fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Closes idle connections. Calls that are still under way fail, and their connections are reset. */
  async close(): Promise<void> {
    await this.#dispatcher.agent.destroy();
  }
}

/**
 * The error of a write that was given up because too much time had passed since the intent to send was logged.
 * Certainly nothing was sent.
 */
export class LeaseExpired extends Error {
  constructor() {
    super('it was held up for too long before it was sent');
  }
}

/** The error of an answer that was not complete in time. */
class AnswerTimedOut extends Error {
  readonly code = 'ANSWER_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`no whole answer within ${timeoutMs / 1000} s`);
  }
}

/** Collects one answer from the events of undici. */
class Collector implements Dispatcher.DispatchHandler, CarriedCall {
  connection: PooledConnection | null = null;
  readonly #connections: ConnectionTracker;
  readonly #options: HttpOptions;
  readonly #mayWrite: () => boolean;
  readonly #resolve: (exchange: Exchange | Promise<Exchange>) => void;
  readonly #startedMs: number;
  readonly #chunks: Buffer[] = [];
  #deadline: NodeJS.Timeout | undefined;
  #bytes = 0;
  #written = false;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(
    connections: ConnectionTracker,
    options: HttpOptions,
    mayWrite: () => boolean,
    resolve: (exchange: Exchange | Promise<Exchange>) => void,
  ) {
    this.#connections = connections;
    this.#options = options;
    this.#mayWrite = mayWrite;
    this.#resolve = resolve;
    this.#startedMs = options.monotonicMs();
  }

  /** Starts the call. undici calls this right before it writes to the socket, in the same turn of the event loop. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#mayWrite()) {
      controller.abort(new LeaseExpired());
      return;
    }
    this.#written = true;
    this.#connections.announce(this);
    const timeoutMs = answerTimeoutOf(this.#options.timeoutMs);
    this.#deadline = setTimeout(() => controller.abort(new AnswerTimedOut(timeoutMs)), timeoutMs);
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = MAX_ANSWER_BYTES - this.#bytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length > room) controller.abort(new Error('answer too long'));
  }

  onResponseEnd(): void {
    this.connection?.answered();
    // A service that fails may leave bytes of another answer behind. No later call is to take them for its own.
    if (this.#status >= 400) this.connection?.end();
    // Bytes that came after the end of the answer are found in this turn of the event loop, and count against the
    // answer.
    queueMicrotask(() => this.#answer(this.connection?.hasFailed === false));
  }

  /**
   * Handles a failed answer. Once a status was received the answer counts, even if the connection is cut before its
   * body is complete.
   */
  onResponseError(_: unknown, error: Error): void {
    if (this.#status > 0) this.#answer(false);
    else this.fail(error);
  }

  fail(error: Error): void {
    clearTimeout(this.#deadline);
    this.#resolve({ answer: null, error, written: this.#written, ms: this.#tookMs() });
  }

  #answer(isWhole: boolean): void {
    clearTimeout(this.#deadline);
    const [status, headers, ms] = [this.#status, this.#headers, this.#tookMs()];
    const exchangeOf = (body: string | null): Exchange => {
      const answer = { status, headers, body: body ?? '', complete: isWhole && body !== null, ms };
      return { answer, error: null, written: true, distrust: () => this.connection?.end() };
    };
    const body = bodyText(Buffer.concat(this.#chunks), headers);
    this.#resolve(body instanceof Promise ? body.then(exchangeOf) : exchangeOf(body));
  }

  #tookMs(): number {
    return Math.round(this.#options.monotonicMs() - this.#startedMs);
  }
}

/** Maximum number of bytes of an answer that are read, both as received and after its content codings are undone. */
const MAX_ANSWER_BYTES = 1 << 20;
/**
 * Decodes a body to text. Returns null if its content coding is unknown or cannot be undone, or if the body is too long
 * without it. Returns a promise only if a coding has to be undone, because zlib is loaded only then.
 */
export function bodyText(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): string | null | Promise<string | null> {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '', 'content-type': type = '' } = headers;
  const codings = `${content},${transfer}`.toLowerCase().split(/[,\s]+/);
  const [coding, ...more] = codings.filter((name) => !/^(?:|identity|chunked)$/.test(name));
  if (coding === undefined || bytes.length === 0) return decoded(bytes, type);
  return more.length > 0 ? null : undone(bytes, coding).then((plain) => plain && decoded(plain, type));
}

async function undone(bytes: Buffer, coding: string): Promise<Buffer | null> {
  const { gunzipSync, brotliDecompressSync } = await import('node:zlib');
  const within = { maxOutputLength: MAX_ANSWER_BYTES };
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes, within);
    return coding === 'br' ? brotliDecompressSync(bytes, within) : null;
  } catch {
    return null;
  }
}

/**
 * Decodes bytes to text by their charset. A byte order mark takes precedence over the header. The mark of UTF-8 is left
 * in the text for whoever reads it.
 */
function decoded(bytes: Buffer, contentType: string): string {
  const label = markedCharset(bytes) ?? /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (label === undefined || /^utf-?8$/i.test(label)) return bytes.toString('utf8');
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

/** Returns the charset of a byte order mark. */
function markedCharset(bytes: Buffer): string | undefined {
  const mark = bytes.toString('hex', 0, 3);
  return mark === 'efbbbf' ? 'utf-8' : { feff: 'utf-16be', fffe: 'utf-16le' }[mark.slice(0, 4)];
}
