import type { ChalkInstance } from 'chalk';
import type { SrqError } from '../../request/errors.ts';
import { jsonArrayTexts, terminalSafeJson } from '../output.ts';
import { writeAll } from '../output-file.ts';
import type { Progress, Reporter, ReporterOptions } from '../reporter.ts';
import { MessageWriter } from './talk.ts';

/** The reporter for programs. It writes exactly one JSON document to stdout, whether the command succeeds or fails. */
export class JsonReporter implements Reporter {
  readonly #options: ReporterOptions;
  readonly #talk: MessageWriter;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#talk = new MessageWriter(options);
  }

  async result(document: unknown): Promise<void> {
    await writeAll(this.#options.stdout, `${terminalSafeJson(document)}\n`);
  }

  async results<Item extends object>(items: AsyncIterable<Item>): Promise<void> {
    for await (const text of jsonArrayTexts(items)) {
      if (this.#options.stdout.destroyed) return;
      await writeAll(this.#options.stdout, text);
    }
  }

  async lines<Item extends object>(items: AsyncIterable<Item>): Promise<void> {
    for await (const item of items) {
      if (this.#options.stdout.destroyed) return;
      await writeAll(this.#options.stdout, `${terminalSafeJson(item)}\n`);
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

  fail({ message, hint }: Pick<SrqError, 'message' | 'hint'>, code: string): Promise<void> {
    return this.result({ error: { code, message, hint } });
  }

  progress(label: string): Promise<Progress> {
    return this.#talk.progress(label);
  }
}
