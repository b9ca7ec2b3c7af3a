import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import { parseMarket } from '../../../src/request/lead/markets.ts';
import { measured } from './header-rows.ts';

const PERSONS = [
  'Ana Pinto',
  'Rui Costa',
  'Marta Lima',
  'João Reis',
  'Sofia Pires',
  'Pedro Matos',
  'Inês Vaz',
  'Luís Sá',
];
const FIRST = PERSONS.map((name) => name.split(' ')[0] ?? '');
const LAST = PERSONS.map((name) => name.split(' ')[1] ?? '');
const PHONES = PERSONS.map((_, at) => `+351 91 234 56 7${at}`);
const OTHER_PHONES = PERSONS.map((_, at) => `+351 93 876 54 3${at}`);
const OWN_PHONES = PERSONS.map((_, at) => `+351 21 000 00 0${at % 2}`);
const STREETS = PERSONS.map((_, at) => `Rua das Flores ${at + 1}`);
const CODES = PERSONS.map((_, at) => `1000-00${at + 1}`);
const TOWNS = ['Lisboa', 'Porto', 'Braga', 'Faro', 'Aveiro', 'Évora', 'Leiria', 'Sintra'];
const NEEDS = PERSONS.map((_, at) => `Parede ${at} da sala pintada de branco, por dentro`);
const KINDS = PERSONS.map((_, at) => ['Pintura', 'Limpeza', 'Mudanças'][at % 3] ?? '');

type Column = readonly [name: string, cells: readonly string[]];

/** Reads columns of rows in Portugal: `phone` is certain, `phone?` likely, `` left out. */
function read(...columns: readonly Column[]): string[] {
  const { readings } = understandColumns({
    columns: columns.map(([name]) => name),
    cells: columns.map(([, cells]) => cells),
    market: parseMarket('PT'),
  });
  const of = (at: number) => readings.find(({ index }) => index === at);
  return columns.map((_, at) => `${of(at)?.meaning ?? ''}${of(at)?.level === 'likely' ? '?' : ''}`);
}

