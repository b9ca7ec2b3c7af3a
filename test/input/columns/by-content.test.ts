import { describe, expect, test } from 'vitest';
import {
  byContentAlone,
  isTaken,
  longestText,
  namePair,
  region,
  townBeside,
} from '../../../src/input/columns/by-content.ts';
import { type Candidate, guessed, type Look } from '../../../src/input/columns/candidates.ts';
import type { ContentProfile } from '../../../src/input/columns/content.ts';
import { nameEvidence } from '../../../src/input/columns/name-evidence.ts';
import type { FieldOrPart } from '../../../src/request/field-aliases.ts';
import { atValues, profile } from './profile.ts';

type Shares = Partial<ContentProfile>;
type Share = keyof ContentProfile;

/** A column without a name, or with one. */
function look(index: number, shares: Shares = {}, header = ''): Look {
  return { index, header, name: nameEvidence(header), seen: profile(shares), isOwn: false };
}
const known = (meaning: FieldOrPart, index = 99): Candidate => guessed(look(index), meaning, 'test');
const told = (found: readonly Candidate[]) => found.map(({ index, meaning }) => `${index} ${meaning}`);
const meaningOf = (shares: Shares, header = '') =>
  byContentAlone([look(0, shares, header)], [])[0]?.meaning ?? 'nothing';

const PHONES: Shares = { phone: 1, phoneShape: 1, writtenAsPhone: 1 };
const EMAILS: Shares = { email: 1 };
const TEXTS: Shares = { longText: 1, hasSpace: 1, medianLength: 40 };
const PLACES: Shares = { placeLike: 1 };
const STREETS: Shares = { streetLike: 1, streetWord: 1, placeLike: 0.49 };
const PERSONS: Shares = { wordsOnly: 1, givenName: 1 };
const FIRST: Shares = { oneWord: 1, givenName: 1, medianLength: 6 };
const LAST: Shares = { oneWord: 1, medianLength: 6 };

test.each<[string, Shares]>([
  ['email', EMAILS],
  ['phone', PHONES],
  ['request_text', TEXTS],
  ['street', STREETS],
  ['location', PLACES],
  ['postal_code', { postalCode: 1 }],
  ['lang', { language: 1 }],
  ['country', { country: 1 }],
  ['audio_file', { recording: 1 }],
  ['fullname', PERSONS],
  ['nothing', { country: 1, language: 1 }],
])('a column without a name is the %s if its content is %j', (meaning, shares) => {
  expect(meaningOf(shares)).toBe(meaning);
});

test.each<[Shares, Share, string]>([
  [{ streetLike: 0.7 }, 'medianLength', '35 street, 36 nothing'],
  [{}, 'streetLike', '0.69 nothing, 0.7 street'],
  [{ streetLike: 0.4, medianLength: 36 }, 'streetWord', '0.59 nothing, 0.6 street'],
  [{ streetWord: 0.6 }, 'streetLike', '0.39 nothing, 0.4 street'],
  [STREETS, 'date', '0.19 street, 0.2 nothing'],
  [STREETS, 'amount', '0.19 street, 0.2 nothing'],
  [STREETS, 'placeLike', '0.49 street, 0.5 nothing, 0.6 location'],
  [PLACES, 'placeLike', '0.59 nothing, 0.6 location'],
  [PLACES, 'digits', '0.19 location, 0.2 nothing'],
  [PLACES, 'medianLength', '80 location, 81 nothing'],
  [{}, 'postalCode', '0.79 nothing, 0.8 postal_code'],
  [{ postalCode: 1 }, 'distinct', '0.15 nothing, 0.16 postal_code'],
  [{}, 'language', '0.89 nothing, 0.9 lang'],
  [{ language: 1 }, 'filled', '2 nothing, 3 lang'],
  [{ language: 1 }, 'yesNo', '0.49 lang, 0.5 nothing'],
  [{ language: 1 }, 'country', '0.89 lang, 0.9 nothing'],
  [{}, 'country', '0.89 nothing, 0.9 country'],
  [{ country: 1 }, 'filled', '2 nothing, 3 country'],
  [{ country: 1 }, 'language', '0.89 country, 0.9 nothing'],
  [{}, 'recording', '0.79 nothing, 0.8 audio_file'],
  [PERSONS, 'distinct', '0.69 nothing, 0.7 fullname'],
  [PERSONS, 'medianLength', '30 fullname, 31 nothing'],
  [PERSONS, 'longText', '0.49 fullname, 0.5 nothing'],
  [{ ...PERSONS, givenName: 0.2 }, 'town', '0.2 fullname, 0.21 nothing'],
  [{ givenName: 1, oneWord: 0.7 }, 'wordsOnly', '0.29 nothing, 0.3 fullname'],
  [{ oneWord: 0.4 }, 'wordsOnly', '0.59 nothing, 0.6 fullname'],
  [{ givenName: 1, wordsOnly: 0.4 }, 'oneWord', '0.39 nothing, 0.4 fullname'],
  [EMAILS, 'filled', '0 nothing, 1 email'],
  [{ ...EMAILS, distinct: 0.39 }, 'filled', '5 email, 6 nothing'],
  [{ postalCode: 1, distinct: 0.39 }, 'filled', '5 postal_code, 6 postal_code'],
])('a column without a name and with %j, by its share %s: %s', (shares, share, answers) => {
  const expected = atValues(answers);
  expect(expected.map(([value]) => [value, meaningOf({ ...shares, [share]: value })])).toEqual(expected);
});

