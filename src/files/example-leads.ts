import { csvRecordText } from '../model/csv-text.ts';
import { exampleMobile } from '../model/example-phone.ts';
import type { Market } from '../model/markets.ts';
import { EXAMPLE_COLUMNS, EXAMPLE_WORDS, type ExampleColumn, type ExampleWords } from './example-words.ts';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Returns a CSV file of example leads as a spreadsheet program of the market writes it: headers in its language, its usual
 * delimiter, UTF-8 with BOM, CRLF. All data in it is invented, and an import of it creates every row.
 */
export function exampleCsv(market: Market): string {
  const words = wordsOf(market);
  const columns = EXAMPLE_COLUMNS.filter(
    (column) =>
      (column !== 'lang' || market.languages.length > 1) && (column !== 'postal_code' || market.postalCode !== null),
  );
  const delimiter = usualDelimiter(market);
  const rows = words.people.map((_, at) => columns.map((column) => cell(column, at, market, words)));
  const lines = [columns.map((column) => words.header[column]), ...rows];
  return BYTE_ORDER_MARK + lines.map((cells) => csvRecordText(cells, delimiter)).join('');
}

/** Returns the same leads as objects with srq's own field names. */
export function exampleJson(market: Market): Record<string, string>[] {
  const words = wordsOf(market);
  return words.people.map((_, at) => {
    const text = (column: ExampleColumn) => cell(column, at, market, words);
    return {
      ref: text('ref'),
      country: market.code,
      lang: market.languages[0] ?? '',
      location: [text('postal_code'), text('city')].filter((part) => part !== '').join(' '),
      fullname: text('fullname'),
      email: text('email'),
      phone: exampleMobile(market).international,
      request_text: text('request_text'),
    };
  });
}

function wordsOf({ languages }: Market): ExampleWords {
  const words = EXAMPLE_WORDS[languages[0] ?? ''];
  if (!words) throw new Error(`No example is written in ${languages[0]}`);
  return words;
}

function cell(column: ExampleColumn, at: number, market: Market, { people }: ExampleWords): string {
  const { name = '', mailbox = '', need = '' } = people[at] ?? {};
  const lang = market.languages[0] ?? 'en';
  const texts: Record<ExampleColumn, string> = {
    ref: `${market.code}-00${at + 1}`,
    fullname: name,
    email: `${mailbox}@example.com`,
    phone: exampleMobile(market).national,
    postal_code: market.postalCode?.[0] ?? '',
    city: market.town,
    country: new Intl.DisplayNames([lang], { type: 'region' }).of(market.iso) ?? market.name,
    lang,
    request_text: need.replace('{area}', new Intl.NumberFormat(`${lang}-${market.iso}`).format(22.5)),
  };
  return texts[column];
}

/** A spreadsheet separates by semicolon where the comma is the decimal sign, and in some markets beside. */
function usualDelimiter({ iso, languages, separatesBySemicolon }: Market): string {
  const half = new Intl.NumberFormat(`${languages[0]}-${iso}`).format(0.5);
  return separatesBySemicolon || half.includes(',') ? ';' : ',';
}
