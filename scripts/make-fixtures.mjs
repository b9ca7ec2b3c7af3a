// Writes fixtures/csv anew. Names are invented, addresses at example.*, numbers are libphonenumber's examples.
// What each file shows, and what has to come of it, stands in fixtures/csv/README.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { getCountryCallingCode } from 'libphonenumber-js/max';
import { workbook } from './workbook.mjs';

const mobiles = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');
const folder = fileURLToPath(new URL('../fixtures/csv/', import.meta.url));
mkdirSync(folder, { recursive: true });

const national = (iso) => mobiles[iso];
const international = (iso) => `+${getCountryCallingCode(iso)}${mobiles[iso]}`;

const cell = (text, delimiter) =>
  /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
const csv = (rows, { delimiter = ',', end = '\n' } = {}) =>
  rows.map((row) => row.map((text) => cell(text, delimiter)).join(delimiter) + end).join('');
const write = (name, text, encoding = 'utf-8', addBOM = false) =>
  writeFileSync(folder + name, iconv.encode(text, encoding, { addBOM }));

const SIX = ['country', 'fullname', 'email', 'phone', 'location', 'request_text'];
const THREE = [
  [
    'PT',
    'Zoé Conceição',
    'zoe@example.com',
    international('PT'),
    '1200-109 Lisboa',
    'Canalizador urgente, máximo 80 €',
  ],
  ['DE', 'Jürgen Weiß', 'juergen@example.org', international('DE'), '10115 Berlin', 'Küche streichen; „hell“ bitte'],
  ['UK', 'Siân O’Neill', 'sian@example.net', international('GB'), 'Cardiff CF10 1AA', 'Garden | hedge and lawn'],
];
const small = [SIX, ...THREE];

function writeEncodings() {
  const text = csv(small);
  write('utf8.csv', text);
  write('utf8-bom.csv', text, 'utf-8', true);
  write('utf16le-bom.csv', text, 'utf-16le', true);
  write('utf16le-no-bom.csv', text, 'utf-16le');
  write('utf16be-bom.csv', text, 'utf-16be', true);
  write('utf16be-no-bom.csv', text, 'utf-16be');
  write('windows-1252.csv', text, 'windows-1252');
  write('macintosh.csv', text, 'macintosh');
  writeFileSync(
    `${folder}damaged-utf8-bom.csv`,
    Buffer.concat([
      iconv.encode(csv(small), 'utf-8', { addBOM: true }),
      Buffer.from('PT,Z\xe9,z@example.com,,Lisboa,Obras\n', 'latin1'),
    ]),
  );
}

function writeDialects() {
  for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', pipe: '|' })) {
    write(`delimiter-${name}.csv`, csv(small, { delimiter }));
  }
  write('sep-line.csv', `sep=;\r\n${csv(small, { delimiter: ';', end: '\r\n' })}`, 'utf-8', true);
  for (const [name, end] of Object.entries({ lf: '\n', crlf: '\r\n', cr: '\r' })) {
    write(`line-ends-${name}.csv`, csv(small, { end }));
  }
  write('line-ends-mixed.csv', small.map((row, at) => csv([row], { end: ['\r\n', '\n', '\r', '\n'][at] })).join(''));
  write('no-final-line-end.csv', csv(small).trimEnd());
}

