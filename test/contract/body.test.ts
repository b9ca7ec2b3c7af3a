import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { KNOWN, learnParts, parameterOf } from './describe-request.ts';

const learnWith = (properties: object, rest: object = {}) =>
  learnParts({ schema: { type: 'object', properties: { ...KNOWN, ...properties }, ...rest } });

/** All known names but one. */
const without = (field: string) => Object.fromEntries(Object.entries(KNOWN).filter(([name]) => name !== field));

test.each([
  ['fullname', ['Fullname'], 'certain'],
  ['fullname', ['full-name'], 'certain'],
  ['request_text', ['requestText'], 'certain'],
  ['request_text', ['RequestText'], 'certain'],
  ['fullname', ['name'], 'likely'],
  ['fullname', ['customer_name'], 'likely'],
  ['fullname', ['customer', 'fullName'], 'likely'],
  ['phone', ['contact', 'phone'], 'likely'],
  ['phone', ['contact_number'], 'likely'],
  ['phone', ['mobilePhone'], 'likely'],
  ['request_text', ['description'], 'likely'],
  ['request_text', ['message'], 'likely'],
  ['lang', ['language'], 'likely'],
  ['lang', ['locale'], 'likely'],
  ['country', ['countryCode'], 'likely'],
  ['location', ['address'], 'likely'],
  ['postal_code', ['zip'], 'likely'],
  ['fullname', ['nome'], 'weak'],
  ['phone', ['telefone'], 'weak'],
  ['request_text', ['descrição'], 'weak'],
  ['request_text', ['anfrage'], 'weak'],
  ['city', ['localidade'], 'weak'],
  ['country', ['customer', 'pais'], 'weak'],
  ['location', ['location', 'address'], 'likely'],
  ['country', ['country', 'code'], 'likely'],
])('%s is recognised in %j and said to be %s', (field, path, confidence) => {
  const nested = path.reduceRight<object>((inner, name) => ({ type: 'object', properties: { [name]: inner } }), {});
  const { properties } =
    path.length === 1 ? { properties: { [path[0] ?? '']: {} } } : (nested as { properties: object });
  const proposal = learnParts({ schema: { properties: { ...without(field), ...properties } } });
  expect(parameterOf(proposal, field)?.path).toEqual(path);
  expect(proposal.contract.findings.find(({ setting }) => setting === field)?.confidence).toBe(confidence);
});

test.each([
  ['company', { type: 'object', properties: { name: {} } }],
  ['category', { type: 'object', properties: { name: {} } }],
  ['service_name', { type: 'string' }],
  ['username', { type: 'string' }],
])('%s is not taken for the name of the customer', (name, schema) => {
  const proposal = learnParts({ schema: { properties: { ...without('fullname'), [name]: schema } } });
  expect(parameterOf(proposal, 'fullname')).toBeUndefined();
});

test('the nearer name wins, and the other keeps its own', () => {
  const proposal = learnWith({ name: {}, message: {}, address: {} });
  expect(parameterOf(proposal, 'fullname')?.path).toEqual(['fullname']);
  expect(parameterOf(proposal, 'name')?.path).toEqual(['name']);
});

test('of names at two levels, that among most known ones is taken, and said to be a guess', () => {
  const lead = { type: 'object', properties: { ...KNOWN, email: { type: 'string' } } };
  const schema = { properties: { email: {}, lead, country: { type: 'string' } }, required: ['country'] };
  const proposal = learnParts({ schema });
  const { findings } = proposal.contract;
  for (const field of ['country', 'email']) {
    expect(parameterOf(proposal, field)?.path).toEqual(['lead', field]);
    expect(findings.find(({ setting }) => setting === field)?.confidence).toBe('weak');
  }
  expect(findings.find(({ setting }) => setting === 'phone')?.confidence).toBe('certain');
  expect(proposal.questions).toMatchObject([{ answer: '--set country=VALUE' }]);
});

