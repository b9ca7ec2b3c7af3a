import { describe, expect, test } from 'vitest';
import type { ContentProfile } from '../../../src/input/columns/content.ts';
import {
  contentReason,
  fitOf,
  holdsFewValues,
  holdsPersons,
  isNearlyText,
  isPersonRather,
  isPlainlyEmail,
  isPlainlyPhone,
  isPlainlyText,
  isRepeated,
  isStreet,
  isTownRather,
  plainlyElse,
} from '../../../src/input/columns/fit.ts';
import type { FieldOrPart } from '../../../src/request/field-aliases.ts';
import { atValues, profile } from './profile.ts';

type Shares = Partial<ContentProfile>;
type Share = keyof ContentProfile;

/** What belongs to no field, and from what share on it contradicts one. */
const ELSE = ['date', 'url', 'ip', 'yesNo', 'amount'] as const;
/** What contradicts a text or a name, with the last share that does not. */
const NO_TEXT: readonly (readonly [Share, string])[] = [
  ...ELSE.map((share) => [share, '0.79 shows, 0.8 contradicts'] as const),
  ['email', '0.29 shows, 0.3 contradicts'],
  ['phoneShape', '0.49 shows, 0.5 contradicts'],
  ['digits', '0.59 shows, 0.6 contradicts'],
  ['codeLike', '0.79 shows, 0.8 contradicts'],
  ['recording', '0.49 shows, 0.5 contradicts'],
  ['clientele', '0.49 shows, 0.5 contradicts'],
];
const ELSE_AND = (...more: readonly (readonly [Share, string])[]) => [
  ...ELSE.map((share) => [share, '0.79 shows, 0.8 contradicts'] as const),
  ...more,
];

