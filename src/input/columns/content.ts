import { isErrorValue, saysNone } from '../../request/lead/cell.ts';
import { parseEmail } from '../../request/lead/email.ts';
import { type Market, parseLanguage, parseMarket, postalCodeWarning } from '../../request/lead/markets.ts';
import { parsePhone, withoutFraction } from '../../request/lead/phone.ts';
import { wordLists } from '../../request/lead/word-lists.ts';
import peopleAndPlaces from './people-and-places.txt?raw';

/** Statistics of a column's filled cells. Numbers are shares from 0 to 1 unless stated otherwise. */
export type ContentProfile = Readonly<ReturnType<typeof profileOf>>;

const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}(?:[-/.](?:\d{2}|\d{4})?)?)(?:[T ,]+\d{1,2}[:.h]\d{2}.*)?$|^\d{1,2}[:h.]\d{2}(?::\d{2})?(?: ?[ap]m)?$|^\d{1,2}\.? (?:de )?\p{L}{3,10}\.?,? (?:de )?\d{4}\b|^\p{L}{3,9}\.? \d{1,2},? \d{4}\b/iu;
/** Matches links, services for online meetings, and time zones. */
const URL_TEXT =
  /^(?:https?:\/\/|www\.)\S+$|^(?:google meet|zoom|microsoft teams|skype)$|^(?:africa|america|asia|atlantic|australia|europe|indian|pacific)\/\w+/i;
const IP = /^(?:\d{1,3}\.){3}\d{1,3}$|^[\da-f]{0,4}(?::[\da-f]{0,4}){3,7}$/i;
const YES_NO =
  /^(?:[01]|x|on|off|true|false|yes|no|y|n|ja|nein|j|si|sí|sì|s|sim|não|nao|oui|non|o|wahr|falsch|verdadero|falso|verdadeiro|vrai|faux|vero)$/i;
