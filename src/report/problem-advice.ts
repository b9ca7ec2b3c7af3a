import type { Problem } from '../model/outcome.ts';

const BY_FIELD: Readonly<Record<string, string>> = {
  '': 'Correct the row in the file, or export it again.',
  country: 'Correct the cell; for a file of one country: --set country=PT',
  lang: 'Correct the cell; for a file of one language: --set lang=pt',
  phone: 'Correct the cell; if another column holds the number: --map COLUMN=phone',
  email: 'Correct the cell; if another column holds the address: --map COLUMN=email',
  location: 'Correct the cell, or make the location of several columns: --set "location={Postcode} {City}"',
  request_text: 'Fill the cell; if another column says what is needed: --map COLUMN=request_text',
  fullname: 'Fill the cell; if another column holds the name: --map COLUMN=fullname',
  audio_file: 'Put the recording into the folder of the file and name it there.',
};

/** Returns advice on what to do about a problem, in addition to its message. */
export function adviceOn({ field, column }: Pick<Problem, 'field' | 'column'>): string {
  const known = BY_FIELD[field];
  if (known !== undefined) return known;
  if (column === null) return `Fill it from a column: --map COLUMN=${field}, or --set '${field}={Column}'`;
  return `Correct the cell; if the column is not meant: --map "${column}=-"`;
}
