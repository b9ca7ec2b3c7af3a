import { type CountryCode, getExampleNumber } from 'libphonenumber-js/max/es6';
import examples from 'libphonenumber-js/mobile/examples';
import type { Market } from './markets.ts';

/** Returns libphonenumber's example of a mobile number of the market, which belongs to nobody. */
export function exampleMobile({ iso }: Market): { readonly international: string; readonly national: string } {
  const number = getExampleNumber(iso as CountryCode, examples);
  if (!number) throw new Error(`libphonenumber has no example for ${iso}`);
  return { international: number.number, national: number.formatNational() };
}