const AMOUNT =
  /^[-+]?(?:[$€£]|chf|eur|usd|r\$|kz)?\s?\d{1,3}(?:[.,'’\s]?\d{3})*(?:[.,]\d{1,2})?\s?(?:[$€£%]|chf|eur|usd|kz|–|-)$|^(?:[$€£]|chf|eur|usd|r\$)\s?\d[\d.,'’\s]*$|^[-+]?\d{1,3}[.,]\d{1,8}$|^[-+]?(?:\d{1,3}(?:[.,'’]\d{3})+|\d+)[.,]\d{2}$/i;
const COMPANY =
  /(?:^|[\s,&])(?:gmbh|ag|kg|ug|ohg|gbr|e\.k|ltd|limited|llc|inc|plc|pty|corp|s\.?l\.?u?|s\.?a\.?|s\.?r\.?l|sàrl|sarl|sas|lda|unip|b\.?v|oy|ab|a\/s|aps|sp\. z o\.o|co|sons|söhne|hijos|fils|figli|filhos)\.?$/i;
const SEVERAL_WORDS = /^[\p{L}\p{M}'’.&-]+(?:[ ,]+[\p{L}\p{M}'’.&()-]+){1,5}$/u;
const HOUSE_NUMBER = /(?:^|[\s,])\d{1,5}\s?[a-z]?(?:$|[\s,/.-])/iu;
const RECORDING = /\.(?:mp3|m4a|wav|ogg|oga|opus|aac|amr|webm|flac|3gp)(?:$|[?#])/i;
const CLIENTELE =
  /^(?:(?:mr|mrs|ms|miss|m|mme|mlle|herr|hr|frau|fr|sr|sra|srta|dr|dra|sig|sig\.ra|dott)\.?$|privat|private|particulier|particular|particolare|individual|gewerb|gesch[äa]ft|business|residential|commercial|b2b|b2c|vip|lead|prospect|interessent|kunde|client|customer|neukunde|stammkunde|bestandskunde|newsletter|supplier|lieferant|proveedor|fornecedor|fornitore|fournisseur|partner|mayorista|minorista|retail|wholesale|empresa|entreprise|azienda|firma|company|revendedor|distribuidor|distribut|consumidor|potencial|inactiv|inaktiv|activ|aktiv|attiv|ativ)/i;
/** Postal codes of digits, and those of the UK, Canada and Ireland, which have two letters or more. */
const CODE_OF_ANY_MARKET = String.raw`\d{4,6}(?:-\d{3})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]\d\d ?(?=\d*[A-Z])[A-Z\d]{4}`;
const POSTAL_CODE = new RegExp(`^(?:[A-Z]{1,2}-)?(?:${CODE_OF_ANY_MARKET})$`, 'i');
const WITH_POSTAL_CODE = new RegExp(String.raw`\b(?:${CODE_OF_ANY_MARKET})\b`, 'i');
/** A postal code in two groups with its town, as in Portugal. It has as many digits as a telephone number. */
const CODE_AND_TOWN = /^\d{4,5}-\d{3}[ ,]+\p{L}/u;
/** The number of a document within its year, as in Italy: 212/2026. It has as many digits as a telephone number. */
const NUMBER_IN_YEAR = /^(?:\d{1,6}\/(?:19|20)\d\d|(?:19|20)\d\d\/\d{1,6})$/;
const PHONE_SHAPE = /^(?:[a-z:. ]{0,10})?[+(\d][\d\s()./+\-–]*(?:\D{0,12})?$/i;

/**
 * Matches what platforms write before their values, such as Meta's `p:` and `z:`, and the apostrophe of spreadsheets.
 */
const PLATFORM_PREFIX = /^(?:(?:p|z|l):|')/;

/** Number of cells whose words are looked up, which takes longer than examining their form. */
const LOOKED_UP = 60;

/** Returns the filled cells of a column, each with the index of its row. In one of contacts, a dash or "n/a" says that there is none. */
function filledCells(cells: readonly string[]) {
  const filled = cells
    .map((cell, row) => ({ text: withoutFraction(cell.trim().replace(PLATFORM_PREFIX, '')), row }))
    .filter(({ text }) => text !== '' && !isErrorValue(text));
  const telling = filled.filter(({ text }) => !saysNone(text));
  const isContact = telling.length < filled.length && telling.some(({ text }) => isEmail(text) || isPhoneShape(text));
  return isContact ? telling : filled;
}

/** Examines the cells of a column. `marketOf` returns the market of a row, if it is known. */
export function profileOf(cells: readonly string[], marketOf: (row: number) => Market | undefined) {
  const seen = filledCells(cells);
  const texts = seen.map(({ text }) => text);
  const lengths = texts.map(({ length }) => length).sort((a, b) => a - b);
  const share = shareIn(texts);
  const shareOfWords = shareIn(texts.slice(0, LOOKED_UP));
  const shareByMarket = (is: (text: string, market: Market | undefined) => boolean) =>
    seen.filter(({ text, row }) => is(text, marketOf(row))).length / Math.max(1, seen.length);
  return {
    /** Number of filled cells that were examined. */
    filled: texts.length,
    /** Telephone numbers that are valid for the row's market, or in international form. */
    phone: shareByMarket(isPhone),
    postalCode: shareByMarket(isPostalCode),
    /** A town with a postal code, or several parts separated by commas. */
    placeLike: shareByMarket(isPlace),
    /** Share of different texts. */
    distinct: new Set(texts.map((text) => text.toLowerCase())).size / Math.max(1, texts.length),
    digits: share(/^\d+$/),
    /** Amounts, decimals, coordinates and other numbers that belong to no field. */
    amount: share(AMOUNT),
    /** Whether the texts are consecutive whole numbers, such as line numbers. */
    isSequence: isSequence(texts),
    medianLength: lengths[Math.floor(lengths.length / 2)] ?? 0,
    email: share(isEmail),
    /** Texts in the form of telephone numbers, whether valid or not. */
    phoneShape: share(isPhoneShape),
    /** Telephone numbers with a plus, a leading zero, or marks between their digits, which plain numbers do not have. */
    writtenAsPhone: share((text) => isPhoneShape(text) && /^(?:\+|0)|\d[ ()./-]+\d/.test(text)),
    country: share((text) => parseMarket(text) !== undefined || isRegionCode(text)),
    language: share((text) => text.length <= 20 && !/\d/.test(text) && parseLanguage(text).known),
    date: share(DATE),
    url: share(URL_TEXT),
    yesNo: share(YES_NO),
    company: share(COMPANY),
    recording: share(RECORDING),
    /** Letters only, two to five words: a person's name, or some other short phrase. */
    wordsOnly: share((text) => SEVERAL_WORDS.test(text) && text.length <= 45),
    oneWord: share(/^[\p{L}\p{M}'’.-]+$/u),
    /** A text and a number side by side, such as a street with its house number. */
    streetLike: share((text) => /\p{L}{2,}/u.test(text) && HOUSE_NUMBER.test(text) && text.length <= 80),
    /** At least four words, or 25 letters. */
    longText: share((text) => text.length >= 25 || text.split(/\s+/).length >= 4),
    hasSpace: share(/\s/),
    /** Letters or marks together with digits, without blanks, as in order numbers. */
    codeLike: share((text) => /\d/.test(text) && /^[\w#/.-]+$/.test(text)),
    /** Short texts without digits that have a common given name among their words. */
    givenName: shareOfWords((text) => mayBeName(text) && foldedWords(text).some((word) => GIVEN_NAMES.has(word))),
    /** Large towns, also together with a part of the town or of the country. */
    town: shareOfWords((text) => mayBeName(text) && isTown(text)),
    /** Texts with a word for a street, a square or a road. */
    streetWord: shareOfWords((text) => text.length <= 80 && !text.includes('@') && hasStreetWord(text)),
    /** Short texts with a word for a trade: the kind of service. */
    trade: shareOfWords((text) => mayBeName(text) && foldedWords(text).some((word) => TRADES.has(word))),
    /** How somebody was found or wants to be contacted: by phone, on Facebook. */
    channel: shareOfWords((text) => mayBeName(text) && foldedWords(text).every((word) => CHANNELS.has(word))),
    /** Kinds of customers, such as private and business, which some systems call their category, and forms of address. */
    clientele: shareOfWords((text) => mayBeName(text) && CLIENTELE.test(text)),
  };
}

const shareIn = (texts: readonly string[]) => (is: RegExp | ((text: string) => boolean)) =>
  texts.filter((text) => (is instanceof RegExp ? is.test(text) : is(text))).length / Math.max(1, texts.length);

/** Tells whether a text has the form of a name of a person or a town, because looking it up takes more time. */
function mayBeName(text: string): boolean {
  return text.length <= 45 && !/[\d@]/.test(text);
}

function isEmail(text: string): boolean {
  return text.includes('@') && !/\s/.test(text) && parseEmail(text).error === null;
}

function isPhoneShape(text: string): boolean {
  if (text.length > 40 || !PHONE_SHAPE.test(text)) return false;
  if ([DATE, IP, AMOUNT, CODE_AND_TOWN, NUMBER_IN_YEAR].some((other) => other.test(text))) return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 30;
}

function isPhone(text: string, market: Market | undefined): boolean {
  if (!isPhoneShape(text)) return false;
  // Without a market, a national number can only be recognised by the way it is written.
  if (!market && !text.startsWith('+') && !text.startsWith('00')) return /^0|\d[ ()./-]+\d/.test(text);
  // Only with a market is 00 read as the plus of a number in international form.
  const whole = market ? text : text.replace(/^00/, '+');
  return parsePhone(whole, market).e164 !== null;
}

function isPostalCode(text: string, market: Market | undefined): boolean {
  if (market) return market.postalCode !== null && /\d/.test(text) && postalCodeWarning(text, market) === null;
  return POSTAL_CODE.test(text);
}

/** Tells whether a text is a code of a country that is not a market. Such codes occur beside those of the markets. */
function isRegionCode(text: string): boolean {
  return (
    /^(?:US|USA|FR|IT|BR|BE|LU|NL|F|I|D|A|B|L|E|P|MZ)$/.test(text) ||
    /^(?:brasil|france|frankreich|italia|italien|belgique|luxembourg|liechtenstein|united states)$/i.test(text)
  );
}

function isPlace(text: string, market: Market | undefined): boolean {
  if (text.length > 160 || !/\p{L}{2,}/u.test(text)) return false;
  const parts = text.split(/[\s,]+/);
  const pairs = parts.map((part, at) => `${part} ${parts[at + 1] ?? ''}`);
  // A number at the end is a house number if nothing else in the text belongs to an address.
  if (/^[^\d,]*\s\d{1,4}[a-z]?$/i.test(text)) return false;
  return market?.postalCode != null
    ? [...parts, ...pairs].some(
        (part) => /\d/.test(part) && part.length >= 4 && postalCodeWarning(part.trim(), market) === null,
      )
    : WITH_POSTAL_CODE.test(text);
}

function isSequence(texts: readonly string[]): boolean {
  const numbers = texts.map(Number);
  const first = numbers[0] ?? Number.NaN;
  return (
    texts.length > 1 && first < 1000 && numbers.every((number, at) => Number.isInteger(number) && number === first + at)
  );
}

/** The words of one kind: given names, towns, or words for streets, squares and roads. */
const known = (kind: string) =>
  new Set(wordLists(peopleAndPlaces).flatMap(({ label, words }) => (label === kind ? words : [])));
const GIVEN_NAMES = known('given');
const TOWNS = known('town');
const STREETS = known('street');
const CHANNELS = known('channel');
const TRADES = known('trade');

function foldedText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

const foldedWords = (text: string) => foldedText(text).match(/[a-z]+/g) ?? [];

/** Tells whether a text contains a word for a street. */
function hasStreetWord(text: string): boolean {
  const isStreet = (word: string) => STREETS.has(word) || /(?:strasse|gasse|weg|platz|allee)$/.test(word);
  return /^(?:C\/|R\. )/.test(text) || foldedWords(text).some(isStreet);
}

/** Tells whether a text is a large town, or begins or ends with one, such as `Bern Bümpliz`, `Praia, Achada` and `Tchioco, Lubango`. */
function isTown(text: string): boolean {
  const plain = foldedText(text).replaceAll('.', '').trim();
  const parts = plain.split(/ *[,/()|] *| +- +/).filter((part) => part !== '');
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return TOWNS.has(plain) || TOWNS.has(first) || TOWNS.has(last) || TOWNS.has(last.replace(/ [a-z]{2,3}$/, ''));
}
