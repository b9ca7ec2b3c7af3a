import { describe, expect, test, vi } from 'vitest';
import type { ContentProfile } from '../../../src/input/columns/content.ts';
import { understandColumns } from '../../../src/input/columns/understand.ts';
import { atValues, profile } from './profile.ts';

const asked = vi.hoisted(() => ({ most: 0 }));

// A column's only cell is its profile, so that every share can be given as it is at a bound.
vi.mock('../../../src/input/columns/content.ts', () => ({
  profileOf: ([cell = '']: readonly string[], _: unknown, most: number): ContentProfile => {
    asked.most = most;
    return JSON.parse(cell);
  },
}));

type Shares = Partial<ContentProfile>;
type Share = keyof ContentProfile;
type Column = readonly [header: string, shares: Shares];

/** Reads columns: `phone` is certain, `phone?` likely, `` left out. */
function read(...columns: readonly Column[]): string[] {
  const cells = columns.map(([, shares]) => [JSON.stringify(profile(shares))]);
  const { readings } = understandColumns({ columns: columns.map(([name]) => name), cells, market: undefined });
  const of = (at: number) => readings.find(({ index }) => index === at);
  return columns.map((_, at) => `${of(at)?.meaning ?? ''}${of(at)?.level === 'likely' ? '?' : ''}`);
}

const PHONES: Shares = { phone: 1, phoneShape: 1, writtenAsPhone: 1 };
const EMAILS: Shares = { email: 1 };
const TEXTS: Shares = { longText: 1, hasSpace: 1, medianLength: 40 };
const PERSONS: Shares = { wordsOnly: 1, givenName: 1 };
const STREETS: Shares = { streetLike: 1, streetWord: 1 };
const PLACES: Shares = { placeLike: 1 };
const FIRST: Shares = { oneWord: 1, givenName: 1, medianLength: 6 };
const LAST: Shares = { oneWord: 1, medianLength: 6 };
/** A column that leaves every field open. */
const OTHER: Column = ['Blorb', {}];