test("an id is nobody's reference", () => {
  expect(parameterOf(learnWith({ id: { type: 'string' } }), 'ref')).toBeUndefined();
});

test.each([
  ['country', { enum: ['FRA', 'BEL'] }, "none of srq's markets"],
  ['lang', { type: 'string', pattern: '^[a-z]{2}_[A-Z]{2}$' }, "none of srq's languages"],
  ['phone', { type: 'string', pattern: '^[0-9]+$' }, "none of srq's numbers"],
])('what srq can never write into %s %j is a guess, and noted', (field, schema, why) => {
  const { contract, notes } = learnWith({ [field]: schema });
  expect(contract.findings.find(({ setting }) => setting === field)?.confidence).toBe('weak');
  expect(notes.filter((note) => note.includes(why))).toHaveLength(1);
});

test.each([
  ['country', { enum: ['PRT', 'ESP'] }],
  ['lang', { enum: ['pt_PT', 'es_ES'] }],
  ['phone', { type: 'string', pattern: '^\\+[0-9]{9,15}$' }],
])('what srq can write into %s %j is no guess', (field, schema) => {
  const { contract, notes } = learnWith({ [field]: schema });
  expect(contract.findings.find(({ setting }) => setting === field)?.confidence).toBe('certain');
  expect(notes.join()).not.toContain("none of srq's");
});

test('parts of a schema are one; what is required in any of them is required', () => {
  const schema = { allOf: [{ properties: KNOWN, required: ['country'] }, { required: ['phone'] }] };
  const { contract } = learnParts({ schema });
  const required = contract.create.parameters?.filter((each) => each.required).map(({ field }) => field);
  expect(required).toEqual(['country', 'phone']);
});

test('what is required within an object that is not required is not required', () => {
  const contact = { type: 'object', required: ['email'], properties: { email: { type: 'string' } } };
  expect(parameterOf(learnWith({ contact }), 'email')?.required).toBe(false);
  expect(parameterOf(learnWith({ contact }, { required: ['contact'] }), 'email')?.required).toBe(true);
});

test('what is required within an object that is not required is required once that holds anything', () => {
  const utm = { type: 'object', required: ['source'], properties: { source: {}, medium: {} } };
  const proposal = learnWith({ utm });
  expect(parameterOf(proposal, 'source')).toMatchObject({ required: false, requiredWithin: ['utm'] });
  expect(parameterOf(proposal, 'medium')).toMatchObject({ required: false, requiredWithin: null });
  const inside = { type: 'object', required: ['utm'], properties: { utm } };
  expect(parameterOf(learnWith({ inside }), 'source')?.requiredWithin).toEqual(['inside']);
  expect(parameterOf(learnWith({ utm }, { required: ['utm'] }), 'source')).toMatchObject({
    required: true,
    requiredWithin: null,
  });
});

test('what only one branch of such an object requires is not required', () => {
  const one = { required: ['source', 'both'] };
  const utm = { type: 'object', properties: { source: {}, both: {} }, oneOf: [one, { required: ['both'] }] };
  const proposal = learnWith({ utm });
  expect(parameterOf(proposal, 'source')?.requiredWithin).toBeNull();
  expect(parameterOf(proposal, 'both')?.requiredWithin).toEqual(['utm']);
});

test('conditions that only the service checks are noted', () => {
  const { notes } = learnWith({ company: {} }, { if: {}, dependentRequired: { company: ['email'] }, not: {} });
  expect(notes.join()).toMatch(/schema: if, dependentRequired, not: left to the service/);
});

test('a choice of constants is told by the constants', () => {
  const proposal = learnWith({ tags: { type: 'object', default: { a: 1 } } }, { required: ['tags'] });
  expect(proposal.contract.findings.find(({ setting }) => setting === 'create.choices')?.value).toBe('tags {"a":1}');
});

