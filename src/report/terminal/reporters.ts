import type { Writable } from 'node:stream';
import { SCHEMA_VERSION } from '../../request/documents/types.ts';
import { SENT_STATUSES } from '../../request/log/status.ts';
import type { Failure } from '../../request/words/errors.ts';
import {
  clip,
  columnsOf,
  duration,
  folded,
  inAscii,
  type Paint,
  painter,
  printableLines,
  terminalSafeJson,
  thousands,
  writeAll,
} from '../output.ts';
import type { ItemText, Progress, ProgressState, Reporter, ReporterOptions } from '../reporter.ts';

/** The part of both reporters that writes messages and progress to stderr. */
abstract class Messages {
  protected readonly options: ReporterOptions;
  /** Paints texts for stderr. */
  protected readonly paint: Paint;

  constructor(options: ReporterOptions) {
    this.options = options;
    this.paint = painter(options.colour.stderr);
  }

  say(text: (paint: Paint) => string): void {
    if (!this.options.quiet) this.write(text(this.paint));
  }

  warn(message: string): void {
    this.write(`${this.paint.yellow('!')} ${printableLines(message)}`);
  }

  protected write(text: string): void {
    const { stderr } = this.options;
    stderr.write(`${this.fitted(text, stderr)}\n`);
  }

  /** Fits a text to the width and the characters of a terminal. */
  protected fitted(text: string, stream: Writable): string {
    const lines = folded(text, columnsOf(stream));
    return this.options.ascii ? inAscii(lines) : lines;
  }

  async progress(label: string): Promise<Progress> {
    const { quiet, redraw, ascii, stderr, monotonicMs } = this.options;
    if (quiet) return noProgress;
    const line = (text: string) => (ascii ? inAscii(text) : text);
    if (!redraw) return linesProgress(label, stderr, monotonicMs, line);
    return redrawnProgress(label, stderr, monotonicMs, line);
  }
}

/** The reporter for people. It writes text to stdout, and errors as sentences to stderr. */
export class HumanReporter extends Messages implements Reporter {
  /** Paints texts for stdout. */
  readonly #paint: Paint;

  constructor(options: ReporterOptions) {
    super(options);
    this.#paint = painter(options.colour.stdout);
  }

  async result(
    _: string,
    __: unknown,
    text: (paint: Paint) => string,
    form: 'prose' | 'verbatim' = 'prose',
  ): Promise<void> {
    const { stdout } = this.options;
    const said = text(this.#paint);
    await writeAll(stdout, `${form === 'verbatim' ? said : this.fitted(said, stdout)}\n`);
  }

  async lines<Item>(_: string, items: AsyncIterable<Item>, text: ItemText<Item>): Promise<number> {
    let index = 0;
    const isShown = columnsOf(this.options.stdout) !== null;
    for await (const item of items) {
      if (this.options.stdout.destroyed) break;
      const said = text(item, this.#paint, index++);
      // Piped output may be CSV, whose cells must not change.
      await writeAll(this.options.stdout, isShown && this.options.ascii ? inAscii(said) : said);
    }
    return index;
  }

  async fail({ message, hint }: Failure): Promise<void> {
    const { red, dim } = this.paint;
    // A hint with two alternatives separates them by wide blanks. Each alternative is shown on its own line.
    const advice = hint ? `\n  ${dim('→')} ${printableLines(hint).replaceAll(/ {4}(?=[A-Z])/g, '\n    ')}` : '';
    this.write(`${red('✗')} ${printableLines(message)}${advice}`);
  }
}

/**
 * The reporter for programs. It writes one JSON document to stdout, or one a line for a command that lists, and the error
 * as the last one if the command fails.
 */
export class JsonReporter extends Messages implements Reporter {
  async result(_: string, document: object | readonly object[]): Promise<void> {
    await this.#write(Array.isArray(document) ? document.map(versioned) : versioned(document));
  }

  async lines(_: string, items: AsyncIterable<object>): Promise<number> {
    let count = 0;
    for await (const item of items) {
      // Nobody would read the rest.
      if (this.options.stdout.destroyed) break;
      await this.#write(versioned(item));
      count += 1;
    }
    return count;
  }

  fail(error: Failure): Promise<void> {
    return this.result('error', { error });
  }

  #write(value: object): Promise<void> {
    return writeAll(this.options.stdout, `${terminalSafeJson(value)}\n`);
  }
}

function versioned(document: object): object {
  return { schemaVersion: SCHEMA_VERSION, ...document };
}

/** Length of the window over which the current rate is measured. */
const RATE_WINDOW_MS = 10_000;
/** Minimum time between two redraws. A longer one looks jerky, and a shorter one cannot be read. */
const REDRAW_MS = 200;
/**
 * The time until the first line of progress if there is no terminal. Each interval is twice the one before, up to the
 * maximum below, so that the log of a night's run stays readable.
 */
const FIRST_LINE_MS = 5_000;
const MAX_BETWEEN_LINES_MS = 300_000;
/** Minimum time and number of rows before the remaining time is estimated. Until then the rate is still being found. */
const MIN_STEADY_MS = 5_000;
const MIN_STEADY_ROWS = 10;
/** Length of the bar. Even with the longest figures the line fits in 80 columns. */
const BAR_PLACES = 12;

const noProgress: Progress = { update: () => {}, end: () => {} };

/** Returns a progress that writes plain lines, at growing intervals. */
export function linesProgress(
  label: string,
  stream: Writable,
  monotonicMs: () => number,
  fitted: (line: string) => string,
): Progress {
  const meter = new ProgressMeter(label, monotonicMs);
  let writtenMs = monotonicMs();
  let waitMs = FIRST_LINE_MS;
  return {
    update(state) {
      meter.note(state.done);
      if (monotonicMs() - writtenMs < waitMs) return;
      writtenMs = monotonicMs();
      waitMs = Math.min(waitMs * 2, MAX_BETWEEN_LINES_MS);
      stream.write(`${fitted(meter.line(state))}\n`);
    },
    end: () => {},
  };
}

/** Measures the current rate, estimates the remaining time, and formats the line of progress. */
export class ProgressMeter {
  readonly #label: string;
  readonly #monotonicMs: () => number;
  readonly #startedMs: number;
  #marks: { atMs: number; done: number }[] = [];

