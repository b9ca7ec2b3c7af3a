import { type CountryCode, getExampleNumber, parsePhoneNumberWithError } from 'libphonenumber-js/max/es6';
import examples from 'libphonenumber-js/mobile/examples';
import type { Market } from './markets.ts';

/**
 * Returns the mobile number of a made-up person of the market: libphonenumber's example, which belongs to nobody, for the
 * first one, and then the ones beside it.
 */
export function exampleMobile(
  { iso }: Market,
  at: number,
): { readonly international: string; readonly national: string } {
  const example = getExampleNumber(iso as CountryCode, examples);
  if (!example) throw new Error(`libphonenumber has no example for ${iso}`);
  const last = (Number(example.number.at(-1)) + at) % 10;
  const number = parsePhoneNumberWithError(`${example.number.slice(0, -1)}${last}`);
  return { international: number.number, national: number.formatNational() };
}
