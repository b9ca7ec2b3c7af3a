import { FIELD, FIELDS, USUAL_LENGTH } from '../../request/fields.ts';
import type { Problem } from '../../request/outcome.ts';
import { AUDIO_PARAMETER } from '../../request/wire.ts';

/** A problem with a field, before the column that the field comes from is known. */
export type FieldFinding = Pick<Problem, 'severity' | 'field' | 'message'>;

/**
 * A long number in scientific notation, as spreadsheets show it, with digits lost. A reference such as 1E5 does not
 * match.
 */
const SCIENTIFIC = /^\d[.,]\d+E\+\d{2,}$/i;

/**
 * Usual maximum length of each field. Null means that the field is bounded elsewhere, or holds the name or content of a
 * recording.
 */
const USUAL_LENGTHS = new Map<string, number | null>([
  ...FIELDS.map((field) => [field, FIELD[field].usualLength] as const),
  [AUDIO_PARAMETER, null],
]);

/** Tells whether a text is a number in scientific notation, whose digits a spreadsheet has dropped. */
export function isShortenedNumber(text: string): boolean {
  return SCIENTIFIC.test(text);
}

/**
 * Checks the texts of a request independent of their meaning: for damage, excessive length, and numbers shortened by a
 * spreadsheet. `texts` are pairs of field and text. `bounded` holds the fields whose length the contract limits.
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
    // Phone numbers have a message of their own.
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
  const known = USUAL_LENGTHS.get(field);
  const most = known === undefined ? USUAL_LENGTH : known;
  if (most === null || text.length <= most) return null;
  const message = `${field} has ${text.length} letters, more than the usual ${most}; check whether it is the right column.`;
  return { severity: 'warning', field, message };
}

function shortened(field: string): FieldFinding {
  const message = `${field} was turned into scientific notation by a spreadsheet and its digits are lost; export the file again with this column formatted as text.`;
  return { severity: 'error', field, message };
}
