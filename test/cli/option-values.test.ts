import { Command, InvalidArgumentError, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  addRequestOptions,
  choice,
  chosenArgument,
  errorBudget,
  examples,
  faultRate,
  pair,
  positiveNumber,
  rare,
  rate,
  settleSeconds,
  takesNumber,
  wholeNumber,
} from '../../src/commands/options.ts';

const refusal = (parse: () => unknown): string => {
  try {
    return `accepted: ${JSON.stringify(parse())}`;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return error.message;
  }
};

describe('A whole number', () => {
  const parse = wholeNumber(1, 1000);

  test.each([
    ['1', 1],
    ['16', 16],
    ['0016', 16],
    ['1000', 1000],
  ])('"%s" is %i', (text, number) => {
    expect(parse(text)).toBe(number);
  });

  test.each(['0', '1001', '-1', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', '', 'NaN', 'Infinity', '٣', '1'.repeat(13)])(
    '"%s" is none from 1 to 1000, and the error says the range',
    (text) => {
      expect(refusal(() => parse(text))).toBe('Give a whole number from 1 to 1000.');
    },
  );
});

describe('A number above 0', () => {
  test.each([
    ['0.5', 0.5],
    ['120', 120],
    ['0.000001', 0.000001],
    ['999999999', 999_999_999],
    ['1.123456', 1.123456],
  ])('"%s" is one', (text, number) => {
    expect(positiveNumber(text)).toBe(number);
  });

  test.each(['0', '0.0', '-1', '1e9', '.5', '5.', '1,5', '', 'auto', '1.1234567', '1'.repeat(10)])(
    '"%s" is none',
    (text) => {
      expect(refusal(() => positiveNumber(text))).toBe('Give a number above 0.');
    },
  );
});

describe('A time to settle', () => {
  test('is any number of seconds up to seven days', () => {
    expect([settleSeconds('0.2'), settleSeconds('604800')]).toEqual([0.2, 604_800]);
    for (const text of ['604800.1', '604801', '2592000', '999999999']) {
      expect(refusal(() => settleSeconds(text))).toBe('Give at most 604800 seconds, which are 7 days.');
    }
    expect(refusal(() => settleSeconds('0'))).toBe('Give a number above 0.');
  });
});

describe('A pair', () => {
  test('gathers one after the other', () => {
    const parse = pair('COLUMN=FIELD', 'last');
    expect(parse('Stadt=location', parse('Tel=phone', []))).toEqual([
      ['Tel', 'phone'],
      ['Stadt', 'location'],
    ]);
  });

  test('of a column and a field is parted at the last "=", of a field and a value at the first', () => {
    expect(pair('COLUMN=FIELD', 'last')('Price = total=location', [])).toEqual([['Price = total', 'location']]);
    expect(pair('FIELD=VALUE', 'first')('request_text=a=b', [])).toEqual([['request_text', 'a=b']]);
  });

  test('may have nothing on its right, but not on its left', () => {
    expect(pair('FIELD=VALUE', 'first')('lang=', [])).toEqual([['lang', '']]);
    for (const text of ['=pt', 'lang', '']) {
      expect(refusal(() => pair('FIELD=VALUE', 'first')(text, []))).toBe('Give it as FIELD=VALUE.');
    }
  });
});

describe('A fault', () => {
  test('has a probability from 0 to 1', () => {
    expect(faultRate('reset-after=.25', faultRate('429=1', {}))).toEqual({ '429': 1, 'reset-after': 0.25 });
    expect(faultRate('500=0', {})).toEqual({ '500': 0 });
  });

  test.each(['429', '429=', '429=2', '429=-1', '429=1.5', '=0.5', '429=10%', '429=1e-3'])('is not "%s"', (text) => {
    expect(refusal(() => faultRate(text, {}))).toMatch(/^Give it as KIND=PROBABILITY/);
  });
});

test('a rate is auto, max or a number of requests a second', () => {
  expect(['auto', 'max', '2.5'].map(rate)).toEqual(['auto', 'max', 2.5]);
  for (const text of ['fast', '0', 'AUTO', '']) expect(refusal(() => rate(text))).toBe('Give a number above 0.');
});

describe('An error budget', () => {
  test.each([
    ['50', { count: 50, percent: false }],
    ['2%', { count: 2, percent: true }],
    ['0.5%', { count: 0.5, percent: true }],
    ['100%', { count: 100, percent: true }],
  ])('%s is a number of rows or a share of them', (text, budget) => {
    expect(errorBudget(text)).toEqual(budget);
  });

  test.each(['0', '0%', '2.5', '101%', '-1', '2 %', '%', '', 'off'])('is not "%s"', (text) => {
    expect(refusal(() => errorBudget(text))).toBe('Give a number of rows (50) or a share of them (2%).');
  });
});

test('a whole number without an upper bound has at most twelve digits, and the error says the lower bound alone', () => {
  const parse = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  expect(parse('9'.repeat(12))).toBe(999_999_999_999);
  for (const text of ['0', '1'.repeat(13)])
    expect(refusal(() => parse(text))).toBe('Give a whole number of at least 1.');
});

test('a fault is certain with any spelling of 1, and never with any of 0', () => {
  const rates = (text: string) => Object.values(faultRate(`429=${text}`, {}))[0];
  expect(['1', '1.0', '1.00', '0', '0.0', '.5', '0.5'].map(rates)).toEqual([1, 1, 1, 0, 0, 0.5, 0.5]);
  for (const text of ['1.01', '2', '00.5', '01']) expect(refusal(() => rates(text))).toMatch(/^Give it as KIND=/);
});

test.each([
  ['200%', 'refused'],
  ['100.1%', 'refused'],
  ['100.0%', 100],
  ['1', 1],
  ['101', 101],
  ['1.0', 1],
])('an error budget of %s is %j', (text, count) => {
  const found = count === 'refused' ? refusal(() => errorBudget(text)) : errorBudget(text).count;
  expect(found).toBe(count === 'refused' ? 'Give a number of rows (50) or a share of them (2%).' : count);
});

test('what takes one of a few values says which, and what was meant', () => {
  for (const { parseArg } of [
    choice('--x <v>', '', ['park', 'validate']),
    chosenArgument('<v>', '', ['park', 'validate']),
  ]) {
    const parse = (text: string) => parseArg?.(text, undefined as never);
    expect(parse('park')).toBe('park');
    expect(refusal(() => parse('prak'))).toBe('Did you mean park? One of: park, validate.');
    expect(refusal(() => parse('zzzzzzz'))).toBe('One of: park, validate.');
  }
});

test('only options that are parsed as numbers take numbers', () => {
  const parsed = (parse: (text: string) => unknown) => takesNumber(new Option('--x <n>').argParser(parse as never));
  expect([wholeNumber(0, 1), positiveNumber, settleSeconds].map(parsed)).toEqual([true, true, true]);
  expect([rate, errorBudget, (text: string) => Number(text)].map(parsed)).toEqual([false, false, false]);
  expect([takesNumber(new Option('--x <n>')), takesNumber(rare('--x', ''))]).toEqual([false, false]);
});

test('examples are one or several', () => {
  expect(examples('srq a')).toBe('\nExample:\n  srq a');
  expect(examples('srq a', 'srq b')).toBe('\nExamples:\n  srq a\n  srq b');
});

test('each field of a request has a flag in words, of which some are shown only to those who ask', () => {
  const { options } = addRequestOptions(new Command());
  const flag = (name: string) => options.find(({ long }) => long === name);
  expect([flag('--request-text')?.attributeName(), flag('--audio')?.hidden, flag('--phone')?.hidden]).toEqual([
    ...['requestText', true, false],
  ]);
  expect(options.filter(({ long }) => /[A-Z_]/.test(long ?? ''))).toEqual([]);
  expect(flag('--field')?.defaultValue).toEqual([]);
  const parsed = addRequestOptions(new Command()).parse(['--field', 'a=b=c', '--field', 'd='], { from: 'user' }).opts();
  expect(parsed['field']).toEqual([
    ['a', 'b=c'],
    ['d', ''],
  ]);
});
