import { aliasOf, headerForm } from '../request/lead/field-aliases.ts';
import { FIELDS, isField } from '../request/lead/fields.ts';
import { MARKETS, parseMarket } from '../request/lead/markets.ts';
import { wholeOf } from '../request/lead/parts.ts';
import { columnLabel, type FieldSource, type MappingOptions } from '../request/lead/table.ts';
import { nearest } from '../request/words/did-you-mean.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { finding, type Problem } from '../request/words/finding.ts';
import type { ContentProfile } from './columns/content.ts';
import { plainlyElse } from './columns/meanings.ts';

/**
 * Refuses probable mistakes in the user's statements about columns with `SrqError('usage')`. These are fields that do
 * not exist, if one of srq's is probably meant, and column names without braces. Otherwise the leads would be sent
 * without the field, or with the column's name as its value.
 */
export function refuseSlips(
  columns: readonly string[],
  { map, set }: MappingOptions,
  parameters: ReadonlySet<string>,
): void {
  for (const field of [...Object.values(map), ...Object.keys(set)]) refuseSlip(field, parameters);
  for (const [field, text] of Object.entries(set)) refuseForgottenBraces(columns, field, text);
  refuseUnknownCountry(set['country'] ?? '');
}

/**
 * Throws `SrqError('usage')` for a field that is neither srq's nor the service's, but is similar to one of srq's, or
 * another name for it or for a part of it.
 */
export function refuseSlip(field: string, parameters: ReadonlySet<string>): void {
  if (field === '-' || isField(field) || parameters.has(field)) return;
  const alias = aliasOf(field)?.meaning;
  // Many services have a parameter for notes.
  if (alias === 'notes') return;
  const meant = alias === undefined ? nearest(field, FIELDS) : wholeOf(alias);
  if (meant === null) return;
  const parts = alias === undefined || isField(alias) ? '' : ` Of several columns: --set '${meant}={COLUMN} {COLUMN}'.`;
  throw new SrqError(
    'field.unknown',
    `There is no field "${field}". Did you mean "${meant}"?`,
    `Write ${meant} in --map, --set or the mapping file.${parts} If the service really has a parameter "${field}", let srq learn its API description: srq contract learn FILE`,
  );
}

/** Throws `SrqError('usage')` for a constant country that is no market, which every row would be blamed for. */
function refuseUnknownCountry(text: string): void {
  if (text.trim() === '' || text.includes('{') || parseMarket(text) !== undefined) return;
  throw new SrqError(
    'arguments.invalid',
    `"${text}" is not one of the markets.`,
    `They are: ${MARKETS.map(({ code }) => code).join(', ')}`,
  );
}

/** Fields whose values are codes. Such a code may also be the name of a column: `PT`. */
const OF_CODES: ReadonlySet<string> = new Set(['country', 'lang']);

/**
 * Throws `SrqError('usage')` for a constant that is the name of a column, or consists only of such names: `PLZ, Ort`.
 */
function refuseForgottenBraces(columns: readonly string[], field: string, text: string): void {
  // A blank at the end marks that the text itself is meant. The blank is not sent.
  if (OF_CODES.has(field) || text.includes('{') || text !== text.trim() || text === '') return;
  const labels = new Map(columns.map((_, at) => columnLabel(columns, at)).map((label) => [headerForm(label), label]));
  const whole = labels.get(headerForm(text));
  const names = whole === undefined ? (text.match(NAME) ?? []).map((name) => labels.get(headerForm(name))) : [whole];
  if (names.length === 0 || names.includes(undefined)) return;
  const template = whole === undefined ? text.replace(NAME, (name) => `{${name}}`) : `{${whole}}`;
  const quoted = names.map((name) => `"${name}"`).join(', ');
  throw new SrqError(
    'field.constant-is-column',
    `${quoted} ${names.length > 1 ? 'are columns' : 'is a column'}; write --set ${shellWord(`${field}=${template}`)}`,
    `Without the braces every request would have "${text}" as its ${field}. If that is meant, put a blank at its end: --set ${shellWord(`${field}=${text} `)}`,
  );
}

/** Matches each name in a list of names. */
const NAME = /[^\s,;/+-]+/g;

/** Warns about columns that a person has mapped to a field but that clearly hold something else. */
export function contentWarnings(
  columns: readonly string[],
  said: readonly FieldSource[],
  profiles: readonly ContentProfile[],
): Problem[] {
  return said.flatMap((source) =>
    // Within other text, a column may hold anything.
    (source.template === null || source.template.length === 1 ? source.columns : []).flatMap((index) => {
      const { field } = source;
      const seen = profiles[index];
      // The reference may be anything that distinguishes customers, including their telephone numbers.
      const what = seen && isField(field) && field !== 'ref' ? plainlyElse(field, seen) : null;
      return what === null ? [] : [finding('columns.content', field, { name: columnLabel(columns, index), what })];
    }),
  );
}
