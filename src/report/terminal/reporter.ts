import { type DocumentName, type DocumentOf, SCHEMA_VERSION } from '../../request/documents/types.ts';
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

export type Reporter = ReturnType<typeof makeReporter>;

/**
 * The output of a command: one result on stdout, and all messages on stderr. Programs get the result as JSON, and people as
 * text. The choice is made once, so that commands do not ask for it.
 */
export function makeReporter(
  { stdout, stderr, env }: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>,
  { json = false, quiet = false, color = true }: Readonly<Partial<Record<'json' | 'quiet' | 'color', boolean>>>,
  monotonicMs: () => number,
) {
  const isForced = !['', '0', 'false'].includes(env['FORCE_COLOR'] ?? '');
  const painterOf = ({ isTTY }: NodeJS.WriteStream) => {
    const isShown = isForced || (isTTY === true && env['TERM'] !== 'dumb');
    return painter(color && !env['NO_COLOR'] && isShown);
  };
  const paint = { stdout: painterOf(stdout), stderr: painterOf(stderr) };
  // Whether the locale is limited to ASCII.
  const isAscii = isAsciiLocale(env);
  const shown = (text: string): string => (isAscii ? inAscii(text) : text);
  const write = (text: string): void => void stderr.write(`${shown(text)}\n`);
  const writeJson = (value: object): Promise<void> => writeAll(stdout, `${terminalSafeJson(value)}\n`);

  return {
    /**
     * Writes the command's one result. Programs get the document of this name, or an array of several of them, and people
     * get `text`.
     */
    async result<Name extends DocumentName>(
      _: Name,
      document: DocumentOf<Name> | readonly DocumentOf<Name>[],
      text: (paint: Paint) => string,
    ): Promise<void> {
      if (json) return writeJson(Array.isArray(document) ? document.map(versioned) : versioned(document));
      await writeAll(stdout, `${shown(text(paint.stdout))}\n`);
    },
    /**
     * Writes the items of a list, each as it comes. Programs get one JSON document per line, and people get the `text` of
     * each item with its line feed. Returns the number of items.
     */
    async lines<Name extends DocumentName, Item extends DocumentOf<Name>>(
      _: Name,
      items: AsyncIterable<Item>,
      text: ItemText<Item>,
    ): Promise<number> {
      // Piped output may be CSV, whose cells must not change.
      const isInAscii = isAscii && columnsOf(stdout) !== null;
      let count = 0;
      for await (const item of items) {
        // Nobody would read the rest.
        if (stdout.destroyed) break;
        if (json) await writeJson(versioned(item));
        else {
          const said = text(item, paint.stdout, count);
          await writeAll(stdout, isInAscii ? inAscii(said) : said);
        }
        count += 1;
      }
      return count;
    },
    /** Writes a message that --quiet suppresses. */
    say(text: (paint: Paint) => string): void {
      if (!quiet) write(text(paint.stderr));
    },
    /** Writes a warning, which --quiet does not suppress. */
    warn: (message: string): void => write(`${paint.stderr.yellow('!')} ${printableLines(message)}`),
    /** Writes the error that ends the command. For programs it is the last document. */
    async fail(error: Failure): Promise<void> {
      if (json) return writeJson(versioned({ error }));
      const { message, hint } = error;
      const { red, dim } = paint.stderr;
      // A hint with two alternatives separates them by wide blanks. Each alternative is shown on its own line.
      const advice = hint ? `\n  ${dim('→')} ${printableLines(hint).replaceAll(/ {4}(?=[A-Z])/g, '\n    ')}` : '';
      write(`${red('✗')} ${printableLines(message)}${advice}`);
    },
    async progress(label: string): Promise<Progress> {
      if (quiet) return noProgress;
      // Some terminals do not report their width (0 columns, as under `script` or in some containers). They cannot be
      // redrawn, because the spinner's library would clear infinitely many lines.
      const isRedrawn = columnsOf(stderr) !== null && env['TERM'] !== 'dumb' && !env['CI'];
      const { show, end } = isRedrawn ? await redrawnLine(label, stderr, shown) : { show: write, end: () => {} };
      return { update: shownProgress(label, monotonicMs, isRedrawn, show), end };
    },
  };
}

function versioned(document: object): object {
  return { schemaVersion: SCHEMA_VERSION, ...document };
}