describe('a column with words that nobody knows', () => {
  const strange: Column = ['Tel Blorb', PHONES];
  it('a column with unknown words is asked about, even as the only one with phone numbers', () => {
    expect(read(strange, ['Zzyx', NEEDS])).toEqual(['phone?', 'request_text?']);
  });
  it('a column with unknown words is asked about beside another one', () => {
    expect(read(strange, ['Tel Frump', OTHER_PHONES])).toEqual(['phone?', 'phone?']);
  });
  it('a column with unknown words is asked about beside another one of the same person', () => {
    expect(read(['Blorb tel1', PHONES], ['Blorb tel2', OTHER_PHONES])).toEqual(['phone?', 'phone?']);
  });
  it('a column with unknown words is left out beside one that is understood', () => {
    expect(read(strange, ['Telefone', OTHER_PHONES])).toEqual(['', 'phone']);
    expect(read(['Tel Blorb', OWN_PHONES])).toEqual(['']);
  });
  it('a column with unknown words is asked about if there are few rows', () => {
    expect(read(['Tel Blorb', PHONES.slice(0, 4)])).toEqual(['phone?']);
  });
  it('a column with unknown words is asked about if it holds streets or whole addresses', () => {
    expect(read(['Blorb', STREETS])).toEqual(['street?']);
    expect(read(['Blorb', STREETS.map((street, at) => `${street}, ${CODES[at]} ${TOWNS[at]}`)])).toEqual(['location?']);
  });
  it('a street and a number with a postal code are no date', () => {
    const addresses = TOWNS.map((town, at) => `Buchenweg ${at + 1}, ${34117 + at} ${town}`);
    const { readings } = understandColumns({ columns: ['Blorb'], cells: [addresses], market: parseMarket('DE') });
    expect(readings).toMatchObject([{ meaning: 'location' }]);
    expect(read(['Blorb', PERSONS.map((_, at) => `July ${at + 1}, 2026`)])).toEqual(['']);
  });
  it('the kind of something that nobody knows is asked about as the kind of service, after every other one', () => {
    expect(read(['Tipo de blorb', KINDS])).toEqual(['category?']);
    expect(read(['Tipo de blorb', KINDS], ['Assunto', KINDS])).toEqual(['', 'category?']);
  });
  it('the number of a recording is no recording', () => {
    const numbers = PERSONS.map((_, at) => `rec_${4711000 + at * 13}`);
    expect(read(["ID de l'enregistrement", numbers])).toEqual(['ref']);
  });
  it('the name of a lead is asked about if it holds no persons', () => {
    expect(read(['Nombre del prospecto', PERSONS])).toEqual(['fullname']);
    expect(read(['Nombre del prospecto', KINDS.map((kind, at) => `${kind} grande ${LAST[at]}`)])).toEqual([
      'fullname?',
    ]);
  });
  it("HubSpot's name for the first name is known, and that of a French owner is asked about", () => {
    expect(read(['Nome próprio', FIRST], ['Apelido', LAST])).toEqual(['first_name', 'last_name']);
    expect(read(['PRENOM_PROPRIO', FIRST], ['NOM_PROPRIO', LAST])).toEqual(['first_name?', 'last_name?']);
  });
  it('a second place is asked about, even as the only one', () => {
    expect(read(['Morada de descarga', TOWNS], ['Código postal', CODES])).toEqual(['city?', 'postal_code']);
  });
  it('two columns with unknown words are halves of the name if one has given names, and whole names come first', () => {
    expect(read(['Blorb SN', LAST], ['Blorb FN', FIRST])).toEqual(['last_name?', 'first_name?']);
    expect(read(['Blorb', FIRST], ['Frump', LAST], ['Zzyx', PERSONS])).toEqual(['', '', 'fullname?']);
  });
  it('a column with unknown words may be the name', () => {
    expect(read(['Name Blorb', PERSONS])).toEqual(['fullname?']);
    expect(read(['Name Blorb', KINDS.map((kind, at) => `${kind} ${LAST[at]}`)])).toEqual(['fullname?']);
    expect(read(['Name Blorb', PERSONS], ['Frump', PERSONS.toReversed()])).toEqual(['fullname?', '']);
  });
});

