import type { CountryCode } from 'libphonenumber-js/max/es6';
import metadata from 'libphonenumber-js/max/metadata';
import type { Market } from './markets.ts';
import { memoize } from './once-per.ts';

/**
 * One type of number (mobile, toll-free, …): its pattern, and its lengths if they are fewer than those of the country.
 */
type NumberType = readonly [pattern: string, lengths?: readonly number[]];

/** The members that are used of a country in libphonenumber's metadata, by their index there. */
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
 * it holds.
 *
 * libphonenumber takes twenty times as long, because it compiles the country's patterns again for each number.
 */
export function plainE164(cell: string, market: Market): string | null {
  if (!/^\+?[\d(][\d ().-]*$/.test(cell) || cell.includes('(0)')) return null;
  const digits = cell.replace(/[ ().-]/g, '');
  if (!plainNumbers(market)?.test(digits)) return null;
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
  // A prefix that leads abroad, or that is removed together with the zero (a carrier code), makes it another number.
  const noPrefix = `(?!(?:${prefixes || '0'})(?<!^(?:${code})?0?))`;
  const start = `^(?:${code}|(?!${abroad}))${noPrefix}${trunkPrefix === '0' ? '(?:^0)?' : ''}(?=[1-9])`;
  const ofType = types.flatMap((type) => {
    const [pattern, its = lengths] = type || [];
    return pattern ? `(?=${its.map((length) => `.{${length}}$`).join('|')})(?:${pattern})` : [];
  });
  return new RegExp(`${start}(?=(?:${number})$)(?:${ofType.join('|')})$`);
});
