import type { Writable } from 'node:stream';
import type { ChalkInstance } from 'chalk';
import { painter, printableLines } from './output.ts';
import { linesProgress, noProgress } from './progress.ts';
import type { Progress, ReporterOptions } from './reporter.ts';

/** What both reporters say on stderr. */
export class Talk {
  readonly #options: ReporterOptions;
  readonly paint: ChalkInstance;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.paint = painter(options.colour.stderr);
  }

  say(text: (paint: ChalkInstance) => string): void {
    if (!this.#options.quiet) this.write(text(this.paint));
  }

  warn(message: string): void {
    this.write(`${this.paint.yellow('!')} ${printableLines(message)}`);
  }

  write(text: string): void {
    this.#options.stderr.write(`${text}\n`);
  }

  async progress(label: string): Promise<Progress> {
    const { quiet, redraw, stderr, monotonicMs } = this.#options;
    if (quiet) return noProgress;
    if (!redraw) return linesProgress(label, stderr, monotonicMs);
    // Loaded for terminals alone: the library that draws costs as much as all the rest of a report.
    const { redrawnProgress } = await import('./redrawn-progress.ts');
    return redrawnProgress(label, stderr, monotonicMs);
  }
}

/** Writes and waits while the reader is slower than we are. A reader that has gone away is no failure. */
export async function writeAll(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of WRITABLE_AGAIN) stream.off(event, go);
      resolve();
    };
    for (const event of WRITABLE_AGAIN) stream.on(event, go);
  });
}

const WRITABLE_AGAIN = ['drain', 'close', 'error'] as const;
