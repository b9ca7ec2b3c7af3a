/** A line, or several if a quote is open at a line's end, that is one quoted text from its beginning to its end. */
const QUOTED_LINE = /^"([^"]*(?:""[^"]*)*)"$/;

/** Maximum length of lines that a quote joins. In a longer text a quote was never closed, and it is left as it is. */
const MAX_JOINED = 1024 * 1024;

/**
 * Takes the quotes off lines that are quoted as a whole: `"a,""b, c"",d"` becomes `a,"b, c",d`. Programs write that if
 * they export what was an export already. All other lines stay as they are.
 */
class LineQuotes {
  private rest = '';
  /** The lines since a quote was opened. */
  private open: string[] = [];
  private openLength = 0;

  /** Returns the text of the lines that are complete now. */
  push(piece: string): string {
    const text = this.rest + piece;
    let done = '';
    let from = 0;
    // A CR at the very end may be the first half of a CRLF.
    for (const end of text.matchAll(/\r\n|\n|\r(?!$)/g)) {
      done += this.line(text.slice(from, end.index), end[0]);
      from = end.index + end[0].length;
    }
    this.rest = text.slice(from);
    return this.rest.length > MAX_JOINED ? done + this.end() : done;
  }

  /** Returns the text that is left. */
  end(): string {
    const end = this.rest.endsWith('\r') ? '\r' : '';
    const line = this.rest.slice(0, this.rest.length - end.length);
    this.rest = '';
    return this.line(line, end) + this.taken('');
  }

  private line(line: string, end: string): string {
    const quotes = line.match(/"/g)?.length ?? 0;
    const begins = this.open.length === 0;
    const isOpen = begins ? line.startsWith('"') && quotes % 2 === 1 : quotes % 2 === 0;
    if (!isOpen) return withoutQuotes(this.taken(line)) + end;
    this.open.push(line + end);
    this.openLength += line.length;
    return this.openLength > MAX_JOINED ? this.taken('') : '';
  }

  private taken(line: string): string {
    const text = this.open.length > 0 ? this.open.join('') + line : line;
    this.open = [];
    this.openLength = 0;
    return text;
  }
}

function withoutQuotes(text: string): string {
  const inner = QUOTED_LINE.exec(text)?.[1];
  return inner === undefined ? text : inner.replaceAll('""', '"');
}

/** Takes the quotes off the wholly quoted lines of a text. */
export function withoutLineQuotes(text: string): string {
  const lines = new LineQuotes();
  return lines.push(text) + lines.end();
}

/** Takes the quotes off the wholly quoted lines of a file's text. */
export async function* textWithoutLineQuotes(text: AsyncIterable<string>): AsyncGenerator<string> {
  const lines = new LineQuotes();
  for await (const piece of text) yield lines.push(piece);
  yield lines.end();
}