function writeShapes() {
  const text = csv(small);
  const [pt, de, uk] = THREE;
  write(
    'quoted-line-breaks.csv',
    csv([SIX, [...pt.slice(0, 5), 'Primeira linha\nsegunda, com "aspas"\r\nterceira'], de]),
  );
  write('preamble.csv', `Leads of the week\n"Made by, the shop"\n\n${text}`);
  write('skip-lines.csv', `a,b\nc,d\n${text}`);
  write('blank-lines.csv', `${csv([SIX, pt])}\n,,,,,\n${csv([de, uk])}\n\n`);
  write('salesforce-footer.csv', salesforceReport(), 'latin1');
  write('duplicate-headers.csv', csv([[...SIX, 'phone'], ...THREE.map((row) => [...row, ''])]));
  write('empty-headers.csv', csv([['', ...SIX, ''], ...THREE.map((row, at) => [`${at}`, ...row, 'x'])]));
  write('ends-with-delimiter.csv', csv([SIX, ...THREE.map((row) => [...row, ''])]));
  const quotedLine = (line) => `"${line.replaceAll('"', '""')}"`;
  write(
    'quoted-lines.csv',
    `${csv([SIX, ...THREE])
      .trimEnd()
      .split('\n')
      .map(quotedLine)
      .join('\n')}\n`,
  );
  write('ragged-rows.csv', csv([SIX, pt, de.slice(0, 5), [...uk, 'too', 'much'], [...uk, '']]));
  write(
    'unclosed-quote.csv',
    `${csv([SIX, pt])}DE,"Jürgen Weiß,juergen@example.org,${international('DE')},Berlin,Küche\n${csv([uk, pt, uk])}`,
  );
  write(
    'unclosed-quote-all-quoted.csv',
    `${allQuoted([SIX, pt])}${allQuoted([de]).replace(/"\n$/, '\n')}${allQuoted([uk, pt, uk])}`,
  );
  write(
    'stray-quotes.csv',
    `${csv([SIX])}PT,Zoé Conceição,zoe@example.com,,Lisboa,6" pipe\nDE,"Jürgen" Weiß,juergen@example.org,,Berlin,Küche\n`,
  );
  write('proto-header.csv', csv([['__proto__', 'constructor', ...SIX], ...THREE.map((row) => ['a', 'b', ...row])]));
  write('results-read-again.csv', resultsFile());
  write('header-only.csv', csv([SIX]));
  write('empty.csv', '');
}

const allQuoted = (rows) =>
  rows.map((row) => `${row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`).join('');

function salesforceReport() {
  const rows = [
    ['Lead ID', 'First Name', 'Last Name', 'Email', 'Mobile', 'City', 'Zip', 'Country', 'Description'],
    ['00Q1', 'Zoé', 'Conceição', 'zoe@example.com', international('PT'), 'Lisboa', '1200-109', 'Portugal', 'Pintura'],
    ['00Q2', 'Jürgen', 'Weiß', 'juergen@example.org', international('DE'), 'Berlin', '10115', 'Germany', 'Küche'],
  ];
  const footer = [
    '',
    'New leads',
    'Grand Totals (2 records)',
    'Confidential Information - Do Not Distribute',
    'Copyright 2026 Example',
  ];
  return allQuoted(rows) + footer.map((text) => (text ? `"${text}"\n` : '\n')).join('');
}

function resultsFile() {
  const header = ['ref', ...SIX, 'srq_status', 'srq_id', 'srq_message', 'srq_row'];
  const [pt, de] = THREE.map((row) => row.map((text) => (text.startsWith('+') ? `'${text}` : text)));
  return csv([
    header,
    ['A-1', ...pt, 'created', '12345678901234567890', '', '1'],
    ['A-2', ...de.slice(0, 5), "'=SUM(1) is what I typed", 'rejected', '', "'- the text", '2'],
  ]);
}

