import { expect, test } from 'vitest';
import type { Parameter, Proposal } from '../../src/request/contract.ts';
import fc from '../helpers/fast-check.ts';
import { KNOWN, learnLeads, learnParts } from './describe-request.ts';
import { MEANT, NOT_MEANT } from './field-words.ts';

const fields = ({ contract }: Proposal): Record<string, string> =>
  Object.fromEntries((contract.create.parameters ?? []).map(({ field, path }: Parameter) => [field, path.join('.')]));
const confidenceOf = ({ contract }: Proposal, field: string) =>
  contract.findings.find(({ setting }) => setting === field)?.confidence;
const asked = ({ questions }: Proposal): string[] => questions.map(({ answer }) => answer);

test('what belongs to the customer comes from one object; what stands alone in another is asked about', () => {
  const proposal = learnLeads([
    'personalInformation.firstName',
    'personalInformation.lastName',
    'mortgageInformation.email',
  ]);
  expect(fields(proposal)).toMatchObject({ first_name: 'personalInformation.firstName' });
  expect(fields(proposal)).not.toHaveProperty('email');
  expect(asked(proposal)).toEqual(["--set 'mortgageInformation.email={email}'"]);
  const both = learnLeads(['personalInformation.firstName', 'personalInformation.email', 'mortgageInformation.email']);
  expect(fields(both)).toMatchObject({ email: 'personalInformation.email' });
  expect(asked(both)).toEqual([]);
});

test.each([
  ['agent', 'agent.email'],
  ['owner', 'owner.email'],
  ['company', 'company.email'],
  ['billing', 'billing.email'],
  ['landlord', 'landlord.email'],
])('contacts of the %s are nobody else’s', (object, place) => {
  const proposal = learnLeads([place, `${object}.phone`, 'customer.fullName', 'customer.phone', 'description']);
  expect(fields(proposal)).toMatchObject({ phone: 'customer.phone', fullname: 'customer.fullName' });
  expect(fields(proposal)).not.toHaveProperty('email');
});

test('of several persons that may be the customer, the one of whom most is said is taken whole', () => {
  const proposal = learnLeads(['requester.email', 'contact.name', 'contact.phone', 'contact.emailAddress', 'text']);
  expect(fields(proposal)).toMatchObject({ email: 'contact.emailAddress', phone: 'contact.phone' });
  expect(confidenceOf(proposal, 'email')).toBe('weak');
  expect(confidenceOf(proposal, 'phone')).toBe('likely');
  const parts = ['customer.firstName', 'customer.lastName', 'customer.email', 'requester.fullName', 'text'];
  expect(fields(learnLeads(parts))).not.toHaveProperty('fullname');
});

test('a person says in braces which field goes to a place, and yes or no to a doubt', () => {
  const paths = ['customer.fullName', 'agent.email', 'note1'];
  const said = (constants: Record<string, string>) => learnLeads(paths, { constants });
  expect(asked(said({}))).toEqual(["--set 'agent.email={email}'"]);
  for (const answer of ['{email}', 'y', 'yes']) {
    const proposal = said({ 'agent.email': answer });
    expect(fields(proposal)).toMatchObject({ email: 'agent.email' });
    expect(proposal.contract.create.parameters?.find(({ field }) => field === 'email')?.constant).toBeNull();
    expect(asked(proposal)).toEqual([]);
  }
  for (const answer of ['n', 'no']) {
    expect(fields(said({ 'agent.email': answer }))).not.toHaveProperty('email');
    expect(asked(said({ 'agent.email': answer }))).toEqual([]);
  }
  expect(fields(said({ 'agent.email': 'no', note1: '{request_text}' }))).toMatchObject({ request_text: 'note1' });
  expect(fields(said({ 'agent.email': 'no', note1: '{fullname}' }))).toMatchObject({ fullname: 'note1' });
});

