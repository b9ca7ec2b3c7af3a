import type { Market } from './markets.ts';

/** How postal codes of a market look, and one as an example. */
interface PostalFormat {
  readonly pattern: RegExp;
  readonly example: string;
}

const digits = (pattern: string, example: string): PostalFormat => ({ pattern: new RegExp(`^${pattern}$`), example });

/** By the market's ISO code. Angola has none in use. Loose where people leave a part out: this only warns. */
const FORMATS: Readonly<Record<string, PostalFormat>> = {
  PT: digits('\\d{4}(?:-?\\d{3})?', '1200-109'),
  ES: digits('(?:0[1-9]|[1-4]\\d|5[0-2])\\d{3}', '28013'),
  DE: digits('\\d{5}', '10115'),
  AT: digits('[1-9]\\d{3}', '1010'),
  CH: digits('[1-9]\\d{3}', '8001'),
  IE: digits('(?:[AC-FHKNPRTV-Y]\\d{2}|D6W)(?: ?[0-9AC-FHKNPRTV-Y]{4})?', 'D02 X285'),
  GB: digits('[A-Z]{1,2}\\d[A-Z\\d]?(?: ?\\d[A-Z]{2})?', 'CF10 1AA'),
  CA: digits('[ABCEGHJ-NPRSTVXY]\\d[A-Z](?: ?\\d[A-Z]\\d)?', 'K1A 0B1'),
  MX: digits('\\d{5}', '06000'),
  AR: digits('(?:[A-HJ-NP-Z]?\\d{4}(?:[A-Z]{3})?)', 'C1002AAP'),
  CL: digits('\\d{3}-?\\d{4}', '8320000'),
  CO: digits('\\d{6}', '110111'),
  PE: digits('\\d{5}', '15001'),
  EC: digits('\\d{6}', '170150'),
  DO: digits('\\d{5}', '10101'),
  AU: digits('\\d{4}', '2000'),
  NZ: digits('\\d{4}', '6011'),
  SG: digits('\\d{6}', '049315'),
  IN: digits('[1-9]\\d{2} ?\\d{3}', '110001'),
  ZA: digits('\\d{4}', '8001'),
  CV: digits('\\d{4}(?:-?\\d{3})?', '7600'),
};

/** Longer cells hold something else; it also bounds the work a hostile cell can cause. */
const LONGEST_CELL = 40;

/** A postal code of the market as an example, or null where the market has none. */
export function examplePostalCode({ iso }: Market): string | null {
  return FORMATS[iso]?.example ?? null;
}

/** Why a text does not look like a postal code of the market, or null if it does or nobody can tell. */
export function postalCodeWarning(text: string, market: Market): string | null {
  const format = FORMATS[market.iso];
  if (!format) return null;
  const bare = text
    .trim()
    .toUpperCase()
    .replace(/^[A-Z]{1,2}-(?=\d)/, '')
    .replace(/\s+/g, ' ');
  if (bare.length <= LONGEST_CELL && format.pattern.test(bare)) return null;
  const zero = /^\d+$/.test(bare) && format.pattern.test(`0${bare}`) ? '; a spreadsheet took its leading zero' : '';
  return `does not look like one of ${market.name} (${format.example})${zero}`;
}
