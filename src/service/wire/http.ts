import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { TracedCall } from '../../request/ports.ts';
import { type CarriedCall, Connection, type Dispatched, MAX_ANSWER_BYTES } from '../network/connection.ts';
import { routeTo, type ServiceProxy } from '../network/connector.ts';
import type { Exchange } from '../network/exchange.ts';
import { LeaseExpired } from '../network/network-failure.ts';
import { type RedactedCall, tracedCall } from '../redaction/trace.ts';

export interface HttpOptions {
  readonly baseUrl: string;
  /** The proxy on the way to the service, or null for a direct connection. */
  readonly proxy: ServiceProxy | null;
  /** Maximum number of connections at once. */
  readonly connections: number;
  /** Maximum time for a whole answer, or null for the default. If it is shorter than that for connecting, it limits both. */
  readonly timeoutMs: number | null;
  readonly monotonicMs: () => number;
  /** Listeners that receive each call in the form in which it may be shown. */
  readonly traces: readonly ((call: TracedCall) => void)[];
}

/**
 * Maximum time for a whole answer unless the user sets another. It is long because a timeout does not stop the service,
 * so a short one leaves requests unknown.
 */
const ANSWER_TIMEOUT_MS = 120_000;
/** Longest delay of a Node.js timer. Node.js treats a longer one as 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The value of Accept-Encoding that asks for an uncompressed answer. An answer that was never compressed cannot fail to
 * decompress.
 */
const IDENTITY = 'identity';

/** Sends requests to one service. It never repeats anything by itself: no retries, no redirects. */
export class Http {
  readonly #options: HttpOptions;
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #prefix: string;
  /** Maximum time from the first byte written to the last byte of the answer read. */
  readonly #timeoutMs: number;

  constructor(options: HttpOptions) {
    const url = new URL(options.baseUrl);
    this.#options = options;
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#timeoutMs = Math.min(options.timeoutMs ?? ANSWER_TIMEOUT_MS, MAX_TIMER_MS);
    const route = routeTo(options.proxy, url, options.timeoutMs);
    this.#pool = new Pool(url.origin, {
      connections: options.connections,
      factory: (origin) => new Connection(origin, async () => route.complete(await route.begin())),
    });
  }

  /**
   * Sends one request and returns the exchange. Never rejects, because every failure is part of the exchange. `headers`
   * have lower-case names. `redacted` says what a trace may show of the call; without it there is no trace.
   * `mayWrite` is asked right before the first byte is written. If it returns false, nothing is written and the error is
   * an {@link LeaseExpired}.
   */
  async send(
    method: 'POST' | 'PUT',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    redacted: RedactedCall | null = null,
    mayWrite: () => boolean = () => true,
  ): Promise<Exchange> {
    // The name is there before it is set again, because adding a name after the spread takes V8 twenty times as long.
    const sent = { 'accept-encoding': IDENTITY, ...headers };
    sent['accept-encoding'] = IDENTITY;
    const request = { origin: this.#origin, path: this.#prefix + path, method, headers: sent, body };
    const exchange = await this.#exchanged(request, mayWrite);
    const { traces } = this.#options;
    if (redacted !== null && traces.length > 0) {
      const call = tracedCall({ method, base: this.#origin + this.#prefix, headers: sent }, exchange, redacted);
      for (const trace of traces) trace(call);
    }
    return exchange;
  }

  /** Closes idle connections. Calls that are still under way fail, and their connections are reset. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Makes one call. The answer is collected from the events of undici. */
  #exchanged(request: Dispatcher.DispatchOptions, mayWrite: () => boolean): Promise<Exchange> {
    const { monotonicMs } = this.#options;
    const timeoutMs = this.#timeoutMs;
    const startedMs = monotonicMs();
    const tookMs = () => Math.round(monotonicMs() - startedMs);
    const call: CarriedCall = { connection: null };
    const chunks: Buffer[] = [];
    const headers: Record<string, string> = {};
    let status = 0;
    let written = false;
    let deadline: NodeJS.Timeout | undefined;
    const answerOf = (isWhole: boolean): Exchange => {
      const body = bodyText(Buffer.concat(chunks), headers);
      const answer = { status, headers, body: body ?? '', complete: isWhole && body !== null, ms: tookMs() };
      return { answer, error: null, written: true, distrust: () => call.connection?.end() };
    };
    return new Promise((resolve) => {
      const end = (exchange: Exchange) => {
        clearTimeout(deadline);
        resolve(exchange);
      };
      const handler: Dispatcher.DispatchHandler = {
        /**
         * Starts the call. undici calls this right before it writes to the socket, in the same turn of the event loop. It would
         * write a call again whose connection ended in an orderly way, and that is not allowed.
         */
        onRequestStart(controller) {
          if (written || !mayWrite()) {
            controller.abort(written ? new Error('the connection ended') : new LeaseExpired());
            return;
          }
          written = true;
          call.connection?.begin();
          deadline = setTimeout(() => controller.abort(answerTimedOut(timeoutMs)), timeoutMs);
        },
        onResponseStart(_, code, found) {
          if (code < 200) return;
          status = code;
          for (const [name, value] of Object.entries(found)) {
            if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
          }
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd() {
          call.connection?.answered();
          // A service that fails may leave bytes of another answer behind. No later call is to take them for its own.
          if (status >= 400) call.connection?.end();
          // Bytes that came after the end of the answer are found in this turn of the event loop, and count against the
          // answer.
          queueMicrotask(() => end(answerOf(call.connection?.hasFailed === false)));
        },
        // Once a status was received the answer counts, even if the connection is cut before its body is complete.
        onResponseError: (_, error) =>
          end(status > 0 ? answerOf(false) : { answer: null, error, written, ms: tookMs() }),
      };
      const dispatched: Dispatched = { ...request, call };
      this.#pool.dispatch(dispatched, handler);
    });
  }
}

const answerTimedOut = (timeoutMs: number): Error =>
  Object.assign(new Error(`no whole answer within ${timeoutMs / 1000} s`), { code: 'ANSWER_TIMEOUT' });

/**
 * Decodes a body to text. Returns null if its content coding is unknown or cannot be undone, or if the body is too long
 * without it.
 */
export function bodyText(bytes: Buffer, headers: Readonly<Record<string, string>>): string | null {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '', 'content-type': type = '' } = headers;
  const codings = `${content},${transfer}`.toLowerCase().split(/[,\s]+/);
  const [coding, ...more] = codings.filter((name) => !/^(?:|identity|chunked)$/.test(name));
  if (coding === undefined || bytes.length === 0) return decoded(bytes, type);
  const undo = /^(?:x-)?gzip$/.test(coding) ? gunzipSync : coding === 'br' ? brotliDecompressSync : null;
  if (undo === null || more.length > 0) return null;
  try {
    return decoded(undo(bytes, { maxOutputLength: MAX_ANSWER_BYTES }), type);
  } catch {
    return null;
  }
}

/** Decodes bytes to text by their charset. The mark of UTF-8 is left in the text for whoever reads it. */
function decoded(bytes: Buffer, contentType: string): string {
  const [, label = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  if (/^utf-?8$/i.test(label)) return bytes.toString('utf8');
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
