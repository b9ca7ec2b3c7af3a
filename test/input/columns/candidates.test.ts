import { describe, expect, test } from 'vitest';
import {
  asNameParts,
  asPlaceParts,
  byStrength,
  type Candidate,
  candidatesByName,
  type Look,
  withHouseNumber,
  withoutEmpty,
  withoutRivals,
} from '../../../src/input/columns/candidates.ts';
import type { ContentProfile } from '../../../src/input/columns/content.ts';
import { type NameEvidence, nameEvidence } from '../../../src/input/columns/name-evidence.ts';
import type { NamedMeaning } from '../../../src/input/columns/named-column.ts';
import type { FieldOrPart } from '../../../src/request/field-aliases.ts';
import { atValues, profile } from './profile.ts';

type Shares = Partial<ContentProfile>;
type Share = keyof ContentProfile;

const SAYS_NOTHING = nameEvidence('');

function look(header: string, shares: Shares = {}, name: Partial<NameEvidence> = {}, index = 0): Look {
  return { index, header, name: { ...nameEvidence(header), ...name }, seen: profile(shares), isOwn: false };
}

const PERSONS: Shares = { wordsOnly: 1, givenName: 1 };
const PHONES: Shares = { phone: 1, phoneShape: 1, writtenAsPhone: 1 };
const TEXTS: Shares = { longText: 1, medianLength: 40, hasSpace: 1 };
const REPEATED: Shares = { distinct: 0.39 };
/** For each meaning a content that shows it. */
const SHOWN = {
  email: { email: 1 },
  phone: PHONES,
  postal_code: { postalCode: 1 },
  country: { country: 1 },
  lang: { language: 1 },
  fullname: { wordsOnly: 1 },
  first_name: { oneWord: 1 },
  last_name: { oneWord: 1 },
  street: { streetLike: 1 },
  house_number: { digits: 1, medianLength: 3 },
  city: { town: 1 },
  location: { placeLike: 1 },
  request_text: TEXTS,
  notes: TEXTS,
  category: { distinct: 0.5, clientele: 0.3 },
  ref: {},
  audio_file: { recording: 1 },
} satisfies Record<FieldOrPart, Shares>;
const ALL = Object.keys(SHOWN) as FieldOrPart[];

/** How sure a name of this strength is, whose column holds this. */
function level(
  meaning: FieldOrPart,
  strength: NamedMeaning['strength'],
  shares: Shares,
  { rank = 30, ...name }: Partial<NameEvidence> & { rank?: number } = {},
): string {
  const meanings = [{ meaning, strength, rank }];
  const [found] = candidatesByName(look('x y z', shares, { ...SAYS_NOTHING, meanings, ...name }));
  return found?.level ?? 'left out';
}
/** The meanings of which this is true. */
const those = (of: (meaning: FieldOrPart) => string, wanted: string) =>
  ALL.filter((meaning) => of(meaning) === wanted).join(' ');

describe('a name whose words are all understood', () => {
  test('is certain if the content shows it, and if there is none', () => {
    expect(those((meaning) => level(meaning, 'plain', SHOWN[meaning]), 'certain')).toBe(ALL.join(' '));
    expect(those((meaning) => level(meaning, 'plain', { filled: 0 }), 'certain')).toBe(ALL.join(' '));
  });

  test('is asked about where the content only allows a name or a place, and left out where it contradicts', () => {
    expect([level('fullname', 'plain', {}), level('location', 'plain', {})]).toEqual(['likely', 'likely']);
    expect([level('city', 'plain', {}), level('first_name', 'plain', {})]).toEqual(['certain', 'certain']);
    expect(level('phone', 'plain', { phoneShape: 0 })).toBe('left out');
  });

  test('is asked about where the same few persons, numbers or addresses occur again and again', () => {
    const again = (meaning: FieldOrPart) => level(meaning, 'plain', { ...SHOWN[meaning], ...REPEATED });
    expect(those(again, 'likely')).toBe('email phone fullname');
    expect([level('phone', 'plain', { ...PHONES, distinct: 0.4 })]).toEqual(['certain']);
  });

  test.each<[FieldOrPart, Shares, Share, string]>([
    ['ref', PHONES, 'writtenAsPhone', '0.49 certain, 0.5 likely'],
    ['ref', PHONES, 'phone', '0.79 certain, 0.8 likely'],
    ['request_text', { medianLength: 16 }, 'longText', '0.09 likely, 0.1 certain'],
    ['request_text', {}, 'medianLength', '4 likely, 16 likely, 17 certain'],
  ])('as %s with %j by its share %s: %s', (meaning, shares, share, answers) => {
    const expected = atValues(answers);
    expect(expected.map(([value]) => [value, level(meaning, 'plain', { ...shares, [share]: value })])).toEqual(
      expected,
    );
  });
});

