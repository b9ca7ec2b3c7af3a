import type { Socket } from 'node:net';
import { systemCode } from '../model/errors.ts';
import type { Line } from './connector.ts';
import { InterimAnswers } from './interim-answers.ts';

/** A call that is told which connection it goes on. */
export interface Carried {
  connection: Connection | null;
}

/** The connections to the service. Each carries one call at a time. */
export class Connections {
  readonly #areDirect: boolean;
  #next: Carried | null = null;

  constructor(areDirect: boolean) {
    this.#areDirect = areDirect;
  }

  /** This call is written in this very turn: undici says so before it writes, but not to which connection. */
  announce(call: Carried): void {
    this.#next = call;
  }

  add(line: Line): Socket {
    const connection = new Connection(line, this.#areDirect);
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

/** What undici does not do by itself on a connection: read over interim answers, and leave nothing unanswered in the kernel. */
export class Connection {
  readonly #isDirect: boolean;
  readonly #interim = new InterimAnswers();
  #awaitsAnswer = false;
  #wasReset = false;
  #hasFailed = false;

  constructor({ socket, tcp }: Line, isDirect: boolean) {
    this.#isDirect = isDirect;
    const { read, unshift } = socket;
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk: Buffer | null = read.call(socket, size);
        const left = chunk && this.#interim.pass(chunk);
        if (left || chunk === null) return left;
      }
    };
    // undici gives back what followed an answer that ended its connection.
    socket.unshift = (chunk: Buffer, ...more) => {
      if (/[^\r\n]/.test(chunk.toString('latin1'))) this.#hasFailed = true;
      unshift.call(socket, chunk, ...more);
    };
    // A TLS connection ends by ending the one below.
    const { destroy: end } = tcp;
    let cause: Error | undefined;
    tcp.destroy = (error) => {
      cause ??= error;
      if (this.#awaitsAnswer && !tcp.destroyed && !socket.writableEnded) {
        // Closed in the ordinary way, the kernel would go on delivering a request that is already listed as in doubt.
        this.#awaitsAnswer = false;
        this.#wasReset = true;
        // It comes back here.
        tcp.resetAndDestroy();
      }
      return end.call(tcp, cause);
    };
    const { destroy } = socket;
    socket.destroy = (error) => {
      // A call that is given up ends its connection in an orderly way, and undici would open the next one for it.
      const told = this.#awaitsAnswer && isOrderly(error) ? new Error('given up', { cause: error }) : error;
      if (told && !isOrderly(told)) this.#hasFailed = true;
      return destroy.call(socket, told);
    };
  }

  begin(): void {
    this.#awaitsAnswer = true;
    this.#interim.expectAnswer();
  }

  /** The answer has come to its end. */
  answered(): void {
    this.#awaitsAnswer = false;
  }

  /** It was cut, or went on after the end of an answer: what was read from it is not to be relied on. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Nothing of a call without an answer is left in the kernel, nor in a proxy. */
  get wasReset(): boolean {
    return this.#wasReset && this.#isDirect;
  }
}

/** undici ends idle connections, and those after a last answer, with an error that only it looks at. */
function isOrderly(error: Error | undefined): boolean {
  return systemCode(error) === 'UND_ERR_INFO';
}
