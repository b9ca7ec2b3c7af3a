import { expect, test } from 'vitest';
import { readContract } from '../../src/request/contract/contract-schema.ts';
import { readPlace, writePlace } from '../../src/request/contract/place.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import fc from '../helpers/fast-check.ts';

const given = {
  ...DOCUMENTED_CONTRACT,
  source: { file: 'a.yaml', title: 'A', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T12:00:00.000Z' },
};
test.each([{ version: 1 }, { version: 0 }, { ...given, version: 10 }])(
  'An API description of another version is refused: %j',
  (other) => {
    expect(() => readContract(other, 'It', 'hint')).toThrow(
      expect.objectContaining({
        message: `It has version ${other.version}; this srq reads version 2.`,
        hint: 'hint',
      }),
    );
  },
);

test.each([null, [], 'text', {}, { version: '2' }])('An API description without a version is none: %j', (other) => {
  expect(() => readContract(other, 'It', 'hint')).toThrow(/^It is not as srq writes it \(/);
});

test('places in a request are written as a person would write them', () => {
  expect(readPlace('customer.phone')).toEqual({ in: 'body', path: ['customer', 'phone'] });
  expect(readPlace('phones.0.number')).toEqual({ in: 'body', path: ['phones', '0', 'number'] });
  expect(readPlace('header X-Lang')).toEqual({ in: 'header', path: ['X-Lang'] });
  expect(readPlace('query utm.source')).toEqual({ in: 'query', path: ['utm.source'] });
  expect(readPlace('utm\\.source')).toEqual({ in: 'body', path: ['utm.source'] });
  expect(writePlace({ in: 'body', path: ['header of text', 'a.b'] })).toBe('body header of text.a\\.b');
});

test('a place that is written is read the same, whatever its names', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('header x', 'body ', 'body query a', '.', '\\', 'a\\.b', '0', ''));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (path) => {
      expect(readPlace(writePlace({ in: 'body', path }))).toEqual({ in: 'body', path });
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom('header' as const, 'query' as const), name, (where, only) => {
      const place = { in: where, path: [only] };
      expect(readPlace(writePlace(place))).toEqual(place);
    }),
  );
});
