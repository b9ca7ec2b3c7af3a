import { describe, expect, it } from 'vitest';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import { parseMarket } from '../../../src/request/lead/markets.ts';

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
    ['Next of kin', PHONES],
    ['Téléphone de la nounou', PHONES],
    ['Accountant e-mail', EMAILS],
    ['Recommended by (email)', EMAILS],
    ['E-mail du voisin', EMAILS],
  ])('%s is asked about, however alone it is', (name, cells) => {
    expect(read([name, cells], ['Nome', OTHERS], ['Pedido', NEEDS])[0]).toMatch(/^(?:phone|email)[?!]$/);
  });
});

describe('the only persons of a file', () => {
  it.each(['Halter', 'Propietario', 'Account holder', 'Mitglied', 'Angehörige/r'])('%s are asked about', (name) => {
    expect(read([name, PERSONS], ['Telefone', PHONES])).toEqual(['fullname?', 'phone']);
  });
});

it('the same few again and again are never the customer, whatever they are called', () => {
  const few = (cells: readonly string[]) => PERSONS.map((_, at) => cells[at % 2] ?? '');
  expect(read(['Contact desk', few(PHONES)], ['Helper mail', few(EMAILS)])).toEqual(['', '']);
  expect(read(['Telefone', few(PHONES)], ['E-mail', few(EMAILS)])).toEqual(['phone?', 'email?']);
});

it("a pupil's name is not the customer's", () => {
  const names = OTHERS.map((name) => name.split(' ')[0] ?? '');
  expect(read(["What's the student's first name?", names], ["Parent's full name", PERSONS])).toEqual(['', 'fullname']);
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
  ])('%s and %s', (one, other) => {
    expect(read([one, first ?? []], [other, last ?? []])).toEqual(['first_name', 'last_name']);
  });
  it('also behind a question', () => {
    expect(read(['Where is the work? (City)', TOWNS])).toEqual(['city']);
    expect(read(['Post Id', PERSONS.map((_, at) => `${4000 + 7 * at}`)])[0]).not.toContain('postal_code');
  });
});

describe('what is no reference', () => {
  const amounts = PERSONS.map((_, at) => `${(at + 2) * 350}`);
  const decimals = PERSONS.map((_, at) => `${at + 1}480.00`);
  it.each(['Presupuesto', 'Devis', 'Angebot', 'Orçamento'])('%s with amounts', (name) => {
    expect([read([name, amounts]), read([name, decimals])]).toEqual([[''], ['']]);
  });
  it('a question for the place, the kind of service, and a constant', () => {
    expect(read(['Em que localidade precisa do serviço?', TOWNS])).toEqual(['city']);
    expect(read(['Servicio solicitado', KINDS])[0]).toMatch(/^category/);
    expect(read(['Reference', PERSONS.map(() => 'web-2026')])).toEqual(['']);
  });
  it('but the number of a work order is one, and no place', () => {
    expect(read(['WO #', PERSONS.map((_, at) => `WO-118${at}`)])[0]).toMatch(/^ref/);
  });
});

it('names of persons beat those of companies and subjects', () => {
  const companies = PERSONS.map((_, at) => `Obras ${at} Lda`);
  const subjects = PERSONS.map((_, at) => `Kitchen refit ${['oak', 'pine', 'ash'][at % 3]}`);
  expect(read(['Name', companies], ['Contact', PERSONS])).toEqual(['', 'fullname']);
  expect(read(['name', subjects], ['contact_name', PERSONS])).toEqual(['', 'fullname']);
});

it('where the lead goes is not where the customer is', () => {
  expect(read(['Pick-up town', TOWNS], ['Drop-off town', TOWNS.toReversed()])).toEqual(['city', '']);
});

describe('languages beyond the six', () => {
  it.each([
    ['Naam', 'Telefoonnummer', 'E-mailadres', 'Woonplaats', 'Omschrijving'],
    ['Namn', 'Mobilnummer', 'E-postadress', 'Postort', 'Beskrivning'],
    ['Navn', 'Telefonnr.', 'E-mail', 'Poststed', 'Beskrivelse'],
    ['Nimi', 'Puhelinnumero', 'Sähköposti', 'Kaupunki', 'Kuvaus'],
    ['Imię i nazwisko', 'Telefon', 'Adres e-mail', 'Miejscowość', 'Opis'],
  ])('%s, %s, %s, %s, %s', (...names) => {
    const cells = [PERSONS, PHONES, EMAILS, TOWNS, NEEDS];
    const columns = names.map((name, at): Column => [name, cells[at] ?? []]);
    expect(read(...columns)).toEqual(['fullname', 'phone', 'email', 'city', 'request_text']);
  });
});