test('consecutive numbers are no postal codes', () => {
  expect(meaningOf({ postalCode: 1, isSequence: true })).toBe('nothing');
});

describe('a name with unknown words', () => {
  test.each([
    ['Blorb', 'email phone request_text'],
    ['Agent', ''],
    ['Invoice date', ''],
  ])('%s leaves open only what is clear by itself: %j', (header, left) => {
    const all = [EMAILS, PHONES, TEXTS, STREETS, PLACES, { postalCode: 1 }, { language: 1 }, { country: 1 }, PERSONS];
    expect(all.map((shares) => meaningOf(shares, header)).filter((each) => each !== 'nothing')).toEqual(
      left === '' ? [] : left.split(' '),
    );
  });

  test('is not asked about where the column is of srq, or has a meaning', () => {
    expect(byContentAlone([{ ...look(0, EMAILS), isOwn: true }], [])).toEqual([]);
    expect(byContentAlone([look(0, EMAILS)], [known('ref', 0)])).toEqual([]);
    expect([isTaken([known('ref', 3)], 3), isTaken([known('ref', 3)], 2), isTaken([], 3)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test.each<[string, Shares, string]>([
  ['email', EMAILS, 'email'],
  ['phone', PHONES, 'phone'],
  ['request_text', TEXTS, 'request_text'],
  ['street', STREETS, 'street location'],
  ['postal_code', { postalCode: 1 }, 'postal_code location'],
  ['lang', { language: 1 }, 'lang'],
  ['country', { country: 1 }, 'country'],
  ['audio_file', { recording: 1 }, 'audio_file'],
  ['fullname', PERSONS, 'fullname first_name last_name'],
])('a %s is not looked for where others give it', (_, shares, givenBy) => {
  const all: FieldOrPart[] =
    'email phone request_text street house_number postal_code city location lang country audio_file fullname first_name last_name ref category notes'.split(
      ' ',
    ) as FieldOrPart[];
  const not = all.filter((meaning) => byContentAlone([look(0, shares)], [known(meaning)]).length === 0);
  expect([...not].sort()).toEqual(givenBy.split(' ').sort());
});

test('whole addresses are the location, or the town beside the street, or nothing', () => {
  const beside = (...meanings: FieldOrPart[]) =>
    told(
      byContentAlone(
        [look(0, PLACES)],
        meanings.map((meaning) => known(meaning)),
      ),
    );
  expect(beside()).toEqual(['0 location']);
  expect(beside('street')).toEqual(['0 city']);
  for (const other of ['location', 'city', 'postal_code'] as const) expect(beside(other)).toEqual([]);
});

test('of several columns without names all numbers and addresses are taken, and of other things the first', () => {
  const two = (shares: Shares) => told(byContentAlone([look(0, shares), look(1, shares)], []));
  expect(two(PHONES)).toEqual(['0 phone', '1 phone']);
  expect(two(EMAILS)).toEqual(['0 email', '1 email']);
  expect(two({ postalCode: 1 })).toEqual(['0 postal_code']);
});

test('numbers in plain digits are left where another column has numbers as people dial them', () => {
  const plain = look(0, { ...PHONES, writtenAsPhone: 0.19 });
  expect(told(byContentAlone([plain, look(1, { ...PHONES, writtenAsPhone: 0.2, phone: 0.95 })], []))).toEqual([
    '1 phone',
  ]);
  expect(told(byContentAlone([plain, look(1, { ...PHONES, writtenAsPhone: 0 })], []))).toEqual(['0 phone', '1 phone']);
});

test('what is guessed says why, and comes after what is named', () => {
  expect(byContentAlone([look(4, PHONES)], [])).toEqual([
    expect.objectContaining({
      because: '10 of 10 are telephone numbers',
      rank: 80.0004,
      level: 'likely',
      fit: 'shows',
      by: 'content',
    }),
  ]);
  expect(byContentAlone([look(0, { ...PLACES })], [known('street')])[0]?.because).toBe('its content');
});

describe('the longest texts', () => {
  const nearly = (index: number, medianLength: number, header = '') =>
    look(index, { ...TEXTS, longText: 0.5, medianLength }, header);

  test('are the description of what is needed', () => {
    const looks = [nearly(0, 20), nearly(1, 30), nearly(2, 25), look(3, { medianLength: 99 })];
    expect(longestText(looks, [])).toEqual([
      expect.objectContaining({ index: 1, meaning: 'request_text', because: 'the longest texts of the file' }),
    ]);
    expect(told(longestText(looks, [known('ref', 1)]))).toEqual(['2 request_text']);
    expect(longestText([], [])).toEqual([]);
  });

  test('are not where another column is, or if they are of others or of something else', () => {
    for (const meaning of ['request_text', 'notes', 'audio_file'] as const)
      expect(longestText([nearly(0, 30)], [known(meaning)])).toEqual([]);
    expect(told(longestText([nearly(0, 30)], [known('category')]))).toEqual(['0 request_text']);
    expect(longestText([nearly(0, 30, 'Agent'), nearly(1, 30, 'Invoice date')], [])).toEqual([]);
    expect(told(longestText([nearly(0, 30, 'Blorb')], []))).toEqual(['0 request_text']);
    expect(longestText([{ ...nearly(0, 30), isOwn: true }], [])).toEqual([]);
  });
});

describe('a town without a name', () => {
  const word: Shares = { oneWord: 1 };
  const read = (shares: Shares, readings: readonly Candidate[] = [], header = '') =>
    told(townBeside([look(1, shares, header)], readings)).length > 0 ? 'town' : 'nothing';

  test.each<[Shares, Share, string]>([
    [word, 'town', '0.24 nothing, 0.25 town'],
    [{ ...word, town: 0.3 }, 'givenName', '0.3 town, 0.31 nothing'],
    [{ town: 0.3, oneWord: 0.59 }, 'wordsOnly', '0 nothing, 0.01 town'],
  ])('is known by %j and its share %s: %s', (shares, share, answers) => {
    const expected = atValues(answers);
    expect(expected.map(([value]) => [value, read({ ...shares, [share]: value })])).toEqual(expected);
  });

  test('is known beside the postal code, by short names of which many differ', () => {
    for (const at of [0, 2]) expect(read(word, [known('postal_code', at)])).toBe('town');
    expect([read(word, [known('postal_code', 3)]), read(word, [known('street', 0)]), read(word)]).toEqual(
      Array(3).fill('nothing'),
    );
    const beside = (shares: Shares) => read({ ...word, ...shares }, [known('postal_code', 0)]);
    expect([beside({ oneWord: 0.5, wordsOnly: 0.5 }), beside({ oneWord: 0.49, wordsOnly: 0.5 })]).toEqual([
      'town',
      'nothing',
    ]);
    expect([beside({ distinct: 0.4 }), beside({ distinct: 0.39 })]).toEqual(['town', 'nothing']);
  });

  test('is not looked for beside another place, and not under a name', () => {
    const towns: Shares = { ...word, town: 1 };
    for (const meaning of ['city', 'location'] as const) expect(read(towns, [known(meaning)])).toBe('nothing');
    expect(read(towns, [known('ref', 1)])).toBe('nothing');
    expect([read(towns, [], 'Blorb'), read({ ...towns, filled: 0 }), read(towns)]).toEqual([
      'nothing',
      'nothing',
      'town',
    ]);
    expect(townBeside([{ ...look(1, towns), isOwn: true }], [])).toEqual([]);
    expect(townBeside([{ ...look(1, towns), name: { ...nameEvidence(''), isOthers: true } }], [])).toEqual([]);
  });

  test('is the column with most large towns', () => {
    const looks = [look(0, { ...word, town: 0.4 }), look(1, { ...word, town: 0.6 }), look(2, { ...word, town: 0.5 })];
    expect(townBeside(looks, [])).toEqual([expect.objectContaining({ index: 1, because: 'names of places' })]);
  });
});

describe('two columns of one word each', () => {
  const read = (...looks: readonly Look[]) => told(namePair(looks, []));
  const pair = ['0 first_name', '1 last_name'];

  test('are first and last name if they are neighbours and one has given names', () => {
    expect(read(look(0, FIRST), look(1, LAST))).toEqual(pair);
    expect(read(look(0, LAST), look(1, FIRST))).toEqual(['1 first_name', '0 last_name']);
    expect(read(look(0, FIRST), look(2, LAST))).toEqual([]);
    expect(read(look(0, FIRST))).toEqual([]);
    expect(read(look(0, LAST), look(1, LAST))).toEqual([]);
    expect(namePair([look(0, FIRST), look(1, LAST)], []).map(({ because }) => because)).toEqual([
      'given names',
      'words beside given names',
    ]);
    const three = [look(0, { ...FIRST, givenName: 0.7 }), look(1, FIRST), look(2, LAST)];
    expect(read(...three)).toEqual(['1 first_name', '2 last_name']);
  });

  test.each<[string, Shares, Share, string]>([
    ['first', {}, 'oneWord', '0.59 no, 0.6 pair'],
    ['first', {}, 'givenName', '0.29 no, 0.3 pair'],
    ['first', {}, 'distinct', '0.29 no, 0.3 pair'],
    ['first', {}, 'medianLength', '18 pair, 19 no'],
    ['first', {}, 'town', '0.29 pair, 0.3 no'],
    ['last', {}, 'givenName', '0.49 pair, 0.5 no'],
    ['last', {}, 'distinct', '0.29 no, 0.3 pair'],
    ['last', {}, 'medianLength', '18 pair, 19 no'],
    ['last', {}, 'town', '0.29 pair, 0.3 no'],
    ['last', {}, 'oneWord', '0.59 no, 0.6 pair'],
  ])('the %s with %j by its share %s: %s', (which, shares, share, answers) => {
    const expected = atValues(answers);
    const found = expected.map(([value]) => {
      const changed = { ...shares, [share]: value };
      // Beside words in some cells a column holds names, though not one word in each.
      const first = look(0, which === 'first' ? { ...FIRST, wordsOnly: 0.4, ...changed } : FIRST);
      const last = look(1, which === 'last' ? { ...LAST, ...changed } : LAST);
      return [value, read(first, last).length === 2 ? 'pair' : 'no'];
    });
    expect(found).toEqual(expected);
  });

  test('are none beside another name', () => {
    for (const meaning of ['fullname', 'first_name', 'last_name'] as const)
      expect(namePair([look(0, FIRST), look(1, LAST)], [known(meaning)])).toEqual([]);
    expect(told(namePair([look(0, FIRST), look(1, LAST)], [known('city')]))).toEqual(pair);
    expect(namePair([look(0, FIRST), look(1, LAST)], [known('city', 1)])).toEqual([]);
  });
});

describe('a part of a town or of a country', () => {
  const read = (shares: Shares, readings: readonly Candidate[] = [], header = 'Province') =>
    told(region([look(0, shares, header)], readings)).length > 0 ? 'place' : 'nothing';

  test('is the location if nothing is more precise', () => {
    expect([read({}), read({ filled: 0 }), read({}, [], 'Blorb'), read({}, [], 'Agent Province')]).toEqual([
      'place',
      'nothing',
      'nothing',
      'nothing',
    ]);
    expect(read({}, [], 'Province price')).toBe('nothing');
    for (const meaning of ['city', 'location'] as const) expect(read({}, [known(meaning)])).toBe('nothing');
    expect([read({}, [known('ref')]), read({}, [known('ref', 0)])]).toEqual(['place', 'nothing']);
    expect(read({ digits: 1 })).toBe('nothing');
    expect(region([look(0, {}, 'Province')], [])).toEqual([
      expect.objectContaining({
        meaning: 'location',
        because: 'the only place that the file names',
        by: 'part of the name',
      }),
    ]);
  });

  test('is taken if it is repeated, or beside parts of the address, only for large towns', () => {
    expect([read({ distinct: 0.3, town: 0.14 }), read({ distinct: 0.3, town: 0.15 })]).toEqual(['nothing', 'place']);
    for (const meaning of ['postal_code', 'street'] as const)
      expect([read({ town: 0.29 }, [known(meaning)]), read({ town: 0.3 }, [known(meaning)])]).toEqual([
        'nothing',
        'place',
      ]);
  });
});
