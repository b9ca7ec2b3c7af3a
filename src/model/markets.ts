import { folded } from './folded.ts';

/** One of the 22 markets: all that srq knows of it. */
export interface Market {
  /** What goes on the wire: UK. */
  readonly code: string;
  /** What libraries call it: GB. */
  readonly iso: string;
  /** ISO 3166-1 alpha-3, which some files have. */
  readonly alpha3: string;
  readonly name: string;
  readonly callingCode: string;
  /** Usual languages, BCP 47, most usual first. More than one: srq does not choose for the user. */
  readonly languages: readonly string[];
  /** The place of the example postal code. */
  readonly town: string;
  /** Null: none are in use. The pattern is loose where people leave a part out, for it only warns. */
  readonly postalCode: { readonly example: string; readonly pattern: RegExp } | null;
  /** What people write that the names of CLDR do not have, folded. */
  readonly alsoWritten: readonly string[];
  /** Its spreadsheets separate by semicolon although the comma is not its decimal sign. */
  readonly separatesBySemicolon: boolean;
}

function market(
  code: string,
  alpha3: string,
  name: string,
  callingCode: string,
  languages: readonly string[],
  town: string,
  postalCode: Market['postalCode'],
  rare: Partial<Pick<Market, 'alsoWritten' | 'separatesBySemicolon'>> = {},
): Market {
  const iso = code === 'UK' ? 'GB' : code;
  const usual = { alsoWritten: [], separatesBySemicolon: false };
  return { code, iso, alpha3, name, callingCode, languages, town, postalCode, ...usual, ...rare };
}

/** In the order of the API's document. A further market is a further line here. */
export const MARKETS: readonly Market[] = [
  market('PT', 'PRT', 'Portugal', '351', ['pt'], 'Lisboa', { example: '1200-109', pattern: /^\d{4}(?:-?\d{3})?$/ }),
  market('ES', 'ESP', 'Spain', '34', ['es'], 'Madrid', {
    example: '28013',
    pattern: /^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/,
  }),
  market('DE', 'DEU', 'Germany', '49', ['de'], 'Berlin', { example: '10115', pattern: /^\d{5}$/ }),
  market('AT', 'AUT', 'Austria', '43', ['de'], 'Wien', { example: '1010', pattern: /^[1-9]\d{3}$/ }),
  market(
    'CH',
    'CHE',
    'Switzerland',
    '41',
    ['de', 'fr', 'it'],
    'Zürich',
    { example: '8001', pattern: /^[1-9]\d{3}$/ },
    { separatesBySemicolon: true },
  ),
  market(
    'IE',
    'IRL',
    'Ireland',
    '353',
    ['en'],
    'Dublin',
    { example: 'D02 X285', pattern: /^(?:[AC-FHKNPRTV-Y]\d{2}|D6W)(?: ?[0-9AC-FHKNPRTV-Y]{4})?$/ },
    { alsoWritten: ['eire'] },
  ),
  market(
    'UK',
    'GBR',
    'United Kingdom',
    '44',
    ['en'],
    'Cardiff',
    { example: 'CF10 1AA', pattern: /^[A-Z]{1,2}\d[A-Z\d]?(?: ?\d[A-Z]{2})?$/ },
    { alsoWritten: ['u k', 'great britain', 'england', 'scotland', 'wales', 'northern ireland'] },
  ),
  market('CA', 'CAN', 'Canada', '1', ['en', 'fr'], 'Ottawa', {
    example: 'K1A 0B1',
    pattern: /^[ABCEGHJ-NPRSTVXY]\d[A-Z](?: ?\d[A-Z]\d)?$/,
  }),
  market('MX', 'MEX', 'Mexico', '52', ['es'], 'Ciudad de México', { example: '06000', pattern: /^\d{5}$/ }),
  market('AR', 'ARG', 'Argentina', '54', ['es'], 'Buenos Aires', {
    example: 'C1002AAP',
    pattern: /^(?:[A-HJ-NP-Z]?\d{4}(?:[A-Z]{3})?)$/,
  }),
  market('CL', 'CHL', 'Chile', '56', ['es'], 'Santiago', { example: '8320000', pattern: /^\d{3}-?\d{4}$/ }),
  market('CO', 'COL', 'Colombia', '57', ['es'], 'Bogotá', { example: '110111', pattern: /^\d{6}$/ }),
  market('PE', 'PER', 'Peru', '51', ['es'], 'Lima', { example: '15001', pattern: /^\d{5}$/ }),
  market('EC', 'ECU', 'Ecuador', '593', ['es'], 'Quito', { example: '170150', pattern: /^\d{6}$/ }),
  market('DO', 'DOM', 'Dominican Republic', '1', ['es'], 'Santo Domingo', { example: '10101', pattern: /^\d{5}$/ }),
  market('AU', 'AUS', 'Australia', '61', ['en'], 'Sydney', { example: '2000', pattern: /^\d{4}$/ }),
  market('NZ', 'NZL', 'New Zealand', '64', ['en'], 'Wellington', { example: '6011', pattern: /^\d{4}$/ }),
  market('SG', 'SGP', 'Singapore', '65', ['en'], 'Singapore', { example: '049315', pattern: /^\d{6}$/ }),
  market('IN', 'IND', 'India', '91', ['en'], 'New Delhi', { example: '110001', pattern: /^[1-9]\d{2} ?\d{3}$/ }),
  market('ZA', 'ZAF', 'South Africa', '27', ['en'], 'Cape Town', { example: '8001', pattern: /^\d{4}$/ }),
  market('AO', 'AGO', 'Angola', '244', ['pt'], 'Luanda', null),
  market(
    'CV',
    'CPV',
    'Cape Verde',
    '238',
    ['pt'],
    'Praia',
    { example: '7600', pattern: /^\d{4}(?:-?\d{3})?$/ },
    { alsoWritten: ['cabo verde'] },
  ),
];

