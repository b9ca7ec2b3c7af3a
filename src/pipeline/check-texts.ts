import type { Problem } from '../model/outcome.ts';
import { AUDIO_PARAMETER } from '../model/wire.ts';

/** A problem before its column is known. */
export type FieldFinding = Pick<Problem, 'severity' | 'field' | 'message'>;

/** How a spreadsheet shows a long number, its digits gone. A reference such as 1E5 is none. */
const SCIENTIFIC = /^\d[.,]\d+E\+\d{2,}$/i;

/** Letters beyond which a field is probably something else; the service's own bounds are not public. */
const USUAL_LENGTHS = new Map([
  ['fullname', 200],
  ['location', 300],
  ['category', 100],
  ['lang', 35],
  ['ref', 255],
  ['request_text', 10_000],
]);
const USUAL_LENGTH = 1000;

/** Phone and e-mail have bounds of their own, and a recording is the name of a file. */
const BOUNDED_ELSEWHERE = new Set(['phone', 'email', 'audio_file', AUDIO_PARAMETER]);

/** Whether a text is a number whose digits a spreadsheet has dropped. */
export function isShortenedNumber(text: string): boolean {
  return SCIENTIFIC.test(text);
}

/**
 * What is wrong with the texts of a request, as pairs of field and text, whatever they mean: damaged, over-long, shortened by
 * a spreadsheet. `bounded`: fields for which the service's description says how long they may be.
 */
export function textFindings(
  texts: readonly (readonly [field: string, text: string])[],
  postalCode: string,
  bounded: ReadonlySet<string>,
): FieldFinding[] {
  const findings: FieldFinding[] = [];
  const lost = new Set<string>();
  for (const [field, text] of texts) {
    const damage = letters(field, text);
    if (damage) findings.push(damage);
    const excess = bounded.has(field) ? null : length(field, text);
    if (excess) findings.push(excess);
    // Phones have their own message.
    if (field !== 'phone' && isShortenedNumber(text)) lost.add(field);
  }
  if (isShortenedNumber(postalCode)) lost.add('location');
  for (const field of lost) findings.push(shortened(field));
  return findings;
}

function letters(field: string, text: string): FieldFinding | null {
  if (/[\0\p{Surrogate}]/u.test(text)) {
    const message = `${field} holds a NUL or half a character; the file was damaged. Export it again.`;
    return { severity: 'error', field, message };
  }
  if (!text.includes('\uFFFD')) return null;
  const message = `${field} holds the mark of a lost letter (\uFFFD); an earlier conversion broke it.`;
  return { severity: 'warning', field, message };
}

function length(field: string, text: string): FieldFinding | null {
  const most = USUAL_LENGTHS.get(field) ?? USUAL_LENGTH;
  if (text.length <= most || BOUNDED_ELSEWHERE.has(field)) return null;
  const message = `${field} has ${text.length} letters, more than the usual ${most}; check whether it is the right column.`;
  return { severity: 'warning', field, message };
}

function shortened(field: string): FieldFinding {
  const message = `${field} was turned into scientific notation by a spreadsheet and its digits are lost; export the file again with this column formatted as text.`;
  return { severity: 'error', field, message };
}
