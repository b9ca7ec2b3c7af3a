import { expect, test } from 'vitest';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json } from '../../src/contract/version-1/contract.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import fc from '../helpers/fast-check.ts';
import { aCollection, anItem, at, bodyOf, described } from './collections.ts';

const BOUND = 180_000;
const variables = (values: Record<string, Json>) => Object.entries(values).map(([key, value]) => ({ key, value }));

test('variables that come back to themselves stay unknown', () => {
  const urlencoded = [
    { key: 'a', value: '{{a}}' },
    { key: 'self', value: '{{self}}' },
    { key: 'known', value: '1' },
  ];
  const collection = aCollection(anItem({}, { body: { mode: 'urlencoded', urlencoded } }));
  const variable = variables({ a: '{{b}}', b: 'x{{a}}', self: '{{self}}'.repeat(9) });
  const body = bodyOf(described({ ...collection, variable }).document, '/a', 'application/x-www-form-urlencoded');
  expect(at(body, '/example')).toEqual({ known: '1' });
  expect(Object.keys(Object(at(body, '/schema/properties')))).toEqual(['a', 'self', 'known']);
});

test('variables that double each other end in an error', { timeout: BOUND }, () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`v${index}`, `{{v${index + 1}}}{{v${index + 1}}}`]),
  );
  const collection = aCollection(
    ...Array.from({ length: 40 }, (_, index) => anItem({}, { url: `https://x/{{v${39 - index}}}` })),
  );
  const variable = variables({ ...doubling, v40: 'x'.repeat(100) });
  expect(() => described({ ...collection, variable })).toThrow(
    'The variables of the collection expand to too much text.',
  );
});

test.each([
  ['quotes', '"'.repeat(900_001)],
  ['comments', '/*'.repeat(450_000)],
  ['references', '{{'.repeat(450_000)],
  ['names', `${'a'.repeat(900_000)}=`],
  ['escapes', `"${'\\n'.repeat(400_000)}`],
  ['beginnings of tokens', '-eyJ'.repeat(225_000)],
  ['colons', ': '.repeat(450_000)],
])('a megabyte of %s takes no time to speak of', { timeout: BOUND }, (_, text) => {
  const collection = aCollection(
    anItem(
      { response: [{ code: 200, body: text }] },
      { description: text, body: { mode: 'raw', raw: text }, url: text },
    ),
  );
  expect(() => described(collection)).not.toThrow();
});

test('whatever stands in a collection, it is described or refused', () => {
  const names = [
    'info',
    'item',
    'request',
    'url',
    'body',
    'mode',
    'raw',
    'response',
    'auth',
    'type',
    'event',
    'variable',
    'key',
    'value',
  ];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 8 },
      fc.constantFrom<unknown>(null, true, 7, '', 'raw', 'oauth2', 'POST', '{{a}}/b', '{"a":{{b}}}', '/', '://'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(...names, 'header', 'code', 'query', 'path', 'host', 'urlencoded', 'oauth2'),
        tie('tree'),
      ),
    ),
  }));
  fc.assert(
    fc.property(tree, tree, (item, environment) => {
      try {
        const result = describePostman(
          { info: {}, item: [item, { request: item, response: [item] }] } as Json,
          environment as Json,
        );
        expect(JSON.parse(JSON.stringify(result.document))).toEqual(result.document);
      } catch (error) {
        expect(error).toBeInstanceOf(SrqError);
      }
    }),
    { numRuns: 500 },
  );
});
