import { describe, expect, test } from 'vitest';
import { holdsSecrets, withGivenSecrets, withoutSecretValues } from '../../src/contract/contract-secrets.ts';
import type { Proposal } from '../../src/contract/version-1/contract.ts';
import { learnParts } from './describe-request.ts';
import type { learnOptions } from './learn-options.ts';

type Options = Parameters<typeof learnOptions>[0];

const key = { type: 'apiKey', in: 'header', name: 'X-Api-Key' };
const basic = { type: 'http', scheme: 'basic' };
const bearer = { type: 'http', scheme: 'bearer' };
const flow = (name: string) => ({ type: 'oauth2', flows: { [name]: { tokenUrl: '/token', scopes: {} } } });
const client = flow('clientCredentials');

/** What is learned from a document with these schemes, of which each entry of `security` is a way to be let in. */
const learn = (securitySchemes: object, security?: object[], options: Options = {}, paths: object = {}): Proposal =>
  learnParts({ paths, options, rest: { components: { securitySchemes }, ...(security && { security }) } });
const authOf = ({ contract }: Proposal) => contract.auth;
const findingOf = ({ contract }: Proposal) => contract.findings.find(({ setting }) => setting === 'auth');
const askedOf = ({ questions }: Proposal) => questions.map(({ name }) => name);

describe('A service without client credentials', () => {
  test('that takes HTTP Basic is named so, and no token is spoken of', () => {
    const proposal = learn({ basic }, [{ basic: [] }]);
    expect([authOf(proposal), askedOf(proposal)]).toEqual([{ kind: 'basic' }, []]);
    expect(findingOf(proposal)).toMatchObject({ value: 'HTTP Basic', confidence: 'certain' });
    expect(proposal.contract.findings.filter(({ setting }) => setting.startsWith('token.'))).toEqual([]);
  });

  test.each([
    ['the header', key],
    ['the query', { ...key, in: 'query', name: 'api_key' }],
  ])('that takes a key in %s asks for nothing: the key is the secret of the profile, or given', (_, scheme) => {
    const expected = { kind: 'apiKey', in: scheme.in, name: scheme.name, prefix: '', value: null };
    const proposal = learn({ scheme }, [{ scheme: [] }]);
    expect([authOf(proposal), askedOf(proposal)]).toEqual([expected, []]);
    expect(findingOf(proposal)?.why).toContain('srq login asks for the key');
    const given = learn({ scheme }, [{ scheme: [] }], { constants: { [scheme.name]: 'canary' } });
    expect([authOf(given), askedOf(given)]).toEqual([{ ...expected, value: 'canary' }, []]);
    expect(given.contract.create.parameters?.filter(({ in: place }) => place !== 'body')).toEqual([]);
    expect(JSON.stringify(given.contract.findings)).not.toContain('canary');
  });

  test('that takes several keys at once gets the secret one by the profile, and is asked for the others', () => {
    const app = { type: 'apiKey', in: 'header', name: 'X-App-Id' };
    const proposal = learn({ app, key }, [{ app: [], key: [] }]);
    expect(authOf(proposal)).toMatchObject({ name: 'X-Api-Key' });
    expect(askedOf(proposal)).toEqual(['constant:X-App-Id']);
    const { contract } = learn({ basic, key }, [{ basic: [], key: [] }], { constants: { 'X-Api-Key': 'k' } });
    expect(contract.auth).toEqual({ kind: 'basic' });
    expect(contract.create.parameters).toContainEqual(expect.objectContaining({ in: 'header', constant: 'k' }));
  });

  test.each([
    ['an authorization code', flow('authorizationCode'), 'a person signs in with a browser'],
    ['the implicit flow', flow('implicit'), 'a person signs in with a browser'],
    ['a password', flow('password'), "a person's own user name and password"],
    ['OpenID Connect', { type: 'openIdConnect', openIdConnectUrl: '/x' }, 'OpenID Connect'],
    ['a certificate', { type: 'mutualTLS' }, 'a client certificate'],
    ['a cookie', { ...key, in: 'cookie' }, 'the cookie X-Api-Key'],
    ['Digest', { type: 'http', scheme: 'digest' }, 'the HTTP scheme "digest"'],
    ['what it does not describe', undefined, 'does not describe'],
  ])('that takes %s alone is refused, with what to ask the service for', (_, scheme, words) => {
    const proposal = learn(scheme === undefined ? {} : { scheme }, [{ scheme: [] }]);
    expect(askedOf(proposal)).toEqual(['operation:token']);
    expect(proposal.questions[0]?.text).toContain(words);
    expect(proposal.questions[0]?.text).toContain(
      'Ask the service for client credentials (OAuth 2.0), an API key or HTTP Basic',
    );
    expect(proposal.questions[0]?.unanswered).toBeUndefined();
  });

  test('may have given a token that stays, which a person says', () => {
    const options = { operations: { token: 'none' } };
    const fixed = { kind: 'apiKey', in: 'header', name: 'Authorization', prefix: 'Bearer ' };
    for (const scheme of [bearer, flow('authorizationCode')]) {
      const proposal = learn({ scheme }, [{ scheme: [] }], options);
      expect([authOf(proposal), askedOf(proposal)]).toEqual([{ ...fixed, value: null }, []]);
    }
    const given = learn({ bearer }, [{ bearer: [] }], { ...options, constants: { Authorization: 'canary' } });
    expect(authOf(given)).toEqual({ ...fixed, value: 'canary' });
  });
});