describe('a name that is understood in part', () => {
  test.each(['slip', 'part', 'hint'] as const)('tells nothing of an empty column: %s', (strength) => {
    expect(those((meaning) => level(meaning, strength, { filled: 0 }), 'left out')).toBe(ALL.join(' '));
  });

  test('means a telephone only where there are numbers', () => {
    expect(level('phone', 'part', { phoneShape: 1 })).toBe('left out');
    expect(level('email', 'part', { email: 0.2 })).toBe('likely');
  });

  test('is left out where the same few persons, numbers or addresses occur again and again', () => {
    const again = (meaning: FieldOrPart) => level(meaning, 'part', { ...SHOWN[meaning], ...REPEATED });
    expect(those(again, 'left out')).toBe('email phone fullname ref');
  });

  test('is asked about as a hint, if the content shows it', () => {
    expect(those((meaning) => level(meaning, 'hint', SHOWN[meaning]), 'likely')).toBe(ALL.join(' '));
    expect(level('request_text', 'hint', {})).toBe('left out');
  });

  test('is certain after a slip was mended if the content can only be that', () => {
    expect(those((meaning) => level(meaning, 'slip', SHOWN[meaning]), 'certain')).toBe(
      'email phone postal_code country lang request_text audio_file',
    );
    const persons = (meaning: FieldOrPart) => level(meaning, 'slip', PERSONS);
    expect([persons('fullname'), persons('first_name'), persons('last_name')]).toEqual([
      'certain',
      'certain',
      'likely',
    ]);
    expect(level('postal_code', 'slip', { postalCode: 0.2 })).toBe('likely');
  });

  test('is certain if all words are known and the content can only be that', () => {
    const SPECIFIC = 'postal_code country lang request_text audio_file';
    expect(those((meaning) => level(meaning, 'part', SHOWN[meaning]), 'certain')).toBe(SPECIFIC);
    expect(those((meaning) => level(meaning, 'part', SHOWN[meaning], { rank: 59 }), 'certain')).toBe(SPECIFIC);
    expect(those((meaning) => level(meaning, 'part', SHOWN[meaning], { rank: 60 }), 'certain')).toBe('');
    expect(those((meaning) => level(meaning, 'part', SHOWN[meaning], { unknown: 'blorb' }), 'certain')).toBe('');
    expect(level('postal_code', 'part', { postalCode: 0.2 })).toBe('likely');
  });

  test('is certain in a question about what hardly depends on its other words', () => {
    const asked = (meaning: FieldOrPart) =>
      level(meaning, 'part', SHOWN[meaning], { isQuestion: true, unknown: 'blorb' });
    expect(those(asked, 'certain')).toBe('email phone first_name last_name street city location request_text');
  });

  test('is no reference where it can be called', () => {
    expect([level('ref', 'part', PHONES), level('ref', 'part', {})]).toEqual(['left out', 'likely']);
  });

  test('is the kind of service where a few values are repeated, and the name is understood', () => {
    const few: Shares = { distinct: 0.5 };
    expect(level('category', 'part', few)).toBe('certain');
    expect(level('category', 'part', few, { unknown: 'blorb' })).toBe('likely');
    expect(level('category', 'part', few, { isSubject: true })).toBe('likely');
    expect(level('category', 'part', { distinct: 0.7 })).toBe('likely');
    expect(level('ref', 'part', { ...few, filled: 2 })).toBe('likely');
  });
});

