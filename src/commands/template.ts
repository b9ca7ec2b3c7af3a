import { commandLine } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import type { OptionsOf } from '../cli/table/flags.ts';
import type { TEMPLATE } from '../cli/table/options.ts';
import { printable } from '../report/output.ts';
import { exampleMobile } from '../request/lead/example-phone.ts';
import { findMarket, MARKETS, type Market, usualDelimiter } from '../request/lead/markets.ts';
import { csvRecordText } from '../request/words/csv-text.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import { openOutput } from '../run/outputs.ts';
import words from './template-words.txt?raw';

/** Writes an example file of leads in the form that a partner in the market would use. */
export async function template(
  context: Context,
  format: 'csv' | 'json',
  { market: code, output: file }: OptionsOf<typeof TEMPLATE>,
): Promise<number> {
  const market = requireMarket(code);
  // `-` is standard output, as it is standard input elsewhere.
  const output = file === '-' ? undefined : file;
  const content = format === 'csv' ? exampleCsv(market) : `${JSON.stringify(exampleJson(market), null, 2)}\n`;
  // An earlier example may hold real leads by now, so none is replaced.
  const rule = { flag: '--output', kind: 'example', keepsOwn: true };
  if (output !== undefined) await (await openOutput(context, output, rule)).write([content]);
  await context.reporter.result('template', { format, market: market.code, output: output ?? null, content }, () =>
    output === undefined
      ? content.slice(0, -1)
      : printable(`Written: ${output}. Try it: ${commandLine(['bulk', output, '--sandbox'])}`),
  );
  return 0;
}

function requireMarket(code: string): Market {
  const market = findMarket(code);
  if (market) return market;
  const codes = MARKETS.map((each) => each.code);
  throw new SrqError(
    'market.unknown',
    `"${code}" is not one of the markets.${didYouMean(code.toUpperCase(), codes)}`,
    `The markets are: ${codes.join(', ')}`,
  );
}

const BYTE_ORDER_MARK = '\ufeff';

/** The columns that an example can have, in the order of their names in the list of words. */
const COLUMNS = ['ref', 'fullname', 'email', 'phone', 'postal_code', 'city', 'country', 'lang', 'request_text'];

/**
 * Returns a CSV file of example leads in the form that a spreadsheet program of the market writes: headers in its
 * language, its usual delimiter, UTF-8 with BOM, CRLF. All data is invented, and an import of the file creates every
 * row.
 */
function exampleCsv(market: Market): string {
  const { names, leads } = exampleOf(market);
  const isKnown = { lang: market.languages.length > 1, postal_code: market.postalCode !== null };
  const kept = COLUMNS.filter((column) => isKnown[column as keyof typeof isKnown] ?? true);
  const header = kept.map((column) => names[COLUMNS.indexOf(column)] ?? '');
  const rows = leads.map((lead) => kept.map((column) => lead[column] ?? ''));
  const delimiter = usualDelimiter(market);
  return BYTE_ORDER_MARK + [header, ...rows].map((cells) => csvRecordText(cells, delimiter)).join('');
}

/** Returns the same leads as objects with srq's own field names. */
function exampleJson(market: Market): Record<string, string | undefined>[] {
  return exampleOf(market).leads.map(({ ref, lang, postal_code, city, fullname, email, request_text }) => {
    const location = [postal_code, city].filter((part) => part !== '').join(' ');
    const phone = exampleMobile(market).international;
    return { ref, country: market.code, lang, location, fullname, email, phone, request_text };
  });
}

/** Returns the names of the columns in the first language of a market, and the leads. The list has each such language. */
function exampleOf(market: Market) {
  const { code, iso, name, postalCode, town } = market;
  const [lang = ''] = market.languages;
  const list = words.split('\n\n').find((each) => each.startsWith(`${lang}\t`)) ?? '';
  const [[, ...names] = [], ...people] = list
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const ofMarket = {
    phone: exampleMobile(market).national,
    postal_code: postalCode?.[0] ?? '',
    city: town,
    country: new Intl.DisplayNames([lang], { type: 'region' }).of(iso) ?? name,
    lang,
  };
  const area = new Intl.NumberFormat(`${lang}-${iso}`).format(22.5);
  const leads = people.map(([fullname = '', email = '', need = ''], at): Record<string, string> => {
    const ref = `${code}-00${at + 1}`;
    return { ref, fullname, email, ...ofMarket, request_text: need.replace('{area}', area) };
  });
  return { names, leads };
}