describe('Of several ways to be let in', () => {
  const token = { '/token': { post: { summary: 'client credentials', responses: {} } } };

  test.each([
    ['client credentials come first', { key, client }, [{ key: [] }, { client: [] }], {}, undefined],
    [
      'a token that an operation issues comes before a key',
      { key, bearer },
      [{ key: [] }, { bearer: [] }],
      token,
      undefined,
    ],
    ['a key comes before a token that nobody issues', { bearer, key }, [{ bearer: [] }, { key: [] }], {}, 'apiKey'],
    [
      'Basic comes before what srq cannot do',
      { code: flow('authorizationCode'), basic },
      [{ code: [] }, { basic: [] }],
      {},
      'basic',
    ],
    [
      'a certificate beside Basic is no hindrance',
      { tls: { type: 'mutualTLS' }, basic },
      [{ tls: [], basic: [] }],
      {},
      'basic',
    ],
    ['none at all is no way where there is another', { basic }, [{}, { basic: [] }], {}, 'basic'],
  ])('%s', (_, schemes, security, paths, kind) => {
    const proposal = learn(schemes, security, {}, paths);
    expect([authOf(proposal)?.kind, askedOf(proposal)]).toEqual([kind, []]);
  });

  test('a person chooses a key by giving it', () => {
    const proposal = learn({ key, client }, [{ client: [] }, { key: [] }], { constants: { 'X-Api-Key': 'k' } });
    expect(authOf(proposal)).toMatchObject({ kind: 'apiKey', value: 'k' });
  });

  test('what the operation itself says counts more than what the document says', () => {
    const rest = { security: [{ client: [] }], components: { securitySchemes: { client, basic } } };
    expect(learnParts({ rest, create: { security: [{ basic: [] }] } }).contract.auth).toEqual({ kind: 'basic' });
  });

  test('one that is only listed is a guess', () => {
    expect(findingOf(learn({ basic }))?.confidence).toBe('weak');
    expect(authOf(learn({ basic }, undefined, {}, token))).toBeUndefined();
    const beside = learn({ basic }, []);
    expect([authOf(beside)?.kind, findingOf(beside)?.confidence]).toEqual(['basic', 'weak']);
  });
});

test('a key that a person gave is a secret of the contract, and asked for when the contract is learned again', () => {
  const given = learn({ key }, [{ key: [] }], { constants: { 'X-Api-Key': 'canary' } }).contract;
  const open = learn({ key }, [{ key: [] }]).contract;
  expect([holdsSecrets(given), holdsSecrets(open)]).toEqual([true, false]);
  const shown = withoutSecretValues(given);
  expect(JSON.stringify(shown)).not.toContain('canary');
  expect(withGivenSecrets(shown, {}).questions).toMatchObject([{ answer: '--set X-Api-Key=@FILE' }]);
  expect(withGivenSecrets(shown, { 'X-Api-Key': 'canary' })).toEqual({ contract: given, questions: [] });
  expect(withoutSecretValues(open)).toEqual(open);
});
