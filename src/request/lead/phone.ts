import {
  type CountryCode,
  type PhoneNumber,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max/es6';
import metadata from 'libphonenumber-js/max/metadata';
import { memoize } from '../small.ts';
import type { FindingOf } from '../words/finding.ts';
import { findMarket, type Market } from './markets.ts';

/**
 * The result of reading a telephone number. Exactly one of `e164` and `error` is set. A `warning` says what was
 * repaired or looks unusual. Both are codes of findings.
 */
export interface ParsedPhone {
  readonly e164: string | null;
  readonly error: FindingOf<'phone'> | null;
  readonly warning: FindingOf<'phone'> | null;
  /** The code of the country by whose rules the number was refused, if it is known. */
  readonly country?: string | undefined;
}

function refused(error: FindingOf<'phone'>, country?: string): ParsedPhone {
  return { e164: null, error, warning: null, country };
}

/**
 * Maximum length of a cell. Longer ones hold something else, and the limit also bounds the work that a hostile cell can
 * cause.
 */
const MAX_CELL_LENGTH = 100;

const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?E\+?\d+$/i;
const BETWEEN_TWO_NUMBERS = /[/;,|&\n]+|\s(?:ou|o|or|oder|und|and|et|e|y)\s/i;

/**
 * Removes the fraction that data frames and databases write behind the whole numbers of a column (`1712345678.0`).
 * Taken for a digit of its own, it would make another number. A cell that has other marks is no such number, and its
 * last group may be an extension.
 */
export function withoutFraction(cell: string): string {
  return cell.replace(/^(\+?\d{7,})[.,]0+$/, '$1');
}

/**
 * Normalises a cell to ASCII digits, and removes what platforms and spreadsheets put around a number: `p:`, `tel:`,
 * `="…"`, an apostrophe, bidirectional marks, brackets around the country code, a fraction of zero, and the commas and
 * semicolons that remain from a list.
 */
export function tidied(text: string): string {
  const bare = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[;,\s]+$/, '')
    .trimStart()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .replace(/^(?:p|tel|phone|whatsapp):\s*/i, '')
    .replace(/^\(\s*((?:\+|00)\s*\d{1,3})\s*\)/, '$1 ');
  return withoutFraction(bare);
}

/**
 * Tells whether a cell holds two numbers, which is so if at least two of its parts have enough digits to be one, the zeros of
 * a call abroad aside.
 */
function holdsTwo(text: string): boolean {
  const parts = text.split(BETWEEN_TWO_NUMBERS).map((part) => part.replace(/\D/g, '').replace(/^00/, ''));
  return parts.filter(({ length }) => length >= 7).length > 1;
}

/**
 * Number of digits from which what stands before a slash may be a whole number, without country code and trunk zero.
 * Fewer are an area code and the beginning of a number.
 */
const MIN_BEFORE_SLASH = 6;

/**
 * Tells whether a cell gives a second extension of a number behind a slash (`030 123456/57`), which is so if the number
 * is valid without it. Where numbers have no fixed length, both together would be another valid number. A slash that
 * only separates groups of digits has no valid number before it.
 */
function endsInSecondExtension(text: string, market: Market | undefined): boolean {
  const before = /^(.+\d) *\/[ -]*\d{1,4}$/.exec(text)?.[1];
  const number = before === undefined ? undefined : libraryNumber(before, market);
  return number !== undefined && number.nationalNumber.length >= MIN_BEFORE_SLASH && number.isValid();
}

/**
 * Removes digits that make a valid number look wrong, as in `+351 (0)912…` and `+52 1 55…`, both of which are common
 * habits.
 */
function repaired(text: string): string {
  return text
    .replace(/^((?:\+|00)\s*\d[\d\s]{0,4})\(0\)/, '$1')
    .replace(/^((?:\+|00)\s?52[\s-]?)1[\s-]?(?=(?:[\s-]?\d){10}$)/, '$1');
}

/**
 * Tells whether a number belongs to another country than the market. Several countries share +1, so the country itself
 * is compared there.
 */
