import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cpuMs } from '../helpers/cpu-time.ts';
import { holds as holdsAt } from './table.ts';
import { escapeFormulas, reasonOf, sentAs, shellWord, unescapeFormulas } from './words.ts';

const holds = (name: string, ...rest: [number, Parameters<typeof holdsAt>[2]]) =>
  holdsAt(join(import.meta.dirname, 'words', name), ...rest);

/** The text of a cell, in JSON, in which everything can be seen. */
const shown = (text: string) =>
  `\`${JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)}\``;
const given = (cell: string) => JSON.parse(`"${cell.replace(/^`(.*)`$/s, '$1')}"`) as string;

holds('formulas.md', 1, ([text = '']) => {
  const written = escapeFormulas(given(text));
  expect(unescapeFormulas(written)).toBe(given(text));
  return [shown(written)];
});

holds('powershell.md', 1, ([word = '']) => [`\`${shellWord(given(word), 'win32')}\``]);

holds('reasons.md', 2, ([status = '', http = '']) => [
  reasonOf({ status: status as 'failed', http: http === '-' ? null : Number(http) }) ?? '-',
]);

/** `12 = Plumbing, 13 = Painting`, or the values alone. */
const allowedIn = (cell: string) =>
  cell === '-'
    ? null
    : cell.split(', ').map((each) => {
        const [value = '', label] = each.split(' = ');
        return { value, label: label ?? null };
      });

holds('values.md', 4, ([field = '', type = '', allowed = '', text = '']) => {
  const sent = sentAs(field, type, allowedIn(allowed), given(text));
  return [sent === null ? '-' : shown(sent)];
});

test('a cell of zeros without end is no number at once', () => {
  for (const zeros of [`0.${'0'.repeat(1 << 20)}1`, `${'0'.repeat(1 << 20)}x`])
    expect(cpuMs(() => expect(sentAs('rooms', 'number', null, zeros)).toBeNull(), 50)).toBeLessThan(500);
});