test('a required place in doubt is a question that has to be answered', () => {
  const [question] = learnLeads(['customer.fullName', 'agent_email!']).questions;
  expect(question).toMatchObject({ answer: "--set 'agent_email={email}'" });
  expect(question).not.toHaveProperty('unanswered');
  expect(question?.text).toMatch(/Does the customer's email go to "agent_email"\?.*requires a value/);
});

test('an address beside a postal code or a town is the street; alone it is the location', () => {
  expect(fields(learnLeads(['address', 'zip', 'city', 'state', 'phone']))).toMatchObject({
    ...{ street: 'address', postal_code: 'zip', city: 'city', region: 'state' },
  });
  expect(fields(learnLeads(['address', 'phone', 'name']))).toMatchObject({ location: 'address' });
  expect(fields(learnLeads(['location', 'zip', 'phone']))).toMatchObject({ location: 'location', postal_code: 'zip' });
});

test('a state without an address is a status, and a number without a street is no house', () => {
  expect(fields(learnLeads(['state', 'phone', 'name', 'house_number']))).toMatchObject({ state: 'state' });
  expect(fields(learnLeads(['state', 'city', 'phone']))).toMatchObject({ region: 'state' });
  expect(fields(learnLeads(['address.state', 'phone']))).toMatchObject({ region: 'address.state' });
});

test('of several addresses one is taken whole, and that of somebody else is left alone', () => {
  const own = ['property_address', 'property_city', 'property_zip'];
  const other = ['billing_address', 'billing_city', 'billing_zip', 'billing_state'];
  expect(fields(learnLeads([...other, ...own, 'phone', 'email']))).toMatchObject({
    ...{ street: 'property_address', city: 'property_city', postal_code: 'property_zip' },
    billing_state: 'billing_state',
  });
  const open = fields(learnLeads(['billing.city', 'billing.zip', 'phone', 'email', 'name']));
  expect(Object.keys(open)).not.toEqual(expect.arrayContaining(['city']));
});

test('a whole location never goes to a postal code or a town', () => {
  const proposal = learnLeads(['zip', 'phone', 'name', 'description']);
  expect(fields(proposal)).toMatchObject({ postal_code: 'zip' });
  expect(fields(proposal)).not.toHaveProperty('location');
});

test('lists of contacts hold one element, of the shape that the document says', () => {
  const proposal = learnLeads(['name', 'emails.0.email', 'phones.0.number!', 'phones.0.type', 'tags.0.label']);
  expect(fields(proposal)).toMatchObject({ email: 'emails.0.email', phone: 'phones.0.number', fullname: 'name' });
  expect(fields(proposal)).not.toHaveProperty('label');
  const phone = proposal.contract.create.parameters?.find(({ field }) => field === 'phone');
  expect(phone).toMatchObject({ required: false, requiredWithin: ['phones'] });
  expect(learnLeads(['name', 'phones.0.number', 'phones.0.type!']).questions).toMatchObject([
    { answer: '--set type=VALUE' },
  ]);
});

test('a name alone is a doubt, unless contacts stand beside it', () => {
  expect(fields(learnLeads(['name', 'description', 'zip']))).not.toHaveProperty('fullname');
  expect(fields(learnLeads(['name', 'description', 'phone']))).toHaveProperty('fullname', 'name');
  const company = learnLeads(['customer.name', 'description', 'zip']);
  expect(confidenceOf(company, 'fullname')).toBe('weak');
});

test('the contacts of an agent beside the customer make no group of the customer', () => {
  const proposal = learnLeads(['customer.name', 'description', 'email', 'agent.email']);
  expect(fields(proposal)).toMatchObject({ fullname: 'customer.name', email: 'email' });
  expect(confidenceOf(proposal, 'fullname')).not.toBe('weak');
});

test('a name beside the last name alone is the first name', () => {
  expect(fields(learnLeads(['name', 'surname', 'phone']))).toMatchObject({ first_name: 'name', last_name: 'surname' });
  const whole = fields(learnLeads(['name', 'first_name', 'last_name', 'phone']));
  expect(whole).toMatchObject({ fullname: 'name', first_name: 'first_name' });
});

test('the only person of a document is the customer, as a guess; of two it is not known', () => {
  const one = learnLeads(['traveler.firstName', 'traveler.email', 'description']);
  expect(fields(one)).toMatchObject({ email: 'traveler.email' });
  expect(confidenceOf(one, 'email')).toBe('weak');
  const two = learnLeads(['traveler.name', 'traveler.email', 'insured.name', 'insured.email', 'description']);
  expect(fields(two)).not.toHaveProperty('email');
});

/** Ways to write a name. The first one leaves it as it is. */
const STYLES: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase(),
  (name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  (name) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  (name) => name.replaceAll('_', '-'),
];
/** Objects that only wrap what they hold. */
const WRAPS = ['', 'data', 'lead', 'request', 'payload.attributes', 'leads.0'];
const PEOPLE = ['', 'customer', 'contact', 'personalInformation', 'contact_details'];
const OF_PEOPLE = /^(?:fullname|first_name|last_name|email|phone)$/;
/** One address at a time: a name for one of these would not be alone in meaning it. */
const CONTENTS = 'country lang street postal_code city fullname email phone request_text category audio_file'.split(
  ' ',
);

const ofContent = (content: string) =>
  fc.record({
    content: fc.constant(content),
    name: fc.constantFrom(...(MEANT[content] ?? '').split(' ').filter((name) => !/\.0|^(?:line|name$)/.test(name))),
    style: fc.constantFrom(...STYLES),
    person: fc.constantFrom(...PEOPLE),
  });
const LEADS = fc.record({
  wrap: fc.constantFrom(...WRAPS),
  own: fc.subarray(CONTENTS, { minLength: 4 }).chain((contents) => fc.tuple(...contents.map(ofContent))),
  others: fc.uniqueArray(fc.constantFrom(...NOT_MEANT), { maxLength: 12 }),
});

test('whatever is renamed, nested or put in another order, no field lands under a name that means something else', () => {
  let assigned = 0;
  fc.assert(
    fc.property(LEADS, fc.infiniteStream(fc.nat()), ({ wrap, own, others }, chance) => {
      const join = (...names: string[]) => names.filter((name) => name !== '').join('.');
      const places = new Map<string, string>();
      for (const { content, name, style, person } of own) {
        const isNested = name.includes('.') || !OF_PEOPLE.test(content);
        places.set(join(wrap, isNested ? '' : person, ...name.split('.').map(style)), content);
      }
      for (const name of others) if (!places.has(join(wrap, name))) places.set(join(wrap, name), 'other');
      const paths = [...places.keys()].map((path) => [path, chance.next().value ?? 0] as const);
      const [first, second] = [paths, paths.toSorted(([, a], [, b]) => a - b)].map((order) =>
        fields(learnLeads(order.map(([path]) => path))),
      );
      const known = (found: Record<string, string> = {}) =>
        Object.fromEntries(Object.entries(found).filter(([field]) => field in MEANT));
      for (const [field, path] of Object.entries(known(first))) {
        assigned += 1;
        const meant = places.get(path);
        expect([field, path, meant]).toEqual([field, path, field]);
      }
      expect(Object.keys(known(second)).sort()).toEqual(Object.keys(known(first)).sort());
    }),
    { numRuns: 300 },
  );
  expect(assigned).toBeGreaterThan(1000);
});

test('the name of an object that holds a team is asked about, and a name beside a last name is the first one', () => {
  const company = learnLeads(['customerProfile.name', 'customerProfile.team.0.email', 'customerProfile.team.0.phone']);
  expect(fields(company)).not.toHaveProperty('fullname');
  expect(asked(company)).toEqual(["--set 'customerProfile={fields}'"]);
  expect(fields(learnLeads(['customer.name', 'customer.phones.0.number']))).toMatchObject({
    fullname: 'customer.name',
  });
  const spanish = learnLeads(['nombre', 'apellidos', 'correo', 'mensaje']);
  expect(fields(spanish)).toMatchObject({ first_name: 'nombre', last_name: 'apellidos' });
});

test.each([
  ['fullname', 'fullname', 'name'],
  ['fullname', 'complete_name', 'display_name'],
  ['phone', 'phone', 'contact_number'],
  ['phone', 'telephone', 'whatsapp'],
  ['email', 'mail', 'email_id'],
  ['request_text', 'requestText', 'description'],
  ['request_text', 'description', 'anfrage'],
  ['request_text', 'message', 'summary'],
  ['location', 'address', 'place'],
  ['country', 'countryCode', 'market'],
  ['category', 'service_category', 'job_type'],
  ['ref', 'lead_id', 'reference_number'],
])('of two places for %s, %s is taken before %s, wherever it stands', (field, nearer, other) => {
  for (const paths of [
    [nearer, other],
    [other, nearer],
  ])
    expect(fields(learnLeads(['lang', 'region', ...paths]))).toMatchObject({ [field]: nearer });
});

test('what is said of each place is all that a person has to compare with the description', () => {
  const properties = {
    ...KNOWN,
    phone: { type: 'array', items: { type: 'string' } },
    fullname: { type: 'string', maxLength: 60 },
    request_text: { type: 'string', minLength: 10, maxLength: 200 },
    location: { type: 'string', minLength: 5 },
    lang: { type: 'string', enum: ['de', 'pt'] },
    category: { type: 'integer' },
  };
  const { contract } = learnParts({ schema: { properties, required: ['phone', 'fullname'] } });
  const told = Object.fromEntries(contract.findings.map(({ setting, value }) => [setting, value]));
  expect(told).toMatchObject({
    country: 'country',
    phone: 'phone, required, as a list',
    fullname: 'fullname, required, at most 60 characters',
    request_text: 'request_text, 10 to 200 characters',
    location: 'location, at least 5 characters',
    lang: 'lang, one of de, pt',
    category: 'category, integer',
  });
});