function writeJson() {
  const objects = THREE.map((row) => Object.fromEntries(row.map((text, at) => [SIX[at], text])));
  write('array.json', JSON.stringify(objects, null, 2));
  write('single-object.json', JSON.stringify(objects[0], null, 2));
  write('lines.ndjson', objects.map((each) => `${JSON.stringify(each)}\n`).join(''));
  write(
    'nested.json',
    `[{"id":12345678901234567890,"country":"PT","customer":{"phone":"${international('PT')}","tags":["a","b"]},"message":"Obras"}]`,
  );
  write('broken-element.json', `[${JSON.stringify(objects[0])},{"country":PT},7,${JSON.stringify(objects[1])}]`);
  write('cut-off.json', JSON.stringify(objects).slice(0, -20));
  const answers = (each) => [
    { name: 'full_name', values: [each.fullname] },
    { name: 'phone_number', values: [each.phone] },
    { name: 'country', values: [each.country] },
    { name: 'city', values: [each.location] },
    { name: 'what_do_you_need?', values: [each.request_text] },
  ];
  write(
    'meta-graph.json',
    JSON.stringify(
      objects.map((each, at) => ({
        id: `90${at}`,
        created_time: '2026-11-20T10:00:00+0000',
        field_data: answers(each),
      })),
    ),
  );
}

function writeMeta() {
  const header =
    'id created_time ad_id ad_name adset_id adset_name campaign_id campaign_name form_id form_name is_organic platform o_que_precisa nome_completo email telefone codigo_postal cidade pais mensagem inbox_url lead_status'.split(
      ' ',
    );
  const lead = (at, [name, email, phone, zip, city, country, text]) => [
    `l:23840${at}`,
    '2026-11-20T09:30:00+00:00',
    'ag:61',
    'Anúncio 1',
    'as:62',
    'Conjunto',
    'c:63',
    'Outono',
    'f:64',
    'Obras',
    'false',
    'fb',
    'remodelação',
    name,
    email,
    phone && `p:${phone}`,
    zip && `z:${zip}`,
    city,
    country,
    text,
    'https://example.com/inbox',
    'CREATED',
  ];
  const cities = [
    ['1200-109', 'Lisboa'],
    ['4000-322', 'Porto'],
    ['3000-150', 'Coimbra'],
    ['8000-075', 'Faro'],
  ];
  const leads = Array.from({ length: 9 }, (_, at) => {
    const [zip, city] = cities[at % cities.length];
    return [
      `Conceição ${at}`,
      `lead${at}@example.com`,
      international('PT'),
      zip,
      city,
      'PT',
      `Remodelar a cozinha n.º ${at}`,
    ];
  });
  const test = '<test lead: dummy data for nome_completo>';
  const rows = [
    ...leads,
    leads[2],
    [test, 'test@meta.com', '', '', '<test lead: dummy data for cidade>', 'PT', '<test lead: dummy data for mensagem>'],
    leads[8].with(1, '').with(2, ''),
  ];
  write(
    'meta-lead-ads.csv',
    csv([header, ...rows.map((row, at) => lead(at, row))], { delimiter: '\t', end: '\r\n' }),
    'utf-16le',
    true,
  );
}

/** The file of the README's first command: as a small agency would have it, and nothing wrong in it. */
function writeDemo() {
  const header = ['Lead ID', 'Name', 'E-mail', 'Phone', 'Postcode', 'City', 'Country', 'Message'];
  const needs = [
    ['PT', 'Portugal', '1200-109', 'Lisboa', 'Inês Exemplo', 'Canalizador para uma fuga na cozinha'],
    ['ES', 'Spain', '28013', 'Madrid', 'Lucía Ejemplo', 'Fotógrafa para una boda, unas 6 horas'],
    ['DE', 'Germany', '10115', 'Berlin', 'Jürgen Beispiel', 'Umzug, 3. Stock ohne Aufzug'],
    ['GB', 'United Kingdom', 'CF10 1AA', 'Cardiff', 'Siân Example', 'Maths tutor, twice a week'],
    ['IE', 'Ireland', 'D02 X285', 'Dublin', 'Aoife Sample', 'Hedge and lawn, a small garden'],
    ['AT', 'Austria', '1010', 'Wien', 'Lukas Muster', 'Zwei Zimmer streichen'],
  ];
  const rows = Array.from({ length: 24 }, (_, at) => {
    const [iso, country, zip, city, name, text] = needs[at % needs.length];
    const email = `lead${at + 1}@example.com`;
    return [`L-${1001 + at}`, `${name} ${at + 1}`, email, international(iso), zip, city, country, text];
  });
  write('leads.csv', csv([header, ...rows]));
}