test.each([
  ['a list of types', { type: ['integer', 'null'], minimum: 1 }],
  ['nullable', { type: 'integer', nullable: true, minimum: 1 }],
  ['anyOf with null', { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }],
  ['a bound left out, in words of 3.0', { type: 'integer', minimum: 0, exclusiveMinimum: true }],
  ['a bound left out, in words of 3.1', { type: 'integer', exclusiveMinimum: 0 }],
])('a number is read from %s', (_, schema) => {
  expect(parameterOf(learnWith({ rooms: schema }), 'rooms')).toMatchObject({ type: 'integer', minimum: 1 });
});

const TRADES = [
  { value: '1', label: 'Plumbing' },
  { value: '2', label: 'Cleaning' },
];

test.each([
  ...[
    'x-enumNames',
    'x-enum-varnames',
    'x-enum-names',
    'x-enum-descriptions',
    'x-enumDescriptions',
    'x-enum-labels',
  ].map((keyword): [string, object] => [
    keyword,
    { type: 'integer', enum: [1, 2], [keyword]: ['Plumbing', 'Cleaning'] },
  ]),
  [
    'x-enum-descriptions by value',
    { type: 'integer', enum: [1, 2], 'x-enum-descriptions': { 1: 'Plumbing', 2: 'Cleaning' } },
  ],
  [
    'oneOf with titles',
    {
      type: 'integer',
      oneOf: [
        { const: 1, title: 'Plumbing' },
        { const: 2, title: 'Cleaning' },
      ],
    },
  ],
])('values have the labels of %s', (_, schema) => {
  expect(parameterOf(learnWith({ category_id: schema }), 'category')).toMatchObject({
    type: 'integer',
    values: TRADES,
  });
});

test('what only the service may say is no parameter and is not demanded', () => {
  const proposal = learnWith({ id: { type: 'integer', readOnly: true } }, { required: ['id', 'phone'] });
  expect(parameterOf(proposal, 'id')).toBeUndefined();
  expect(proposal.questions).toEqual([]);
  expect(new Ajv2020({ strict: false }).validate(proposal.contract.create.schema as object, { phone: '1' })).toBe(true);
});

test('a list of scalars is a list; a list of objects that is required is asked for, as JSON', () => {
  const items = { type: 'object', properties: { kind: { type: 'string' } } };
  const schema = {
    properties: {
      ...KNOWN,
      categories: { type: 'array', items: { type: 'string' } },
      consents: { type: 'array', items },
    },
    required: ['consents'],
  };
  const open = learnParts({ schema });
  expect(parameterOf(open, 'category')).toMatchObject({ isList: true, type: 'string' });
  expect(open.questions).toMatchObject([{ name: 'constant:consents', answer: '--set consents=VALUE' }]);
  const given = learnParts({ schema, options: { constants: { consents: '[{"kind":"gdpr"}]' } } });
  expect(given.questions).toEqual([]);
  const constants = [{ path: ['consents'], value: [{ kind: 'gdpr' }] }];
  expect(given.contract.create.choices).toEqual([[{ fields: [], constants }]]);
  expect(() => learnParts({ schema, options: { constants: { consents: 'no' } } })).toThrow('is not JSON');
});

test('unknown required parameters are asked for, unless the document fixes them', () => {
  const extra = {
    partner_id: { type: 'integer' },
    version: { const: '2' },
    channel: { enum: ['api'] },
    source: { default: 'partner' },
    optional: { enum: ['x'] },
  };
  const required = ['partner_id', 'version', 'channel', 'source'];
  const schema = { properties: { ...KNOWN, ...extra }, required };
  const open = learnParts({ schema });
  expect(open.questions.map(({ name }) => name)).toEqual(['constant:partner_id']);
  const proposal = learnParts({ schema, options: { constants: { partner_id: '42' } } });
  const constants = Object.keys(extra).map((name) => parameterOf(proposal, name)?.constant);
  expect(constants).toEqual(['42', '2', 'api', 'partner', null]);
});

