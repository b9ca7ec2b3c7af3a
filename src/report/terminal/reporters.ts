import type { Writable } from 'node:stream';
import { SCHEMA_VERSION } from '../../request/documents/types.ts';
import type { Failure } from '../../request/errors.ts';
import {
  columnsOf,
  folded,
  inAscii,
  jsonArrayTexts,
  type Paint,
  painter,
  printableLines,
  terminalSafeJson,
} from '../output.ts';
import { writeAll } from '../output-file.ts';
import type { ItemText, Progress, Reporter, ReporterOptions } from '../reporter.ts';
import { linesProgress, noProgress, redrawnProgress } from './progress.ts';

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
    this.note('said', {}, text);
  }

  warn(message: string): void {
    if (this.options.messageTimeMs) this.line('warn', 'warned', {}, message);
    else this.write(`${this.paint.yellow('!')} ${printableLines(message)}`);
  }

  note(event: string, fields: Readonly<Record<string, unknown>>, text: (paint: Paint) => string): void {
    if (this.options.quiet) return;
    if (this.options.messageTimeMs) this.line('info', event, fields, text(painter(false)));
    else this.write(text(this.paint));
  }

  /** Writes a message as one JSON object a line. */
  protected line(
    level: 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, unknown>>,
    message: string,
  ): void {
    const at = new Date(this.options.messageTimeMs?.() ?? 0).toISOString();
    this.options.stderr.write(`${terminalSafeJson({ at, level, event, ...fields, message })}\n`);
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
    const { quiet, redraw, ascii, stderr, monotonicMs, messageTimeMs } = this.options;
    if (quiet || messageTimeMs) return noProgress;
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

  results<Item>(name: string, items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void> {
    return this.lines(name, items, text);
  }

  async lines<Item>(_: string, items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void> {
    let index = 0;
    const isShown = columnsOf(this.options.stdout) !== null;
    for await (const item of items) {
      if (this.options.stdout.destroyed) return;
      const said = text(item, this.#paint, index++);
      // Piped output may be CSV, whose cells must not change.
      await writeAll(this.options.stdout, isShown && this.options.ascii ? inAscii(said) : said);
    }
  }

  async fail({ code, reason, message, hint }: Failure): Promise<void> {
    if (this.options.messageTimeMs) return this.line('error', 'failed', { code, reason, hint }, message);
    const { red, dim } = this.paint;
    // A hint with two alternatives separates them by wide blanks. Each alternative is shown on its own line.
    const advice = hint ? `\n  ${dim('→')} ${printableLines(hint).replaceAll(/ {4}(?=[A-Z])/g, '\n    ')}` : '';
    this.write(`${red('✗')} ${printableLines(message)}${advice}`);
  }
}

/** The reporter for programs. It writes exactly one JSON document to stdout, whether the command succeeds or fails. */
export class JsonReporter extends Messages implements Reporter {
  async result(_: string, document: object | readonly object[]): Promise<void> {
    const whole = Array.isArray(document) ? document.map(versioned) : versioned(document);
    await writeAll(this.options.stdout, `${terminalSafeJson(whole)}\n`);
  }

  async results(_: string, items: AsyncIterable<object>): Promise<void> {
    for await (const text of jsonArrayTexts(eachVersioned(items))) {
      if (this.options.stdout.destroyed) return;
      await writeAll(this.options.stdout, text);
    }
  }

  async lines(_: string, items: AsyncIterable<object>): Promise<void> {
    for await (const item of eachVersioned(items)) {
      if (this.options.stdout.destroyed) return;
      await writeAll(this.options.stdout, `${terminalSafeJson(item)}\n`);
    }
  }

  fail(error: Failure): Promise<void> {
    return this.result('error', { error });
  }
}

function versioned(document: object): object {
  return { schemaVersion: SCHEMA_VERSION, ...document };
}

async function* eachVersioned(documents: AsyncIterable<object>): AsyncGenerator<object> {
  for await (const document of documents) yield versioned(document);
}
