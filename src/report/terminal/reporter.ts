import type { DocumentName, DocumentOf } from '../../request/documents/types.ts';
import { SCHEMA_VERSION } from '../../request/documents/types.ts';
import type { Failure } from '../../request/words/errors.ts';
import {
  columnsOf,
  inAscii,
  isAsciiLocale,
  type Paint,
  painter,
  printableLines,
  terminalSafeJson,
  writeAll,
} from '../output.ts';
import { noProgress, type Progress, redrawnLine, shownProgress } from './progress.ts';

/** Formats an item of a stream for people, with its line feeds. */
export type ItemText<Item> = (item: Item, paint: Paint, index: number) => string;

type Surroundings = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>;

interface ReporterFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/**
 * The output of a command: one result on stdout, and all messages on stderr. Programs get the result as JSON, and people as
 * text. The choice is made once, so that commands do not ask for it.
 */
export class Reporter {
  readonly #at: Surroundings;
  readonly #monotonicMs: () => number;
  readonly #isJson: boolean;
  readonly #isQuiet: boolean;
  /** Whether the locale is limited to ASCII. */
  readonly #isAscii: boolean;
  readonly #paint: Readonly<Record<'stdout' | 'stderr', Paint>>;

  constructor(at: Surroundings, flags: ReporterFlags, monotonicMs: () => number) {
    const { stdout, stderr, env } = at;
    const isForced = !['', '0', 'false'].includes(env['FORCE_COLOR'] ?? '');
    const painterOf = ({ isTTY }: NodeJS.WriteStream) => {
      const isShown = isForced || (isTTY === true && env['TERM'] !== 'dumb');
      return painter(flags.color !== false && !env['NO_COLOR'] && isShown);
    };
    this.#at = at;
    this.#monotonicMs = monotonicMs;
    this.#isJson = flags.json === true;
    this.#isQuiet = flags.quiet === true;
    this.#isAscii = isAsciiLocale(env);
    this.#paint = { stdout: painterOf(stdout), stderr: painterOf(stderr) };
  }

  /**
   * Writes the command's one result. Programs get the document of this name, or an array of several of them, and people
   * get `text`.
   */
  async result<Name extends DocumentName>(
    _: Name,
    document: DocumentOf<Name> | readonly DocumentOf<Name>[],
    text: (paint: Paint) => string,
  ): Promise<void> {
    if (this.#isJson) return this.#json(Array.isArray(document) ? document.map(versioned) : versioned(document));
    await writeAll(this.#at.stdout, `${this.#shown(text(this.#paint.stdout))}\n`);
  }

  /**
   * Writes the items of a list, each as it comes. Programs get one JSON document per line, and people get the `text` of
   * each item with its line feed. Returns the number of items.
   */
  async lines<Name extends DocumentName, Item extends DocumentOf<Name>>(
    _: Name,
    items: AsyncIterable<Item>,
    text: ItemText<Item>,
  ): Promise<number> {
    const { stdout } = this.#at;
    // Piped output may be CSV, whose cells must not change.
    const isInAscii = this.#isAscii && columnsOf(stdout) !== null;
    let count = 0;
    for await (const item of items) {
      // Nobody would read the rest.
      if (stdout.destroyed) break;
      if (this.#isJson) await this.#json(versioned(item));
      else {
        const said = text(item, this.#paint.stdout, count);
        await writeAll(stdout, isInAscii ? inAscii(said) : said);
      }
      count += 1;
    }
    return count;
  }

  /** Writes a message that --quiet suppresses. */
  say(text: (paint: Paint) => string): void {
    if (!this.#isQuiet) this.#write(text(this.#paint.stderr));
  }

  /** Writes a warning, which --quiet does not suppress. */
  warn(message: string): void {
    this.#write(`${this.#paint.stderr.yellow('!')} ${printableLines(message)}`);
  }

  /** Writes the error that ends the command. For programs it is the last document. */
  async fail(error: Failure): Promise<void> {
    if (this.#isJson) return this.#json(versioned({ error }));
    const { message, hint } = error;
    const { red, dim } = this.#paint.stderr;
    // A hint with two alternatives separates them by wide blanks. Each alternative is shown on its own line.
    const advice = hint ? `\n  ${dim('→')} ${printableLines(hint).replaceAll(/ {4}(?=[A-Z])/g, '\n    ')}` : '';
    this.#write(`${red('✗')} ${printableLines(message)}${advice}`);
  }

  async progress(label: string): Promise<Progress> {
    if (this.#isQuiet) return noProgress;
    const { stderr, env } = this.#at;
    // Some terminals do not report their width (0 columns, as under `script` or in some containers). They cannot be
    // redrawn, because the spinner's library would clear infinitely many lines.
    const isRedrawn = columnsOf(stderr) !== null && env['TERM'] !== 'dumb' && !env['CI'];
    const { show, end } = isRedrawn
      ? await redrawnLine(label, stderr, (line) => this.#shown(line))
      : { show: (line: string) => this.#write(line), end: () => {} };
    return { update: shownProgress(label, this.#monotonicMs, isRedrawn, show), end };
  }

  #write(text: string): void {
    this.#at.stderr.write(`${this.#shown(text)}\n`);
  }

  #json(value: object): Promise<void> {
    return writeAll(this.#at.stdout, `${terminalSafeJson(value)}\n`);
  }

  #shown(text: string): string {
    return this.#isAscii ? inAscii(text) : text;
  }
}

function versioned(document: object): object {
  return { schemaVersion: SCHEMA_VERSION, ...document };
}
