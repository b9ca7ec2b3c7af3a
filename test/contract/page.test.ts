import { expect, test } from 'vitest';
import { type Contract, edited, PUBLIC, page } from '../doors/learn.ts';
import fc from '../helpers/fast-check.ts';

const NAME = fc.oneof(
  fc.constantFrom(
    'phone',
    'customer.name',
    'a\\.b',
    'phones.0.number',
    'header X-Lang',
    'query lang',
    'body query x',
    'null',
    'yes',
    '1',
  ),
  fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .filter((name) => !/^(?:header|body) |__proto__/.test(name)),
);
const TEXT = fc.oneof(
  fc.constantFrom('true', '0x1', '2026-01-01', '~', ' a ', '# b', 'a: b', '- c', ''),
  fc.string({ unit: 'grapheme' }),
);
const VALUE = fc
  .oneof(
    TEXT.filter((each) => each !== '<secret>'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.jsonValue({ maxDepth: 2 }),
  )
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
  .map((value) => value as Contract['create']['always'][string]);
const PATH = fc.constantFrom('/v1/leads', '/a%20b', '/leads.json', '/');
const FIELD = TEXT.filter((each) => each !== '');
const CALL = fc
  .record({
    call: fc.tuple(fc.constantFrom('POST', 'PUT'), PATH).map((parts) => parts.join(' ')),
    as: fc.constantFrom('application/json', 'multipart/form-data', 'application/vnd.api+json'),
    // Of two places within one another only one can be sent.
    fields: fc
      .dictionary(NAME, FIELD)
      .filter(
        (each) => !Object.keys(each).some((inner) => Object.keys(each).some((outer) => inner.startsWith(`${outer}.`))),
      ),
    always: fc.dictionary(
      NAME.filter((name) => !/secret|token|key|pass/i.test(name)),
      VALUE,
    ),
    when: fc.dictionary(NAME, fc.dictionary(NAME, VALUE, { minKeys: 1 })),
    codes: fc.array(fc.dictionary(NAME, TEXT, { minKeys: 1 })),
    audio: fc.constantFrom('base64' as const, 'data-url' as const, 'binary' as const),
    schema: fc.constant(null),
    success: fc.constant(null),
  })
  .map((call) => {
    // Only a field that has a place has codes.
    const fields = [...new Set(Object.values(call.fields))];
    return {
      ...call,
      codes: Object.fromEntries(call.codes.slice(0, fields.length).map((each, at) => [fields[at], each])),
    };
  });
const IDENTIFIERS = fc.array(fc.constantFrom('/id', '/data/id', ''));
const AGAIN = fc.option(
  fc.record({ header: fc.constant('Idempotency-Key'), hours: fc.option(fc.nat()), uuid: fc.boolean() }),
);
const CONTRACT: fc.Arbitrary<Contract> = fc
  .record({
    create: fc.tuple(CALL, IDENTIFIERS, AGAIN).map(([call, identifiers, again]) => ({ ...call, identifiers, again })),
    validate: fc.option(CALL),
    origin: fc.constantFrom(undefined, 'service', 'https://login.example.com'),
    token: fc.record({
      path: PATH,
      auth: fc.constantFrom('body' as const, 'basic' as const),
      encoding: fc.constantFrom('form' as const, 'json' as const),
    }),
    extra: fc.dictionary(fc.constantFrom('scope', 'audience'), TEXT),
    answer: fc.option(fc.constantFrom('', '/data/jwt')),
  })
  .filter(({ create, validate }) => create.call !== validate?.call)
  .map(({ origin, token, extra, answer, ...rest }) => ({
    ...PUBLIC,
    ...rest,
    token: { ...PUBLIC.token, ...token, extra, answer, ...(origin !== undefined && { origin }) },
  }));

test('a page that is written and read again is the same contract', () => {
  fc.assert(
    fc.property(CONTRACT, (contract) => {
      const { contract: read, missing } = edited(page(contract), contract);
      expect(missing).toEqual([]);
      expect(read).toEqual(contract);
    }),
    { numRuns: 300 },
  );
});

const KEYED: Contract = {
  ...PUBLIC,
  create: { ...PUBLIC.create, always: { 'header X-Api-Key': 'canary', 'query secret': 'canary' } },
};

test('a secret is left out of the page, and put back where it was', () => {
  const text = page(KEYED);
  expect(text).not.toContain('canary');
  expect(edited(text, KEYED).contract).toEqual(KEYED);
  const elsewhere = edited(text, PUBLIC);
  expect(elsewhere.missing.toSorted()).toEqual(['X-Api-Key', 'secret']);
  expect(edited(text, PUBLIC, { 'X-Api-Key': 'a', secret: 'b' })).toMatchObject({
    missing: [],
    contract: { create: { always: { 'header X-Api-Key': 'a', 'query secret': 'b' } } },
  });
});

test('the schema is kept as long as the call is the same', () => {
  const known = { ...PUBLIC, create: { ...PUBLIC.create, call: 'POST /x', schema: { type: 'object' } } };
  const read = (call: string) =>
    edited(`create: { call: ${call}, fields: { a: phone } }\nvalidate: none\n`, known).contract.create.schema;
  expect([read('POST /x'), read('POST /y')]).toEqual([{ type: 'object' }, null]);
});
