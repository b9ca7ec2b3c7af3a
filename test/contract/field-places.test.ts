import { expect, test } from 'vitest';
import type { Parameter, Proposal } from '../../src/contract/version-1/contract.ts';
import { learnLeads } from './describe-request.ts';

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

test('the only person of a document is the customer, as a guess; of two it is not known', () => {
  const one = learnLeads(['traveler.firstName', 'traveler.email', 'description']);
  expect(fields(one)).toMatchObject({ email: 'traveler.email' });
  expect(confidenceOf(one, 'email')).toBe('weak');
  const two = learnLeads(['traveler.name', 'traveler.email', 'insured.name', 'insured.email', 'description']);
  expect(fields(two)).not.toHaveProperty('email');
});
