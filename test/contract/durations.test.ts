import { expect, test } from 'vitest';
import { shortestDuration } from '../../src/contract/learn/recognised-repetition.ts';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const read = (text: string) => shortestDuration(text, 600);

/** Numbers as they are written out, in the languages of the markets. */
const NUMBERS: Readonly<Record<number, string>> = {
  1: 'one a an um uma un una une uno ein eine einen einer',
  2: 'two dois duas dos deux zwei due',
  3: 'three tres trois drei tre',
  4: 'four',
  5: 'five cinco cinq funf fünf cinque',
  6: 'six',
  7: 'seven',
  8: 'eight',
  9: 'nine',
  10: 'ten dez diez dix zehn dieci',
  11: 'eleven',
  12: 'twelve',
  13: 'thirteen',
  14: 'fourteen',
  15: 'fifteen quinze quince funfzehn fünfzehn quindici',
  16: 'sixteen',
  17: 'seventeen',
  18: 'eighteen',
  19: 'nineteen',
  20: 'twenty',
  21: 'twenty-one',
  24: 'twenty-four vinte_e_quatro veinticuatro vingt-quatre vierundzwanzig ventiquattro',
  30: 'thirty trinta treinta trente dreissig dreißig trenta',
  36: 'thirty-six',
  40: 'forty',
  48: 'forty-eight',
  50: 'fifty',
  60: 'sixty',
  72: 'seventy-two',
  80: 'eighty',
  90: 'ninety',
  99: 'ninety-nine',
};

test.each(Object.entries(NUMBERS))('%s is written as %s', (number, words) => {
  for (const word of words.split(' '))
    expect(read(`for ${word.replaceAll('_', ' ')} minutes`)).toBe(Number(number) * MINUTE);
});

test.each([
  ['half an hour', HOUR / 2],
  ['half a day', DAY / 2],
  ['half hour', HOUR / 2],
  ['quarter of an hour', HOUR / 4],
  ['twenty four hours', DAY],
  ['1,000 seconds', 1000],
  ['1.000 seconds', 1000],
  ['1,234,567 seconds', 1_234_567],
  ['1,000 minutes', 60_000],
  ['1,500 hours', 1.5 * HOUR],
  ['1.5 hours', 1.5 * HOUR],
  ['2,5 days', 2.5 * DAY],
  ['999 milliseconds', 0],
  ['5,000 ms', 5],
  ['10 s', 10],
  ['90secs', 90],
  ['10 m', 600],
  ['3h', 3 * HOUR],
  ['2 d', 2 * DAY],
  ['1 w', 7 * DAY],
  ['1 y', 365 * DAY],
  ['one month', 28 * DAY],
  ['2 weeks', 14 * DAY],
  ['three years', 3 * 365 * DAY],
  ['24 horas', DAY],
  ['2 giorni', 2 * DAY],
  ['3 semaines', 21 * DAY],
  ['6 meses', 6 * 28 * DAY],
  ['5-10 minutes', 5 * MINUTE],
  ['10 to 5 minutes', 5 * MINUTE],
  ['2 days and 3 hours', 3 * HOUR],
  ['PT10S', 10],
  ['PT2M', 2 * MINUTE],
  ['P1D', DAY],
  ['PT1H30M', 1.5 * HOUR],
  ['P1DT1H1M1S', DAY + HOUR + MINUTE + 1],
  ['P2W', 14 * DAY],
  ['P1W, at times PT1H', HOUR],
  ['up to 5 minutes', 5 * MINUTE],
  ['up to 10 minutes', 600],
  ['up to 11 minutes', 600],
  ['at most 2 days', 600],
  ['maximum of 1 day', 600],
  ['no more than 1 day', 600],
  ['less than 1 day', 600],
  ['bis zu 24 Stunden', 600],
  ['höchstens 24 Stunden', 600],
  ['até 24 horas', 600],
  ['hasta 24 horas', 600],
  ["jusqu'à 24 heures", 600],
  ['fino a 24 ore', 600],
])('"%s" is a time of %s seconds', (text, seconds) => {
  expect(read(text)).toBe(seconds);
});

test.each([
  'for some minutes',
  'for hours',
  'for a few weeks',
  'TTL: 300',
  'expires in 300',
  'a short time only',
  'until midnight',
  'for a while',
  'is configurable',
  '1 hour, or a few days',
])('"%s" names a time that cannot be read', (text) => {
  expect(read(text)).toBe('unclear');
});

test.each(['', 'a second request', 'one second try', '10 requests', '3 requests/5 keys', 'a h', 'P', 'PT'])(
  '"%s" names no time',
  (text) => {
    expect(read(text)).toBeNull();
  },
);

test('a rate is no time', () => {
  expect(read('a limit of 10/1 s, kept for 2 days')).toBe(2 * DAY);
});