describe('a name that is known', () => {
  const KNOWN = {
    Email: 'email',
    Location: 'location',
    Category: 'category',
    Country: 'country',
    City: 'city',
    Fullname: 'fullname',
    'First name': 'first_name',
    'Last name': 'last_name',
    Message: 'request_text',
    Reference: 'ref',
    Phone: 'phone',
  } as const;
  type Name = keyof typeof KNOWN;
  const isTaken = (name: Name, shares: Shares) =>
    candidatesByName(look(name, shares, { meanings: [] })).map(({ meaning, by, level }) => [meaning, by, level])
      .length > 0
      ? 'taken'
      : 'left';

  test.each(Object.entries(KNOWN))('%s is the %s for certain, also of an empty column', (name, meaning) => {
    for (const filled of [0, 10]) {
      const [found] = candidatesByName(look(name, { ...SHOWN[meaning], filled }, { meanings: [] }));
      expect(found).toMatchObject({ meaning, level: 'certain', by: 'known name', because: 'known name', index: 0 });
    }
  });

  test.each<[Name, Shares, Share, string]>([
    ['Location', {}, 'url', '0.49 taken, 0.5 left'],
    ['Category', {}, 'url', '0.89 taken, 0.9 left'],
    ['Fullname', {}, 'email', '0.79 taken, 0.8 left'],
    ['Fullname', { filled: 1 }, 'email', '0.79 taken, 0.8 left'],
    ['Email', { ...PHONES, filled: 2 }, 'writtenAsPhone', '0.99 taken, 1 left'],
    ['Email', { ...PHONES, writtenAsPhone: 0.9 }, 'filled', '2 taken, 3 left'],
    ['City', { date: 1 }, 'filled', '2 taken, 3 left'],
    ['City', {}, 'date', '0.89 taken, 0.9 left'],
    ['City', {}, 'yesNo', '0.89 taken, 0.9 left'],
    ['Category', {}, 'clientele', '0.59 taken, 0.6 left'],
    ['City', {}, 'clientele', '0.6 taken, 0.89 taken'],
    ['Country', {}, 'town', '0.39 taken, 0.4 left'],
    ['Category', {}, 'town', '0.5 taken, 1 taken'],
    ['Fullname', {}, 'codeLike', '0.89 taken, 0.9 left'],
    ['Fullname', {}, 'digits', '0.89 taken, 0.9 left'],
    ['First name', {}, 'digits', '0.6 taken, 0.9 taken'],
    ['City', {}, 'givenName', '0.49 taken, 0.5 left'],
    ['Category', {}, 'givenName', '0.49 taken, 0.5 taken'],
    ['Fullname', {}, 'town', '0.39 taken, 0.4 left'],
    ['First name', { medianLength: 31 }, 'town', '0.39 taken, 0.4 left'],
    ['Last name', { medianLength: 31 }, 'town', '0.39 taken, 0.4 left'],
    ['Category', { medianLength: 61 }, 'town', '0.39 taken, 0.4 taken'],
    ['Email', {}, 'distinct', '0.1 left, 0.11 taken'],
    ['Email', { distinct: 0.1 }, 'email', '0 left, 0.1 taken'],
    ['Phone', {}, 'distinct', '0.1 taken, 0.11 taken'],
    ['Message', { codeLike: 1 }, 'filled', '4 taken, 5 left'],
    ['Message', {}, 'codeLike', '0.89 taken, 0.9 left'],
    ['Message', { codeLike: 1 }, 'distinct', '0.94 taken, 0.95 left'],
    ['City', { codeLike: 1 }, 'distinct', '0.94 taken, 0.95 taken'],
    ['Reference', {}, 'date', '0.8 taken, 1 taken'],
  ])('%s with %j is not taken for certain where the cells are clearly something else, by %s: %s', (...row) => {
    const [name, shares, share, answers] = row;
    const expected = atValues(answers);
    expect(expected.map(([value]) => [value, isTaken(name, { ...shares, [share]: value })])).toEqual(expected);
  });

  test('is another one with a mark that says so', () => {
    const by = (header: string) => candidatesByName(look(header)).map((each) => each.by)[0];
    expect(['#', ' # ', 'locale', 'Enquiry'].map(by)).toEqual(Array(4).fill('known name'));
    expect(['_locale', 'Enquiry #'].map(by)).not.toContain('known name');
  });

  test('counts for a column of others too, of which its words tell nothing', () => {
    const meanings: NamedMeaning[] = [{ meaning: 'phone', strength: 'plain', rank: 30 }];
    const of = (header: string) => candidatesByName(look(header, PHONES, { meanings, isOthers: true }));
    expect([of('Phone').length, of('Agent xyz').length]).toEqual([2, 0]);
    expect(candidatesByName({ ...look('Phone', PHONES), isOwn: true })).toEqual([]);
  });

  test('comes with its reasons, and after the same words of an earlier column', () => {
    const [found] = candidatesByName(look('Blorb mobile', PHONES, {}, 7));
    expect(found).toMatchObject({
      because: 'name, 10 of 10 are telephone numbers',
      by: 'part of the name',
      rank: 20.0007,
    });
    expect(candidatesByName(look('Cellular phone', { ...PHONES, filled: 0 }))[0]?.because).toBe('name');
  });
});

