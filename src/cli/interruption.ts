import { setMaxListeners } from 'node:events';
import type { ErrorCode } from '../request/errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

const CODE_OF = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'terminated' } as const;
type Signal = keyof typeof CODE_OF;

/**
 * Ctrl-C, SIGTERM and the end of the terminal, for commands that send: the first one lets what is in flight end and
 * everything be written, the second one leaves at once.
 */
export class Interruption {
  /** Aborted by the first signal; commands also abort it to stop by themselves. */
  readonly halt = new AbortController();
  readonly #process: NodeJS.Process;
  readonly #handlers = new Map<Signal, () => void>();
  #by: Signal | null = null;

  constructor(process: NodeJS.Process) {
    this.#process = process;
    // Every request in flight may be waiting, and this ends its waiting.
    setMaxListeners(0, this.halt.signal);
  }

  /** How the user ended the command, if he did. */
  get code(): ErrorCode | null {
    return this.#by === null ? null : CODE_OF[this.#by];
  }

  /** Takes the signals from now on; `first` tells the user what happens. */
  listen(first: () => void): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const handler = () => {
        if (this.#by !== null) {
          // Asked for twice: leaving now is the point, and what was in flight stands in the log as intended.
          this.#process.exit(EXIT_CODES[CODE_OF[signal]].number);
        }
        this.#by = signal;
        first();
        this.halt.abort();
      };
      this.#handlers.set(signal, handler);
      this.#process.on(signal, handler);
    }
  }

  /** Gives the signals back. */
  ignore(): void {
    for (const [signal, handler] of this.#handlers) this.#process.off(signal, handler);
    this.#handlers.clear();
  }
}
