import { expect, test } from 'vitest';
import { profileOf } from '../../../src/input/columns/content.ts';
import { fitOf } from '../../../src/input/columns/fit.ts';
import { planMapping } from '../../../src/input/mapping.ts';

const sourceOf = (columns: readonly string[], cells: readonly (readonly string[])[]) =>
  planMapping(columns, { map: {}, set: { country: 'PT' }, join: {} }, { sample: cells, parameters: new Set() });

test('a column of telephone numbers is one also where most people have none and say so', () => {
  const phones = [
    'n/a',
    '912345678',
    '-',
    'keine Angabe',
    '+351 912 345 679',
    'none',
    'n/a',
    '961 234 567',
    '-',
    'unknown',
  ];
  const needs = phones.map((_, at) => `Paint the ${at}. room of the house before Christmas`);
  const { missed, sources } = sourceOf(['Zeta', 'Message'], [phones, needs]);
  expect([...missed.map(({ field }) => field), ...sources.map(({ field }) => field)]).toContain('phone');
});

test('dashes and words in other columns are content', () => {
  const yesNo = ['no', '-', 'no', '-', 'no', '-'];
  const { missed, sources } = sourceOf(['Flag', 'Message'], [yesNo, yesNo.map((_, at) => `Paint the ${at}. room now`)]);
  expect([...missed, ...sources].filter(({ field }) => field === 'phone' || field === 'email')).toEqual([]);
});

test.each([
  ['Kategorie', '+351 912 345 678'],
  ['Kategorie', 'ana@example.com'],
  ['Phone', 'ana@example.com'],
  ['Email', '+351 912 345 678'],
  ['Message', 'ana@example.com'],
])('a column called %s that holds %s is not taken by its name, also with a single row', (name, cell) => {
  const { sources } = sourceOf([name, 'City'], [[cell], ['Lisboa']]);
  const taken = sources.filter(({ columns }) => columns.includes(0));
  expect(taken.filter(({ level }) => level === 'certain')).toEqual([]);
});

test.each([
  ['x'.repeat(24), 0],
  ['x'.repeat(25), 1],
  ['a b c', 0],
  ['a b c d', 1],
])('%j counts as a long text: %d', (text, share) => {
  expect(profileOf([text], () => undefined, 10).longText).toBe(share);
});

test.each([
  ['Rua das Flores 12', 1],
  ['Hauptstr. 5a, 10115 Berlin', 1],
  ['12 High Street', 1],
  ['High Street', 0],
  ['12', 0],
  ['room12', 0],
  ['Room 123456', 0],
  [`${'x'.repeat(77)} 12`, 1],
  [`${'x'.repeat(78)} 12`, 0],
])('%j looks like a street with a number: %d', (text, share) => {
  expect(profileOf([text], () => undefined, 10).streetLike).toBe(share);
});

const needs = (count: number) => Array.from({ length: count }, (_, at) => `Paint room ${at} of the house by May`);
test.each([
  ['needs, each another one', needs(8), 'shows'],
  ['a few names of persons', ['Maria Silva', 'Hans Müller', 'Anna Schmidt', 'João Santos'], 'contradicts'],
  ['many names of persons', Array(3).fill(['Maria Silva', 'Hans Müller', 'Anna Schmidt']).flat(), 'contradicts'],
  ['one text in five rows', Array(5).fill('Paint the house by May'), 'contradicts'],
  ['one text in four rows', Array(4).fill('Paint the house by May'), 'allows'],
  ['marks of three letters', ['abc', 'def', 'ghi'], 'contradicts'],
  ['words of four letters', ['abcd', 'efgh', 'ijkl'], 'allows'],
  ['numbers', ['12345', '67890', '13579'], 'contradicts'],
])('a column that is called a need: %s', (_, texts, fit) => {
  expect(
    fitOf(
      'request_text',
      profileOf(texts, () => undefined, texts.length),
    ),
  ).toBe(fit);
});

test.each([
  [0, 'certain'],
  [4, 'certain'],
  [5, 'likely'],
])(
  'a column that may be the reference is asked about if it may be telephone numbers: %d of 10 cells',
  (numbers, level) => {
    const cells = Array.from({ length: 10 }, (_, at) =>
      at < numbers ? `21234${5000 + at * 37}` : `A${at * 917}-x${at}`,
    );
    const { sources } = sourceOf(['Zeta reference', 'Message'], [cells, needs(10)]);
    expect(sources.find(({ field }) => field === 'ref')).toMatchObject({ columns: [0], level });
  },
);

test.each([
  ['house numbers', ['1', '22', '5a', '7', '12', '9'], [1]],
  ['row numbers', ['1', '2', '3', '4', '5', '6'], undefined],
  ['references', ['A-917-x', 'B-1834-y', 'C-2751-z', 'D-3668-q', 'E-4585-r', 'F-5502-s'], undefined],
])('a number behind the street belongs to it only if it holds house numbers: %s', (_, cells, houses) => {
  const streets = ['Lindenweg', 'Rua A', 'Rua do Ouro', 'Gartenweg', 'Bahnhofstraße', 'Avenida B'];
  const towns = ['Lisboa', 'Porto', 'Berlin', 'Hamburg', 'Braga', 'Faro'];
  const { parts } = sourceOf(['Street', 'No', 'City'], [streets, cells, towns]);
  expect([parts.street, parts.house_number, parts.city]).toEqual([[0], houses, [2]]);
});
