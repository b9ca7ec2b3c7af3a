import { expect, test } from 'vitest';
import type { Leaf } from '../../src/contract/learn/body-leaves.ts';
import type { Content } from '../../src/contract/learn/field-words.ts';
import { openNotebook } from '../../src/contract/learn/notebook.ts';
import { contentOfFormat, mayHold } from '../../src/contract/learn/value-fit.ts';

/** What each content may be besides a text: the least length that makes sense, a number, one of a list, a list. */
const FORMS: Readonly<Record<Content, readonly [number, ...('number' | 'chosen' | 'listed')[]]>> = {
  country: [2, 'chosen'],
  lang: [2, 'chosen'],
  location: [10, 'listed'],
  street: [5],
  house_number: [1, 'number'],
  postal_code: [3, 'number'],
  city: [3, 'chosen'],
  region: [1, 'chosen'],
  fullname: [8],
  first_name: [3],
  last_name: [3],
  email: [8, 'listed'],
  phone: [6, 'number', 'listed'],
  request_text: [21],
  category: [1, 'number', 'chosen', 'listed'],
  ref: [1, 'number'],
  audio_file: [100, 'listed'],
};
const held = (content: Content, keywords: Leaf['keywords'], shape: Leaf['shape'] = 'scalar') =>
  mayHold(content, { keywords, shape });

test.each(Object.entries(FORMS) as [Content, (typeof FORMS)[Content]][])(
  '%s may be in a place for %j',
  (content, [minLength, ...forms]) => {
    const allowed = {
      plain: held(content, {}),
      text: held(content, { type: ['string', 'null'] }),
      long: held(content, { maxLength: minLength }),
      short: held(content, { maxLength: minLength - 1 }),
      integer: held(content, { type: 'integer' }),
      number: held(content, { type: 'number' }),
      numbers: held(content, { enum: [7] }),
      boolean: held(content, { type: 'boolean' }),
      chosen: held(content, { enum: ['a', 'b', null] }),
      constant: held(content, { enum: ['a', null] }),
      listed: held(content, {}, 'list'),
      object: held(content, {}, 'object'),
      textFormat: held(content, { format: 'String' }),
      otherFormat: held(content, { format: 'date-time' }),
      noFormat: held(content, { format: '' }),
      listOfLists: held(content, { enum: [['a']] }),
    };
    const isNumber = forms.includes('number');
    expect(allowed).toEqual({
      ...{ plain: true, text: true, long: true, short: false, noFormat: true, constant: true },
      ...{ integer: isNumber, number: isNumber, numbers: isNumber },
      ...{ boolean: false, object: false, otherFormat: false, listOfLists: false },
      chosen: forms.includes('chosen'),
      listed: forms.includes('listed'),
      textFormat: !['country', 'lang'].includes(content),
    });
  },
);

test.each<[ReturnType<typeof contentOfFormat>, Leaf['keywords'], Leaf['shape']]>([
  ['email', { format: 'email' }, 'scalar'],
  ['email', { format: 'E-Mail' }, 'list'],
  ['phone', { format: 'phone' }, 'scalar'],
  ['phone', { format: 'tel' }, 'scalar'],
  ['phone', { format: 'E.164' }, 'list'],
  [null, { format: 'email', enum: ['a@example.com'] }, 'scalar'],
  [null, { format: 'email' }, 'object'],
  [null, { format: 'phone-code' }, 'scalar'],
  [null, {}, 'scalar'],
])('the content %s is told by %j of a %s', (content, keywords, shape) => {
  expect(contentOfFormat({ keywords, shape })).toBe(content);
});

test('findings, questions and notes are kept once, each to its length', () => {
  const notebook = openNotebook((pointer) => `api.json#${pointer}`);
  const value = (length: number) => 'v'.repeat(length);
  notebook.add('a', value(300), '/x', 'certain', 'why');
  notebook.add('b', value(301), '', 'weak', 'why');
  expect(notebook.findings).toEqual([
    { setting: 'a', value: value(300), where: 'api.json#/x', confidence: 'certain', why: 'why' },
    { setting: 'b', value: `${value(299)}…`, where: '', confidence: 'weak', why: 'why' },
  ]);
  notebook.ask({ name: 'q', text: value(2000), answer: 'a' });
  notebook.ask({ name: 'q', text: 'another', answer: 'b' });
  notebook.ask({ name: 'r', text: value(2001), answer: 'b' });
  expect(notebook.questions).toEqual([
    { name: 'q', text: value(2000), answer: 'a' },
    { name: 'r', text: `${value(1999)}…`, answer: 'b' },
  ]);
  for (const note of ['one', 'two', 'one']) notebook.note(note);
  expect(notebook.notes).toEqual(['one', 'two']);
});