/** A column that shows each meaning, and what it is at the bounds of its shares. */
const BOUNDS: readonly (readonly [FieldOrPart, Shares, readonly (readonly [Share, string])[]])[] = [
  ['email', {}, [['email', '0.19 contradicts, 0.2 allows, 0.59 allows, 0.6 shows']]],
  ['phone', { phoneShape: 1 }, [['phone', '0.49 allows, 0.5 shows']]],
  [
    'phone',
    { phone: 1, phoneShape: 1 },
    [
      ['phoneShape', '0.29 contradicts, 0.3 shows'],
      ['date', '0.49 shows, 0.5 contradicts'],
      ['ip', '0.49 shows, 0.5 contradicts'],
    ],
  ],
  ['postal_code', {}, [['postalCode', '0.09 contradicts, 0.1 allows, 0.59 allows, 0.6 shows']]],
  [
    'postal_code',
    { postalCode: 1 },
    ELSE_AND(['medianLength', '12 shows, 13 contradicts'], ['email', '0.29 shows, 0.3 contradicts']),
  ],
  ['postal_code', { postalCode: 0.05 }, [['filled', '2 allows, 3 contradicts']]],
  ['postal_code', { postalCode: 0.05 }, [['digits', '0.49 contradicts, 0.5 allows']]],
  ['country', {}, [['country', '0.19 contradicts, 0.2 allows, 0.59 allows, 0.6 shows']]],
  ['lang', {}, [['language', '0.19 contradicts, 0.2 allows, 0.59 allows, 0.6 shows']]],
  ['fullname', { wordsOnly: 0.3 }, [['oneWord', '0.29 allows, 0.3 shows']]],
  [
    'fullname',
    { wordsOnly: 1 },
    [
      ...NO_TEXT,
      ['medianLength', '40 shows, 41 allows, 45 allows, 46 contradicts'],
      ['town', '0.39 shows, 0.4 contradicts'],
    ],
  ],
  ['fullname', { wordsOnly: 1, town: 0.5 }, [['givenName', '0.49 contradicts, 0.5 shows']]],
  ['first_name', { wordsOnly: 1 }, [...NO_TEXT, ['medianLength', '30 shows, 31 contradicts']]],
  ['first_name', { oneWord: 0.3 }, [['wordsOnly', '0.29 allows, 0.3 shows']]],
  ['last_name', { wordsOnly: 1 }, [...NO_TEXT, ['medianLength', '30 shows, 31 contradicts']]],
  [
    'street',
    {},
    [
      ['streetLike', '0.49 allows, 0.5 shows'],
      ['streetWord', '0.49 allows, 0.5 shows'],
    ],
  ],
  [
    'street',
    { streetLike: 1 },
    ELSE_AND(
      ['email', '0.29 shows, 0.3 contradicts'],
      ['phone', '0.59 shows, 0.6 contradicts'],
      ['digits', '0.79 shows, 0.8 contradicts'],
      ['medianLength', '80 shows, 81 contradicts'],
    ),
  ],
  [
    'house_number',
    { digits: 1, medianLength: 3 },
    [
      ['medianLength', '6 shows, 7 allows, 12 allows, 13 contradicts'],
      ['digits', '0.39 allows, 0.4 shows'],
      ['distinct', '0.2 allows, 0.21 shows'],
      ['email', '0.29 shows, 0.3 contradicts'],
      ['phoneShape', '0.49 shows, 0.5 contradicts'],
      ['oneWord', '0.49 shows, 0.5 contradicts'],
    ],
  ],
  [
    'city',
    {},
    [
      ['town', '0.39 allows, 0.4 shows'],
      ['wordsOnly', '0.59 allows, 0.6 shows'],
    ],
  ],
  [
    'city',
    { town: 0.4, wordsOnly: 1 },
    [...NO_TEXT, ['medianLength', '45 shows, 46 contradicts'], ['givenName', '0.8 shows, 0.81 contradicts']],
  ],
  ['city', { wordsOnly: 1 }, [['givenName', '0.49 shows, 0.5 contradicts']]],
  ['city', { wordsOnly: 1, givenName: 0.6 }, [['town', '0.29 contradicts, 0.3 shows']]],
  [
    'location',
    {},
    [
      ['placeLike', '0.39 allows, 0.4 shows'],
      ['streetLike', '0.39 allows, 0.4 shows'],
      ['town', '0.24 allows, 0.25 shows'],
    ],
  ],
  [
    'location',
    { placeLike: 1 },
    [
      ...ELSE.filter((share) => share !== 'url').map((share) => [share, '0.79 shows, 0.8 contradicts'] as const),
      ['url', '0.49 shows, 0.5 contradicts'],
      ['email', '0.29 shows, 0.3 contradicts'],
      ['phoneShape', '0.49 shows, 0.5 contradicts'],
      ['digits', '0.79 shows, 0.8 contradicts'],
      ['medianLength', '150 shows, 151 contradicts'],
    ],
  ],
  [
    'request_text',
    { longText: 1 },
    [...NO_TEXT, ['distinct', '0.49 allows, 0.5 shows'], ['medianLength', '3 contradicts, 4 shows']],
  ],
  ['request_text', {}, [['longText', '0.39 allows, 0.4 shows']]],
  ['request_text', { longText: 1, distinct: 0.2 }, [['filled', '4 allows, 5 contradicts']]],
  ['request_text', { longText: 1, filled: 5 }, [['distinct', '0.2 contradicts, 0.21 allows, 0.41 allows']]],
  ['request_text', { longText: 1, wordsOnly: 1 }, [['givenName', '0.29 shows, 0.3 contradicts']]],
  [
    'notes',
    { longText: 1 },
    [...NO_TEXT, ['distinct', '0.49 allows, 0.5 shows'], ['medianLength', '3 contradicts, 4 shows']],
  ],
  ['notes', {}, [['longText', '0.39 allows, 0.4 shows']]],
  ['notes', { longText: 1, wordsOnly: 1, givenName: 1 }, [['filled', '10 shows']]],
  [
    'category',
    { distinct: 0.5 },
    [
      ...ELSE_AND(
        ['filled', '3 allows, 4 shows'],
        ['distinct', '0.8 shows, 0.81 allows'],
        ['medianLength', '40 shows, 41 allows, 60 allows, 61 contradicts'],
        ['email', '0.29 shows, 0.3 contradicts'],
        ['phoneShape', '0.49 shows, 0.5 contradicts'],
        ['digits', '0.79 shows, 0.8 contradicts'],
        ['clientele', '0.59 shows, 0.6 contradicts'],
        ['placeLike', '0.49 shows, 0.5 contradicts'],
        ['town', '0.49 shows, 0.5 contradicts'],
        ['givenName', '0.49 shows, 0.5 contradicts'],
      ),
    ],
  ],
  ['category', { longText: 0.4 }, [['distinct', '0.5 shows, 0.51 allows']]],
  ['category', { longText: 0.39 }, [['distinct', '0.8 shows, 0.81 allows']]],
  ['category', { distinct: 0.5, streetWord: 0.4 }, [['streetLike', '0.39 shows, 0.4 contradicts']]],
  [
    'ref',
    {},
    [
      ...ELSE_AND(
        ['distinct', '0.69 contradicts, 0.7 allows, 0.94 allows, 0.95 shows'],
        ['hasSpace', '0.2 shows, 0.21 allows, 0.59 allows, 0.6 contradicts'],
        ['medianLength', '2 allows, 3 shows'],
        ['email', '0.29 shows, 0.3 contradicts'],
      ),
    ],
  ],
  ['ref', { distinct: 0.5 }, [['filled', '2 allows, 3 contradicts']]],
  ['ref', { hasSpace: 0.3 }, [['longText', '0.49 allows, 0.5 contradicts']]],
  ['ref', { longText: 0.5 }, [['hasSpace', '0.29 allows, 0.3 contradicts']]],
  ['audio_file', {}, [['recording', '0.49 allows, 0.5 shows']]],
  [
    'audio_file',
    { recording: 1 },
    (['date', 'yesNo', 'email'] as const).map((share) => [share, '0.49 shows, 0.5 contradicts']),
  ],
  ['audio_file', {}, [['digits', '0.79 allows, 0.8 contradicts']]],
  ['audio_file', { digits: 0.8 }, [['recording', '0 contradicts, 0.01 allows']]],
];

