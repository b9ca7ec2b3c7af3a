import { expect, test } from 'vitest';
import { FIELD, FIELDS, isField } from '../../src/request/fields.ts';
import { pointerNames } from '../../src/request/json-pointer.ts';

test.each<[string, number | null, readonly string[], string | null]>([
  ['country', 1000, [], null],
  ['lang', 35, [], null],
  ['location', 300, ['street', 'house_number', 'postal_code', 'city'], 'z:'],
  ['fullname', 200, ['first_name', 'last_name'], null],
  ['email', null, [], null],
  ['phone', null, [], 'p:'],
  ['request_text', 10_000, [], null],
  ['category', 100, [], null],
  ['audio_file', null, [], null],
  ['ref', 255, [], 'l:'],
])('%s is usually at most %s long, is joined from %j, and Meta writes %s before it', (name, ...facts) => {
  const { usualLength, joinedFrom, metaPrefix } = FIELD[name as keyof typeof FIELD];
  expect([usualLength, joinedFrom, metaPrefix]).toEqual(facts);
});

test('those are all fields, and the recording alone is rare', () => {
  expect(FIELDS).toHaveLength(10);
  expect(FIELDS.filter((field) => FIELD[field].isRare)).toEqual(['audio_file']);
  expect([FIELDS.every(isField), isField('notes'), isField('')]).toEqual([true, false, false]);
});

test.each<[string, readonly string[]]>([
  ['', []],
  ['/', ['']],
  ['/a/0/b', ['a', '0', 'b']],
  ['/a~1b/~0/~01', ['a/b', '~', '~1']],
])('the pointer %j names %j', (pointer, names) => {
  expect(pointerNames(pointer)).toEqual(names);
});
