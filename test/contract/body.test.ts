import { expect, test } from 'vitest';
import { KNOWN, learnParts, parameterOf } from './describe-request.ts';

const learnWith = (properties: object, rest: object = {}) =>
  learnParts({ schema: { type: 'object', properties: { ...KNOWN, ...properties }, ...rest } });

test("an id is nobody's reference", () => {
  expect(parameterOf(learnWith({ id: { type: 'string' } }), 'ref')).toBeUndefined();
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