/** A reading of a column. */
function candidate(
  meaning: FieldOrPart,
  index: number,
  more: Partial<Candidate> & { shares?: Shares; header?: string } = {},
): Candidate {
  const { shares = {}, header = '', ...rest } = more;
  return {
    meaning,
    index,
    level: 'certain',
    rank: 30,
    because: 'name',
    fit: 'shows',
    by: 'plain name',
    look: look(header, shares, {}, index),
    ...rest,
  };
}
const meaningsOf = (candidates: readonly Candidate[]) => candidates.map(({ meaning, index }) => `${index} ${meaning}`);

test('a known name is stronger than any other, then what the content shows, then how much of the name is understood', () => {
  const order: Candidate[] = [
    ...(['shows', 'allows', 'none', 'contradicts'] as const).map((fit) =>
      candidate('ref', 0, { by: 'known name', fit }),
    ),
    ...(['shows', 'allows', 'none', 'contradicts'] as const).flatMap((fit) =>
      (['plain name', 'part of the name', 'content'] as const).map((by) => candidate('ref', 0, { by, fit })),
    ),
  ];
  for (const [at, each] of order.entries()) {
    for (const [other, against] of order.entries())
      expect(Math.sign(byStrength(each, against))).toBe(Math.sign(at - other));
  }
});

describe('a column without content', () => {
  const empty = { shares: { filled: 0 } };
  test('gives way to one of the same meaning, but not where several make sense', () => {
    for (const [meaning, left] of [
      ['ref', ['1 ref']],
      ['fullname', ['1 fullname']],
      ['phone', ['0 phone', '1 phone']],
      ['email', ['0 email', '1 email']],
      ['last_name', ['0 last_name', '1 last_name']],
    ] as const) {
      expect(meaningsOf(withoutEmpty([candidate(meaning, 0, empty), candidate(meaning, 1)]))).toEqual(left);
    }
    expect(meaningsOf(withoutEmpty([candidate('ref', 0, empty), candidate('city', 1)]))).toEqual(['0 ref', '1 city']);
    expect(meaningsOf(withoutEmpty([candidate('ref', 0, empty), candidate('ref', 1, empty)]))).toHaveLength(2);
  });

  test('for a whole name gives way to the halves', () => {
    for (const half of ['first_name', 'last_name'] as const) {
      expect(meaningsOf(withoutEmpty([candidate('fullname', 0, empty), candidate(half, 1)]))).toEqual([`1 ${half}`]);
      expect(meaningsOf(withoutEmpty([candidate(half, 0, empty), candidate('fullname', 1)]))).toHaveLength(2);
    }
  });
});