describe('the only column of its kind', () => {
  test.each<[string, Shares, Share, string]>([
    ['Email blorb', EMAILS, 'distinct', '0.69 email?, 0.7 email'],
    ['Email blorb', EMAILS, 'email', '0.79 email?, 0.8 email'],
    ['Email blorb', EMAILS, 'filled', '4 email?, 5 email'],
    ['', EMAILS, 'filled', '2 email?, 3 email'],
    ['Phone blorb', PHONES, 'distinct', '0.69 phone?, 0.7 phone'],
    ['Phone blorb', PHONES, 'phone', '0.79 phone?, 0.8 phone'],
    ['', { ...PHONES, phone: 0.95 }, 'writtenAsPhone', '0.49 phone?, 0.5 phone'],
    ['Message blorb', TEXTS, 'distinct', '0.39 request_text?, 0.4 request_text'],
    ['Message blorb', { ...TEXTS, longText: 0.89 }, 'distinct', '0.59 request_text?, 0.6 request_text'],
    ['Message blorb', { ...TEXTS, distinct: 0.5 }, 'longText', '0.89 request_text?, 0.9 request_text'],
    ['Message blorb', TEXTS, 'hasSpace', '0.79 request_text?, 0.8 request_text'],
    ['Name blorb', PERSONS, 'distinct', '0.69 fullname?, 0.7 fullname'],
    ['Name blorb', { ...PERSONS, oneWord: 0.6 }, 'wordsOnly', '0.39 fullname?, 0.4 fullname'],
    ['Name blorb', PERSONS, 'givenName', '0.29 fullname?, 0.3 fullname'],
    ['Zip blorb', {}, 'postalCode', '0.79 postal_code?, 0.8 postal_code'],
    ['Zip blorb', { postalCode: 1 }, 'distinct', '0.14 postal_code?, 0.15 postal_code'],
    ['Street blorb', STREETS, 'streetWord', '0.39 street?, 0.4 street'],
    ['City blorb', {}, 'town', '0.24 city?, 0.25 city'],
    ['Address blorb', {}, 'placeLike', '0.69 location?, 0.7 location'],
    ['Address blorb', {}, 'town', '0.29 location?, 0.3 location'],
    ['Address blorb', { streetLike: 0.4 }, 'streetWord', '0.39 location?, 0.4 location'],
    ['Country blorb', {}, 'country', '0.89 country?, 0.9 country'],
    ['Reference blorb', {}, 'distinct', '0.94 ref?, 0.95 ref'],
    ['Reference blorb', {}, 'phoneShape', '0.49 ref, 0.5 ref?'],
    ['Recording blorb', {}, 'recording', '0.89 audio_file?, 0.9 audio_file'],
  ])('%j with %j is certain by its share %s: %s', (header, shares, share, answers) => {
    const expected = atValues(answers);
    expect(expected.map(([value]) => [value, read([header, { ...shares, [share]: value }])[0]])).toEqual(expected);
  });

  test.each<[string, Shares, Shares, Share, string]>([
    ['Email blorb', EMAILS, { distinct: 0.3 }, 'email', '0.29 email, 0.3 email?'],
    ['Email blorb', EMAILS, { email: 0.3 }, 'distinct', '0.29 email, 0.3 email?'],
    ['Phone blorb', PHONES, { writtenAsPhone: 0.2 }, 'phone', '0.49 phone, 0.5 phone?'],
    ['Phone blorb', PHONES, { phone: 0.5 }, 'writtenAsPhone', '0.19 phone, 0.2 phone?'],
    ['Phone blorb', PHONES, { phone: 0.5, writtenAsPhone: 0.2 }, 'distinct', '0.29 phone, 0.3 phone?'],
    ['Message blorb', TEXTS, { ...TEXTS, distinct: 0.25 }, 'longText', '0.49 request_text, 0.5 request_text?'],
    ['Name blorb', PERSONS, { ...PERSONS, distinct: 0.3 }, 'givenName', '0.29 fullname, 0.3 fullname?'],
    ['Name blorb', PERSONS, PERSONS, 'distinct', '0.29 fullname, 0.3 fullname?'],
    ['Zip blorb', { postalCode: 1 }, {}, 'postalCode', '0.59 postal_code, 0.6 postal_code?'],
    ['Street blorb', STREETS, { streetLike: 0.4 }, 'streetWord', '0.39 street, 0.4 street?'],
    ['City blorb', { town: 1 }, {}, 'town', '0.24 city, 0.25 city?'],
    ['Address blorb', PLACES, {}, 'placeLike', '0.49 location, 0.5 location?'],
    ['Address blorb', PLACES, {}, 'town', '0.24 location, 0.25 location?'],
    ['Country blorb', { country: 1 }, {}, 'country', '0.59 country, 0.6 country?'],
    ['Reference blorb', {}, {}, 'distinct', '0.94 ref, 0.95 ref?'],
    ['Reference blorb', {}, {}, 'url', '0.29 ref?, 0.3 ref'],
    ['Recording blorb', { recording: 1 }, {}, 'recording', '0.29 audio_file, 0.3 audio_file?'],
  ])('%j with %j is asked about beside another column with %j by its share %s: %s', (...row) => {
    const [header, shares, other, share, answers] = row;
    const expected = atValues(answers);
    const beside = (value: number) => read([header, shares], ['Zyx Frump date', { ...other, [share]: value }])[0];
    expect(expected.map(([value]) => [value, beside(value)])).toEqual(expected);
  });

  test('is so beside columns of others, of srq, without cells, and with another meaning', () => {
    const email: Column = ['Email blorb', EMAILS];
    expect(read(email, ['Frump date', EMAILS])[0]).toBe('email?');
    expect(read(email, ['Agent email', EMAILS])[0]).toBe('email');
    expect(read(email, ['srq_message', EMAILS])[0]).toBe('email');
    expect(read(email, ['Frump date', { ...EMAILS, filled: 0 }])[0]).toBe('email');
    expect(read(['Reference blorb', {}], ['Phone', PHONES])).toEqual(['ref', 'phone']);
    expect(read(['Reference blorb', {}], ['Frump date', {}])).toEqual(['ref?', '']);
  });

  test('is so beside one of the same person: of the same unknown words, or side by side without names', () => {
    expect(read(['Blorb tel1', PHONES], ['Blorb tel2', PHONES])).toEqual(['phone', 'phone']);
    expect(read(['Blorb tel1', PHONES], ['Frump tel2', PHONES])).toEqual(['phone?', 'phone?']);
    expect(read(['', PHONES], ['', PHONES])).toEqual(['phone', 'phone']);
    expect(read(['', PHONES], OTHER, ['', PHONES])).toEqual(['phone?', '', 'phone?']);
    expect(read(['', EMAILS], ['', EMAILS])).toEqual(['email', 'email']);
    expect(read(['', PHONES], ['Frump', PHONES])).toEqual(['phone?', 'phone?']);
    for (const share of ['phone', 'email'] as const) {
      const code = (value: number): Column => ['', { postalCode: 1, [share]: value }];
      const of = (value: number) => read(['Street', STREETS], code(value), ['', { postalCode: 1 }])[1];
      expect([of(0.49), of(0.5)]).toEqual(['postal_code?', 'postal_code']);
    }
  });
});