function ofAnotherCountry(number: PhoneNumber, market: Market): boolean {
  if (number.countryCallingCode !== market.callingCode) return true;
  return market.callingCode === '1' && number.country !== undefined && number.country !== market.iso;
}

/**
 * Number of digits from which a number is longer than any market's own numbers in practice. libphonenumber's patterns
 * allow more where a country's numbering plan once left the length open.
 */
const MORE_THAN_NATIONAL = 12;

/**
 * Returns true if a number may begin with its market's calling code, without the plus. In countries that share +1, the
 * 1 is dialled for domestic calls as well, so it tells nothing there.
 */
function mayLackPlus(text: string, { callingCode }: Market): boolean {
  return callingCode !== '1' && text.replace(/^[ (]+/, '').startsWith(callingCode);
}

/**
 * Reads a telephone number as E.164. Without a market, only numbers in international form can be read. A number of
 * another country than the request's passes with a warning.
 */
export function parsePhone(cell: string, market: Market | undefined): ParsedPhone {
  if (cell.length > MAX_CELL_LENGTH) return refused('phone.too-long', market?.code);
  const plain = market ? plainE164(cell, market) : null;
  if (plain !== null) return { e164: plain, error: null, warning: null };
  const tidy = tidied(cell);
  if (SCIENTIFIC.test(tidy)) return refused('phone.scientific');
  if (holdsTwo(tidy) || endsInSecondExtension(tidy, market)) return refused('phone.two-numbers');
  const text = market ? withPlusAbroad(tidy, market) : tidy;
  const written = readNumber(text, market);
  return market && mayLackPlus(text, market) ? withOwnCode(text, written, market) : written;
}

/**
 * Writes a plus in place of 00 before the market's calling code. Where another prefix leads abroad (Colombia, Singapore),
 * libphonenumber finds a number of some third country in such a text.
 */
function withPlusAbroad(text: string, { callingCode }: Market): string {
  return text.replace(/^[ (]*00[ )-]*(?=\d)/, (prefix) => (text.startsWith(callingCode, prefix.length) ? '+' : prefix));
}

/**
 * Reads a number that begins with its market's calling code but has no plus. `written` is the result of reading the
 * number without adding a plus. If the two readings give different valid numbers, the number is refused, unless it is
 * too long for a number of the market. A wrong number would lose the lead without a trace, while an error lets the user
 * add the plus or the zero.
 */
function withOwnCode(tidy: string, written: ParsedPhone, market: Market): ParsedPhone {
  const withPlus = readNumber(`+${tidy.replace(/^[ (]+/, '')}`, market);
  if (withPlus.e164 === null) return written;
  const isOther = written.e164 !== null && written.e164 !== withPlus.e164;
  if (!isOther || tidy.replace(/\D/g, '').length >= MORE_THAN_NATIONAL) {
    return { ...withPlus, warning: withPlus.warning ?? 'phone.repaired' };
  }
  return refused('phone.two-ways', market.code);
}

function readNumber(tidy: string, market: Market | undefined): ParsedPhone {
  const text = repaired(tidy);
  const number = libraryNumber(text, market);
  if (!number?.isValid()) return whyRefused(text, number, market);
  if (number.ext) return { e164: number.number, error: null, warning: 'phone.extension' };
  const foreign = market && ofAnotherCountry(number, market) ? 'phone.foreign' : null;
  return { e164: number.number, error: null, warning: text === tidy ? foreign : 'phone.repaired' };
}

function libraryNumber(text: string, market: Market | undefined): PhoneNumber | undefined {
  const country = market ? { defaultCountry: market.iso as CountryCode } : {};
  return parsePhoneNumberFromString(text, { ...country, extract: false });
}

const LENGTH_ERRORS = {
  INVALID_COUNTRY: 'phone.country-code',
  NOT_A_NUMBER: 'phone.not-a-number',
  TOO_SHORT: 'phone.too-short',
  TOO_LONG: 'phone.too-long',
  INVALID_LENGTH: 'phone.invalid',
} as const;

/**
 * Returns why a number is refused. A country may have long and short numbers, so a length can be possible there and yet
 * be wrong for the number at hand. If one digit more or less makes it valid, that is the likely slip.
 */
function whyRefused(text: string, number: PhoneNumber | undefined, market: Market | undefined): ParsedPhone {
  const country = countryOfNumber(number) ?? market?.code;
  const wrong = validatePhoneNumberLength(text, market?.iso as CountryCode | undefined);
  if (wrong !== undefined) return refused(LENGTH_ERRORS[wrong], country);
  if (libraryNumber(`${text}5`, market)?.isValid()) return refused('phone.too-short', country);
  if (libraryNumber(text.slice(0, -1), market)?.isValid()) return refused('phone.too-long', country);
  return refused('phone.invalid', country);
}

/** Returns the country of a number, as the market's code where it is one, or the first country of its calling code. */
function countryOfNumber(number: PhoneNumber | undefined): string | undefined {
  const iso = number?.country ?? (number && metadata.country_calling_codes[number.countryCallingCode]?.[0]);
  return iso === undefined ? undefined : (findMarket(iso)?.code ?? iso);
}

/** Returns the market of a valid number that is written with its country code, or null for every other text. */
export function marketOfNumber(cell: string): Market | null {
  if (cell.length > MAX_CELL_LENGTH) return null;
  const text = tidied(cell).replace(/^00/, '+');
  const number = text.startsWith('+') ? libraryNumber(text, undefined) : undefined;
  return number?.isValid() ? (findMarket(number.country ?? '') ?? null) : null;
}

/**
 * One type of number (mobile, toll-free, …): its pattern, and its lengths if they are fewer than those of the country.
 */
type NumberType = readonly [pattern: string, lengths?: readonly number[]];

/** The members of a country in libphonenumber's metadata that are used here, by their index. */
interface CountryRules {
  readonly 1: string;
  readonly 2: string;
  readonly 3: readonly number[];
  readonly 5: string | 0;
  readonly 7: string | 0;
  readonly 11: readonly (NumberType | 0)[];
}

/**
 * Returns the E.164 form of a market's own number that is written plainly enough to be read without interpretation:
 * with a plus and the country code, or as it is dialled within the country. Returns null for every other cell, whatever
 * it holds, and for one that may lack its plus.
 *
 * libphonenumber takes twenty times as long, because it compiles the country's patterns again for each number.
 */
export function plainE164(cell: string, market: Market): string | null {
  if (!/^\+?[\d(][\d ().-]*$/.test(cell) || cell.includes('(0)') || withoutFraction(cell) !== cell) return null;
  const digits = cell.replace(/[ ().-]/g, '');
  if (!plainNumbers(market)?.test(digits) || mayLackPlus(digits, market)) return null;
  return digits.startsWith('+') ? digits : `+${market.callingCode}${digits.replace(/^0/, '')}`;
}

/**
 * Builds the pattern of a market's plain numbers. It is null where another country comes first for the calling code,
 * because a number alone does not tell its country there.
 */
const plainNumbers = memoize(({ iso, callingCode }: Market): RegExp | null => {
  const rules = metadata.countries[iso as CountryCode] as CountryRules | undefined;
  if (!rules || !Object.values(metadata.country_calling_codes).some(([main]) => main === iso)) return null;
  const { 1: abroad, 2: number, 3: lengths, 5: trunkPrefix, 7: prefixes, 11: types } = rules;
  const code = `\\+${callingCode}`;
  // A number with a prefix for calls abroad, or with a carrier code that is removed with the zero, is not plain.
  const noPrefix = `(?!(?:${prefixes || '0'})(?<!^(?:${code})?0?))`;
  const start = `^(?:${code}|(?!${abroad}))${noPrefix}${trunkPrefix === '0' ? '(?:^0)?' : ''}(?=[1-9])`;
  const ofType = types.flatMap((type) => {
    const [pattern, its = lengths] = type || [];
    return pattern ? `(?=${its.map((length) => `.{${length}}$`).join('|')})(?:${pattern})` : [];
  });
  return new RegExp(`${start}(?=(?:${number})$)(?:${ofType.join('|')})$`);
});
