import type { ChalkInstance } from 'chalk';
import type { SrqError } from '../../request/errors.ts';
import { painter, printableLines } from '../output.ts';
import { writeAll } from '../output-file.ts';
import type { ItemText, Progress, Reporter, ReporterOptions } from '../reporter.ts';
import { MessageWriter } from './talk.ts';

/** The reporter for people. It writes text to stdout, and errors as sentences to stderr. */
export class HumanReporter implements Reporter {
  readonly #options: ReporterOptions;
  readonly #talk: MessageWriter;
  readonly #paint: ChalkInstance;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#talk = new MessageWriter(options);
    this.#paint = painter(options.colour.stdout);
  }

  async result(_: unknown, text: (paint: ChalkInstance) => string): Promise<void> {
    await writeAll(this.#options.stdout, `${text(this.#paint)}\n`);
  }

  results<Item extends object>(items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void> {
    return this.lines(items, text);
  }

  async lines<Item extends object>(items: AsyncIterable<Item>, text: ItemText<Item>): Promise<void> {
    let index = 0;
    for await (const item of items) {
      if (this.#options.stdout.destroyed) return;
      await writeAll(this.#options.stdout, text(item, this.#paint, index++));
    }
  }

  say(text: (paint: ChalkInstance) => string): void {
    this.#talk.say(text);
  }

  warn(message: string): void {
    this.#talk.warn(message);
  }

  note(event: string, fields: Readonly<Record<string, unknown>>, text: (paint: ChalkInstance) => string): void {
    this.#talk.note(event, fields, text);
  }

  async fail({ message, hint }: Pick<SrqError, 'message' | 'hint'>, code: string): Promise<void> {
    if (this.#options.messageTimeMs) return this.#talk.line('error', 'failed', { code, hint }, message);
    const { red, dim } = this.#talk.paint;
    const advice = hint ? `\n  ${dim('→')} ${printableLines(hint)}` : '';
    this.#talk.write(`${red('✗')} ${printableLines(message)}${advice}`);
  }

  progress(label: string): Promise<Progress> {
    return this.#talk.progress(label);
  }
}