test.each(
  BOUNDS.flatMap(([meaning, shares, all]) => all.map(([share, answers]) => [meaning, shares, share, answers] as const)),
)('%s of a column with %j, by its share %s: %s', (meaning, shares, share, answers) => {
  const expected = atValues(answers);
  expect(expected.map(([value]) => [value, fitOf(meaning, profile({ ...shares, [share]: value }))])).toEqual(expected);
});

test.each<[FieldOrPart, Shares, string]>([
  ['house_number', { digits: 1, medianLength: 3, isSequence: true }, 'contradicts'],
  ['ref', { isSequence: true }, 'allows'],
  ['ref', { isSequence: false }, 'shows'],
  ['email', { filled: 0, email: 1 }, 'none'],
  ['email', { filled: 1, email: 1 }, 'shows'],
])('%s of a column with %j: %s', (meaning, shares, fit) => {
  expect(fitOf(meaning, profile(shares))).toBe(fit);
});

const PERSONS: Shares = { wordsOnly: 1, givenName: 1 };
const TEXT: Shares = { longText: 1, hasSpace: 1, medianLength: 40 };
const PHONE: Shares = { phone: 1, phoneShape: 1, writtenAsPhone: 1 };

type Rule = (seen: ContentProfile) => boolean;
const RULES: readonly (readonly [string, Rule, Shares, readonly (readonly [Share, string])[]])[] = [
  ['towns rather than persons', isTownRather, {}, [['town', '0.39 no, 0.4 yes']]],
  ['towns rather than persons', isTownRather, { town: 0.5 }, [['givenName', '0.49 yes, 0.5 no']]],
  ['persons rather than towns', isPersonRather, {}, [['givenName', '0.49 no, 0.5 yes']]],
  ['persons rather than towns', isPersonRather, { givenName: 0.6 }, [['town', '0.29 yes, 0.3 no']]],
  ['the same few values', isRepeated, { distinct: 0.39 }, [['filled', '5 no, 6 yes']]],
  ['the same few values', isRepeated, {}, [['distinct', '0.39 yes, 0.4 no']]],
  [
    'names of persons',
    holdsPersons,
    PERSONS,
    [
      ['givenName', '0.29 no, 0.3 yes'],
      ['medianLength', '40 yes, 41 no'],
      ['wordsOnly', '0.59 no, 0.6 yes'],
    ],
  ],
  ['names of persons', holdsPersons, { ...PERSONS, givenName: 0.5 }, [['town', '0.49 yes, 0.5 no']]],
  ['streets', isStreet, { streetLike: 1 }, [['streetWord', '0.39 no, 0.4 yes']]],
  ['streets', isStreet, { streetWord: 1 }, [['streetLike', '0.39 no, 0.4 yes']]],
  [
    'few values',
    holdsFewValues,
    { distinct: 0.5 },
    [
      ['filled', '5 no, 6 yes'],
      ['distinct', '0.1 no, 0.11 yes, 0.6 yes, 0.61 no'],
      ['medianLength', '1 no, 2 yes, 40 yes, 41 no'],
      ['longText', '0.49 yes, 0.5 no'],
      ...(['town', 'givenName', 'clientele', 'country', 'language', 'postalCode'] as const).map(
        (share) => [share, '0.29 yes, 0.3 no'] as const,
      ),
    ],
  ],
  [
    'telephone numbers',
    isPlainlyPhone,
    PHONE,
    [
      ['phone', '0.79 no, 0.8 yes'],
      ['filled', '0 no, 1 yes'],
    ],
  ],
  ['telephone numbers', isPlainlyPhone, { ...PHONE, phone: 0.8 }, [['writtenAsPhone', '0.29 no, 0.3 yes']]],
  ['telephone numbers', isPlainlyPhone, { ...PHONE, writtenAsPhone: 0 }, [['phone', '0.94 no, 0.95 yes']]],
  [
    'e-mail addresses',
    isPlainlyEmail,
    { email: 1 },
    [
      ['email', '0.79 no, 0.8 yes'],
      ['filled', '0 no, 1 yes'],
    ],
  ],
  ...(
    [
      ['texts', isPlainlyText, ['0.79 no, 0.8 yes', '24 no, 25 yes', '0.69 no, 0.7 yes']],
      ['nearly texts', isNearlyText, ['0.49 no, 0.5 yes', '17 no, 18 yes', '0.24 no, 0.25 yes']],
    ] as const
  ).flatMap(([what, rule, [longText, medianLength, distinct]]) => [
    [
      what,
      rule,
      TEXT,
      [
        ['longText', longText],
        ['medianLength', medianLength],
        ['distinct', distinct],
        ['hasSpace', '0.79 no, 0.8 yes'],
        ['filled', '0 no, 1 yes'],
        ['placeLike', '0.59 yes, 0.6 no'],
        ...(['email', 'phoneShape', 'url', 'date', 'amount', 'postalCode'] as const).map(
          (share) => [share, '0.19 yes, 0.2 no'] as const,
        ),
      ],
    ] as const,
    [what, rule, { ...TEXT, streetWord: 0.4 }, [['streetLike', '0.39 yes, 0.4 no']]] as const,
  ]),
];