describe('a column called only "name"', () => {
  const bare = (index: number, shares: Shares = {}) => candidate('fullname', index, { header: 'name', shares });
  const read = (...all: readonly Candidate[]) => meaningsOf(asNameParts(all));

  test('is the other half of a name, unless its cells are whole names', () => {
    expect(read(bare(0), candidate('last_name', 1))).toEqual(['0 first_name', '1 last_name']);
    expect(read(bare(0), candidate('first_name', 1))).toEqual(['0 last_name', '1 first_name']);
    expect(read(bare(0, { wordsOnly: 0.84 }), candidate('first_name', 1))[0]).toBe('0 last_name');
    expect(read(bare(0, { wordsOnly: 0.85 }), candidate('first_name', 1))[0]).toBe('0 fullname');
    expect(read(candidate('fullname', 0, { header: 'full name' }), candidate('first_name', 1))[0]).toBe('0 fullname');
    expect(read(candidate('ref', 0, { header: 'name' }), bare(2), candidate('first_name', 1))[0]).toBe('0 ref');
  });

  test('is whole beside both halves', () => {
    expect(read(bare(0), candidate('first_name', 1), candidate('last_name', 2))[0]).toBe('0 fullname');
  });

  test('is half of a name if two stand side by side with one word in each cell', () => {
    const words = (index: number, oneWord = 0.7) => bare(index, { oneWord });
    expect(read(words(3), words(4))).toEqual(['3 last_name', '4 first_name']);
    expect(read(words(3), words(5))).toEqual(['3 fullname', '5 fullname']);
    expect(read(words(4), words(3))).toEqual(['4 fullname', '3 fullname']);
    expect(read(words(3), words(4, 0.69))).toEqual(['3 fullname', '4 fullname']);
    expect(read(words(3), words(4), words(5))).toEqual(['3 fullname', '4 fullname', '5 fullname']);
    expect(read(words(3), bare(4, { oneWord: 1, filled: 0 }))).toEqual(['3 fullname', '4 fullname']);
    expect(read(words(3), candidate('fullname', 4, { header: 'full name', shares: { oneWord: 1 } }))).toEqual([
      '3 fullname',
      '4 fullname',
    ]);
    expect(read(words(3))).toEqual(['3 fullname']);
  });
});

test('half of a name without the other half is a whole one where the cells are names of persons', () => {
  const read = (meaning: FieldOrPart, shares: Shares) =>
    meaningsOf(asNameParts([candidate(meaning, 0, { shares })]))[0];
  const halves = { oneWord: 0.4, givenName: 1 };
  expect(read('last_name', { ...halves, wordsOnly: 0.6 })).toBe('0 fullname');
  expect(read('first_name', { ...halves, wordsOnly: 0.6 })).toBe('0 fullname');
  expect(read('last_name', { ...halves, wordsOnly: 0.59 })).toBe('0 last_name');
  expect(read('last_name', { wordsOnly: 1 })).toBe('0 last_name');
  expect(read('ref', PERSONS)).toBe('0 ref');
});

describe('an address', () => {
  const read = (address: Candidate, ...others: readonly Candidate[]) => asPlaceParts([address, ...others])[0];
  const address = (more: Parameters<typeof candidate>[2] = {}) => candidate('location', 0, more);

  test('is the street beside the town or the postal code, after all streets by name', () => {
    for (const other of ['city', 'postal_code'] as const) {
      expect(read(address(), candidate(other, 1))).toMatchObject({ meaning: 'street', rank: 130 });
    }
    expect(read(address(), candidate('street', 1))).toMatchObject({ meaning: 'location', rank: 30 });
    expect(read(candidate('ref', 0), candidate('city', 1))).toMatchObject({ meaning: 'ref', rank: 30 });
  });

  test.each('Address|Morada|Endereço|Dirección|Domicilio|Adresse|Anschrift|Indirizzo'.split('|'))(
    'is so also by the known name %s, unlike a location',
    (header) => {
      const of = (name: string) => read(address({ by: 'known name', header: name }), candidate('city', 1))?.meaning;
      expect([of(header), of('Location'), of('Lieu')]).toEqual(['street', 'location', 'location']);
    },
  );

  test('is the town where it holds towns and no other column does', () => {
    const of = (shares: Shares, other: FieldOrPart = 'postal_code') =>
      read(address({ shares }), candidate(other, 1))?.meaning;
    expect([of({ town: 0.3 }), of({ town: 0.29 }), of({ town: 0.3 }, 'city')]).toEqual(['city', 'street', 'street']);
    for (const share of ['streetLike', 'streetWord'] as const)
      expect([of({ town: 1, [share]: 0.29 }), of({ town: 1, [share]: 0.3 })]).toEqual(['city', 'street']);
  });
});