  constructor(label: string, monotonicMs: () => number) {
    this.#label = label;
    this.#monotonicMs = monotonicMs;
    this.#startedMs = monotonicMs();
    this.#marks.push({ atMs: this.#startedMs, done: 0 });
  }

  note(done: number): void {
    const atMs = this.#monotonicMs();
    const last = this.#marks.at(-1);
    if (last && atMs - last.atMs < REDRAW_MS) return;
    this.#marks.push({ atMs, done });
    while (this.#marks.length > 2 && atMs - (this.#marks[1]?.atMs ?? atMs) > RATE_WINDOW_MS) this.#marks.shift();
  }

  /** Returns the line with a bar, for a terminal of this many columns. */
  drawn(state: ProgressState, columns: number): string {
    return clip([this.#label, ...barOf(state), this.#figures(state)].join(' '), columns);
  }

  line(state: ProgressState): string {
    return `${this.#label} ${this.#figures(state)}`;
  }

  #figures({ done, total, counts }: ProgressState): string {
    const share =
      total > 0 ? `${thousands(done)}/${thousands(total)} (${Math.floor((done / total) * 100)} %)` : thousands(done);
    const perSecond = this.#perSecond(done);
    const rate = perSecond === null ? [] : [`${perSecond < 10 ? perSecond.toFixed(1) : thousands(perSecond)} leads/s`];
    const isSteady = this.#monotonicMs() - this.#startedMs >= MIN_STEADY_MS && done >= MIN_STEADY_ROWS;
    const left =
      perSecond === null || !isSteady || total <= done ? [] : [`${duration(((total - done) / perSecond) * 1000)} left`];
    const shown = SENT_STATUSES.flatMap((status) => (counts[status] ? [`${thousands(counts[status])} ${status}`] : []));
    return [share, ...rate, ...left, ...shown].join(' · ');
  }

  #perSecond(done: number): number | null {
    const first = this.#marks[0];
    const tookMs = first ? this.#monotonicMs() - first.atMs : 0;
    return first && tookMs > 300 && done > first.done ? ((done - first.done) / tookMs) * 1000 : null;
  }
}

/** Draws the bar, or nothing if the total is not known. */
function barOf({ done, total }: ProgressState): string[] {
  if (total === 0) return [];
  const full = Math.min(BAR_PLACES, Math.floor((done / total) * BAR_PLACES));
  return ['█'.repeat(full) + '░'.repeat(BAR_PLACES - full)];
}

/** Columns of the spinner, including one that stays free so that the terminal does not wrap the line. */
const SPINNER_PLACES = 3;
/** The interval between two frames of the spinner. The library's default is 12 redraws a second. */
const SPIN_MS = 120;

/** Returns a progress that redraws one line of a terminal. */
async function redrawnProgress(
  label: string,
  stream: Writable,
  monotonicMs: () => number,
  fitted: (line: string) => string,
): Promise<Progress> {
  // The library is loaded only for terminals, because loading it takes as long as everything else in a report.
  const { default: ora } = await import('ora');
  const spinner = ora({
    text: label,
    stream: stream as NodeJS.WriteStream,
    interval: SPIN_MS,
    spinner: { frames: ['-', '\\', '|', '/'] },
    discardStdin: false,
    isEnabled: true,
  });
  const meter = new ProgressMeter(label, monotonicMs);
  let drawnMs = Number.NEGATIVE_INFINITY;
  spinner.start();
  return {
    update(state) {
      meter.note(state.done);
      if (monotonicMs() - drawnMs < REDRAW_MS) return;
      drawnMs = monotonicMs();
      spinner.text = fitted(meter.drawn(state, (columnsOf(stream) ?? Number.POSITIVE_INFINITY) - SPINNER_PLACES));
    },
    end: () => void spinner.stop(),
  };
}
