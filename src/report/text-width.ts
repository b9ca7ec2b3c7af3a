import textWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** The places of a terminal that a printable text takes; colours take none. */
export { textWidth };

/** Most text: a place a letter, and no need to take it apart. */
const PLAIN = /^[\x20-\x7e]*$/;
/** Nobody reads a longer line, and the library's time grows with the square of its blanks. */
const MAX_FOLDED = 10_000;
/** A command, to the end of its line: what is pasted into a shell must not be broken by a line feed. */
const COMMAND = /(?<=[:→]\S* )(?:srq|cat|chmod|cp|createdb|curl|gzip|jq|mv|npm|openssl|rm|sed|sudo) .*/;
const OPTION_WITH_VALUE = /--[\w-]+ (?:"[^"]*"|'[^']*'|\S+)/g;
/** Stands for a blank that is not broken at: a character for private use, which no text of ours or of a partner has. */
const NO_BREAK = '\ue000';

/** Made for the first text that is not plain: that takes 9 ms. */
let segmenter: Intl.Segmenter | null = null;

/** At most `width` places, the cut marked. */
export function clip(text: string, width: number): string {
  if (PLAIN.test(text))
    return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}${width < 1 ? '' : '…'}`;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let used = 0;
  let kept = '';
  let fits = '';
  for (const { segment } of segmenter.segment(text)) {
    used += textWidth(segment);
    if (used > width) return width < 1 ? '' : `${fits}…`;
    kept += segment;
    if (used < width) fits = kept;
  }
  return text;
}

/** Lines of at most `width` places, broken between words, and within a word only where it has no room on a line. */
export function wrapped(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true }).split('\n');
}

/**
 * Folds a text for a terminal of `columns` places; null is no terminal, and lines of any length. Lines are broken between
 * words and go on below their beginning. A command stays whole: the terminal breaks it, and gives it back unbroken.
 */
export function folded(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .map((line) => foldedLine(line, columns))
    .join('\n');
}

function foldedLine(line: string, columns: number): string {
  if (line.length > MAX_FOLDED || textWidth(line) <= columns) return line;
  // The library would compose accents, and so change a file's name.
  if (line !== line.normalize() || /^ +srq /.test(line)) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const hanging = `${indent}  `;
  const [command = ''] = COMMAND.exec(line) ?? [];
  const head = line.slice(indent.length, line.length - command.length);
  const whole = head.trimEnd().replace(OPTION_WITH_VALUE, (option) => option.replaceAll(' ', NO_BREAK));
  const rows = wrapAnsi(whole, Math.max(1, columns - hanging.length - 1)).replaceAll(NO_BREAK, ' ');
  // The blank stays at the end of its row, so that nothing but line feeds and indents is added.
  return indent + rows.replaceAll('\n', ` \n${hanging}`) + (command === '' ? '' : ` ${command}`);
}

/** Filled up with blanks to `width` places. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
