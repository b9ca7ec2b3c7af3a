import { FIELD, FIELDS, USUAL_LENGTH } from '../../request/fields.ts';
import { type Finding, finding } from '../../request/finding.ts';
import { AUDIO_PARAMETER } from '../../request/wire.ts';

/**
 * Matches a long number in scientific notation, in which spreadsheets lose digits. A reference such as 1E5 does not
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
 * Checks the texts of a request for problems that do not depend on their meaning: damage, excessive length, and numbers
 * shortened by a spreadsheet. `texts` are by field. `bounded` holds the fields whose length the contract limits.
 */
export function textFindings(
  texts: readonly Readonly<Record<string, string | null>>[],
  postalCode: string,
  bounded: ReadonlySet<string>,
): Finding[] {
  const findings: Finding[] = [];
  let lost: Map<string, string> | null = null;
  for (const group of texts) {
    for (const field in group) {
      const text = group[field];
      if (!text) continue;
      const damage = letters(field, text);
      if (damage) findings.push(damage);
      const excess = bounded.has(field) ? null : length(field, text);
      if (excess) findings.push(excess);
      // Telephone numbers have their own message.
      if (field !== 'phone' && isShortenedNumber(text)) {
        lost ??= new Map();
        lost.set(field, text);
      }
    }
  }
  if (isShortenedNumber(postalCode)) {
    lost ??= new Map();
    lost.set('location', postalCode);
  }
  for (const [field, text] of lost ?? []) findings.push(finding('text.scientific', field, {}, text));
  return findings;
}

function letters(field: string, text: string): Finding | null {
  if (text.includes('\0') || !text.isWellFormed()) return finding('text.damaged', field, {});
  return text.includes('\uFFFD') ? finding('text.lost-letter', field, {}, text) : null;
}

function length(field: string, text: string): Finding | null {
  const known = USUAL_LENGTHS.get(field);
  const most = known === undefined ? USUAL_LENGTH : known;
  if (most === null || text.length <= most) return null;
  return finding('text.too-long', field, { letters: text.length, most }, text);
}
