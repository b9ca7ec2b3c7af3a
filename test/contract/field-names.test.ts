import { expect, test } from 'vitest';
import { readName } from '../../src/contract/learn/field-names.ts';
import { isContent, wordsOf } from '../../src/contract/learn/field-words.ts';
import { KNOWN, learnParts, parameterOf } from './describe-request.ts';
import { MEANT, NOT_MEANT, UNFIT } from './field-words.ts';

const TEXT = { keywords: { type: 'string' }, shape: 'scalar' } as const;
const meantAs = (path: string) => {
  const reading = readName(path.split('.'), TEXT);
  return reading?.owner === 'customer' ? reading.field : null;
};

test('the table holds names of every content, and enough of both kinds', () => {
  const meant = Object.values(MEANT).flatMap((names) => names.split(' '));
  expect(Object.keys(MEANT).every(isContent)).toBe(true);
  expect(new Set(meant).size).toBeGreaterThanOrEqual(250);
  expect(new Set(NOT_MEANT).size).toBeGreaterThanOrEqual(250);
});

test.each(Object.entries(MEANT))('names of %s are understood', (content, names) => {
  const read = names.split(' ').map((name) => [name, meantAs(name)]);
  expect(read).toEqual(names.split(' ').map((name) => [name, content]));
});

test('names that only hold a word of a content, or letters of one, are no place for it', () => {
  expect(NOT_MEANT.map((name) => [name, meantAs(name)]).filter(([, field]) => field !== null)).toEqual([]);
});

test('a name counts less than the type, the format, the values and the length of its schema', () => {
  const taken = UNFIT.filter(([name, schema]) => {
    const { [name]: _, ...others } = KNOWN;
    const proposal = learnParts({ schema: { properties: { ...others, contact_email: {}, [name]: schema } } });
    const meaning = meantAs(name) ?? '';
    return parameterOf(proposal, meaning)?.path.join() === name;
  });
  expect(taken).toEqual([]);
});

/** Words that say what a name is about, whatever stands before them. */
const ABOUT =
  'type status verified template count url enabled consent owner format level color extension history'.split(' ');

test('no name is a place for the content that is only part of what it names', () => {
  const phrases = Object.values(MEANT)
    .flatMap((names) => names.split(' '))
    .filter((name) => !name.includes('.'))
    .map((name) => wordsOf(name).join('_'));
  const wrong = phrases.flatMap((phrase) => [
    ...ABOUT.map((word) => `${phrase}_${word}`).filter(
      (name) => meantAs(name) !== null && !/audio|voice|recording/.test(name),
    ),
    ...['qx', 'in', 'non', 'un'].map((letters) => letters + phrase).filter((name) => meantAs(name) !== null),
  ]);
  expect(wrong).toEqual([]);
});

test.each(['email', 'phone', 'address', 'city', 'language'])(
  'before %s a word for a thing says whose it is, and a word that nobody knows makes another name of it',
  (name) => {
    expect(readName([`company_${name}`], TEXT)).toMatchObject({ owner: 'other thing' });
    expect(readName([`spare_${name}`], TEXT)).toBeUndefined();
  },
);

test.each([
  ['value1', "The customer's e-mail address", 'email'],
  ['field_3', 'E-mail of the customer', 'email'],
  ['custom2', 'Phone number', 'phone'],
  ['param_a', 'Last name of the contact', 'last_name'],
])('a name that says nothing is read by its description, as a guess: %s, %s', (name, description, field) => {
  const said = { keywords: { type: 'string', description }, shape: 'scalar' } as const;
  expect(readName([name], said)).toMatchObject({ field, confidence: 'weak', owner: 'customer' });
  expect(readName(['colour'], said)).toBeUndefined();
});

test.each([
  ['email', 'E-mail of the agent'],
  ['phone', "The company's phone number"],
  ['email', 'Address of the lead owner'],
  ['phone', 'Number for the branch office'],
])('a description says whose a value is: %s, %s', (name, description) => {
  const reading = readName([name], { keywords: { type: 'string', description }, shape: 'scalar' });
  expect(reading?.owner).not.toBe('customer');
});

test.each(['Name of the customer', 'Full name, for example Ana', 'Name', "The customer's name"])(
  'a name is that of the customer: %s',
  (description) => {
    const reading = readName(['name'], { keywords: { type: 'string', description }, shape: 'scalar' });
    expect(reading).toMatchObject({ field: 'fullname', owner: 'customer' });
  },
);

test.each(['Name of the playlist', 'Name of this event', "The company's name"])(
  'a name that is described as that of something else is none: %s',
  (description) => {
    expect(readName(['name'], { keywords: { type: 'string', description }, shape: 'scalar' })).toBeUndefined();
  },
);
