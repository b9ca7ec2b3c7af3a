import { setMaxListeners } from 'node:events';
import type { Failure } from '../request/words/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

const CODE_OF = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'terminated' } as const;
type Signal = keyof typeof CODE_OF;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly Signal[];

/**
 * Handles Ctrl-C, SIGTERM and the end of the terminal for commands that send. After the first signal, requests in
 * flight finish and are recorded. The second one exits at once.
 */
export class Interruption {
  /** Aborted by the first signal, or by a command that stops by itself. */
  readonly halt = new AbortController();
  readonly #process: NodeJS.Process;
  readonly #handlers = new Map<Signal, () => void>();
  #by: Signal | null = null;

  constructor(process: NodeJS.Process) {
    this.#process = process;
    // Every request in flight may listen to this signal.
    setMaxListeners(0, this.halt.signal);
  }

  /** The error code for the signal that ended the command, or null. */
  get code(): 'interrupted' | 'terminated' | null {
    return this.#by === null ? null : CODE_OF[this.#by];
  }

  /** Returns the reason why the command ended early, or null if no signal came. `hint` says what to do. */
  failure(hint: string | null): Failure | null {
    const { code } = this;
    return code && { code, reason: `${code}.signal`, message: 'Interrupted.', hint };
  }

  /** Starts to handle signals. `first` is called at the first signal, to tell the user what happens. */
  listen(first: () => void): void {
    this.stop();
    this.#handle((signal) => {
      // The user wants to leave now. The intents of requests in flight are in the log.
      if (this.#by !== null) return this.#leave(signal);
      this.#by = signal;
      first();
      this.halt.abort();
    });
  }

  /**
   * Has `remove` called when the process ends without the end of the command, which a signal brings about as long as
   * the command does not listen to signals, and the second one afterwards.
   */
  beforeExit(remove: () => void): void {
    this.#process.on('exit', remove);
    // A process that a signal ends by default does nothing before its end.
    if (this.#handlers.size === 0) this.#handle((signal) => this.#leave(signal));
  }

  /** Stops handling signals. */
  stop(): void {
    for (const [signal, handler] of this.#handlers) this.#process.off(signal, handler);
    this.#handlers.clear();
  }

  #handle(receive: (signal: Signal) => void): void {
    for (const signal of SIGNALS) {
      const handler = () => receive(signal);
      this.#handlers.set(signal, handler);
      this.#process.on(signal, handler);
    }
  }

  #leave(signal: Signal): void {
    this.#process.exit(EXIT_CODES[CODE_OF[signal]].number);
  }
}