/** The languages of the markets: those in which names of countries and languages are understood. */
export const LANGUAGES: readonly string[] = [...new Set(MARKETS.flatMap(({ languages }) => languages))];

const byCode = new Map(MARKETS.flatMap((each) => [[each.code, each] as const, [each.iso, each] as const]));

/** The market of a two-letter code in any case, UK and GB alike; undefined if it is not one of the 22. */
export function findMarket(code: string): Market | undefined {
  return byCode.get(code.trim().toUpperCase());
}

/** Made when the first name is looked up: that takes 10 ms, and most files have codes. */
let byName: ReadonlyMap<string, Market> | null = null;

function marketsByName(): ReadonlyMap<string, Market> {
  const found = new Map<string, Market>();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const each of MARKETS) found.set(folded(names.of(each.iso) ?? each.name), each);
  }
  for (const each of MARKETS) {
    for (const name of [each.name, each.alpha3, ...each.alsoWritten]) found.set(folded(name), each);
  }
  return found;
}

/**
 * The market a cell means: its code (UK, GB and GBR alike) or its name in one of the {@link LANGUAGES}, with or without
 * accents. Undefined for anything else: no guess is made.
 */
export function marketFromText(text: string): Market | undefined {
  const found = findMarket(text);
  if (found) return found;
  byName ??= marketsByName();
  return byName.get(folded(text));
}

/** The one language that requests of a market are usually in; null where there are several and srq does not choose. */
export function usualLanguage({ languages }: Market): string | null {
  return languages.length === 1 ? (languages[0] ?? null) : null;
}

/** Longer cells hold something else; it also bounds the work a hostile cell can cause. */
const MAX_POSTAL_CODE_CELL = 40;

/** Why a text does not look like a postal code of the market, or null if it does or nobody can tell. */
export function postalCodeWarning(text: string, { name, postalCode }: Market): string | null {
  if (!postalCode) return null;
  const { pattern, example } = postalCode;
  const bare = text
    .trim()
    .toUpperCase()
    .replace(/^[A-Z]{1,2}-(?=\d)/, '')
    .replace(/\s+/g, ' ');
  if (bare.length <= MAX_POSTAL_CODE_CELL && pattern.test(bare)) return null;
  const zero = /^\d+$/.test(bare) && pattern.test(`0${bare}`) ? '; a spreadsheet took its leading zero' : '';
  return `does not look like one of ${name} (${example})${zero}`;
}
