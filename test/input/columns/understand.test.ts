import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import { parseMarket } from '../../../src/request/lead/markets.ts';
import { measured } from './header-rows.ts';

it('the table of names and its code ask only for words that stand in the lists', () => {
  const read = (name: string) => readFileSync(`src/input/columns/${name}`, 'utf8');
  const rules = [...read('name-rules.txt').matchAll(/^\w+ ([^:#]+):/gm)].flatMap(([, words = '']) => words.split(' '));
  const labels = [...`${read('headers.txt')}${read('kinds-of-words.txt')}`.matchAll(/^(\w+)[^:#]*: |\/(\w+)/gm)];
  const known = new Set([
    'unknown',
    'done',
    'somebody',
    'numbered',
    'silent',
    'alone',
    ...labels.flatMap((each) => each.slice(1)),
  ]);
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.filter((word) => !known.has(word.replace('-', '')))).toEqual([]);
  const code = `${read('named-column.ts')}${read('name-evidence.ts')}`;
  const asked = [
    ...code.matchAll(/\b(?:has|includes|isOfKind)\('\w+'/g),
    ...code.matchAll(/'[\w ]+'\.split|(?:hasAny\(|KINDS = )\[[^\]]+\]|says\(word, [^)]+\)/g),
    ...code.matchAll(/\(each\) => each [!=]== '\w+'(?: (?:\|\||&&) each [!=]== '\w+')*/g),
  ].flatMap(([text]) => (text.match(/'[^']+'/g) ?? []).flatMap((words) => words.slice(1, -1).split(' ')));
  expect(asked.length).toBeGreaterThan(100);
  expect(asked.filter((word) => !known.has(word))).toEqual([]);
});

describe('the market of a row', () => {
  const share = (header: string, countries: readonly string[], market = '') => {
    const cells = [countries, countries.map(() => '912345678')];
    return understandColumns({ columns: [header, 'Tel'], cells, market: parseMarket(market) }).profiles[1]?.phone;
  };
  it.each(['Country', 'Land des Kunden', 'Pays'])('the market of a row is that of the column %s', (header) => {
    expect(share(header, ['PT', ' PT ', 'GB', 'XX'])).toBe(0.5);
  });
  it('the market of a row is the given one where no column says it', () => {
    expect([share('Country', ['', 'GB'], 'PT'), share('Country', ['', 'GB'])]).toEqual([0.5, 0]);
    expect([share('Agent country', ['PT', 'PT']), share('Agent country', ['GB', 'GB'], 'PT')]).toEqual([0, 1]);
    expect(share('City', ['PT', 'PT'])).toBe(0);
  });
});

describe('a file without a country', () => {
  it.each([
    ['postal_code', ['LS6 2AB', 'EC1A 1BB', 'm145tq']],
    ['postal_code', ['K1A 0B1', 'T6G7W9', 'H2W 1S4']],
    ['postal_code', ['D06 A880', 'T12 X70A', 'D02X285']],
    ['', ['B104711', 'B104712', 'B104713']],
    ['', ['AB12', 'AB13', 'AB14']],
  ])('a file without a country has %s in a column of %j', (meaning, cells) => {
    const view = { columns: ['Property Postcode'], cells: [cells], market: undefined };
    expect(understandColumns(view).readings[0]?.meaning ?? '').toBe(meaning);
  });
});

describe('header rows as forms, CRMs and people write them', () => {
  const SETS = ['learn', 'aside', 'fresh', 'fresh2', 'fresh3', 'sealed', 'fresh4', 'sealed2'];

  it('real header rows: no column is wrong and certain, nearly all are certain or asked about', () => {
    const all = SETS.map((part) => measured(part));
    const wrong = [...all, measured('fresh7')].flatMap((each) => each.wrong);
    const columns = all.flatMap((each) => each.columns);
    const count = (reading: string) => columns.filter((each) => each.reading === reading).length;
    const [certain, asked] = [count('certain'), count('asked')];
    const fields = certain + asked + count('missed');
    expect(wrong).toEqual([]);
    expect(fields).toBeGreaterThan(3_000);
    expect(certain / fields).toBeGreaterThanOrEqual(0.88);
    expect((certain + asked) / fields).toBeGreaterThanOrEqual(0.97);
    expect(count('wrong, asked') / fields).toBeLessThanOrEqual(0.01);
  });

  it.each<[set: string, certain: number, foundOrAsked: number, wrong: readonly string[]]>([
    ['fresh8', 0.8, 0.95, []],
    ['fresh9', 0.73, 0.92, ['odoo-crm-lead-api-at: name', 'gestionale-danea-preventivi-ti: Cod.']],
    ['fresh10', 0.73, 0.92, ['officina-moesa-servizi-extra-clienti: lavoro auto']],
    ['fresh11', 0.85, 0.95, []],
    ['fresh12', 0.85, 0.95, []],
    ['fresh13', 0.85, 0.95, []],
    ['fresh14', 0.83, 0.94, ['assurance-sinistres-reparation: NATURE']],
    ['fresh16', 0.85, 0.94, []],
    ['fresh18', 0.88, 0.97, ['53-pbx-sg: Recording URL']],
    ['fresh19', 0.91, 0.97, []],
    ['fresh20', 0.92, 0.98, []],
    [
      'fresh21',
      0.8,
      0.95,
      [
        '12-callcenter-rueckrufliste: Anliegen',
        '10-booksy-citas-peluqueria-canina: Servicio',
        '06-agence-lead-renovation-be: Langue',
        '09-sav-cuisiniste-erp: NoCde',
        '07-negozio-elettrodomestici-consegne: Servizio richiesto',
      ],
    ],
    [
      'fresh22',
      0.86,
      0.95,
      [
        'sap-c4c-serviceauftraege: Auftragsart',
        'telefonzentrale-anrufprotokoll: Rufnummer Anrufer',
        'calendly-photographer-uk: Invitee First Name',
        'calendly-photographer-uk: Invitee Last Name',
        'calendly-diagnostic-qc: Lieu',
      ],
    ],
    ['fresh23', 0.86, 0.96, ['whatsapp-leads-handyman: Name']],
  ])(
    'of %s, which was judged blind, most is found, and little is taken wrongly for certain',
    (set, least, most, names) => {
      const { wrong, certain, foundOrAsked } = measured(set);
      expect(wrong).toEqual(names);
      expect(certain).toBeGreaterThan(least);
      expect(foundOrAsked).toBeGreaterThan(most);
    },
  );

  it.each([
    ['fresh15', 0.7, 0.88, 6],
    ['fresh17', 0.77, 0.92, 6],
    ['fresh24', 0.55, 0.87, 10],
  ])(
    'of %s, one of the oddest sets, most is found, and at most some is taken wrongly for certain',
    (set, least, most, times) => {
      const { wrong, certain, foundOrAsked } = measured(set);
      expect(wrong.length).toBeLessThanOrEqual(times);
      expect(certain).toBeGreaterThan(least);
      expect(foundOrAsked).toBeGreaterThan(most);
    },
  );

  it('real header rows are understood nearly as well by three rows as by all', () => {
    const few = SETS.map((part) => measured(part, { most: 3 }));
    expect(few.flatMap(({ wrong }) => wrong).length).toBeLessThanOrEqual(2);
    expect(Math.min(...few.map(({ certain }) => certain))).toBeGreaterThan(0.8);
  });
});
