import { describe, expect, test } from 'vitest';
import { contractFindings } from '../../src/delivery/check/check-contract.ts';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { type Contract, type Json, withJudges } from '../../src/request/contract/contract.ts';
import type { RequestOperationName } from '../../src/request/contract/operations.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { quotedMessage } from '../../src/request/words/finding.ts';
import { serviceInterface } from '../../src/sandbox/service/interface.ts';
import { makeEncoder } from '../../src/service/wire/encode.ts';
import type { CreateOperation, Parameter } from '../doors/described.ts';
import fc from '../helpers/fast-check.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

type Fields = Readonly<Record<string, string>>;

const GOOD: Fields = {
  country: 'PT',
  lang: 'pt',
  location: 'Lisboa',
  fullname: 'Ana Exemplo',
  email: 'ana@example.com',
  phone: '+351912345678',
  request_text: 'Pintar a sala',
};

/** A contract with these places, and with optional ones for the other fields of the lead unless a schema is given. */
const of = (parameters: readonly Parameter[], create: Partial<CreateOperation> = {}): Contract =>
  contractWith({ create: { parameters: 'schema' in create ? parameters : withOthers(parameters), ...create } });

const withOthers = (parameters: readonly Parameter[]): readonly Parameter[] => {
  const others = Object.keys(GOOD).filter((name) => !parameters.some(({ field }) => field === name));
  return [...parameters, ...others.map((name) => parameter(name, { required: false }))];
};

function told(contract: Contract, fields: Fields, operation: RequestOperationName = 'create') {
  const { request, problems } = checkRequest({ row: 1, fields }, null, contract, operation);
  return {
    fit: request !== null,
    params: request?.params,
    told: problems.map((each) => `${each.field}: ${quotedMessage(each)}`),
  };
}

const optional = (field: string, changes: Partial<Parameter> = {}) => parameter(field, { required: false, ...changes });

describe('What the description requires', () => {
  test('What validate requires counts for validate alone', () => {
    const contract = contractWith({
      create: { parameters: withOthers([parameter('phone'), optional('email')]) },
      validate: { parameters: [parameter('phone'), parameter('email')] },
    });
    const { phone: _, email: __, ...neither } = GOOD;
    const fields = (operation: RequestOperationName) =>
      told(contract, neither, operation).told.map((each) => each.split(':')[0]);
    expect(fields('create')).toEqual(['phone']);
    expect(fields('validate')).toEqual(['phone', 'email']);
  });

  test('What the description requires replaces what was usual', () => {
    const bare = told(of([parameter('request_text')]), { request_text: 'Pintar a sala' });
    expect(bare).toEqual({ fit: true, params: { request_text: 'Pintar a sala' }, told: [] });
    expect(told(of([parameter('phone')]), { country: 'CH', phone: '+41446681800' }).told).toEqual([]);
  });
});

describe('Values', () => {
  test('Values that srq has filled in itself are never refused where they may be left out', () => {
    const { lang: _, ...fields } = GOOD;
    const english = [{ value: 'en', label: null }];
    expect(told(of([optional('lang', { values: english })]), fields)).toMatchObject({ fit: true, told: [] });
    expect(told(of([parameter('lang', { values: english })]), fields).fit).toBe(false);
    expect(told(of([optional('lang', { values: english })]), GOOD).fit).toBe(false);
  });

  test('Constants of the description can be given otherwise, and are checked then', () => {
    const fixed = optional('type', { constant: 'lead', values: [{ value: 'lead', label: null }] });
    const partner = optional('partner_id', { constant: '42', type: 'integer' });
    expect(told(of([fixed, partner]), { ...GOOD, partner_id: '43' }).told).toEqual([]);
    expect(told(of([fixed]), { ...GOOD, type: 'order' }).fit).toBe(false);
    expect(told(of([partner, optional('phone')]), { ...GOOD, partner_id: 'x' }).told).toHaveLength(1);
  });
});

describe('Where the description takes nothing else', () => {
  const closed = { schema: { type: 'object', additionalProperties: false } };

  test('Where the description takes nothing else, a field of srq is left out with a warning', () => {
    const parameters = Object.keys(GOOD)
      .filter((field) => field !== 'lang')
      .map((field) => optional(field));
    expect(told(of(parameters, closed), GOOD)).toMatchObject({
      fit: true,
      told: ['lang: lang is left out: the API description has no place for it.'],
    });
    const { lang: _, ...withoutLang } = GOOD;
    expect(told(of(parameters, closed), withoutLang)).toMatchObject({ fit: true, told: [] });
    expect(told(of([...parameters, optional('lang')], closed), { ...GOOD, fulname: 'x' }).told).toEqual([
      'fulname: fulname "x" has no place, says the API description.',
    ]);
  });
});

describe('A recording', () => {
  test('A recording takes the place of the text, unless the text is required all the same', () => {
    const both = { ...GOOD, audio: 'UklGRg==' };
    expect(told(of([parameter('phone'), optional('audio_file')]), both).params).not.toHaveProperty('request_text');
    expect(told(of([parameter('request_text'), optional('audio_file')]), both).params).toHaveProperty('request_text');
  });
});

