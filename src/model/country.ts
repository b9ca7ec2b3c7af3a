import { folded } from './folded.ts';
import { findMarket, MARKETS, type Market } from './markets.ts';

const SPOKEN = ['en', 'pt', 'es', 'de', 'fr', 'it'];

/** What people write that the names of CLDR do not have. */
const ALSO_WRITTEN: Readonly<Record<string, string>> = {
  'u k': 'UK',
  'great britain': 'UK',
  england: 'UK',
  scotland: 'UK',
  wales: 'UK',
  'northern ireland': 'UK',
  'cabo verde': 'CV',
  eire: 'IE',
};

/** ISO 3166-1 alpha-3 of the markets, in their order. */
const ALPHA_3 = 'PRT ESP DEU AUT CHE IRL GBR CAN MEX ARG CHL COL PER ECU DOM AUS NZL SGP IND ZAF AGO CPV'.split(' ');

/** Made when the first name is looked up: that takes 10 ms, and most files have codes. */
let byName: ReadonlyMap<string, Market> | null = null;

function marketsByName(): ReadonlyMap<string, Market> {
  const found = new Map<string, Market>();
  for (const language of SPOKEN) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const market of MARKETS) found.set(folded(names.of(market.iso) ?? market.name), market);
  }
  for (const market of MARKETS) found.set(folded(market.name), market);
  for (const [index, market] of MARKETS.entries()) found.set(folded(ALPHA_3[index] ?? ''), market);
  for (const [name, code] of Object.entries(ALSO_WRITTEN)) {
    const market = findMarket(code);
    if (market) found.set(name, market);
  }
  return found;
}

/**
 * The market a cell means: its code (UK, GB and GBR alike) or its name in English, Portuguese, Spanish, German, French or
 * Italian, with or without accents. Undefined for anything else: no guess is made.
 */
export function marketFromText(text: string): Market | undefined {
  const byCode = findMarket(text);
  if (byCode) return byCode;
  byName ??= marketsByName();
  return byName.get(folded(text));
}
