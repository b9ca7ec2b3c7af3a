import type { Socket } from 'node:net';
import { systemCode } from '../../request/words/errors.ts';

/**
 * A connection as HTTP uses it, and the TCP connection below, which is the only one that can be reset. Without TLS both
 * are the same socket.
 */
export interface Line {
  readonly socket: Socket;
  readonly tcp: Socket;
}

/** A call that learns which connection carries it. */
export interface CarriedCall {
  connection: PooledConnection | null;
}

/** Tracks the connections to the service, and which call each one carries. A connection carries one call at a time. */
export class ConnectionTracker {
  #next: CarriedCall | null = null;

  /**
   * Announces that this call is written in the current turn of the event loop. undici says so before it writes, but
   * does not say to which connection.
   */
  announce(call: CarriedCall): void {
    this.#next = call;
  }

  add(line: Line): Socket {
    const connection = new PooledConnection(line);
    const { socket } = line;
    const write = socket.write;
    socket.write = (...all: unknown[]) => {
      if (this.#next) {
        connection.begin();
        this.#next.connection = connection;
        this.#next = null;
      }
      return Reflect.apply(write, socket, all);
    };
    return socket;
  }
}

/**
 * Adds to a connection what undici does not do by itself: it skips interim answers, and leaves no unanswered request in
 * the kernel.
 */
export class PooledConnection {
  readonly #interim = new InterimAnswerFilter();
  #awaitsAnswer = false;
  #hasFailed = false;
  readonly #socket: Socket;

  constructor({ socket, tcp }: Line) {
    this.#socket = socket;
    const { read, unshift } = socket;
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk: Buffer | null = read.call(socket, size);
        const left = chunk && this.#interim.filter(chunk);
        if (left || chunk === null) return left;
      }
    };
    // undici puts back the bytes that followed an answer which ended its connection.
    socket.unshift = (chunk: Buffer, ...more) => {
      if (/[^\r\n]/.test(chunk.toString('latin1'))) this.#hasFailed = true;
      unshift.call(socket, chunk, ...more);
    };
    // A TLS connection ends by ending the TCP connection below.
    const { destroy: end } = tcp;
    let cause: Error | undefined;
    tcp.destroy = (error) => {
      cause ??= error;
      if (this.#awaitsAnswer && !tcp.destroyed && !socket.writableEnded) {
        // If the connection were closed in the ordinary way, the kernel would continue to deliver a request that is
        // already listed as in doubt.
        this.#awaitsAnswer = false;
        // The reset calls this function again.
        tcp.resetAndDestroy();
      }
      return end.call(tcp, cause);
    };
    const { destroy } = socket;
    socket.destroy = (error) => {
      // A call that is given up ends its connection in an orderly way. Without an error, undici would open the next
      // connection for the same call.
      const told = this.#awaitsAnswer && isOrderly(error) ? new Error('given up', { cause: error }) : error;
      if (told && !isOrderly(told)) this.#hasFailed = true;
      return destroy.call(socket, told);
    };
  }

  begin(): void {
    this.#awaitsAnswer = true;
    this.#interim.expectAnswer();
  }

  /** Notes that the answer is complete. */
  answered(): void {
    this.#awaitsAnswer = false;
  }

  /** Ends the connection after its answer. undici opens another one for the next call. */
  end(): void {
    this.#socket.destroy(Object.assign(new Error('not used again'), { code: 'UND_ERR_INFO' }));
  }

  /**
   * Whether the connection was cut, or sent more bytes after the end of an answer. What was read from it is then not to
   * be relied on.
   */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }
}

/**
 * Tells whether a connection ended as planned. undici ends idle connections, and those after a last answer, with an
 * error that only undici itself looks at.
 */
function isOrderly(error: Error | undefined): boolean {
  return systemCode(error) === 'UND_ERR_INFO';
}

/**
 * The beginning of an interim answer (100 Continue, 103 Early Hints), as far as it is there. 101 is not one, because it ends
 * HTTP on the connection.
 */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const EXAMPLE = 'HTTP/1.1 100 ';
/** Offset of the status code in the status line, and the first digit of an interim one. */
const STATUS_AT = 9;
const INTERIM_CLASS = 0x31;
const HEAD_END = '\r\n\r\n';
/** What is longer ends the connection, as a head of this length does. */
const MAX_INTERIM_BYTES = 1 << 16;
const NOTHING = Buffer.alloc(0);

/**
 * Removes interim answers from the bytes that a service sends. RFC 9110, section 15.2, requires a client to be able to read
 * them before the answer even if it did not ask for them, but undici ends the connection at a 100. No other byte is changed.
 */
class InterimAnswerFilter {
  #isFinal = true;
  /** Bytes that may still turn out to be an interim answer. */
  #held: Buffer = NOTHING;

  /** Notes that a request is being written, so that the next bytes begin its answer. */
  expectAnswer(): void {
    this.#isFinal = false;
    this.#held = NOTHING;
  }

  /** Returns the bytes that are left without interim answers, or null if there are none so far. */
  filter(chunk: Buffer): Buffer | null {
    if (this.#isFinal) return chunk;
    let bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    while (mayBeInterim(bytes)) {
      const end = bytes.length < EXAMPLE.length ? -1 : bytes.indexOf(HEAD_END);
      if (end < 0 && bytes.length < MAX_INTERIM_BYTES) {
        this.#held = bytes;
        return null;
      }
      if (end < 0) break;
      bytes = bytes.subarray(end + HEAD_END.length);
    }
    this.#isFinal = true;
    this.#held = NOTHING;
    return bytes;
  }
}

/** If there are too few bytes to tell, they are completed as an interim answer would be. */
function mayBeInterim(bytes: Buffer): boolean {
  // This check runs for every answer, and nearly all answers end here.
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== INTERIM_CLASS) return false;
  const begin = bytes.toString('latin1', 0, EXAMPLE.length);
  return INTERIM.test(begin + EXAMPLE.slice(begin.length));
}