describe('a number behind the street', () => {
  const number = (header: string, index: number, shares: Shares = { digits: 1, medianLength: 2 }) =>
    look(header, shares, {}, index);
  const read = (candidates: readonly Candidate[], ...looks: readonly Look[]) =>
    withHouseNumber(candidates, looks).map(({ meaning, index, level }) => `${index} ${meaning} ${level}`);
  const street = candidate('street', 2, { level: 'likely' });

  test('is the house number, as certain as the street', () => {
    const ref = candidate('ref', 3);
    expect(read([street, ref], number('No', 3))).toEqual(['2 street likely', '3 house_number likely']);
    expect(read([candidate('street', 2)], number('No', 3))).toEqual(['2 street certain', '3 house_number certain']);
  });

  test('is none elsewhere, by another name, with another content, or without a street', () => {
    expect(read([street], number('No', 4))).toEqual(['2 street likely']);
    expect(read([street], number('No', 1))).toEqual(['2 street likely']);
    expect(read([street], number('Blorb', 3))).toEqual(['2 street likely']);
    expect(read([street], number('No', 3, { medianLength: 7, digits: 1 }))).toEqual(['2 street likely']);
    expect(read([], number('No', 0))).toEqual([]);
  });
});

describe('of several columns for one field', () => {
  const read = (...all: readonly Candidate[]) =>
    withoutRivals(all).map(({ meaning, index, level, because }) => `${index} ${meaning} ${level} ${because}`);
  const alike = 'name; another column looks alike';
  const again = 'name; the same few again and again';

  test('the certain one is kept, then the stronger, the fuller, the earlier', () => {
    const likely = { level: 'likely' } as const;
    expect(read(candidate('city', 0, likely), candidate('city', 1))).toEqual(['1 city certain name']);
    expect(read(candidate('city', 0, { fit: 'allows' }), candidate('city', 1))).toEqual(['1 city certain name']);
    expect(read(candidate('city', 0, { shares: { filled: 9 } }), candidate('city', 1))).toEqual([
      '1 city certain name',
    ]);
    expect(read(candidate('city', 1), candidate('city', 0))).toEqual(['0 city certain name']);
    expect(read(candidate('city', 0), candidate('ref', 1))).toHaveLength(2);
    const texts = [20, 41].map((medianLength, at) =>
      candidate('request_text', at, { shares: { medianLength, filled: 10 - at } }),
    );
    expect(read(...texts)).toEqual(['1 request_text certain name']);
  });

  test('all with a known name are kept, and no others beside them', () => {
    const known = { by: 'known name' } as const;
    expect(read(candidate('city', 0, known), candidate('city', 1, known), candidate('city', 2))).toEqual([
      '0 city certain name',
      '1 city certain name',
    ]);
  });

  test.each<[FieldOrPart, number]>([
    ['phone', 2],
    ['email', 2],
    ['last_name', 2],
    ['first_name', 1],
    ['street', 1],
  ])('as %s %d are kept', (meaning, count) => {
    expect(read(candidate(meaning, 0), candidate(meaning, 1))).toHaveLength(count);
  });

  test('those with unknown words give way to the others, and are asked about if they are repeated', () => {
    const strange = { by: 'part of the name' } as const;
    const plain = candidate('phone', 0);
    expect(read(plain, candidate('phone', 1, strange))).toEqual(['0 phone certain name']);
    expect(read(candidate('phone', 0, { by: 'known name' }), candidate('phone', 1, strange))).toHaveLength(1);
    expect(
      read(candidate('phone', 0, strange), candidate('phone', 1, { ...strange, shares: { distinct: 0.3 } })),
    ).toEqual(['0 phone certain name', `1 phone likely ${again}`]);
  });

  test('two that are as good are asked about: names, references, and texts of which one is more than half as long', () => {
    for (const meaning of ['fullname', 'ref'] as const)
      expect(read(candidate(meaning, 0), candidate(meaning, 1))).toEqual([`0 ${meaning} likely ${alike}`]);
    expect(read(candidate('city', 0), candidate('city', 1))).toEqual(['0 city certain name']);
    expect(read(candidate('ref', 0), candidate('ref', 1, { level: 'likely' }))).toEqual(['0 ref certain name']);
    expect(read(candidate('ref', 0), candidate('ref', 1, { fit: 'allows' }))).toEqual(['0 ref certain name']);
    const text = (at: number, medianLength: number) => candidate('request_text', at, { shares: { medianLength } });
    expect(read(text(0, 40), text(1, 21))).toEqual([`0 request_text likely ${alike}`]);
    expect(read(text(0, 40), text(1, 20))).toEqual(['0 request_text certain name']);
  });

  test('the text is the one whose name and content both say so, beside one of which the content does not', () => {
    const known = candidate('request_text', 0, { by: 'known name', fit: 'allows' });
    const of = (more: Parameters<typeof candidate>[2], first = known) =>
      read(first, candidate('request_text', 1, more)).map((each) => each.slice(0, 1));
    expect(of({})).toEqual(['1']);
    expect(of({ fit: 'allows' })).toEqual(['0']);
    expect(of({ by: 'part of the name' })).toEqual(['0']);
    expect(of({}, { ...known, fit: 'shows' })).toEqual(['0']);
    expect(
      read(candidate('ref', 0, { by: 'known name', fit: 'allows' }), candidate('ref', 1)).map((each) =>
        each.slice(0, 1),
      ),
    ).toEqual(['0']);
  });
});

