import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Proposal } from '../../src/request/contract.ts';
import { describedOperation } from '../../src/request/contract-rules.ts';
import { learnLeads, learnParts } from './describe-request.ts';
import type { Judgement } from './judged-document.ts';
import { learnOptions } from './learn-options.ts';

const judged = readFileSync(new URL('../../fixtures/documents/judged.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Judgement & { readonly document?: object });

function learnExtract(name: string, constants: Record<string, string> = {}): Proposal {
  const found = judged.find((each) => each.name === name);
  const bytes = Buffer.from(JSON.stringify(found?.document));
  const create = found?.create[0] ?? '';
  return learnContract(
    [{ name: `${name}.json`, bytes }],
    learnOptions({ constants, operations: { create, validate: 'none' } }),
  );
}

const placeQuestion = ({ questions }: Proposal) => questions.find(({ name }) => name === 'place:fields');
const places = ({ contract }: Proposal): Record<string, string> =>
  Object.fromEntries((contract.create.parameters ?? []).map(({ field, path }) => [field, path.join('.')]));
const guesses = ({ contract }: Proposal) =>
  contract.findings.filter(({ confidence }) => confidence === 'weak').map(({ setting }) => setting);
const takesOwn = ({ contract }: Proposal) => describedOperation(contract.create).others.takesOwn;

/** A body of which no member is a field: `extra` holds anything. */
const free = (own: object = {}, rest: object = {}) => ({
  schema: { type: 'object', properties: { kind: { type: 'string' }, extra: { type: 'object', ...own } }, ...rest },
});
const learnFree = (constants: Record<string, string> = {}, ...[own, rest]: Parameters<typeof free>) =>
  learnParts({
    ...free(own, rest),
    options: { constants, operations: { create: 'POST /requests', validate: 'none' } },
  });

test('a create without a place for any field is a guess and takes none of them; one question names the objects that may', () => {
  const proposal = learnExtract('europace-kundenangaben');
  expect(placeQuestion(proposal)).toMatchObject({
    answer: "--set 'kundenangaben.haushalte.0.kunden.0={fields}'",
    choices: ['kundenangaben.haushalte.0.kunden.0', 'kundenangaben.sicherungsgeberHaushalte.0.kunden.0', 'none'],
    unanswered: 'none',
  });
  expect(placeQuestion(proposal)?.text).toContain('kunden.0 (email, phone, last_name, first_name)');
  expect(guesses(proposal)).toContain('create.fields');
  expect(takesOwn(proposal)).toBe(false);
  expect(proposal.questions.filter(({ name }) => name.startsWith('constant:'))).toEqual([]);
});

test('an object that a person names is read as the customer’s, lists and parts of an address among it', () => {
  const kunde = 'kundenangaben.haushalte.0.kunden.0';
  const proposal = learnExtract('europace-kundenangaben', { [kunde]: '{fields}' });
  expect(places(proposal)).toMatchObject({
    first_name: `${kunde}.personendaten.person.vorname`,
    last_name: `${kunde}.personendaten.person.nachname`,
    email: `${kunde}.kontakt.email`,
    phone: `${kunde}.kontakt.telefonnummer.nummer`,
    street: `${kunde}.wohnsituation.anschrift.strasse`,
    postal_code: `${kunde}.wohnsituation.anschrift.plz`,
    city: `${kunde}.wohnsituation.anschrift.ort`,
  });
  expect(placeQuestion(proposal)).toBeUndefined();
  expect(guesses(proposal)).not.toContain('create.fields');
});

test('of two persons alike, the one that is named gets the fields', () => {
  expect(placeQuestion(learnExtract('shipengine'))?.choices).toEqual([
    'shipments.0.ship_to',
    'shipments.0.ship_from',
    'shipments.0.return_to',
    'none',
  ]);
  const proposal = learnExtract('shipengine', { 'shipments.0.ship_to': '{fields}' });
  expect(places(proposal)).toMatchObject({
    fullname: 'shipments.0.ship_to.name',
    phone: 'shipments.0.ship_to.phone',
    city: 'shipments.0.ship_to.city_locality',
  });
});

test('an object of which nothing is described takes all fields under the names of srq, or those that a person names', () => {
  const asked = placeQuestion(learnExtract('hubspot-contacts'));
  expect(asked).toMatchObject({ answer: "--set 'properties={fields}'", choices: ['properties', 'body', 'none'] });
  // It is required, so that there is no contract without an answer.
  expect(asked).not.toHaveProperty('unanswered');
  const all = learnExtract('hubspot-contacts', { properties: '{fields}' });
  expect(places(all)).toMatchObject({ email: 'properties.email', request_text: 'properties.request_text' });
  const some = learnExtract('hubspot-contacts', {
    'properties.email': '{email}',
    'properties.firstname': '{first_name}',
  });
  expect(places(some)).toMatchObject({ email: 'properties.email', first_name: 'properties.firstname' });
  expect(places(some)).not.toHaveProperty('phone');
  expect([...all.questions, ...some.questions].map(({ name }) => name)).not.toContain('constant:properties');
  const none = learnExtract('hubspot-contacts', { none: '{fields}' });
  expect(none.questions.map(({ name }) => name)).toContain('constant:properties');
  expect(placeQuestion(none)).toBeUndefined();
});

test('nothing is proposed to who copies the flag unread if only the body itself is left', () => {
  const proposal = learnExtract('pipedrive-leads');
  expect(placeQuestion(proposal)).toMatchObject({ answer: "--set 'PLACE={fields}'", choices: ['body', 'none'] });
  expect(places(learnExtract('pipedrive-leads', { body: '{fields}' }))).toMatchObject({ email: 'email' });
  expect(places(learnExtract('pipedrive-leads', { title: '{request_text}' }))).toMatchObject({ request_text: 'title' });
});

test('without a place for the customer alone, only an object that may be the customer’s is asked about', () => {
  const said = learnLeads(['description', 'category', 'site.0.owner.name', 'site.0.owner.phone']);
  expect(placeQuestion(said)?.choices).toEqual(['site.0.owner', 'none']);
  expect(placeQuestion(learnLeads(['description', 'category', 'site.code']))).toBeUndefined();
  expect(placeQuestion(learnLeads(['description', 'email', 'site.0.owner.name']))).toBeUndefined();
});

test('a place that takes no field is refused, and one that nobody described is not found', () => {
  expect(() => learnFree({ extra: '{fields}' }, { additionalProperties: false })).toThrow();
  expect(() => learnFree({ body: '{fields}' }, {}, { additionalProperties: false })).toThrow('no place for any field');
  expect(() => learnFree({ 'kind.email': '{email}' })).toThrow('no parameter "kind.email"');
  expect(() => learnFree({ emial: '{email}' })).toThrow('no parameter "emial"');
  expect(() => learnFree({ 'extra.mail': '{fields}' })).toThrow('no parameter "extra.mail"');
  expect(places(learnFree({ 'extra.mail': '{email}', 'extra.tel': '{phone}' }))).toMatchObject({
    email: 'extra.mail',
    phone: 'extra.tel',
  });
});

test('an object called as the answers are is meant itself', () => {
  const schema = { type: 'object', properties: { body: { type: 'object' }, none: { type: 'object' } } };
  const options = { operations: { create: 'POST /requests', validate: 'none' } };
  const learn = (constants: Record<string, string>) => learnParts({ schema, options: { ...options, constants } });
  expect(places(learn({ body: '{fields}' }))).toMatchObject({ email: 'body.email' });
  expect(places(learn({ none: '{fields}' }))).toMatchObject({ email: 'none.email' });
});

test('only one place of an operation takes all fields', () => {
  expect(() => learnFree({ extra: '{fields}', body: '{fields}' })).toThrow(
    'Only one place can take all fields, and these are named: extra, body.',
  );
  // What is mistyped is told with the way to say it.
  expect(() => learnFree({ extra: '{field' })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("'extra={fields}'") }),
  );
});
