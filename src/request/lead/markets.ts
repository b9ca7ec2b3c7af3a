import { folded } from '../words/names.ts';
import countryNames from './country-names.txt?raw';
import languageNames from './language-names.txt?raw';
import { wordLists } from './word-lists.ts';

/** The facts about a market. */
export interface Market {
  /** The code that is sent: UK. */
  readonly code: string;
  /** The ISO 3166-1 code that libraries use: GB. */
  readonly iso: string;
  /** ISO 3166-1 alpha-3 code, which some files have. */
  readonly alpha3: string;
  readonly name: string;
  readonly callingCode: string;
  /** Usual languages as BCP 47 tags, most usual first. If there are several, srq does not choose for the user. */
  readonly languages: readonly string[];
  /** The place to which the example postal code belongs. */
  readonly town: string;
  /**
   * Null if the market has no postal codes. The pattern is loose where people leave a part out, because it only leads
   * to a warning.
   */
  readonly postalCode: readonly [example: string, pattern: RegExp] | null;
  /** Whether its spreadsheets use the semicolon as separator although the comma is not its decimal sign. */
  readonly separatesBySemicolon: boolean;
}

type Usual = 'postalCode' | 'separatesBySemicolon';
const USUAL: Pick<Market, Usual> = { postalCode: null, separatesBySemicolon: false };

function market(
  code: string,
  alpha3: string,
  name: string,
  callingCode: string,
  languages: readonly string[],
  more: Pick<Market, 'town'> & Partial<Pick<Market, Usual>>,
): Market {
  return { ...USUAL, code, iso: code === 'UK' ? 'GB' : code, alpha3, name, callingCode, languages, ...more };
}

/** The markets in the order of the API's document. A new market needs one more line here. */
export const MARKETS: readonly Market[] = [
  market('PT', 'PRT', 'Portugal', '351', ['pt'], { town: 'Lisboa', postalCode: ['1200-109', /^\d{4}(?:-?\d{3})?$/] }),
  market('ES', 'ESP', 'Spain', '34', ['es'], {
    town: 'Madrid',
    postalCode: ['28013', /^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/],
  }),
  market('DE', 'DEU', 'Germany', '49', ['de'], { town: 'Berlin', postalCode: ['10115', /^\d{5}$/] }),
  market('AT', 'AUT', 'Austria', '43', ['de'], { town: 'Wien', postalCode: ['1010', /^[1-9]\d{3}$/] }),
  market('CH', 'CHE', 'Switzerland', '41', ['de', 'fr', 'it'], {
    town: 'Zürich',
    postalCode: ['8001', /^[1-9]\d{3}$/],
    separatesBySemicolon: true,
  }),
  market('IE', 'IRL', 'Ireland', '353', ['en'], {
    town: 'Dublin',
    postalCode: ['D02 X285', /^(?:[AC-FHKNPRTV-Y]\d{2}|D6W)(?: ?[0-9AC-FHKNPRTV-Y]{4})?$/],
  }),
  market('UK', 'GBR', 'United Kingdom', '44', ['en'], {
    town: 'Cardiff',
    postalCode: ['CF10 1AA', /^[A-Z]{1,2}\d[A-Z\d]?(?: ?\d[A-Z]{2})?$/],
  }),
  market('CA', 'CAN', 'Canada', '1', ['en', 'fr'], {
    town: 'Ottawa',
    postalCode: ['K1A 0B1', /^[ABCEGHJ-NPRSTVXY]\d[A-Z](?: ?\d[A-Z]\d)?$/],
  }),
  market('MX', 'MEX', 'Mexico', '52', ['es'], { town: 'Ciudad de México', postalCode: ['06000', /^\d{5}$/] }),
  market('AR', 'ARG', 'Argentina', '54', ['es'], {
    town: 'Buenos Aires',
    postalCode: ['C1002AAP', /^(?:[A-HJ-NP-Z]?\d{4}(?:[A-Z]{3})?)$/],
  }),
  market('CL', 'CHL', 'Chile', '56', ['es'], { town: 'Santiago', postalCode: ['8320000', /^\d{3}-?\d{4}$/] }),
  market('CO', 'COL', 'Colombia', '57', ['es'], { town: 'Bogotá', postalCode: ['110111', /^\d{6}$/] }),
  market('PE', 'PER', 'Peru', '51', ['es'], { town: 'Lima', postalCode: ['15001', /^\d{5}$/] }),
  market('EC', 'ECU', 'Ecuador', '593', ['es'], { town: 'Quito', postalCode: ['170150', /^\d{6}$/] }),
  market('DO', 'DOM', 'Dominican Republic', '1', ['es'], { town: 'Santo Domingo', postalCode: ['10101', /^\d{5}$/] }),
  market('AU', 'AUS', 'Australia', '61', ['en'], { town: 'Sydney', postalCode: ['2000', /^\d{4}$/] }),
  market('NZ', 'NZL', 'New Zealand', '64', ['en'], { town: 'Wellington', postalCode: ['6011', /^\d{4}$/] }),
  market('SG', 'SGP', 'Singapore', '65', ['en'], { town: 'Singapore', postalCode: ['049315', /^\d{6}$/] }),
  market('IN', 'IND', 'India', '91', ['en'], { town: 'New Delhi', postalCode: ['110001', /^[1-9]\d{2} ?\d{3}$/] }),
  market('ZA', 'ZAF', 'South Africa', '27', ['en'], { town: 'Cape Town', postalCode: ['8001', /^\d{4}$/] }),
  market('AO', 'AGO', 'Angola', '244', ['pt'], { town: 'Luanda' }),
  market('CV', 'CPV', 'Cape Verde', '238', ['pt'], {
    town: 'Praia',
    postalCode: ['7600', /^\d{4}(?:-?\d{3})?$/],
  }),
];

