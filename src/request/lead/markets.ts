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
}

const CANADIAN = /^[ABCEGHJ-NPRSTVXY]\d[A-Z](?: ?\d[A-Z]\d)?$/;
const IRISH = /^(?:[AC-FHKNPRTV-Y]\d{2}|D6W)(?: ?[0-9AC-FHKNPRTV-Y]{4})?$/;

/** Code, alpha-3 code, name, calling code, languages, town, and the example and the pattern of postal codes if there are any. */
type MarketRow = readonly [string, string, string, string, string, string, ...(NonNullable<Market['postalCode']> | [])];
/** The markets in the order of the API's document. A new market needs one more line here. */
const ROWS: readonly MarketRow[] = [
  ['PT', 'PRT', 'Portugal', '351', 'pt', 'Lisboa', '1200-109', /^\d{4}(?:-?\d{3})?$/],
  ['ES', 'ESP', 'Spain', '34', 'es', 'Madrid', '28013', /^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/],
  ['DE', 'DEU', 'Germany', '49', 'de', 'Berlin', '10115', /^\d{5}$/],
  ['AT', 'AUT', 'Austria', '43', 'de', 'Wien', '1010', /^[1-9]\d{3}$/],
  ['CH', 'CHE', 'Switzerland', '41', 'de fr it', 'Zürich', '8001', /^[1-9]\d{3}$/],
  ['IE', 'IRL', 'Ireland', '353', 'en', 'Dublin', 'D02 X285', IRISH],
  ['UK', 'GBR', 'United Kingdom', '44', 'en', 'Cardiff', 'CF10 1AA', /^[A-Z]{1,2}\d[A-Z\d]?(?: ?\d[A-Z]{2})?$/],
  ['CA', 'CAN', 'Canada', '1', 'en fr', 'Ottawa', 'K1A 0B1', CANADIAN],
  ['MX', 'MEX', 'Mexico', '52', 'es', 'Ciudad de México', '06000', /^\d{5}$/],
  ['AR', 'ARG', 'Argentina', '54', 'es', 'Buenos Aires', 'C1002AAP', /^(?:[A-HJ-NP-Z]?\d{4}(?:[A-Z]{3})?)$/],
  ['CL', 'CHL', 'Chile', '56', 'es', 'Santiago', '8320000', /^\d{3}-?\d{4}$/],
  ['CO', 'COL', 'Colombia', '57', 'es', 'Bogotá', '110111', /^\d{6}$/],
  ['PE', 'PER', 'Peru', '51', 'es', 'Lima', '15001', /^\d{5}$/],
  ['EC', 'ECU', 'Ecuador', '593', 'es', 'Quito', '170150', /^\d{6}$/],
  ['DO', 'DOM', 'Dominican Republic', '1', 'es', 'Santo Domingo', '10101', /^\d{5}$/],
  ['AU', 'AUS', 'Australia', '61', 'en', 'Sydney', '2000', /^\d{4}$/],
  ['NZ', 'NZL', 'New Zealand', '64', 'en', 'Wellington', '6011', /^\d{4}$/],
  ['SG', 'SGP', 'Singapore', '65', 'en', 'Singapore', '049315', /^\d{6}$/],
  ['IN', 'IND', 'India', '91', 'en', 'New Delhi', '110001', /^[1-9]\d{2} ?\d{3}$/],
  ['ZA', 'ZAF', 'South Africa', '27', 'en', 'Cape Town', '8001', /^\d{4}$/],
  ['AO', 'AGO', 'Angola', '244', 'pt', 'Luanda'],
  ['CV', 'CPV', 'Cape Verde', '238', 'pt', 'Praia', '7600', /^\d{4}(?:-?\d{3})?$/],
];

export const MARKETS = ROWS.map(([code, alpha3, name, callingCode, languages, town, example, form]): Market => {
  const iso = code === 'UK' ? 'GB' : code;
  const postalCode = example === undefined || !form ? null : ([example, form] as const);
  return { code, iso, alpha3, name, callingCode, languages: languages.split(' '), town, postalCode };
});

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
 * markets' languages, with or without accents. A cell may name it in several ways, as `DE - Deutschland` and `Germany (+49)`
 * do. Returns undefined for anything else, because srq does not guess.
 */
export function parseMarket(text: string): Market | undefined {
  const named = (name: string) => findMarket(name) ?? byName.get(folded(name));
  const whole = named(text);
  if (whole) return whole;
  const names = text.split(/[^\p{L}\p{M}\p{N}'’. ]+/u).flatMap((name) => folded(name) || []);
  // `de-DE` is a language.
  if (new Set(names).size < names.length) return undefined;
  const market = names.map(named).find((each) => each !== undefined);
  return names.every((name) => name === market?.callingCode || named(name) === market) ? market : undefined;
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
 * sign, and in Switzerland.
 */
export function usualDelimiter({ iso, languages }: Market): string {
  const half = new Intl.NumberFormat(`${languages[0]}-${iso}`).format(0.5);
  return iso === 'CH' || half.includes(',') ? ';' : ',';
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

type Language = ReturnType<typeof languageIn>;

/** The texts that were read. `Intl.Locale` takes 4 µs, and all rows of a file have the same few. */
const read = new Map<string, Language>();
const MAX_READ = 1_000;

/** Reads `pt`, `PT_pt`, `pt-BR` or a language's name. Any other text is returned unchanged with `known` false. */
export function parseLanguage(text: string): Language {
  const language = read.get(text) ?? languageIn(text);
  if (read.size < MAX_READ) read.set(text, language);
  return language;
}

/** Returns a language code as it is sent, and whether it denotes a known language. */
function languageIn(text: string) {
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