describe('A finding under a contract', () => {
  test('A recording that is there gives no finding: its kind and name come with it', () => {
    const contract = of(['audio_file', 'audio_type', 'audio_name'].map((field) => parameter(field)));
    const { request_text: _, ...fields } = GOOD;
    const missing = (given: Fields) => told(contract, given).told.filter((each) => each.includes('is empty'));
    expect(missing({ ...fields, audio_file: 'a.wav' })).toEqual([]);
    expect(missing({ ...fields, audio: 'UklGRg==' })).toEqual([]);
    expect(missing(GOOD)).toHaveLength(3);
  });

  test('A recording without a place is an error, any other field a warning', () => {
    const { request_text: _, ...fields } = GOOD;
    const { fit, told: all } = told(of([optional('phone')], { schema: { type: 'object' } }), {
      ...fields,
      audio_file: 'a.wav',
    });
    expect(fit).toBe(false);
    expect(all.filter((each) => each.startsWith('audio_file'))).toEqual([
      'audio_file: audio_file has no place, says the API description.',
    ]);
    expect(all.filter((each) => each.startsWith('email'))).toEqual([
      'email: email is left out: the API description has no place for it.',
    ]);
  });

  test('A field that only validate has no place for gives no finding', () => {
    const contract = contractWith({
      validate: { parameters: [optional('phone')], schema: { type: 'object', additionalProperties: false } },
    });
    expect(told(contract, GOOD, 'validate').told).toEqual([]);
    expect(told(contract, { ...GOOD, extra: 'x' }, 'validate').told).toEqual([]);
  });
});

describe('The plan and the sandbox', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'request_text');
  const leaf = fc.oneof(
    fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ type: fc.constant('string'), minLength: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^a', '[0-9]', 'b$', '(?=x)') }),
    fc.record({ type: fc.constant('string'), format: fc.constantFrom('email', 'date', 'uuid') }),
    fc.record({ type: fc.constant('string'), enum: fc.constant(['12', 'ab']) }),
    fc.record({ type: fc.constantFrom('integer', 'number', 'boolean') }),
    fc.record({ type: fc.constant('integer'), maximum: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ oneOf: fc.constant([{ const: 12, title: 'ab' }, { const: 7 }]) }),
  );
  const required = fc.subarray(['a', 'b', 'c', 'request_text']);
  const needs = fc.option(
    fc.array(
      required.map((names) => ({ required: names })),
      { minLength: 1, maxLength: 3 },
    ),
    { nil: undefined },
  );
  const object = fc
    .record({
      properties: fc.dictionary(name, leaf),
      required,
      anyOf: needs,
      oneOf: needs,
      additionalProperties: fc.constantFrom(true, false),
    })
    .map((schema) => ({ type: 'object', ...JSON.parse(JSON.stringify(schema)) }));
  const body = fc.oneof(
    object.map((schema) => ({ schema, at: '' })),
    object.map((inner) => ({
      schema: { type: 'object', properties: { lead: { $ref: '#/$defs/Lead' } }, required: ['lead'] },
      $defs: { Lead: inner },
      at: 'lead.',
    })),
  );
  const text = fc.oneof(
    fc.constantFrom('12', 'ab', '7', 'true', '1.5', '2026-11-24', 'a@b.c'),
    fc.string({ minLength: 1, maxLength: 6 }),
  );
  const row = fc.dictionary(
    name,
    text.filter((each) => each.trim() === each && each !== ''),
  );
  const as = fc.constantFrom('application/json', 'application/x-www-form-urlencoded');

  test('The plan and the sandbox refuse the same rows, whatever the schema', async () => {
    await fc.assert(
      fc.asyncProperty(body, row, as, async ({ at, schema, ...defs }, texts, as) => {
        const create = {
          ...DOCUMENTED_CONTRACT.create,
          as,
          fields: Object.fromEntries(['a', 'b', 'c', 'request_text'].map((field) => [at + field, field])),
          schema: { type: 'object', properties: { body: schema }, required: ['body'], ...defs } as Json,
        };
        const source = { file: 'api.json', title: '', kind: '', learnedAt: '' };
        const contract = await withJudges({ ...DOCUMENTED_CONTRACT, source, create });
        const found = contractFindings(contract, 'create', { texts, hasRecording: false, filled: new Set() });
        const sent = makeEncoder(contract).create({ params: texts, audio: null, ref: null }, null);
        const call = { headers: sent.headers, query: new URLSearchParams(), body: Buffer.from(sent.body) };
        const offered = serviceInterface(contract);
        const content = await offered.decode('create', call);
        const refused = 'status' in content ? content : offered.refuse(content);
        expect([texts, found.map(({ message }) => message), refused?.body]).toEqual([
          texts,
          refused === null ? [] : expect.arrayContaining([expect.any(String)]),
          found.length === 0 ? undefined : expect.any(String),
        ]);
      }),
    );
  });
});