const byCode = new Map(MARKETS.flatMap((each) => [[each.code, each] as const, [each.iso, each] as const]));

/**
 * Returns the market of a two-letter code in any case, for which UK and GB are equal. Returns undefined if it is no
 * market's.
 */
export function findMarket(code: string): Market | undefined {
  return byCode.get(code.trim().toUpperCase());
}

const byName = new Map([
  ...wordLists(countryNames).flatMap(({ label, words }) => words.map((word) => [word, findMarket(label)] as const)),
  ...MARKETS.flatMap((each) => [each.name, each.alpha3].map((name) => [folded(name), each] as const)),
]);

/**
 * Returns the market that a cell means, by its code (UK, GB and GBR are equal) or its name in one of the
 * markets' languages, with or without accents. Returns undefined for anything else, because srq does not guess.
 */
export function parseMarket(text: string): Market | undefined {
  return findMarket(text) ?? byName.get(folded(text));
}

/**
 * Returns the language in which requests of a market usually are, or null if there are several, because srq does not
 * choose.
 */
export function usualLanguage({ languages }: Market): string | null {
  return languages.length === 1 ? (languages[0] ?? null) : null;
}

/**
 * Returns the delimiter of CSV files in the market's spreadsheets. It is the semicolon where the comma is the decimal
 * sign, and in some other markets as well.
 */
export function usualDelimiter({ iso, languages, separatesBySemicolon }: Market): string {
  const half = new Intl.NumberFormat(`${languages[0]}-${iso}`).format(0.5);
  return separatesBySemicolon || half.includes(',') ? ';' : ',';
}

/**
 * Maximum length of a cell. Longer ones hold something else, and the limit also bounds the work that a hostile cell can
 * cause.
 */
const MAX_POSTAL_CODE_CELL = 40;

/**
 * Returns the reason why a text does not look like a postal code of the market, or null if it does or cannot be
 * checked.
 */
export function postalCodeWarning(text: string, { name, postalCode }: Market): string | null {
  if (!postalCode) return null;
  const [example, pattern] = postalCode;
  const bare = text
    .trim()
    .toUpperCase()
    .replace(/^[A-Z]{1,2}-(?=\d)/, '')
    .replace(/\s+/g, ' ');
  if (bare.length <= MAX_POSTAL_CODE_CELL && pattern.test(bare)) return null;
  const zero = /^\d+$/.test(bare) && pattern.test(`0${bare}`) ? '; a spreadsheet took its leading zero' : '';
  return `does not look like one of ${name} (${example})${zero}`;
}

const languages = new Map(
  wordLists(languageNames).flatMap(({ label, words }) => [label, ...words].map((word) => [word, label] as const)),
);
/** Made when it is asked for: it takes a while, and most files have no language. */
let english: Intl.DisplayNames | null = null;

/** A language code as it is sent, and whether it denotes a known language. */
export interface Language {
  readonly code: string;
  readonly known: boolean;
}

/** The texts that were read. `Intl.Locale` takes 4 µs, and all rows of a file have the same few. */
const read = new Map<string, Language>();
const MAX_READ = 1_000;

/** Reads `pt`, `PT_pt`, `pt-BR` or a language's name. Any other text is returned unchanged with `known` false. */
export function parseLanguage(text: string): Language {
  const language = read.get(text) ?? languageIn(text);
  if (read.size < MAX_READ) read.set(text, language);
  return language;
}

function languageIn(text: string): Language {
  const tidy = text.trim().replaceAll('_', '-');
  const named = languages.get(folded(tidy));
  if (named) return { code: named, known: true };
  try {
    const locale = new Intl.Locale(tidy);
    english ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    return { code: locale.toString(), known: english.of(locale.language) !== undefined };
  } catch {
    return { code: text.trim(), known: false };
  }
}
