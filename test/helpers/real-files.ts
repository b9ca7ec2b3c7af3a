import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'csv-parse/sync';
import iconv from 'iconv-lite';
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';

const folder = new URL('../../fixtures/csv/', import.meta.url).pathname;
const mobiles: Record<string, string> = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');

/**
 * A file in the form of a real export, with what a person reads in it. Nothing of this comes from srq's own reading.
 */
export interface RealFile {
  readonly name: string;
  /** The expected parameters of each row, in order. Only parameters that the file gives are listed. */
  readonly people: readonly Readonly<Record<string, string>>[];
  /** The correction in the results file that makes a bad row valid. */
  readonly correction: readonly [string | RegExp, string];
}

export const pathOf = (name: string): string => folder + name;

/** Returns the counts `rows, created, repeated, invalid` that the README of the fixtures states. */
export function promisedCounts(name: string): Record<'rows' | 'created' | 'repeated' | 'invalid', number> {
  const line = readFileSync(pathOf('README.md'), 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`| \`${name}\``));
  const [rows = 0, created = 0, repeated = 0, invalid = 0] = (line?.match(/\| (\d+)(?= \|)/g) ?? []).map((cell) =>
    Number(cell.slice(2)),
  );
  return { rows, created, repeated, invalid };
}

function records(name: string, encoding: string, delimiter: string): Record<string, string>[] {
  const text = iconv.decode(readFileSync(pathOf(name)), encoding);
  return parse(text, { columns: true, bom: true, delimiter, relax_column_count: true });
}

/** Returns the example number of a market in international form, however the file writes it. */
function phoneOf(market: string): string {
  const iso = market === 'UK' ? 'GB' : market;
  return `+${getCountryCallingCode(iso as CountryCode)}${mobiles[iso]}`;
}

const HUBSPOT_MARKETS: Readonly<Record<string, string>> = {
  Portugal: 'PT',
  Spain: 'ES',
  Germany: 'DE',
  Ireland: 'IE',
  'United Kingdom': 'UK',
  Austria: 'AT',
};

const text = (value: string | undefined) => value ?? '';

function metaPeople() {
  return records('meta-lead-ads.csv', 'utf-16le', '\t').map((row) => ({
    country: 'PT',
    lang: 'pt',
    location: `${text(row['codigo_postal']).slice(2)} ${row['cidade']}`,
    fullname: text(row['nome_completo']),
    email: text(row['email']),
    phone: phoneOf('PT'),
    request_text: text(row['mensagem']),
  }));
}

function hubspotPeople() {
  return records('hubspot.csv', 'utf-8', ',').map((row) => {
    const country = HUBSPOT_MARKETS[text(row['Country/Region'])] ?? '';
    return {
      country,
      location: `${row['Postal Code']} ${row['City']}`,
      fullname: `${row['First Name']} ${row['Last Name']}`,
      email: text(row['Email']),
      phone: country && phoneOf(country),
      request_text: text(row['Message']),
    };
  });
}

function excelPeople() {
  return records('excel-pt.csv', 'windows-1252', ';').map((row) => ({
    country: 'PT',
    lang: 'pt',
    location: '2750-642 Cascais',
    fullname: text(row['Nome']),
    email: text(row['Correio eletrónico']),
    phone: phoneOf('PT'),
    request_text: text(row['Descrição']),
  }));
}

function googlePeople() {
  const lines = readFileSync(pathOf('google-ads.ndjson'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const answers: { column_id: string; string_value: string }[] = JSON.parse(line).user_column_data;
    const said = Object.fromEntries(answers.map(({ column_id, string_value }) => [column_id, string_value]));
    return {
      country: 'DE',
      lang: 'de',
      location: '10115 Berlin',
      fullname: text(said['FULL_NAME']),
      email: text(said['EMAIL']),
      phone: phoneOf('DE'),
      request_text: text(said['message']),
    };
  });
}

function thousandPeople() {
  return records('thousand.csv', 'utf-8', ',').map((row) => {
    const country = row['country'] === 'GB' ? 'UK' : text(row['country']);
    const { location, fullname, email, request_text } = row;
    const phone = mobiles[country === 'UK' ? 'GB' : country] ? phoneOf(country) : '';
    return {
      country,
      location: text(location),
      fullname: text(fullname),
      email: text(email),
      phone,
      request_text: text(request_text),
    };
  });
}

export const REAL_FILES: readonly RealFile[] = [
  {
    name: 'meta-lead-ads.csv',
    people: metaPeople(),
    correction: ['Conceição 8,,,', 'Conceição 8,lead8@example.com,,'],
  },
  { name: 'hubspot.csv', people: hubspotPeople(), correction: ['28013,France', '28013,Spain'] },
  {
    name: 'excel-pt.csv',
    people: excelPeople(),
    correction: ['João Araújo 5;joao5@example.com;"3,51912E+11"', 'João Araújo 9;joao5@example.com;912345678'],
  },
  {
    name: 'google-ads.ndjson',
    people: googlePeople(),
    correction: [/true,Jürgen Weiß 1,(.*)Haus 1/, 'false,Jürgen Weiß 1,$1Haus 7'],
  },
  { name: 'thousand.csv', people: thousandPeople(), correction: ['R-2036,FR,', 'R-2036,PE,'] },
];
