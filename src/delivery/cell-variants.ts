/** A text that a spreadsheet may have turned into the text of a cell. */
export interface CellVariant {
  readonly text: string;
  /** Name of the change that this variant undoes. A spreadsheet changes all cells of a column in the same way. */
  readonly undoes: string;
}

/** Number of digits of a number that a spreadsheet keeps. It replaces further ones by zeros. */
export const KEPT_DIGITS = 15;

/**
 * Returns what a cell may have contained before a spreadsheet read it as a number, a date or a truth value and wrote it
 * in its own form. The unchanged text is not among the results, and most texts have no variants.
 */
export function cellVariants(cell: string): readonly CellVariant[] {
  const text = cell.trim();
  if (text.length > 40) return [];
  if (/^\d/.test(text)) return [...numberVariants(text), ...dateVariants(text)].filter((each) => each.text !== text);
  return truthVariants(text);
}

function numberVariants(text: string): CellVariant[] {
  const digits = wholeDigits(text);
  if (digits === null) return decimalVariants(text);
  const bare = digits === text ? [] : [{ text: digits, undoes: 'form of a number' }];
  return [...bare, ...withLostBeginning(digits)];
}

/**
 * Returns the digits of a whole number in any form that a spreadsheet writes, or null if the text is not one. A text
 * that begins with a zero was not read as a number.
 */
function wholeDigits(text: string): string | null {
  if (/^0\d/.test(text)) return null;
  if (/^\d{1,20}$/.test(text)) return text;
  const [, first = '', rest = '', exponent] = /^(\d)(?:[.,](\d+))?E\+0*(\d{1,2})$/i.exec(text) ?? [];
  if (exponent !== undefined) return rest.length > Number(exponent) ? null : first + rest.padEnd(Number(exponent), '0');
  if (/^\d{1,3}(?:[.,'’\s]\d{3})+$/.test(text)) return text.replace(/\D/g, '');
  return /^(\d+)[.,]0+$/.exec(text)?.[1] ?? null;
}

/** Minimum number of digits of a telephone number, and maximum number of a postal code. */
const MIN_PHONE_DIGITS = 7;
const MAX_CODE_DIGITS = 8;

function withLostBeginning(digits: string): CellVariant[] {
  const zeros = digits.length < MAX_CODE_DIGITS ? ['0', '00', '000'] : ['0', '00'];
  const signs = digits.length < MIN_PHONE_DIGITS ? [] : ['+'];
  return [...signs, ...zeros].map((lost) => ({ text: lost + digits, undoes: `lost ${lost}` }));
}

function decimalVariants(text: string): CellVariant[] {
  const [, whole = '', mark, decimals = ''] = /^(\d+)([.,])(\d+)$/.exec(text) ?? [];
  if (mark === undefined) return [];
  return ['.', ','].flatMap((sign) => [
    { text: `${whole}${sign}${decimals}`, undoes: `decimal ${sign}` },
    { text: `${whole}${sign}${decimals}0`, undoes: `decimal ${sign} and lost 0` },
  ]);
}

const DATE = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T](\d{1,2}:\d{2})(:00)?)?$/;

/** Tells whether a cell is a date in digits, perhaps with a time. */
export function isDate(cell: string): boolean {
  return DATE.test(cell.trim());
}

function dateVariants(text: string): CellVariant[] {
  const [, first = '', , second = '', third = '', time, seconds] = DATE.exec(text) ?? [];
  if (first === '') return [];
  const times = time === undefined ? [''] : [...(seconds ? [` ${time}:00`] : []), ` ${time}`, ` ${time}:00`];
  const readings =
    first.length > 2
      ? [{ year: first, month: second, day: third, as: 'ymd' }]
      : [
          { year: third, month: second, day: first, as: 'dmy' },
          { year: third, month: first, day: second, as: 'mdy' },
        ];
  return readings
    .filter(({ year, month, day }) => /^(?:\d{2}){1,2}$/.test(year) && inRange(month, 12) && inRange(day, 31))
    .flatMap(({ year, month, day, as }) =>
      dateTexts(year.length === 2 ? `20${year}` : year, month, day).flatMap(({ form, date }) =>
        [...new Set(times)].map((each) => ({ text: date + each, undoes: `date ${as} ${form}` })),
      ),
    );
}

function inRange(digits: string, most: number): boolean {
  return Number(digits) >= 1 && Number(digits) <= most;
}

function dateTexts(year: string, month: string, day: string): { form: string; date: string }[] {
  const [m, d] = [String(Number(month)), String(Number(day))];
  const [mm, dd, yy] = [m.padStart(2, '0'), d.padStart(2, '0'), year.slice(2)];
  return [
    { form: 'Y-M-D', date: `${year}-${mm}-${dd}` },
    { form: 'Y/M/D', date: `${year}/${mm}/${dd}` },
    { form: 'DD.MM.Y', date: `${dd}.${mm}.${year}` },
    { form: 'D.M.Y', date: `${d}.${m}.${year}` },
    { form: 'DD.MM.yy', date: `${dd}.${mm}.${yy}` },
    { form: 'DD/MM/Y', date: `${dd}/${mm}/${year}` },
    { form: 'D/M/Y', date: `${d}/${m}/${year}` },
    { form: 'DD/MM/yy', date: `${dd}/${mm}/${yy}` },
    { form: 'MM/DD/Y', date: `${mm}/${dd}/${year}` },
    { form: 'M/D/Y', date: `${m}/${d}/${year}` },
    { form: 'MM/DD/yy', date: `${mm}/${dd}/${yy}` },
    { form: 'DD-MM-Y', date: `${dd}-${mm}-${year}` },
  ];
}

/** The words in which spreadsheets of the markets' languages write truth values. */
const TRUTHS: Readonly<Record<string, readonly string[]>> = {
  true: ['true', 'wahr', 'vrai', 'verdadeiro', 'verdadero', 'vero'],
  false: ['false', 'falsch', 'faux', 'falso'],
};

function truthVariants(text: string): CellVariant[] {
  const named = text.toLowerCase();
  const [value] = Object.entries(TRUTHS).find(([, words]) => words.includes(named)) ?? [];
  if (value === undefined) return [];
  const forms = [value, value.toUpperCase(), value[0]?.toUpperCase() + value.slice(1)];
  return forms.filter((form) => form !== text).map((form) => ({ text: form, undoes: `truth ${form}` }));
}

/** Tells whether a cell is a number whose last digits a spreadsheet has replaced by zeros. */
export function hasLostDigits(cell: string): boolean {
  const text = cell.trim();
  return /^\d+$/.test(text) && text.length > KEPT_DIGITS && /^0+$/.test(text.slice(KEPT_DIGITS));
}