function writeHubspot() {
  const header = [
    'Record ID',
    'First Name',
    'Last Name',
    'Email',
    'Phone Number',
    'Mobile Phone Number',
    'City',
    'Postal Code',
    'Country/Region',
    'Lead Status',
    'Message',
  ];
  const people = [
    ['Inês', 'Carvalho', 'PT', 'Portugal', 'Lisboa', '1200-109', 'Pintar dois quartos'],
    ['Javier', 'Núñez', 'ES', 'Spain', 'Madrid', '28013', 'Reparar la caldera'],
    ['Jürgen', 'Weiß', 'DE', 'Germany', 'Berlin', '10115', 'Küche montieren, gern am Samstag'],
    ['Aoife', 'Byrne', 'IE', 'Ireland', 'Dublin', 'D02 X285', 'Wedding photographer, about 6 hours'],
    ['Siân', 'O’Neill', 'GB', 'United Kingdom', 'Cardiff', 'CF10 1AA', 'Hedge and lawn, "tidy up"'],
    ['Lukas', 'Gruber', 'AT', 'Austria', 'Wien', '1010', 'Umzug, dritter Stock'],
  ];
  const row = (at) => {
    const [first, last, iso, country, city, zip, text] = people[at % people.length];
    const phone = international(iso);
    return [
      `${7001 + at}`,
      first,
      `${last}-${at}`,
      `${iso.toLowerCase()}${at}@example.com`,
      at % 3 === 0 ? '' : phone,
      at % 3 === 0 ? phone : '',
      city,
      zip,
      country,
      'New',
      `${text} (${at})`,
    ];
  };
  const rows = Array.from({ length: 18 }, (_, at) => row(at));
  rows.push(['7100', ...rows[4].slice(1)], [...row(19).slice(0, 8), 'France', ...row(19).slice(9)]);
  write('hubspot.csv', csv([header, ...rows]));
}

function writeExcel() {
  const header = [
    'Referência',
    'Nome',
    'Correio eletrónico',
    'Telemóvel',
    'Código postal',
    'Localidade',
    'País',
    'Descrição',
  ];
  const rows = Array.from({ length: 8 }, (_, at) => [
    `00${at}`,
    `João Araújo ${at}`,
    `joao${at}@example.com`,
    national('PT'),
    '2750-642',
    'Cascais',
    'Portugal',
    `Pavimento; orçamento até ${at}00 €`,
  ]);
  rows.push(rows[3], rows[5].with(0, '009').with(3, '3,51912E+11'));
  write('excel-pt.csv', csv([header, ...rows], { delimiter: ';', end: '\r\n' }), 'windows-1252');
}

function writeGoogle() {
  const lead = (at, isTest = false) => ({
    lead_id: `TeSt-${at}`,
    form_id: 40000000000,
    campaign_id: 12345678901,
    api_version: '1.0',
    google_key: 'not-a-real-key',
    is_test: isTest,
    user_column_data: Object.entries({
      FULL_NAME: `Jürgen Weiß ${at % 6}`,
      EMAIL: `lead${at % 6}@example.org`,
      PHONE_NUMBER: international('DE'),
      POSTAL_CODE: '10115',
      CITY: 'Berlin',
      COUNTRY: 'DE',
      'Was ist zu tun?': 'Dach prüfen',
      message: `Dach prüfen, Haus ${at % 6}`,
    }).map(([column_id, string_value]) => ({ column_name: column_id, column_id, string_value })),
  });
  const leads = [0, 1, 2, 3, 4, 5, 6].map((at) => lead(at));
  write('google-ads.ndjson', [...leads, lead(7, true)].map((each) => `${JSON.stringify(each)}\n`).join(''));
}