test.each(
  RULES.flatMap(([what, rule, shares, all]) =>
    all.map(([share, answers]) => [what, shares, share, answers, rule] as const),
  ),
)('%s in a column with %j, by its share %s: %s', (_, shares, share, answers, rule) => {
  const expected = atValues(answers);
  const found = expected.map(([value]) => [value, rule(profile({ ...shares, [share]: value })) ? 'yes' : 'no']);
  expect(found).toEqual(expected);
});

test('consecutive numbers are no telephone numbers', () => {
  expect(isPlainlyPhone(profile({ ...PHONE, isSequence: true }))).toBe(false);
});

describe('what a person is told of the content', () => {
  test.each<[FieldOrPart, Share, string]>([
    ['email', 'email', 'e-mail addresses'],
    ['phone', 'phone', 'telephone numbers'],
    ['postal_code', 'postalCode', 'postal codes'],
    ['country', 'country', 'countries'],
    ['lang', 'language', 'languages'],
    ['request_text', 'longText', 'longer texts'],
    ['street', 'streetLike', 'streets'],
    ['location', 'placeLike', 'places'],
    ['fullname', 'wordsOnly', 'words like a name'],
    ['audio_file', 'recording', 'recordings'],
  ])('%s: the count of %s as %s', (meaning, share, noun) => {
    expect(contentReason(meaning, profile({ filled: 15, [share]: 14 / 15 }))).toBe(`14 of 15 are ${noun}`);
    expect(contentReason(meaning, profile({ filled: 1, [share]: 1 }))).toBe(`1 of 1 are ${noun}`);
  });

  test('nothing of an empty column, and nothing of a field without a form', () => {
    expect(contentReason('email', profile({ filled: 0, email: 1 }))).toBeNull();
    expect(contentReason('ref', profile())).toBeNull();
  });

  test.each<[FieldOrPart, Shares, string | null]>([
    ['fullname', { email: 0.79 }, null],
    ['fullname', { email: 0.8 }, '8 of 10 are e-mail addresses'],
    ['email', { email: 0.8 }, null],
    ['fullname', { ...PHONE }, '10 of 10 are telephone numbers'],
    ['fullname', { ...PHONE, postalCode: 0.49 }, '10 of 10 are telephone numbers'],
    ['fullname', { ...PHONE, postalCode: 0.5 }, null],
    ['fullname', { filled: 2, date: 1 }, null],
    ['fullname', { filled: 3, date: 1 }, '3 of 3 are dates'],
    ['fullname', { date: 0.89 }, null],
    ['fullname', { date: 0.9 }, '9 of 10 are dates'],
    ['fullname', { url: 0.89 }, null],
    ['fullname', { url: 0.9 }, '9 of 10 are links'],
    ['fullname', { yesNo: 0.89 }, null],
    ['fullname', { yesNo: 0.9, digits: 0.79 }, '9 of 10 are yes or no'],
    ['fullname', { yesNo: 0.9, digits: 0.8 }, null],
    ['fullname', { ...TEXT, medianLength: 46 }, '10 of 10 are longer texts'],
    ['fullname', { ...TEXT, medianLength: 45 }, null],
    ['fullname', { ...TEXT, medianLength: 46, longText: 0.79 }, null],
    ['fullname', { wordsOnly: 1 }, null],
  ])('%s that holds %j: %s', (meaning, shares, told) => {
    expect(plainlyElse(meaning, profile(shares))).toBe(told);
  });
});
