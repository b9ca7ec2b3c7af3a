import type { Writable } from 'node:stream';
import type { ChalkInstance } from 'chalk';
import { folded, painter, printableLines, terminalSafeJson } from '../output.ts';
import type { Progress, ReporterOptions } from '../reporter.ts';
import { linesProgress, noProgress } from './progress.ts';

/** Writes the messages of both reporters to stderr. */
export class MessageWriter {
  readonly #options: ReporterOptions;
  readonly paint: ChalkInstance;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.paint = painter(options.colour.stderr);
  }

  say(text: (paint: ChalkInstance) => string): void {
    this.note('said', {}, text);
  }

  warn(message: string): void {
    if (this.#options.messageTimeMs) this.line('warn', 'warned', {}, message);
    else this.write(`${this.paint.yellow('!')} ${printableLines(message)}`);
  }

  note(event: string, fields: Readonly<Record<string, unknown>>, text: (paint: ChalkInstance) => string): void {
    if (this.#options.quiet) return;
    if (this.#options.messageTimeMs) this.line('info', event, fields, text(painter(false)));
    else this.write(text(this.paint));
  }

  /** Writes a message as one JSON object a line. */
  line(
    level: 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, unknown>>,
    message: string,
  ): void {
    const at = new Date(this.#options.messageTimeMs?.() ?? 0).toISOString();
    this.#options.stderr.write(`${terminalSafeJson({ at, level, event, ...fields, message })}\n`);
  }

  write(text: string): void {
    const { stderr } = this.#options;
    stderr.write(`${folded(text, columnsOf(stderr))}\n`);
  }

  async progress(label: string): Promise<Progress> {
    const { quiet, redraw, stderr, monotonicMs, messageTimeMs } = this.#options;
    if (quiet || messageTimeMs) return noProgress;
    if (!redraw) return linesProgress(label, stderr, monotonicMs);
    // The library is loaded only for terminals, because loading it costs as much as all the rest of a report.
    const { redrawnProgress } = await import('./redrawn-progress.ts');
    return redrawnProgress(label, stderr, monotonicMs);
  }
}

/** The letters that a line has room for; null where it is no terminal and lines may be of any length. */
export function columnsOf(stream: Writable & { readonly isTTY?: boolean; readonly columns?: number }): number | null {
  return stream.isTTY && stream.columns !== undefined && stream.columns > 0 ? stream.columns : null;
}