const MARKETS = 'PT ES DE AT CH IE GB CA MX AR CL CO PE EC DO AU NZ SG IN ZA AO CV'.split(' ');

/** Each spoils a good row of `ref,country,lang,fullname,email,phone,location,request_text` in another way. */
const SPOILED = [
  ...Array(3).fill((row) => row.with(1, 'FR')),
  ...Array(2).fill((row) => row.with(1, '')),
  ...Array(4).fill((row) => row.with(4, '').with(5, '')),
  ...Array(4).fill((row) => row.with(7, '')),
  ...Array(4).fill((row) => row.with(5, '12345')),
  ...Array(3).fill((row) => row.with(5, '3,51912E+11')),
  ...Array(2).fill((row) => row.with(4, 'a@example.com; b@example.com')),
  (row) => row.slice(0, 7),
  (row) => [...row, 'one cell too many'],
  (row) => row.with(4, 'test@fb.com'),
];

function writeThousand() {
  const good = (at) => {
    const iso = MARKETS[at % MARKETS.length];
    const text =
      at % 7 === 0 ? `Olá,\npreciso de ajuda (${at}).\nObrigado, "até já"` : `Ação n.º ${at}: façade & Größe, 50 €`;
    const lang = iso === 'CH' ? 'de' : iso === 'CA' ? 'en' : '';
    return [
      `R-${at}`,
      iso === 'GB' && at % 2 ? 'UK' : iso,
      lang,
      `Zoé Nuñez ${at}`,
      `person${at}@example.com`,
      at % 3 ? international(iso) : national(iso),
      `Straße ${at}`,
      text,
    ];
  };
  const rows = [];
  for (let at = 0; at < 935; at++) {
    rows.push(good(at));
    if (at % 23 === 22) rows.push(good(at - 11));
    if (at % 37 === 36) rows.push(SPOILED[(at - 36) / 37](good(at + 2000)));
  }
  const header = ['ref', 'country', 'lang', 'fullname', 'email', 'phone', 'location', 'request_text'];
  write('thousand.csv', csv([header, ...rows], { end: '\r\n' }));
}

function writePacked() {
  const numbers = THREE.map((row) => row.map((text) => (text.startsWith('+') ? Number(text.slice(1)) : text)));
  const dated = [[...SIX, 'Date'], ...numbers.map((row) => [...row, new Date('2026-11-20')])];
  writeFileSync(`${folder}workbook.xlsx`, workbook([{ name: 'Leads', rows: dated }]));
  const titled = [['Leads of the week'], [], ...dated, [], ['3 leads']];
  writeFileSync(
    `${folder}workbook-sheets.xlsx`,
    workbook([
      { name: 'Lists', hidden: true, rows: [['Portugal']] },
      {
        name: 'Notes',
        rows: [
          ['note', 'by'],
          ['call back', 'Ana'],
        ],
      },
      { name: 'Leads', rows: titled },
    ]),
  );
  writeFileSync(
    `${folder}workbook-lost-digits.xlsx`,
    workbook([
      { name: 'Leads', rows: [SIX, THREE[0], [...THREE[1].slice(0, 3), 4.91512345678901e17, 'Berlin', 'Küche']] },
    ]),
  );
  const shown = (number, format) => ({ number, format });
  writeFileSync(
    `${folder}workbook-formats.xlsx`,
    workbook([
      {
        name: 'Leads',
        rows: [
          [...SIX.slice(0, 4), 'zip', 'city', 'request_text'],
          [
            ...THREE[1].slice(0, 3),
            shown(Number(national('DE')), '00000000000'),
            shown(1067, '00000'),
            'Dresden',
            'Küche',
          ],
          [
            ...THREE[0].slice(0, 3),
            shown(Number(national('PT')), '000 000 000'),
            shown(1200109, '0000\\-000'),
            'Lisboa',
            'Obras',
          ],
        ],
      },
    ]),
  );
  writeFileSync(`${folder}gzip.csv.gz`, gzipSync(iconv.encode(csv(small, { delimiter: ';' }), 'windows-1252')));
  const objects = THREE.map((row) => Object.fromEntries(row.map((text, at) => [SIX[at], text])));
  writeFileSync(`${folder}gzip.ndjson.gz`, gzipSync(objects.map((each) => `${JSON.stringify(each)}\n`).join('')));
  write('wrapped-list.json', JSON.stringify({ data: objects, paging: { next: 'https://example.com/?after=3' } }));
  write('list-within.json', JSON.stringify({ object: 'page', entry: [{ name: 'a' }, { name: 'b' }] }));
  writeFileSync(`${folder}excel-97.xls`, Buffer.from('d0cf11e0a1b11ae100000000', 'hex'));
  writeFileSync(`${folder}cut-off.csv.gz`, gzipSync(csv(small)).subarray(0, -9));
}

