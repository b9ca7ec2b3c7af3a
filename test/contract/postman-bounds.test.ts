import { expect, test } from 'vitest';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json } from '../../src/request/contract.ts';
import { SrqError } from '../../src/request/errors.ts';
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

test('a long chain of variables ends', () => {
  const chain = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`v${index}`, `{{v${index + 1}}}`]));
  const collection = aCollection(anItem({}, { url: '{{v0}}/a' }));
  expect(at(described({ ...collection, variable: variables(chain) }).document, '/servers')).toEqual([]);
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

test('a hundred thousand items are read', { timeout: BOUND }, () => {
  const item = Array.from({ length: 100_000 }, (_, index) =>
    anItem({}, { url: `https://api.example.com/${index % 9000}` }),
  );
  const { document } = described({ ...aCollection(), item });
  expect(Object.keys(Object(at(document, '/paths')))).toHaveLength(9000);
});

test('ten thousand secrets are all left out', { timeout: BOUND }, () => {
  const secrets = Array.from({ length: 10_000 }, (_, index) => ({ key: `token${index}`, value: `value-of-${index}-` }));
  const description = secrets
    .map(({ value }) => value)
    .join(' ')
    .slice(0, 4000);
  const items = Array.from({ length: 200 }, () => anItem({}, { description }));
  const result = described({ ...aCollection(...items), variable: secrets });
  expect(JSON.stringify(result)).not.toContain('value-of-');
});

test('folders too deep are left out with a note', () => {
  const inFolders = (depth: number): Json =>
    Array.from({ length: depth }).reduce<Json>((item) => ({ name: 'F', item: [item] }), anItem());
  expect(described(aCollection(inFolders(50))).notes).toEqual([]);
  const { document, notes } = described(aCollection(inFolders(60)));
  expect(notes).toEqual(['Folders more than 50 deep in the collection are not read.']);
  expect(at(document, '/paths')).toEqual({});
});

test('a body nested too deeply is left out with a note', () => {
  const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const { notes } = described(
    aCollection(anItem({}, { body: { mode: 'raw', raw: text } }), anItem({ response: [{ code: 200, body: text }] })),
  );
  expect(notes).toEqual(['"A" (/item/0) has a body nested too deeply, which srq does not read.']);
});

test('notes are bounded', () => {
  const items = Array.from({ length: 100 }, (_, index) => anItem({ name: `I${index}` }, { body: { mode: 'file' } }));
  const { notes } = described(aCollection(...items));
  expect(notes).toHaveLength(31);
  expect(notes.at(-1)).toBe('70 more notes on the collection are left out.');
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

test('names that every object has are names like any other', () => {
  const collection = JSON.parse(
    '{"info":{"__proto__":{"name":"x"}},"item":[{"name":"constructor","request":{"method":"POST","url":"https://a.example/toString",' +
      '"body":{"mode":"urlencoded","urlencoded":[{"key":"__proto__","value":"1"},{"key":"hasOwnProperty","value":"1"}]}}}]}',
  ) as Json;
  const { document } = described(collection);
  const body = bodyOf(document, '/toString', 'application/x-www-form-urlencoded');
  expect(JSON.stringify(body)).toContain('"example":{"__proto__":"1","hasOwnProperty":"1"}');
  expect(Object.prototype).not.toHaveProperty('name');
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
