import { writeFile } from 'node:fs/promises';
import type { TellingContext } from '../cli/command.ts';
import { commandLine } from '../cli/command-line.ts';
import type { OptionsOf } from '../cli/table/flags.ts';
import type { TEMPLATE } from '../cli/table/options.ts';
import { printable } from '../report/output.ts';
import { exampleMobile } from '../request/lead/example-phone.ts';
import { findMarket, MARKETS, type Market, usualDelimiter } from '../request/lead/markets.ts';
import { csvRecordText } from '../request/words/csv-text.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError, systemCode } from '../request/words/errors.ts';

/** Writes an example file of leads in the form that a partner in the market would use. */
export async function template(
  context: TellingContext,
  format: 'csv' | 'json',
  { market: code, output: file }: OptionsOf<typeof TEMPLATE>,
): Promise<number> {
  const market = requireMarket(code);
  // `-` is standard output, as it is standard input elsewhere.
  const output = file === '-' ? undefined : file;
  const content = format === 'csv' ? exampleCsv(market) : `${JSON.stringify(exampleJson(market), null, 2)}\n`;
  if (output !== undefined) await writeNew(output, content);
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

/** Writes a new file. It never overwrites one, which might hold real leads. */
async function writeNew(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const hint = 'Name another file: --output FILE';
    if (systemCode(error) === 'EEXIST')
      throw new SrqError('output.not-replaced', `${path} already exists.`, hint, error);
    throw new SrqError('output.unwritable', `${path} cannot be written (${systemCode(error)}).`, hint, error);
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** The columns that an example file can have, in their order. */
const COLUMNS = 'ref;fullname;email;phone;postal_code;city;country;lang;request_text'.split(';');

/**
 * Returns a CSV file of example leads in the form that a spreadsheet program of the market writes: headers in its
 * language, its usual delimiter, UTF-8 with BOM, CRLF. All data is invented, and an import of the file creates every
 * row.
 */
function exampleCsv(market: Market): string {
  const names = wordsOf(market).header.split(';');
  const columns = COLUMNS.filter(
    (column) =>
      (column !== 'lang' || market.languages.length > 1) && (column !== 'postal_code' || market.postalCode !== null),
  );
  const header = columns.map((column) => names[COLUMNS.indexOf(column)] ?? '');
  const rows = exampleLeads(market).map((lead) => columns.map((column) => lead[column] ?? ''));
  const delimiter = usualDelimiter(market);
  return BYTE_ORDER_MARK + [header, ...rows].map((cells) => csvRecordText(cells, delimiter)).join('');
}

/** Returns the same leads as objects with srq's own field names. */
function exampleJson(market: Market): Record<string, string | undefined>[] {
  return exampleLeads(market).map(({ ref, lang, postal_code, city, fullname, email, request_text }) => {
    const location = [postal_code, city].filter((part) => part !== '').join(' ');
    const phone = exampleMobile(market).international;
    return { ref, country: market.code, lang, location, fullname, email, phone, request_text };
  });
}

function exampleLeads(market: Market): Record<string, string>[] {
  const lang = market.languages[0] ?? 'en';
  return wordsOf(market).people.map(({ name, mailbox, need }, at) => ({
    ref: `${market.code}-00${at + 1}`,
    fullname: name,
    email: `${mailbox}@example.com`,
    phone: exampleMobile(market).national,
    postal_code: market.postalCode?.[0] ?? '',
    city: market.town,
    country: new Intl.DisplayNames([lang], { type: 'region' }).of(market.iso) ?? market.name,
    lang,
    request_text: need.replace('{area}', new Intl.NumberFormat(`${lang}-${market.iso}`).format(22.5)),
  }));
}

function wordsOf({ languages }: Market): ExampleWords {
  const words = EXAMPLE_WORDS[languages[0] ?? ''];
  if (!words) throw new Error(`No example is written in ${languages[0]}`);
  return words;
}

/** The texts of the example leads in one language. `{area}` stands for a number in the market's notation. */
interface ExampleWords {
  /** The names of {@link COLUMNS}, in that order; srq recognises each. */
  readonly header: string;
  readonly people: readonly { readonly name: string; readonly mailbox: string; readonly need: string }[];
}

const person = (name: string, mailbox: string, need: string) => ({ name, mailbox, need });

/** The texts by language. They cover the first language of every market. */
const EXAMPLE_WORDS: Readonly<Record<string, ExampleWords>> = {
  en: {
    header: 'Reference;Full name;Email;Phone number;Postal code;City;Country;Language;Message',
    people: [
      person('Nora Example', 'nora', 'A kitchen tap drips; a plumber this week, please'),
      person('Sam Sample', 'sam', 'Paint a living room of {area} m², "off-white"'),
      person('Ivy Instance', 'ivy', 'Maths tutor, twice a week; Tuesday, Thursday'),
    ],
  },
  pt: {
    header: 'Referência;Nome completo;Correio eletrónico;Telemóvel;Código postal;Cidade;País;Idioma;Mensagem',
    people: [
      person('Inês Exemplo', 'ines', 'A torneira da cozinha pinga; canalizador esta semana'),
      person('João Amostra', 'joao', 'Pintar uma sala de {area} m², "branco sujo"'),
      person('Conceição Modelo', 'conceicao', 'Explicações de matemática, duas vezes por semana'),
    ],
  },
  es: {
    header: 'Referencia;Nombre completo;Correo electrónico;Teléfono;Código postal;Ciudad;País;Idioma;Mensaje',
    people: [
      person('Lucía Ejemplo', 'lucia', 'Gotea el grifo de la cocina; un fontanero esta semana'),
      person('Íñigo Muestra', 'inigo', 'Pintar un salón de {area} m², "blanco roto"'),
      person('Begoña Modelo', 'begona', 'Clases de matemáticas, dos veces por semana'),
    ],
  },
  de: {
    header: 'Referenz;Vollständiger Name;E-Mail-Adresse;Telefonnummer;Postleitzahl;Ort;Land;Sprache;Nachricht',
    people: [
      person('Jürgen Beispiel', 'juergen', 'Der Wasserhahn in der Küche tropft; diese Woche, bitte'),
      person('Zoë Muster', 'zoe', 'Wohnzimmer streichen, {area} m², "gebrochenes Weiß"'),
      person('Änne Probe', 'aenne', 'Nachhilfe in Mathematik, zweimal in der Woche'),
    ],
  },
};
