import { expect, test } from 'vitest';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { placedParts as placedIn } from '../../src/delivery/check/place-parts.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { findMarket } from '../../src/request/lead/markets.ts';
import { type Parts, splitLocation, splitName } from '../../src/request/lead/parts.ts';
import { contentKey } from '../../src/request/lead/service-request.ts';
import { DOCUMENTED_CONTRACT as DOCUMENTED_1, described, type Parameter } from '../doors/described.ts';

const placedParts = (contract: Contract, texts: Record<string, string>, given: Parts, country = '') =>
  placedIn(contract, texts, given, findMarket(country));

/** A contract with places for these fields. A field with `!` is required. */
function contractWith(...fields: readonly string[]): Contract {
  const parameters = fields.map((each): Parameter => {
    const field = each.replace('!', '');
    return {
      ...{ field, in: 'body', path: [field], type: 'string', isList: false, required: each !== field },
      ...{ requiredWithin: null, values: null, minLength: null, maxLength: null, minimum: null, maximum: null },
      ...{ pattern: null, constant: null, audioForm: null },
    };
  });
  return described({ ...DOCUMENTED_1, create: { ...DOCUMENTED_1.create, parameters } });
}

test.each([
  ['Ana Silva', 'Ana', 'Silva'],
  ['Ana Maria da Silva', 'Ana Maria', 'da Silva'],
  ['Ludwig van der Berg', 'Ludwig', 'van der Berg'],
  ['José Ortega y Gasset', 'José', 'Ortega y Gasset'],
  ['Manuel de la Cruz', 'Manuel', 'de la Cruz'],
  ['Eça de Queirós', 'Eça', 'de Queirós'],
  ['Berg, Anna', 'Anna', 'Berg'],
  ['Otto Meier Jr.', 'Otto', 'Meier Jr.'],
  ['  Zoé   Conceição ', 'Zoé', 'Conceição'],
  ['Al Green', 'Al', 'Green'],
  ['Van Morrison', 'Van', 'Morrison'],
])('the name %s is split into %s and %s', (fullname, first, last) => {
  expect(splitName(fullname)).toEqual({ first_name: first, last_name: last });
});

test.each(['Ana', '', ' Madonna '])('the name "%s" is not split', (fullname) => {
  expect(splitName(fullname)).toBeNull();
});

const ADDRESS = { street: 'Rua A', house_number: '12', postal_code: '1200-109', city: 'Lisboa' };

test('parts of an address go to their own places, a number without a place to the street', () => {
  const texts = { location: 'Rua A 12 1200-109 Lisboa' };
  const placed = placedParts(contractWith('street', 'postal_code', 'city'), texts, ADDRESS);
  const { house_number: _, ...others } = ADDRESS;
  expect(placed).toEqual({ parts: { ...others, street: 'Rua A 12' }, carried: ['location'], findings: [] });
  expect(placedParts(contractWith('street', 'house_number', 'city', 'postal_code'), texts, ADDRESS).parts).toEqual(
    ADDRESS,
  );
});

test('a part without a place is reported, unless the location has one', () => {
  const { parts, findings } = placedParts(contractWith('city'), {}, ADDRESS);
  expect(parts).toEqual({ city: 'Lisboa' });
  expect(findings.map(({ code, field }) => [code, field])).toEqual([
    ['contract.left-out', 'street'],
    ['contract.left-out', 'postal_code'],
  ]);
  expect(placedParts(contractWith('city', 'location'), {}, ADDRESS).findings).toEqual([]);
});

test('a whole location goes to the street, which is said, and never to a postal code or a town', () => {
  const texts = { location: '1200-109 Lisboa' };
  const placed = placedParts(contractWith('street', 'postal_code', 'city', 'region'), texts, {});
  expect(placed.parts).toEqual({ street: '1200-109 Lisboa' });
  expect(placed.findings.map(({ code }) => code)).toEqual(['location.whole']);
  expect(placedParts(contractWith('postal_code', 'city', 'region'), texts, {})).toMatchObject({
    parts: {},
    carried: [],
  });
  expect(placedParts(contractWith('street'), { location: '1200-109' }, {}).parts).toEqual({});
  expect(placedParts(contractWith('street', 'location'), texts, {}).parts).toEqual({});
});