describe('a column without a name', () => {
  test('is certain as a part of an address only beside another one', () => {
    const code: Column = ['', { postalCode: 1 }];
    expect(read(code)).toEqual(['postal_code?']);
    expect(read(code, ['City', { town: 1 }])).toEqual(['postal_code', 'city']);
    expect(read(['City', { town: 1 }], code)).toEqual(['city', 'postal_code']);
    expect(read(code, OTHER, ['City', { town: 1 }])).toEqual(['postal_code?', '', 'city']);
    expect(read(code, ['Country', { country: 1 }])).toEqual(['postal_code?', 'country']);
    expect(read(['', STREETS], ['City', { town: 1 }])).toEqual(['street', 'city']);
    expect(read(['', STREETS])).toEqual(['street?']);
  });

  test.each<[Share, string]>([
    ['town', '0.59 city?, 0.6 city'],
    ['distinct', '0.39 city?, 0.4 city'],
  ])('is certain as the town by its share %s: %s', (share, answers) => {
    const expected = atValues(answers);
    const towns = { oneWord: 1, town: 0.7, distinct: 0.5 };
    expect(expected.map(([value]) => [value, read(['', { ...towns, [share]: value }])[0]])).toEqual(expected);
  });

  test('is certain as the text, and under a question only if it is clearly a text', () => {
    expect(read(['', TEXTS])).toEqual(['request_text']);
    expect(read(['Blorb frump?', TEXTS])).toEqual(['request_text']);
    expect(read(['Blorb frump?', { ...TEXTS, longText: 0.79, distinct: 0.6 }])).toEqual(['request_text?']);
    expect(read(['Blorb frump', TEXTS])).toEqual(['request_text?']);
    expect(read(['Blorb frump?', EMAILS])).toEqual(['email?']);
  });
});

describe('first and last name', () => {
  const named = (first: Shares, last: Shares = LAST) => read(['First blorb name', first], ['Last blorb name', last]);

  test('are certain together if the names and the contents say so', () => {
    expect(named(LAST)).toEqual(['first_name', 'last_name']);
    expect(named({})).toEqual(['first_name?', 'last_name?']);
    expect(named(LAST, {})).toEqual(['first_name?', 'last_name?']);
    expect(read(['First blorb name', LAST])).toEqual(['first_name?']);
  });

  test.each<[string, Share, string]>([
    ['first', 'filled', '2 no, 3 sure'],
    ['last', 'filled', '2 no, 3 sure'],
    ['first', 'givenName', '0.3 sure'],
    ['last', 'givenName', '0.49 sure'],
    ['last', 'distinct', '0.39 no, 0.4 sure'],
  ])('are certain together without names by the %s, and its share %s: %s', (which, share, answers) => {
    const expected = atValues(answers);
    const found = expected.map(([value]) => {
      const changed = { [share]: value };
      const pair = read(
        ['', { ...FIRST, ...(which === 'first' ? changed : {}) }],
        ['', { ...LAST, ...(which === 'last' ? changed : {}) }],
      );
      return [value, pair.join() === 'first_name,last_name' ? 'sure' : 'no'];
    });
    expect(found).toEqual(expected);
  });

  test('are asked about beside a whole name, or another of the same', () => {
    const pair: readonly Column[] = [
      ['First blorb name', LAST],
      ['Last blorb name', LAST],
    ];
    expect(read(...pair, ['Frump full name', { wordsOnly: 1 }]).slice(0, 2)).toEqual(['first_name?', 'last_name?']);
    expect(read(...pair, ['Frump surname', LAST]).slice(0, 2)).toEqual(['first_name?', 'last_name?']);
  });
});

test('a reading says that it is the only one, and columns that nobody read are told by their content', () => {
  const understood = (...columns: readonly Column[]) =>
    understandColumns({
      columns: columns.map(([name]) => name),
      cells: columns.map(([, shares]) => [JSON.stringify(profile(shares))]),
      market: undefined,
    });
  expect(understood(['Email blorb', EMAILS]).readings[0]?.because).toBe(
    'name, 10 of 10 are e-mail addresses, the only such column',
  );
  const { plain } = understood(
    ['Agent', EMAILS],
    ['Invoice date', PHONES],
    ['Company', TEXTS],
    ['srq_message', TEXTS],
    ['Agent x', {}],
  );
  expect(plain).toEqual([
    { index: 0, field: 'email', isOthers: true },
    { index: 1, field: 'phone', isOthers: true },
    { index: 2, field: 'request_text', isOthers: true },
  ]);
});

test.each([
  [1, 100_000],
  [3, 33_333],
  [4_000, 25],
  [5_000, 20],
  [6_000, 20],
])('of %d columns together 100,000 cells are examined, but twenty of each at least', (columns, most) => {
  read(...Array.from({ length: columns }, (): Column => ['', {}]));
  expect(asked.most).toBe(most);
});
