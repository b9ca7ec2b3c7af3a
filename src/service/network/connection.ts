import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { systemCode } from '../../request/words/errors.ts';
import type { Line } from './connector.ts';

/**
 * Time after which an idle connection is closed. It is below the 5 s of common servers, so that this side closes first.
 */
const KEEP_ALIVE_MS = 4_000;

/** Maximum number of bytes of an answer that are read, both as received and after its content codings are undone. */
export const MAX_ANSWER_BYTES = 1 << 20;

/** A call that learns which connection carries it. */
export interface CarriedCall {
  connection: Connection | null;
}

/** A call as it is handed to undici. */
export type Dispatched = Dispatcher.DispatchOptions & { readonly call: CarriedCall };

/**
 * A connection to the service, which is opened again where it has ended. It carries one call at a time. It speaks HTTP/1.1
 * without pipelining, because HTTP/2 replays buffered bodies.
 *
 * It adds what undici does not do by itself: it passes over the interim answer 100, and leaves no unanswered request in the
 * kernel.
 */
export class Connection extends Client {
  #line: Line | null = null;
  #awaitsAnswer = false;
  #hasSurplus = false;
  /** How much of {@link CONTINUE} the last bytes were, or -1 once the final answer has begun. */
  #matched = 0;

  constructor(origin: URL, open: () => Promise<Line>) {
    super(origin, {
      connect: (_, callback) => {
        open().then(
          (line) => callback(null, this.#guarded(line).socket),
          (error) => callback(error, null),
        );
      },
      pipelining: 1,
      allowH2: false,
      // The caller sets a deadline for the whole answer. Those of undici start again with each interim answer, and each part.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  override dispatch(options: Dispatched, handler: Dispatcher.DispatchHandler): boolean {
    options.call.connection = this;
    return super.dispatch(options, handler);
  }

  /** Notes that a request is being written. */
  begin(): void {
    this.#awaitsAnswer = true;
    this.#hasSurplus = false;
    this.#matched = 0;
  }

  /** Notes that the answer is complete. */
  answered(): void {
    this.#awaitsAnswer = false;
  }

  /** Ends the connection after its answer. The next call opens it again. */
  end(): void {
    this.#line?.socket.destroy(Object.assign(new Error('not used again'), { code: ORDERLY }));
  }

  /**
   * Whether the connection was cut, or sent more bytes after the end of an answer. What was read from it is then not to
   * be relied on.
   */
  get hasFailed(): boolean {
    const error = this.#line?.socket.errored ?? null;
    return this.#hasSurplus || (error !== null && systemCode(error) !== ORDERLY);
  }

  #guarded(line: Line): Line {
    this.#line = line;
    const { socket, tcp } = line;
    const { read, unshift } = socket;
    socket.read = (size?: number): Buffer | null => {
      const chunk: Buffer | null = read.call(socket, size);
      if (chunk !== null) this.#passContinue(chunk);
      return chunk;
    };
    // undici puts back the bytes that followed an answer which ended its connection.
    socket.unshift = (chunk: Buffer, ...more) => {
      if (/[^\r\n]/.test(chunk.toString('latin1'))) this.#hasSurplus = true;
      unshift.call(socket, chunk, ...more);
    };
    // A TLS connection ends by ending the TCP connection below.
    const { destroy } = tcp;
    let cause: Error | undefined;
    tcp.destroy = (error) => {
      cause ??= error;
      if (this.#awaitsAnswer && !tcp.destroyed && !socket.writableEnded) {
        // If the connection were closed in the ordinary way, the kernel would continue to deliver a request that is
        // already listed as unknown.
        this.#awaitsAnswer = false;
        // The reset calls this function again.
        tcp.resetAndDestroy();
      }
      return destroy.call(tcp, cause);
    };
    return line;
  }

  /**
   * Turns each interim 100 into a 102. RFC 9110, section 15.2, requires a client to read interim answers even if it did not
   * ask for them. undici passes over all of them but 100, at which it ends the connection.
   */
  #passContinue(chunk: Buffer): void {
    for (let at = 0; this.#matched >= 0 && at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === CONTINUE[this.#matched]) this.#matched += 1;
      else if (this.#matched === STATUS_AT) this.#matched = -1;
      else this.#matched = byte === CONTINUE[0] ? 1 : 0;
      if (this.#matched < CONTINUE.length) continue;
      chunk[at] = PROCESSING_DIGIT;
      this.#matched = 0;
    }
  }
}

/** The code of an error with which undici ends connections as planned: idle ones, and those after a last answer. */
const ORDERLY = 'UND_ERR_INFO';

const CONTINUE = Buffer.from('HTTP/1.1 100');
/** Offset of the status code in the status line. */
const STATUS_AT = 9;
/** The last digit of 102. */
const PROCESSING_DIGIT = 0x32;
