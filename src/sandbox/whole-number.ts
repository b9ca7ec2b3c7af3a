import { SrqError } from '../model/errors.ts';

/** A whole number of a query. Throws `SrqError('usage')` for anything else under this name. */
export function wholeNumber<Otherwise>(query: URLSearchParams, name: string, otherwise: Otherwise): number | Otherwise {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SrqError('usage', `${name} must be a whole number.`);
}