test('a known field with one value is no constant: a request for another market is not sent as one for this', () => {
  const proposal = learnWith({ country: { enum: ['PT'] } }, { required: ['country'] });
  expect(parameterOf(proposal, 'country')).toMatchObject({ constant: null, values: [{ value: 'PT', label: null }] });
});

test('a value for a parameter that is not there is refused, with the one that was meant', () => {
  expect(() =>
    learnParts({ options: { constants: { partnerid: '1' } }, schema: { properties: { ...KNOWN, partner_id: {} } } }),
  ).toThrow(expect.objectContaining({ code: 'input', hint: 'Did you mean: --set partner_id=VALUE' }));
});

test('branches are choices with their constants; a choice within each branch is told once', () => {
  const common = { properties: { ...KNOWN, email: {} }, anyOf: [{ required: ['email'] }, { required: ['phone'] }] };
  const branch = (kind: string, name: string) => ({
    allOf: [common, { properties: { kind: { const: kind }, [name]: {} }, required: ['kind', name] }],
  });
  const { contract } = learnParts({ schema: { oneOf: [branch('text', 'request_text'), branch('audio', 'audio')] } });
  expect(contract.create.choices).toEqual([
    [
      { fields: ['request_text'], constants: [{ path: ['kind'], value: 'text' }] },
      { fields: ['audio_file'], constants: [{ path: ['kind'], value: 'audio' }] },
    ],
    [
      { fields: ['email'], constants: [] },
      { fields: ['phone'], constants: [] },
    ],
  ]);
});

test('a discriminator names its branches, by its mapping or by their schemas', () => {
  const schemas = {
    Text: { properties: { ...KNOWN, kind: { type: 'string' } }, required: ['kind', 'request_text'] },
    Voice: { properties: { kind: { type: 'string' }, recording: {} }, required: ['kind', 'recording'] },
  };
  const oneOf = [{ $ref: '#/components/schemas/Text' }, { $ref: '#/components/schemas/Voice' }];
  const discriminator = { propertyName: 'kind', mapping: { by_voice: '#/components/schemas/Voice' } };
  const { contract } = learnParts({ schema: { oneOf, discriminator }, rest: { components: { schemas } } });
  const constants = contract.create.choices[0]?.map((each) => [each.fields, each.constants[0]?.value]);
  expect(constants).toEqual([
    [['request_text'], 'Text'],
    [['audio_file'], 'by_voice'],
  ]);
});

test('a branch that demands nothing makes no choice', () => {
  const { contract } = learnParts({
    schema: { properties: KNOWN, anyOf: [{ required: ['phone'] }, { title: 'Neither' }] },
  });
  expect(contract.create.choices).toEqual([]);
});

test.each([
  ['base64', { type: 'string', format: 'byte', maxLength: 60_000 }],
  ['data-url', { type: 'string', description: 'data:audio/mpeg;base64,…' }],
  ['data-url', { type: 'string', pattern: '^data:audio/' }],
  ['base64', { type: 'string', contentEncoding: 'base64' }],
])('a recording goes as %s if it is described by %j', (audioForm, schema) => {
  const proposal = learnWith({ voice_note: schema, voice_mime_type: {}, voiceFileName: {}, voice_duration: {} });
  expect(parameterOf(proposal, 'audio_file')).toMatchObject({ audioForm, path: ['voice_note'] });
  expect(parameterOf(proposal, 'audio_type')?.path).toEqual(['voice_mime_type']);
  expect(parameterOf(proposal, 'audio_name')?.path).toEqual(['voiceFileName']);
});