it('the table of names asks only for words that stand in the lists', () => {
  const read = (name: string) => readFileSync(`src/input/columns/${name}.txt`, 'utf8');
  const rules = [...read('name-rules').matchAll(/^\w+ ([^:#]+):/gm)].flatMap(([, words = '']) => words.split(' '));
  const labels = [...`${read('headers')}${read('kinds-of-words')}`.matchAll(/^(\w+)[^:#]*: |\/(\w+)/gm)];
  const known = new Set([
    'unknown',
    'done',
    'somebody',
    'numbered',
    'silent',
    ...labels.flatMap(([, ...label]) => label),
  ]);
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.filter((word) => !known.has(word.replace('-', '')))).toEqual([]);
});

describe('columns without names', () => {
  it('columns without names are an address if they stand side by side', () => {
    expect(read(['', STREETS], ['', CODES], ['', TOWNS])).toEqual(['street', 'postal_code', 'city']);
  });
  it('columns without names are first and last name by the given names, in either order', () => {
    expect(read(['', FIRST], ['', LAST])).toEqual(['first_name?', 'last_name?']);
    expect(read(['B', LAST], ['C', FIRST])).toEqual(['last_name?', 'first_name?']);
  });
  it('the work as each customer calls it is the text, if no other column is', () => {
    const own = ['quadro novo', '3 tomadas sala', 'luz wc não dá', 'placa indução, instalar'];
    expect(read(['Serviço', own])).toEqual(['request_text']);
    expect(read(['Serviço', own], ['Mensagem', NEEDS])).toEqual(['category', 'request_text']);
    expect(read(['Serviço', ['quadro', 'tomadas', 'luz wc', 'placa']])).toEqual(['category']);
  });
  it('columns without names are asked about if two are alike', () => {
    expect(read(['', NEEDS], ['Column 2', NEEDS.toReversed()])).toEqual(['request_text?', '']);
  });
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

  it('of a set that was judged blind, three rows a header, nothing is taken wrongly for certain', () => {
    const { wrong, certain, foundOrAsked } = measured('fresh8');
    expect(wrong).toEqual([]);
    expect(certain).toBeGreaterThan(0.8);
    expect(foundOrAsked).toBeGreaterThan(0.95);
  });

  it.each(['fresh11', 'fresh12', 'fresh13'])(
    'of %s, an ordinary set that was judged blind, nothing is taken wrongly for certain',
    (set) => {
      const { wrong, certain, foundOrAsked } = measured(set);
      expect(wrong).toEqual([]);
      expect(certain).toBeGreaterThan(0.85);
      expect(foundOrAsked).toBeGreaterThan(0.95);
    },
  );

  it('of fresh14, a set of ordinary and odd files that was judged blind, one column is taken wrongly for certain', () => {
    const { wrong, certain, foundOrAsked } = measured('fresh14');
    expect(wrong).toEqual(['assurance-sinistres-reparation: NATURE']);
    expect(certain).toBeGreaterThan(0.83);
    expect(foundOrAsked).toBeGreaterThan(0.94);
  });

  it('of two odd sets that were judged blind, three columns are taken wrongly for certain, and no telephone or e-mail', () => {
    const odd = ['fresh9', 'fresh10'].map((part) => measured(part));
    expect(odd.flatMap(({ wrong }) => wrong)).toEqual([
      'odoo-crm-lead-api-at: name',
      'gestionale-danea-preventivi-ti: Cod.',
      'officina-moesa-servizi-extra-clienti: lavoro auto',
    ]);
    expect(Math.min(...odd.map(({ certain }) => certain))).toBeGreaterThan(0.73);
    expect(Math.min(...odd.map(({ foundOrAsked }) => foundOrAsked))).toBeGreaterThan(0.92);
  });

  it('real header rows are understood nearly as well by three rows as by all', () => {
    const few = SETS.map((part) => measured(part, { most: 3 }));
    expect(few.flatMap(({ wrong }) => wrong).length).toBeLessThanOrEqual(2);
    expect(Math.min(...few.map(({ certain }) => certain))).toBeGreaterThan(0.8);
  });
});

describe('whose a column is', () => {
  const PERSONS = ['Ana Pinto', 'Rui Costa', 'Marta Lima', 'João Reis', 'Sofia Pires', 'Pedro Matos', 'Luís Sá'];
  const OTHERS = ['Inês Vaz', 'Hugo Melo', 'Rita Paz', 'Nuno Sá', 'Eva Luz', 'Marco Rei', 'Dora Mota'];
  const PHONES = PERSONS.map((_, at) => `+351 91 234 56 7${at}`);
  const EMAILS = PERSONS.map((_, at) => `pessoa${at}@example.com`);
  const NEEDS = PERSONS.map((_, at) => `Parede ${at} da sala pintada de branco, por dentro`);
  const TOWNS = ['Lisboa', 'Porto', 'Braga', 'Faro', 'Aveiro', 'Évora', 'Sintra'];
  const SHORT = PERSONS.map((_, at) => ['paga tarde', 'vip', 'pede fatura'][at % 3] ?? '');
  const KINDS = PERSONS.map((_, at) => ['Pintura', 'Limpeza', 'Mudanças'][at % 3] ?? '');

  type Column = readonly [name: string, cells: readonly string[]];

  /** Reads columns of rows in Portugal: `phone` is certain, `phone?` asked about, `phone!` asked about because it is left out. */
  function read(...columns: readonly Column[]): string[] {
    const { readings, plain } = understandColumns({
      columns: columns.map(([name]) => name),
      cells: columns.map(([, cells]) => cells),
      market: parseMarket('PT'),
    });
    return columns.map((_, at) => {
      const of = readings.find(({ index }) => index === at);
      const missed = plain.find(({ index }) => index === at);
      return of ? `${of.meaning}${of.level === 'likely' ? '?' : ''}` : missed ? `${missed.field}!` : '';
    });
  }

  describe('the only contact of a file under the name of somebody else', () => {
    it.each([
      ['Tlm vizinho (chaves)', PHONES],
      ['Tel. Schlüsselträger', PHONES],
      ['Keyholder phone', PHONES],
      ['Telefon Schlüssel', PHONES],
      ['Key phone', PHONES],
      ['Tlm chaves', PHONES],
      ['Next of kin', PHONES],
      ['Téléphone de la nounou', PHONES],
      ['Tel. ET', PHONES],
      ['Tel. w.p.', PHONES],
      ['Accountant e-mail', EMAILS],
      ['Recommended by (email)', EMAILS],
      ['E-mail du voisin', EMAILS],
    ])("%s, the only contact under somebody else's name, is asked about", (name, cells) => {
      expect(read([name, cells], ['Nome', OTHERS], ['Pedido', NEEDS])[0]).toMatch(/^(?:phone|email)[?!]$/);
    });
  });

  describe('a contact that its name doubts', () => {
    it.each([
      'Phone do not call',
      'Wrong phone',
      'Phone (invalid)',
      'Our phone',
      'Old phone',
      'Telefon alt',
      'Previous phone',
      'Backup phone',
      'Alternate phone',
      'Delivery phone',
      'Unser Telefon',
      'Telefone antigo',
    ])('%s, a contact that its name doubts, is asked about if it is the only one', (name) => {
      expect(read([name, PHONES], ['Nome', OTHERS])).toEqual(['phone?', 'fullname']);
    });
    it.each(['Old email', 'Secondary email'])('%s is asked about if it is the only contact', (name) => {
      expect(read([name, EMAILS])).toEqual(['email?']);
    });
    it.each([
      ['Telefon vor Ort', 'phone?'],
      ['Gate phone', 'phone?'],
      ['Site phone', 'phone?'],
      ['Wrong phone', 'phone?'],
      ['Alternate phone', 'phone'],
    ])('%s, a contact that its name doubts, beside another one is %s', (name, reading) => {
      const other = PHONES.map((each) => each.replace('91', '93'));
      expect(read([name, PHONES], ['Telefon', other])).toEqual([reading, 'phone']);
      expect(read(['Telefon', other], [name, PHONES])).toEqual(['phone', reading]);
    });
  });

  it.each(['post_code', 'Post Code', 'post code', 'customer_post_code'])('%s is the postal code', (name) => {
    expect(read([name, PERSONS.map((_, at) => `1000-00${at + 1}`)])).toEqual(['postal_code']);
  });

  describe('a contact of somebody whom the name column does not mean', () => {
    it.each([
      ['Telefon Eltern', 'Name'],
      ['Telefon Eltern', 'Schülername'],
      ['Tlm. encarregado de educação', 'Nome'],
      ['Caller phone', 'Tenant name'],
      ['Tenant phone', 'Name'],
    ])('%s beside the name %s is asked about', (name, person) => {
      expect(read([name, PHONES], [person, OTHERS])[0]).toBe('phone?');
    });
    it.each([
      ['Telefon Eltern', 'Elternteil'],
      ['Handy Eltern', 'Erziehungsberechtigte/r'],
      ['Tel. Mieter', 'Mieter'],
    ])('%s beside the name %s is certain', (name, person) => {
      expect(read([name, PHONES], [person, OTHERS])).toEqual(['phone', 'fullname']);
    });
  });

  it.each([
    ...['Telefon Eltern', 'Parent phone', 'Tenant phone', 'Caller phone', 'Melder Telefon', 'Tlm inquilino'],
    ...['Recipient phone', 'Bride phone', 'Telefon Baustelle', 'Tlm obra', 'Co-applicant phone', 'Family phone'],
  ])('%s is not taken unasked where the number of the customer is empty', (name) => {
    const others = PHONES.map((each) => each.replace('91', '93'));
    const [phone, other] = read(['Telefone', ['', ...PHONES.slice(1)]], [name, others], ['Nome', OTHERS]);
    expect([phone, other]).toEqual(['phone', expect.stringMatching(/^phone[?!]$/)]);
  });

  describe('notes', () => {
    const ABOUT = PERSONS.map((_, at) => `Kunde seit ${2010 + at}, zahlt spät und hat einen Hund`);
    it.each(['Notes', 'Notizen', 'Comments', 'Bemerkungen', 'Kommentar', 'Observações', 'Remarques', 'Note'])(
      '%s may be notes about the customer: asked about, and left out beside a text',
      (name) => {
        for (const cells of [ABOUT, NEEDS, SHORT]) expect(read([name, cells])[0]).toBe('notes?');
        expect(read([name, ABOUT], ['Pedido', NEEDS])[1]).toBe('request_text');
      },
    );
  });

  it.each(['Owner', 'Halter', 'Dono', 'Propriétaire', 'Padrone'])(
    '%s of a pet is asked about, and the pet left out',
    (name) => {
      const pets = OTHERS.map((each) => each.split(' ')[0] ?? '');
      expect(read(['Animal', pets], [name, PERSONS])).toEqual(['', 'fullname?']);
    },
  );

  it('a word for both a village and a country is what its cells say', () => {
    expect(read(['Paese', TOWNS])).toEqual(['city']);
    expect(read(['Paese di residenza', PERSONS.map((_, at) => (at % 2 ? 'Svizzera' : 'Italia'))])).toEqual(['country']);
  });

  describe('the only persons of a file', () => {
    it.each(['Halter', 'Propietario', 'Account holder', 'Mitglied', 'Angehörige/r'])(
      '%s as the only persons are asked about',
      (name) => {
        expect(read([name, PERSONS], ['Telefone', PHONES])).toEqual(['fullname?', 'phone']);
      },
    );
  });

  it('the same few names again and again are never the customer', () => {
    const few = (cells: readonly string[]) => PERSONS.map((_, at) => cells[at % 2] ?? '');
    expect(read(['Contact desk', few(PHONES)], ['Helper mail', few(EMAILS)])).toEqual(['', '']);
  });

  it('a second number that is empty in all rows that were looked at is used all the same: later ones may have it', () => {
    const empty = PHONES.map(() => '');
    expect(read(['Telefone', PHONES], ['Telemóvel', empty])).toEqual(['phone', 'phone']);
    expect(read(['Nome', OTHERS], ['Nome completo', empty])).toEqual(['fullname', '']);
  });

  it("a pupil's name is not the customer's", () => {
    const names = OTHERS.map((name) => name.split(' ')[0] ?? '');
    expect(read(["What's the student's first name?", names], ["Parent's full name", PERSONS])).toEqual([
      '',
      'fullname',
    ]);
  });

  it('notes about the customer are never the kind of service', () => {
    expect(read(['Notes about the customer', SHORT])).toEqual(['notes?']);
    expect(read(['Observações internas', SHORT])[0]).not.toContain('category');
  });

  describe('what stands in brackets counts more than the label before it', () => {
    const [first, last] = [0, 1].map((half) => PERSONS.map((name) => name.split(' ')[half] ?? ''));
    it.each([
      ['Your Name (First)', 'Your Name (Last)'],
      ['Name (Vorname)', 'Name (Nachname)'],
      ['Votre nom (Prénom)', 'Votre nom (Nom)'],
      ['Su nombre (Nombre)', 'Su nombre (Apellidos)'],
    ])('the words in brackets count more than the label before: %s and %s', (one, other) => {
      expect(read([one, first ?? []], [other, last ?? []])).toEqual(['first_name', 'last_name']);
    });
    it('words in brackets count more than the label, also behind a question', () => {
      expect(read(['Where is the work? (City)', TOWNS])).toEqual(['city']);
      expect(read(['Post Id', PERSONS.map((_, at) => `${4000 + 7 * at}`)])[0]).not.toContain('postal_code');
    });
  });

  describe('what is no reference', () => {
    const amounts = PERSONS.map((_, at) => `${(at + 2) * 350}`);
    const decimals = PERSONS.map((_, at) => `${at + 1}480.00`);
    it.each(['Presupuesto', 'Devis', 'Angebot', 'Orçamento'])('%s with amounts is not a reference', (name) => {
      expect([read([name, amounts]), read([name, decimals])]).toEqual([[''], ['']]);
    });
    it.each(['Quote', 'Angebot', 'Offer', 'Order', 'Deal', 'Auftrag'])(
      '%s with large amounts is not a reference',
      (name) => {
        const mixed = ['1200', '850.5', '430', '99', '2310', '745', '60'];
        expect(read([name, mixed])).toEqual(['']);
        expect(read([name, mixed.map((each) => each.replace('.5', ''))])).toEqual(['']);
      },
    );
    it('an amount under a known name is not a reference', () => {
      expect(read(['Reference', ['1200', '850.5', '430', '99']])).toEqual(['']);
    });
    it('a question for the place, a kind of service and a constant are not references', () => {
      expect(read(['Em que localidade precisa do serviço?', TOWNS])).toEqual(['city']);
      expect(read(['Servicio solicitado', KINDS])[0]).toMatch(/^category/);
      expect(read(['Reference', PERSONS.map(() => 'web-2026')])).toEqual(['']);
    });
    it('a number to call somebody is not a reference, though some of the cells are no numbers', () => {
      const numbers = PHONES.map((each, at) => (at % 2 ? '35127004539' : each));
      expect(read(["What's the best number to call you on?", numbers])[0]).toMatch(/^phone/);
    });
    it('the number of a work order is a reference, and no place', () => {
      expect(read(['WO #', PERSONS.map((_, at) => `WO-118${at}`)])[0]).toMatch(/^ref/);
    });
  });

  it('names of persons beat those of companies and subjects', () => {
    const companies = PERSONS.map((_, at) => `Obras ${at} Lda`);
    const subjects = PERSONS.map((_, at) => `Kitchen refit ${['oak', 'pine', 'ash'][at % 3]}`);
    expect(read(['Name', companies], ['Contact', PERSONS])).toEqual(['', 'fullname']);
    expect(read(['name', subjects], ['contact_name', PERSONS])).toEqual(['', 'fullname']);
  });

  it('a part of a country is no place beside a postal code', () => {
    const regions = PERSONS.map((_, at) => ['Bayern', 'Hessen', 'Sachsen'][at % 3] ?? '');
    expect(read(['Código postal', PERSONS.map((_, at) => `1000-00${at + 1}`)], ['Bundesland', regions])).toEqual([
      'postal_code',
      '',
    ]);
    expect(read(['Bundesland', regions])).toEqual(['location?']);
  });

  it('a need on site is never a place without a question, and plain digits without a name are no number to call', () => {
    const short = PERSONS.map((_, at) => `Torneira ${['a pingar', 'partida', 'solta'][at % 3]} sala ${'abcdefg'[at]}`);
    expect(read(['Anliegen vor Ort', short])).not.toEqual(['city']);
    expect(read(['Office city', TOWNS])).toEqual(['']);
    expect(read(['', PERSONS.map((_, at) => `91234567${at}`)])).toEqual(['phone?']);
  });

  it('the place where a lead goes is not where the customer is', () => {
    expect(read(['Pick-up town', TOWNS], ['Drop-off town', TOWNS.toReversed()])).toEqual(['city', '']);
  });

  describe('languages beyond the six', () => {
    it.each([
      ['Naam', 'Telefoonnummer', 'E-mailadres', 'Woonplaats', 'Omschrijving'],
      ['Namn', 'Mobilnummer', 'E-postadress', 'Postort', 'Beskrivning'],
      ['Navn', 'Telefonnr.', 'E-mail', 'Poststed', 'Beskrivelse'],
      ['Nimi', 'Puhelinnumero', 'Sähköposti', 'Kaupunki', 'Kuvaus'],
      ['Imię i nazwisko', 'Telefon', 'Adres e-mail', 'Miejscowość', 'Opis'],
    ])('columns in another language, %s, %s, %s, %s, %s, are understood', (...names) => {
      const cells = [PERSONS, PHONES, EMAILS, TOWNS, NEEDS];
      const columns = names.map((name, at): Column => [name, cells[at] ?? []]);
      expect(read(...columns)).toEqual(['fullname', 'phone', 'email', 'city', 'request_text']);
    });
  });
});
