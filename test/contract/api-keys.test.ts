import { expect, test } from 'vitest';
import { withoutSecretValues } from '../../src/contract/contract-secrets.ts';
import { learnParts, parameterOf } from './describe-request.ts';

const key = { type: 'apiKey', in: 'header', name: 'X-Api-Key' };
const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } } };
const secured = (security: object[], securitySchemes: object = { key, oauth }) => ({
  rest: { security, components: { securitySchemes } },
});
const asked = (parts: Parameters<typeof learnParts>[0]) =>
  learnParts(parts)
    .questions.map(({ answer }) => answer)
    .sort();

test.each([
  ['in the header', key],
  ['in the query', { ...key, in: 'query', name: 'api_key' }],
])('a key that is demanded %s beside the token is asked for', (_, scheme) => {
  const parts = secured([{ key: [], oauth: [] }], { key: scheme, oauth });
  expect(asked(parts)).toEqual([`--set ${scheme.name}=@FILE`]);
  const proposal = learnParts({ ...parts, options: { constants: { [scheme.name]: 'canary' } } });
  expect(proposal.questions).toEqual([]);
  expect(parameterOf(proposal, scheme.name)).toMatchObject({ in: scheme.in, required: true, constant: 'canary' });
});

test('what is given for a key is in no finding, and not in what is shown of the contract', () => {
  const { contract } = learnParts({
    ...secured([{ key: [], oauth: [] }]),
    options: { constants: { 'X-Api-Key': 'canary' } },
  });
  expect(contract.findings.find(({ setting }) => setting === 'X-Api-Key')?.value).toContain('always <secret>');
  expect(JSON.stringify(withoutSecretValues(contract))).not.toContain('canary');
});

test.each([
  ['where a way with the token alone lets in, too', [{ key: [], oauth: [] }, { oauth: [] }]],
  ['where it is in place of the token', [{ key: [] }, { oauth: [] }]],
  ['where no token is spoken of', [{ key: [] }]],
])('no key is asked for %s', (_, security) => {
  expect(asked(secured(security))).toEqual([]);
});

test('what an operation says of its own counts for it, and a key that is a parameter, too, is one', () => {
  const security = [{ key: [], oauth: [] }];
  expect(asked({ ...secured([{ oauth: [] }]), create: { security } })).toEqual(['--set X-Api-Key=@FILE']);
  const parameters = [{ in: 'header', name: 'x-api-key', required: true, schema: { type: 'string' } }];
  const { contract } = learnParts({ ...secured([{ oauth: [] }]), create: { security, parameters } });
  expect(contract.create.parameters?.filter(({ in: place }) => place === 'header')).toHaveLength(1);
});
