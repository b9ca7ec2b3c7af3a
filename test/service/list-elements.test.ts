import { expect, test } from 'vitest';
import { serviceInterface } from '../../src/sandbox/service/interface.ts';
import { makeEncoder } from '../../src/service/wire/encode.ts';
import { DOCUMENTED_CONTRACT, described, type Parameter } from '../doors/described.ts';

const parameter = (field: string, ...path: string[]): Parameter => ({
  ...{ field, in: 'body', path, type: 'string', isList: false, required: true, requiredWithin: null, values: null },
  ...{ minLength: null, maxLength: null, minimum: null, maximum: null, pattern: null, constant: null, audioForm: null },
});
const parameters = [
  parameter('phone', 'customer', 'phones', '0', 'number'),
  parameter('email', 'customer', 'phones', '0', 'email'),
  parameter('city', 'addresses', '0', 'city'),
  parameter('request_text', 'text'),
];
const REQUEST = {
  params: { location: 'Lisboa', phone: '+351912345678', email: 'a@example.com', request_text: 'Pintar' },
  ...{ parts: { city: 'Lisboa' }, ref: null, audio: null },
};

/** Without a schema, the sandbox checks against the parameters, in a reading of its own. */
test.each([
  ['json', 'application/json'],
  ['form', 'application/x-www-form-urlencoded'],
  ['multipart', 'multipart/form-data'],
] as const)('the only element of a list is written and read as one: %s', async (encoding, contentType) => {
  const create = { ...DOCUMENTED_CONTRACT.create, parameters, encoding, contentType };
  const contract = described({ ...DOCUMENTED_CONTRACT, create });
  const { headers, body } = makeEncoder(contract).create(REQUEST, null);
  const call = { headers, query: new URLSearchParams(), body: Buffer.from(body) };
  const content = await serviceInterface(contract).decode('create', call);
  expect(content).toMatchObject({ problems: {} });
  expect(content).toHaveProperty('params', {
    ...{ 'customer.phones.0.number': '+351912345678', 'customer.phones.0.email': 'a@example.com' },
    ...{ 'addresses.0.city': 'Lisboa', text: 'Pintar' },
  });
  if (encoding !== 'json') return;
  expect(JSON.parse(String(body))).toEqual({
    customer: { phones: [{ number: '+351912345678', email: 'a@example.com' }] },
    addresses: [{ city: 'Lisboa' }],
    text: 'Pintar',
  });
  const refused = await serviceInterface(contract).decode('create', {
    ...call,
    body: Buffer.from('{"addresses":[{}]}'),
  });
  expect(refused).toMatchObject({ problems: { 'addresses.0.city': 'is required' } });
});