function writeChecks() {
  const [pt, de, uk] = THREE;
  const names = ['Portugal', 'Deutschland', 'Reino Unido', 'Espagne', 'Irlanda', 'Great Britain', 'Suisse', 'Narnia'];
  const lang = (name) => (name === 'Suisse' ? 'Französisch' : '');
  write(
    'countries-in-words.csv',
    csv([
      [...SIX, 'lang'],
      ...names.map((name, at) => [name, `Zoé ${at}`, 'zoe@example.com', '', '', 'Obras', lang(name)]),
    ]),
  );
  const phones = [
    'p:+351912345678',
    '="+351912345678"',
    '00351 912 345 678',
    '+351 (0)912 345 678',
    '3,51912E+11',
    '912345678 / 961234567',
  ];
  write('phones-repaired.csv', csv([SIX, ...phones.map((phone, at) => pt.with(3, phone).with(1, `Zoé ${at}`))]));
  const noPlus = [international('PT'), international('DE'), international('AT'), '+4934708045'].map((e164) =>
    e164.slice(1),
  );
  write(
    'phones-without-plus.csv',
    csv([SIX, ...noPlus.map((phone, at) => pt.with(3, phone).with(0, ['PT', 'DE', 'AT', 'DE'][at]))]),
  );
  write(
    'two-phone-columns.csv',
    csv([
      [...SIX.with(3, 'Telephone'), 'Telefone'],
      [...pt, national('PT')],
      [...de, ''],
    ]),
  );
  const zips = ['1200-109', '1200', '12', '1.2E+06'];
  write(
    'postal-codes.csv',
    csv([
      ['country', 'Código postal', 'Cidade', 'telefone', 'mensagem'],
      ...zips.map((zip, at) => ['PT', zip, 'Lisboa', national('PT'), `Obras ${at}`]),
    ]),
  );
  write(
    'test-leads.csv',
    csv([SIX, pt, de.with(1, '<test lead: dummy data for full_name>'), uk.with(2, 'test@meta.com')]),
  );
  write('damaged-texts.csv', csv([SIX, pt, de.with(5, 'Kü\0che'), uk.with(5, 'caf\ufffd')]));
  write('over-long-texts.csv', csv([SIX, pt.with(5, 'Obras '.repeat(3000)), de.with(1, 'x'.repeat(201))]));
  const header = ['Vorname', 'Nachname', 'E-Mail-Adresse', 'Handy', 'PLZ', 'Ort', 'Land', 'Anliegen', 'Kd.-Nr.'];
  write(
    'names-joined.csv',
    csv([
      header,
      ['Jürgen', 'Weiß', 'juergen@example.org', national('DE'), '10115', 'Berlin', 'Österreich', 'Küche', '7'].with(
        6,
        'Deutschland',
      ),
    ]),
  );
}

writeEncodings();
writeDialects();
writePacked();
writeChecks();
writeShapes();
writeJson();
writeMeta();
writeDemo();
writeHubspot();
writeExcel();
writeGoogle();
writeThousand();
