import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

/** Fills the columns of a Markdown table that say what is read, and compares it with itself. `-u` writes it anew. */
export function holds(
  path: string,
  given: number,
  find: (cells: readonly string[]) => Promise<readonly string[]> | readonly string[],
): void {
  test(basename(path), async () => {
    const lines: string[] = [];
    const all = readFileSync(path, 'utf8').split('\n');
    for (const [at, line] of all.entries()) {
      const cells = line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      const isData = cells.length >= given && ![line, all[at + 1]].some((each) => /^\| ---/.test(each ?? ''));
      lines.push(isData ? tableRow([...cells.slice(0, given), ...(await find(cells.slice(0, given)))]) : line);
    }
    await expect(lines.join('\n')).toMatchFileSnapshot(path);
  });
}

const tableRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
/** Control characters as `ticked` reads them. */
export const visible = (text: string) =>
  text.replace(/[\0-\x1f]/g, (mark) => MARKS[mark] ?? `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`);
const MARKS: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n', '\0': '\\0' };
export const tick = (text: string) => (text.length > 80 ? `${text.length} letters` : `\`${visible(text)}\``);
/** The text in ticks, in which `\t`, `\r`, `\n`, `\0`, `\\` and `\xE9` stand for those bytes, and `\u20AC` for a character. */
export const ticked = (cell: string) =>
  cell.replace(/^`(.*)`$/s, '$1').replace(/\\(?:([trn0\\])|x([\dA-F]{2})|u([\dA-F]{4}))/gi, (_, letter, byte, code) => {
    if (letter !== undefined) return { t: '\t', r: '\r', n: '\n', '0': '\0', '\\': '\\' }[letter as 't'];
    return String.fromCharCode(Number.parseInt(byte ?? code, 16));
  });