test('a name is split only if no column gives its parts and the service needs them', () => {
  const texts = { fullname: 'Ana da Silva' };
  const both = contractWith('first_name', 'last_name');
  const split = { first_name: 'Ana', last_name: 'da Silva' };
  expect(placedParts(both, texts, {})).toMatchObject({ parts: split, carried: ['fullname'] });
  expect(placedParts(both, texts, {}).findings.map(({ code }) => code)).toEqual(['fullname.split']);
  const columns = { first_name: 'Ana da', last_name: 'Silva' };
  expect(placedParts(both, texts, columns)).toMatchObject({ parts: columns, findings: [] });
  expect(placedParts(contractWith('fullname', 'first_name'), texts, {}).parts).toEqual({});
  expect(placedParts(contractWith('fullname', 'first_name!'), texts, {}).parts).toEqual({ first_name: 'Ana' });
});

test.each([
  [['first_name', 'last_name'], { first_name: 'Ana' }],
  [['first_name', 'last_name!'], { last_name: 'Ana' }],
  [['last_name'], { last_name: 'Ana' }],
  [['first_name!'], { first_name: 'Ana' }],
])('a name of one word goes where one is required: %j', (fields, parts) => {
  expect(placedParts(contractWith(...fields), { fullname: 'Ana' }, {}).parts).toEqual(parts);
});

test('what a person gives for a part by its name is left alone', () => {
  const given = placedParts(contractWith('city', 'postal_code'), { city: 'Porto' }, ADDRESS);
  expect(given.parts).toEqual({ postal_code: '1200-109' });
  expect(placedParts(contractWith('location', 'fullname'), { location: 'A', fullname: 'B C' }, ADDRESS).parts).toEqual(
    {},
  );
  expect(placedParts(DOCUMENTED_CONTRACT, { location: 'A', fullname: 'B C' }, ADDRESS).parts).toEqual({});
});

test.each([
  ['PT', '1200-109 Lisboa', '1200-109', 'Lisboa'],
  ['PT', 'Vila Nova de Gaia, 4400-001', '4400-001', 'Vila Nova de Gaia'],
  ['DE', '10115 Berlin', '10115', 'Berlin'],
  ['UK', 'Cardiff CF10 1AA', 'CF10 1AA', 'Cardiff'],
  ['IE', 'D02 X285 Dublin', 'D02 X285', 'Dublin'],
])('in %s, %s is split into %s and %s', (country, location, code, city) => {
  const form = findMarket(country)?.postalCode?.[1] ?? /^$/;
  expect(splitLocation(location, form)).toEqual({ postal_code: code, city });
  const placed = placedParts(contractWith('street', 'postal_code', 'city'), { location }, {}, country);
  expect(placed.parts).toEqual({ postal_code: code, city });
  expect(placed.findings.map((each) => each.code)).toEqual(['location.split']);
});

test.each([
  ['PT', 'Lisboa'],
  ['PT', '1200-109'],
  ['DE', 'Hauptstr. 12, 10115 Berlin'],
  ['DE', '10115 Berlin 10117'],
  ['PT', 'Rua 1000 Lisboa'],
  ['AO', '1200-109 Luanda'],
  ['', '10115 Berlin'],
])('in %s, %s is not split: it goes to the street as a whole, or nowhere', (country, location) => {
  const { parts } = placedParts(contractWith('street', 'postal_code', 'city'), { location }, {}, country);
  expect(parts).toEqual(/\p{L}/u.test(location) ? { street: location } : {});
  const without = placedParts(contractWith('postal_code', 'city'), { location }, {}, country);
  expect(without).toMatchObject({ parts: {}, carried: [] });
});

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