describe('a name of another person', () => {
  const likely = { level: 'likely' } as const;
  const read = (...all: readonly Candidate[]) => meaningsOf(withoutRivals(all));
  const halves = [candidate('first_name', 1), candidate('last_name', 2)];
  const both = ['1 first_name', '2 last_name'];

  test('is a whole one that is asked about, beside two certain halves', () => {
    expect(read(candidate('fullname', 0, likely), ...halves)).toEqual(both);
    expect(read(candidate('fullname', 0, { header: 'customer' }), ...halves)).toEqual(both);
    expect(read(candidate('fullname', 0), ...halves)).toEqual(['0 fullname', ...both]);
    for (const unsure of [0, 1]) {
      const one = halves.map((each, at) => (at === unsure ? { ...each, ...likely } : each));
      expect(read(candidate('fullname', 0, likely), ...one)).toContain('0 fullname');
    }
  });

  test('is a single half that is asked about, beside a certain whole one', () => {
    for (const half of ['first_name', 'last_name'] as const) {
      expect(read(candidate('fullname', 0), candidate(half, 1, likely))).toEqual(['0 fullname']);
      expect(read(candidate('fullname', 0), candidate(half, 1))).toEqual(['0 fullname', `1 ${half}`]);
      expect(read(candidate('fullname', 0, likely), candidate(half, 1, likely))).toEqual(['0 fullname', `1 ${half}`]);
    }
    expect(read(candidate('fullname', 0), ...halves.map((each) => ({ ...each, ...likely })))).toHaveLength(3);
    expect(read(candidate('fullname', 0), candidate('ref', 1, likely))).toEqual(['0 fullname', '1 ref']);
  });
});
