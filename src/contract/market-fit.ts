import type { Parameter } from '../model/contract.ts';
import { boundProblem, wireValue } from '../model/contract-rules.ts';
import { exampleMobile } from '../model/example-phone.ts';
import { MARKETS } from '../model/markets.ts';

/** What srq writes into these fields, for all markets. */
const WRITTEN: Readonly<Record<string, { readonly what: string; readonly texts: () => readonly string[] }>> = {
  country: { what: 'markets', texts: () => MARKETS.map(({ code }) => code) },
  lang: { what: 'languages', texts: () => MARKETS.flatMap(({ languages }) => languages) },
  phone: { what: 'numbers (+351912345678)', texts: () => MARKETS.map((each) => exampleMobile(each).international) },
};

/** What srq would write into a parameter, if the description allows none of it; null if all is well. */
export function unfitForMarkets(parameter: Parameter): string | null {
  const { field, values, pattern, minLength, maxLength, constant, type } = parameter;
  const isFree = values === null && pattern === null && minLength === null && maxLength === null && type === 'string';
  const written = Object.hasOwn(WRITTEN, field) ? WRITTEN[field] : undefined;
  if (written === undefined || isFree || constant !== null) return null;
  const fits = (text: string): boolean => {
    const wire = wireValue(parameter, text);
    return wire !== null && boundProblem(parameter, wire) === null;
  };
  return written.texts().some(fits) ? null : written.what;
}
