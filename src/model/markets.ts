/** One of the 22 markets. `code` is what goes on the wire (UK); `iso` is what libraries call it (GB). */
export interface Market {
  readonly code: string;
  readonly iso: string;
  readonly name: string;
  readonly callingCode: string;
  /** Usual languages, BCP 47, most usual first. More than one: srq does not choose for the user. */
  readonly languages: readonly string[];
}

const market = (code: string, name: string, callingCode: string, ...languages: string[]): Market => ({
  code,
  iso: code === 'UK' ? 'GB' : code,
  name,
  callingCode,
  languages,
});

/** In the order of the API's document. */
export const MARKETS: readonly Market[] = [
  market('PT', 'Portugal', '351', 'pt'),
  market('ES', 'Spain', '34', 'es'),
  market('DE', 'Germany', '49', 'de'),
  market('AT', 'Austria', '43', 'de'),
  market('CH', 'Switzerland', '41', 'de', 'fr', 'it'),
  market('IE', 'Ireland', '353', 'en'),
  market('UK', 'United Kingdom', '44', 'en'),
  market('CA', 'Canada', '1', 'en', 'fr'),
  market('MX', 'Mexico', '52', 'es'),
  market('AR', 'Argentina', '54', 'es'),
  market('CL', 'Chile', '56', 'es'),
  market('CO', 'Colombia', '57', 'es'),
  market('PE', 'Peru', '51', 'es'),
  market('EC', 'Ecuador', '593', 'es'),
  market('DO', 'Dominican Republic', '1', 'es'),
  market('AU', 'Australia', '61', 'en'),
  market('NZ', 'New Zealand', '64', 'en'),
  market('SG', 'Singapore', '65', 'en'),
  market('IN', 'India', '91', 'en'),
  market('ZA', 'South Africa', '27', 'en'),
  market('AO', 'Angola', '244', 'pt'),
  market('CV', 'Cape Verde', '238', 'pt'),
];

const byCode = new Map(MARKETS.flatMap((each) => [[each.code, each] as const, [each.iso, each] as const]));

/** The market of a two-letter code in any case, UK and GB alike; undefined if it is not one of the 22. */
export function findMarket(code: string): Market | undefined {
  return byCode.get(code.trim().toUpperCase());
}
