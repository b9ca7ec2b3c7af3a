import { nearest } from '../request/did-you-mean.ts';
import { SrqError } from '../request/errors.ts';
import { aliasOf, headerForm } from '../request/field-aliases.ts';
import { FIELDS, isField } from '../request/fields.ts';
import { shellWord } from '../request/shell-word.ts';
import { columnLabel, type MappingOptions } from '../request/table.ts';
import { fieldOf } from './ties.ts';

/**
 * Refuses slips in what a person says of the columns, with `SrqError('usage')`: fields that do not exist, where one of srq's
 * is meant, and columns whose braces were forgotten. The leads would go out without the field, or with the column's name in it.
 */
export function refuseSlips(
  columns: readonly string[],
  { map, set, join }: MappingOptions,
  parameters: ReadonlySet<string>,
): void {
  for (const field of [...Object.values(map), ...Object.keys(set), ...Object.keys(join)]) refuseSlip(field, parameters);
  for (const [field, text] of Object.entries(set)) refuseForgottenBraces(columns, field, text);
}

/**
 * Throws `SrqError('usage')` for a field that is neither srq's nor the service's, but nearly one of srq's, or another name
 * for it or for a part of it.
 */
export function refuseSlip(field: string, parameters: ReadonlySet<string>): void {
  if (field === '-' || isField(field) || parameters.has(field)) return;
  const alias = aliasOf(field)?.meaning;
  // Many a service has notes of its own.
  if (alias === 'notes') return;
  const meant = alias === undefined ? nearest(field, FIELDS) : fieldOf(alias);
  if (meant === null) return;
  const parts = alias === undefined || isField(alias) ? '' : ` Of several columns: --set '${meant}={COLUMN} {COLUMN}'.`;
  throw new SrqError(
    'usage',
    `There is no field "${field}". Did you mean "${meant}"?`,
    `Write ${meant} in --map, --set or the mapping file.${parts} If the service really has a parameter "${field}", let srq learn its document: srq contract learn FILE`,
  );
}

/** Fields whose values are codes, which a column may have for its name: `PT`. */
const OF_CODES: ReadonlySet<string> = new Set(['country', 'lang']);

/** Throws `SrqError('usage')` for a constant that is the name of a column, or made of such names alone: `PLZ, Ort`. */
function refuseForgottenBraces(columns: readonly string[], field: string, text: string): void {
  // A blank at the end says that the word itself is meant; it is not sent.
  if (OF_CODES.has(field) || text.includes('{') || text !== text.trim() || text === '') return;
  const labels = new Map(columns.map((_, at) => columnLabel(columns, at)).map((label) => [headerForm(label), label]));
  const whole = labels.get(headerForm(text));
  const names = whole === undefined ? (text.match(NAME) ?? []).map((name) => labels.get(headerForm(name))) : [whole];
  if (names.length === 0 || names.includes(undefined)) return;
  const template = whole === undefined ? text.replace(NAME, (name) => `{${name}}`) : `{${whole}}`;
  const quoted = names.map((name) => `"${name}"`).join(', ');
  throw new SrqError(
    'usage',
    `${quoted} ${names.length > 1 ? 'are columns' : 'is a column'}; write --set ${shellWord(`${field}=${template}`)}`,
    `Without the braces every request would have "${text}" as its ${field}. If that is meant, put a blank at its end: --set ${shellWord(`${field}=${text} `)}`,
  );
}

/** Matches each name in a list of them. */
const NAME = /[^\s,;/+-]+/g;
