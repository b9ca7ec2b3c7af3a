import type { CountryCode } from 'libphonenumber-js/max/es6';
import metadata from 'libphonenumber-js/max/metadata';
import type { Market } from './markets.ts';
import { oncePer } from './once-per.ts';

/** One kind of numbers (mobile, toll-free, …): its pattern, and its lengths if not all of the country's are possible. */
type NumberType = readonly [pattern: string, lengths?: readonly number[]];

/** What is used of a country in libphonenumber's metadata, by its place there. */
interface CountryRules {
  readonly 1: string;
  readonly 2: string;
  readonly 3: readonly number[];
  readonly 5: string | 0;
  readonly 7: string | 0;
  readonly 11: readonly (NumberType | 0)[];
}

/**
 * The E.164 form of a market's own number, written so plainly that nothing is left to find out: with the country code and a
 * plus, or as it is dialled within the country. Null for every other cell, whatever it holds.
 *
 * libphonenumber takes twenty times as long, because it compiles the country's patterns anew for each number.
 */
export function plainE164(cell: string, market: Market): string | null {
  if (!/^\+?[\d(][\d ().-]*$/.test(cell) || cell.includes('(0)')) return null;
  const digits = cell.replace(/[ ().-]/g, '');
  if (!plainNumbers(market)?.test(digits)) return null;
  return digits.startsWith('+') ? digits : `+${market.callingCode}${digits.replace(/^0/, '')}`;
}

/** Null where another country comes first by the calling code: there a number alone does not tell its country. */
const plainNumbers = oncePer(({ iso, callingCode }: Market): RegExp | null => {
  const rules = metadata.countries[iso as CountryCode] as CountryRules | undefined;
  if (!rules || !Object.values(metadata.country_calling_codes).some(([main]) => main === iso)) return null;
  const { 1: abroad, 2: number, 3: lengths, 5: trunkPrefix, 7: prefixes, 11: types } = rules;
  const code = `\\+${callingCode}`;
  // Digits that lead abroad, or that are taken off beside the zero (a carrier's code), make it another number.
  const noPrefix = `(?!(?:${prefixes || '0'})(?<!^(?:${code})?0?))`;
  const start = `^(?:${code}|(?!${abroad}))${noPrefix}${trunkPrefix === '0' ? '(?:^0)?' : ''}(?=[1-9])`;
  const ofType = types.flatMap((type) => {
    const [pattern, its = lengths] = type || [];
    return pattern ? `(?=${its.map((length) => `.{${length}}$`).join('|')})(?:${pattern})` : [];
  });
  return new RegExp(`${start}(?=(?:${number})$)(?:${ofType.join('|')})$`);
});
