import type { RequestSession } from '../cli/session.ts';
import type { Preparation } from '../delivery/prepare.ts';
import { withCountry } from '../request/contract.ts';
import { describedOperation } from '../request/contract-rules.ts';
import { MARKETS } from '../request/markets.ts';

/** A way in which requests may have been read or addressed when they were sent, so that the log knows them by other keys. */
export interface OtherReading {
  /** When that was, as the end of a sentence. */
  readonly when: string;
  readonly preparation: Preparation;
}

/**
 * Returns the readings of which something says that they may have applied: without the country that the contract gives
 * now, and at the other spelling of the base URL.
 */
export async function likelyReadings({ context, preparation }: RequestSession): Promise<OtherReading[]> {
  const isGiven = describedOperation(preparation.contract.create).country !== null;
  const bare = isGiven
    ? [{ when: 'the contract gave them no country', preparation: inCountry(preparation, null) }]
    : [];
  const { baseUrl } = preparation.destination;
  const basePath = context.options.sandbox ? '' : ((await (await context.contracts()).read())?.basePath ?? '');
  if (basePath === '') return bare;
  // The path that the contract adds itself may be a part of the base URL or not.
  const other = baseUrl.endsWith(basePath) ? baseUrl.slice(0, -basePath.length) : baseUrl + basePath;
  const destination = { ...preparation.destination, baseUrl: other };
  return [...bare, { when: `the base URL was ${other}`, preparation: { ...preparation, destination } }];
}

/**
 * Returns the readings of requests without a country by contracts that gave them one. There are as many as markets, and
 * nothing says that one of them ever applied.
 */
export function readingsByMarket(preparation: Preparation): OtherReading[] {
  if (describedOperation(preparation.contract.create).country !== null) return [];
  return MARKETS.map(({ code }) => {
    return { when: `the contract gave them the country ${code}`, preparation: inCountry(preparation, code) };
  });
}

/**
 * Returns the preparation with another country in the contract. The country decides the prefix of telephone numbers and
 * the language of requests.
 */
function inCountry(preparation: Preparation, code: string | null): Preparation {
  return { ...preparation, contract: withCountry(preparation.contract, code) };
}
