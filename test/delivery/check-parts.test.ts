import { expect, test } from 'vitest';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { contentKey } from '../../src/request/lead/service-request.ts';
import { contractWith as contractOf, parameter } from '../sandbox/contract-client.ts';

// Which part goes where is in test/doors/read/parts.md.

const ADDRESS = { street: 'Rua A', house_number: '12', postal_code: '1200-109', city: 'Lisboa' };
const contractWith = (...fields: readonly string[]) =>
  contractOf({ create: { parameters: fields.map((field) => parameter(field, { required: false })) } });

test('a request has no parts if its description has none, so that its key stays as it was', () => {
  const fields = {
    country: 'PT',
    lang: 'pt',
    location: 'Lisboa',
    fullname: 'Ana Silva',
    phone: '+351912345678',
    request_text: 'A',
  };
  const draft = { row: 1, fields, parts: ADDRESS };
  const request = (contract: Contract) => checkRequest(draft, null, contract).request;
  expect(JSON.stringify(request(DOCUMENTED_CONTRACT))).toBe(JSON.stringify({ params: fields, audio: null, ref: null }));
  expect(request(contractWith('location', 'fullname'))).not.toHaveProperty('parts');
  const parted = request(contractWith('city', 'country', 'lang', 'fullname', 'phone', 'request_text'));
  expect(parted).toMatchObject({ parts: { city: 'Lisboa' }, params: fields });
  const destination = { baseUrl: 'https://api.example.com', clientId: 'p' };
  const keys = [request(DOCUMENTED_CONTRACT), parted].map((each) => each && contentKey(each, destination));
  expect(keys[1]).toBe(keys[0]);
});
