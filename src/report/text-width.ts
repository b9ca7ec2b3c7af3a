/** Marks that take no place of their own: accents, joiners, the choice between text and picture. */
const NARROWEST = /^[\p{Mn}\p{Me}\p{Cf}]/u;
/** Letters of two places: East Asian scripts, full-width forms, pictures. */
const WIDE =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;
/** Most text: a place a letter, and no need to take it apart. */
const PLAIN = /^[\x20-\x7e]*$/;
/** Made for the first text that is not plain: that takes 9 ms. */
let segmenter: Intl.Segmenter | null = null;

/** How many places of a terminal a printable text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += placesOf(segment);
  return width;
}

/** At most `width` places, the cut marked. */
export function clip(text: string, width: number): string {
  if (PLAIN.test(text))
    return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}${width < 1 ? '' : '…'}`;
  let used = 0;
  let kept = '';
  let fits = '';
  for (const { segment } of graphemesOf(text)) {
    used += placesOf(segment);
    if (used > width) return width < 1 ? '' : `${fits}…`;
    kept += segment;
    if (used < width) fits = kept;
  }
  return text;
}

/** Lines of at most `width` places, broken between words, and within a word only where it has no room on a line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer) > width) lines.push(line);
    line = textWidth(longer) > width ? word : longer;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const { segment } of graphemesOf(word)) {
    if (textWidth(piece + segment) > width) found.push(piece);
    piece = textWidth(piece + segment) > width ? segment : piece + segment;
  }
  return [...found, piece];
}

/** Filled up with blanks to `width` places. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function placesOf(grapheme: string): number {
  if (NARROWEST.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}