test('header, query and path parameters that are required are fixed or asked for', () => {
  const parameters = [
    { name: 'X-Partner', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'X-Version', in: 'header', required: true, schema: { const: '2' } },
    { name: 'trace', in: 'query', schema: { type: 'string' } },
    { name: 'country', in: 'query', required: true, schema: { enum: ['PT', 'ES'] } },
    { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
  ];
  const { country: _, ...properties } = KNOWN;
  const schema = { properties: { ...properties, email: {} } };
  const open = learnParts({ schema, create: { parameters } });
  expect(open.questions.map(({ name }) => name)).toEqual(['constant:X-Partner']);
  expect(parameterOf(open, 'country')).toMatchObject({ in: 'query', path: ['country'], constant: null });
  expect(parameterOf(open, 'X-Version')).toMatchObject({ in: 'header', constant: '2' });
  expect(parameterOf(open, 'trace')).toBeUndefined();
  const given = learnParts({
    schema,
    create: { parameters },
    options: { constants: { 'X-Partner': 'A', trace: 't' } },
  });
  expect(given.questions).toEqual([]);
  expect(parameterOf(given, 'trace')).toMatchObject({ in: 'query', constant: 't' });
});

test('categories come from the operation that lists them, with values of the type that is asked for', () => {
  const example = {
    data: [
      { id: 7, slug: 'plumb', name: 'Plumbing' },
      { id: 9, slug: 'clean', name: 'Cleaning' },
    ],
  };
  const get = { responses: { 200: { content: { 'application/json': { example } } } } };
  const paths = { '/trades': { get } };
  const byNumber = learnParts({ schema: { properties: { ...KNOWN, trade_id: { type: 'integer' } } }, paths });
  expect(parameterOf(byNumber, 'category')?.values?.map(({ value }) => value)).toEqual(['7', '9']);
  const byText = learnParts({ schema: { properties: { ...KNOWN, trade: { type: 'string' } } }, paths });
  expect(parameterOf(byText, 'category')?.values).toEqual([
    { value: 'plumb', label: 'Plumbing' },
    { value: 'clean', label: 'Cleaning' },
  ]);
});

test('five thousand categories are kept of a longer list', () => {
  const listed = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at }));
  const learned = (count: number) => {
    const example = listed(count);
    const get = { responses: { 200: { content: { 'application/json': { example } } } } };
    const schema = { properties: { ...KNOWN, category_id: { type: 'integer' } } };
    return parameterOf(learnParts({ schema, paths: { '/categories': { get } } }), 'category')?.values;
  };
  expect([5_000, 5_001].map((count) => learned(count)?.length)).toEqual([5_000, 5_000]);
});

test('a number for a category of which no list tells the numbers is a guess', () => {
  const proposal = learnParts({ schema: { properties: { ...KNOWN, category_id: { type: 'integer' } } } });
  expect(proposal.contract.findings.find(({ setting }) => setting === 'category')?.confidence).toBe('weak');
});

test('the schema of a body stands alone, and refuses what the document refuses', () => {
  const schemas = {
    Person: {
      type: 'object',
      required: ['phone'],
      properties: { phone: { type: 'string', nullable: true, example: 1 } },
    },
  };
  const schema = {
    type: 'object',
    properties: {
      ...KNOWN,
      rooms: { type: 'integer', minimum: 0, exclusiveMinimum: true },
      who: { $ref: '#/components/schemas/Person' },
    },
    required: ['country', 'who'],
    discriminator: { propertyName: 'country' },
    xml: { name: 'r' },
  };
  const { contract } = learnParts({ schema, rest: { openapi: '3.0.3', components: { schemas } } });
  const validate = new Ajv2020({ strict: false, unicodeRegExp: false }).compile(contract.create.schema as object);
  expect(validate({ country: 'PT', who: { phone: null }, rooms: 1 })).toBe(true);
  expect(validate({ country: 'PT', who: { phone: '1' }, rooms: 0 })).toBe(false);
  expect(validate({ country: 'PT', who: {} })).toBe(false);
  expect(validate({ who: { phone: '1' } })).toBe(false);
});
