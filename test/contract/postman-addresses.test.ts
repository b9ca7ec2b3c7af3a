import { describe, expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import { describePostman } from '../../src/contract/postman/postman.ts';
import type { Json, Proposal } from '../../src/request/contract.ts';
import { aCollection, anItem, at } from './collections.ts';
import { learnOptions } from './learn-options.ts';

type Pairs = readonly { readonly key: string; readonly value: string; readonly type?: string }[];

const FIELDS = { country: 'PT', lang: 'pt', location: 'Lisboa', fullname: 'Ana Exemplo', phone: '+351210000000' };
const lead = { mode: 'raw', raw: JSON.stringify({ ...FIELDS, request_text: 'x' }) };
const grant = (...more: Json[]) => ({
  mode: 'urlencoded',
  urlencoded: [
    { key: 'grant_type', value: 'client_credentials' },
    { key: 'client_id', value: '{{id}}' },
    { key: 'client_secret', value: '{{secret}}' },
    ...more,
  ],
});
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The paths and servers of a collection whose one request goes to this address. */
function read(url: Json, variables: Pairs = [], environment: Pairs = []) {
  const collection = { ...aCollection(anItem({}, { url })), variable: variables as unknown as Json };
  const { document, notes } = describePostman(collection, { name: 'Test', values: environment as unknown as Json });
  const servers = (at(document, '/servers') as { url: string }[]).map((each) => each.url);
  return { paths: Object.keys(Object(at(document, '/paths'))), servers, notes, text: JSON.stringify(document) };
}

/** What is learned of a collection of a create and a token request. */
function learned(
  create: string,
  token: string,
  variables: Pairs,
  options: Parameters<typeof learnOptions>[0] = {},
): Proposal {
  const items = [
    anItem({ name: 'Get token' }, { url: token, body: grant() }),
    anItem({ name: 'Create lead' }, { url: create, body: lead }),
  ];
  const collection = { ...aCollection(...items), variable: variables as unknown as Json };
  const operations = { validate: 'none', ...options.operations };
  return learnContract([{ name: 'c.json', bytes: bytesOf(collection) }], learnOptions({ ...options, operations }));
}

describe('In addresses, variables are filled', () => {
  test.each([
    ['a base path', '{{base}}{{prefix}}/leads', '/v1/leads'],
    ['a base path without a slash', '{{base}}/{{version}}/leads', '/v1/leads'],
    ['one that is called a secret', '{{auth_service}}/leads', '/leads'],
    ['one that is of the type secret', '{{hidden}}/leads', '/leads'],
    ['the path of a secret name', '{{base}}{{token_service}}/issue', '/sso/v2/issue'],
    ['one within another', '{{nested}}/leads', '/v1/leads'],
    [
      'a named part by a variable',
      { raw: '{{base}}/:tenant/leads', variable: [{ key: 'tenant', value: '{{shop}}' }] },
      '/acme/leads',
    ],
  ])('%s', (_, url, path) => {
    const environment = [
      { key: 'base', value: 'https://api.example.com' },
      { key: 'prefix', value: '/v1' },
      { key: 'version', value: 'v1' },
      { key: 'auth_service', value: 'https://api.example.com', type: 'secret' },
      { key: 'hidden', value: 'api.example.com', type: 'secret' },
      { key: 'token_service', value: '/sso/v2', type: 'secret' },
      { key: 'nested', value: '{{hidden}}/{{version}}' },
      { key: 'shop', value: 'acme' },
    ];
    const { paths, servers, text } = read(url, [], environment);
    const isWhole = servers[0] === 'https://api.example.com/v1';
    expect([isWhole ? `/v1${paths[0]}` : paths[0], new URL(servers[0] ?? '').origin]).toEqual([
      path,
      'https://api.example.com',
    ]);
    expect(text).not.toContain('<secret>');
  });

  test.each([
    ['a secret', '{{base}}/hooks/{{hook_token}}', '/hooks/{hook_token}'],
    ['a secret with a value', '{{base}}/hooks/{{api_key}}', '/hooks/{api_key}'],
    ['a secret address with a key in it', '{{base}}{{path_secret}}/leads', '/{path_secret}/leads'],
    ['what no file gives', '{{base}}/{{tenant}}/leads', '/{tenant}/leads'],
    ['what no file gives, at once after the server', '{{base}}{{prefix}}/leads', '/{prefix}/leads'],
    ['what is made anew for each request', '{{base}}/leads/{{$guid}}', '/leads/{guid}'],
    ['a whole address that no file gives', '{{create_url}}', '/{create_url}'],
    [
      'a named part with an example',
      { raw: '{{base}}/:tenant/leads', variable: [{ key: 'tenant', value: 'demo' }] },
      '/{tenant}/leads',
    ],
  ])('but never %s, which is asked for', (_, url, path) => {
    const { paths, text } = read(url, [
      { key: 'base', value: 'https://api.example.com' },
      { key: 'api_key', value: 'INVENTED-4711-key' },
      { key: 'path_secret', value: '/hooks/T0INVENTED4711abcdef99' },
    ]);
    expect(paths).toEqual([path]);
    expect(text).not.toMatch(/<secret>|INVENTED|00000000-0000/);
  });

  test('and what is asked for is filled in, a secret from a file', () => {
    const address = 'https://api.example.com/{{hook_token}}/leads';
    // A create whose path has variables is asked for as well. A person may name it as the collection writes it.
    const operations = { create: 'POST /{{hook_token}}/leads' };
    const open = learned(address, 'https://api.example.com/oauth/token', [], { operations });
    expect(open.questions).toMatchObject([{ name: 'constant:hook_token', answer: '--set hook_token=@FILE' }]);
    const options = { operations, constants: { hook_token: 'k9' } };
    expect(learned(address, 'https://api.example.com/oauth/token', [], options).contract.create.path).toBe('/k9/leads');
  });
});

describe('The token request of a collection', () => {
  const servers = [{ key: 'api', value: 'https://api.example.com' }];

  test('at the host of the others is taken', () => {
    const { contract, questions } = learned('{{api}}/v1/leads', '{{api}}/oauth/token', servers);
    expect([contract.token.path, contract.token.origin, questions]).toEqual(['/oauth/token', undefined, []]);
  });

  test.each([
    ['at another host', 'https://login.example.net/oauth/token', 'https://login.example.net/oauth/token'],
    ['at a host that no file gives', '{{auth_url}}/oauth/token', 'https://{auth_url}/oauth/token'],
  ])('%s is asked about', (_, address, told) => {
    for (const api of ['{{api}}', '{{unknown_api}}']) {
      const { questions } = learned(`${api}/v1/leads`, address, servers);
      expect(questions).toMatchObject([{ name: 'operation:token', text: expect.stringContaining(told) }]);
    }
  });

  test('at another host is no server for requests, even where it alone is known', () => {
    const { contract } = learned('{{unknown_api}}/v1/leads', 'https://login.example.net/oauth/token', []);
    expect(contract.servers).toEqual([]);
    const known = learned('{{api}}/v1/leads', 'https://login.example.net/oauth/token', servers).contract;
    expect(known.servers[0]?.url).toBe('https://api.example.com');
  });

  test('sends no made-up value and no secret as it stands: both are named', () => {
    const more = [
      { key: 'nonce', value: '{{$guid}}' },
      { key: 'audience', value: 'leads' },
      { key: 'partner_key', value: '{{partner_key}}' },
    ];
    const items = [
      anItem({ name: 'Token' }, { url: 'https://api.example.com/oauth/token', body: grant(...more) }),
      anItem({ name: 'Create lead' }, { url: 'https://api.example.com/leads', body: lead }),
    ];
    const learn = (constants: Record<string, string>) =>
      learnContract(
        [{ name: 'c.json', bytes: bytesOf(aCollection(...items)) }],
        learnOptions({ constants, operations: { validate: 'none' } }),
      );
    const open = learn({});
    expect(open.questions).toMatchObject([{ name: 'constant:partner_key', answer: '--set partner_key=@FILE' }]);
    expect(open.notes.join('\n')).toContain('The client tool makes {{$guid}} anew for each request');
    expect(learn({ partner_key: 'k9' }).contract.token.extra).toEqual({ audience: 'leads', partner_key: 'k9' });
  });
});

describe('The authorization of a collection', () => {
  const auth = (settings: Json, request: { header?: Json; url?: string } = {}): Proposal => {
    const item = anItem({ name: 'Create lead' }, { url: 'https://api.example.com/leads', body: lead, ...request });
    const collection = { ...aCollection(item), ...(settings === null ? {} : { auth: settings }) };
    const operations = { validate: 'none' };
    return learnContract([{ name: 'c.json', bytes: bytesOf(collection) }], learnOptions({ operations }));
  };
  const key = { kind: 'apiKey', in: 'header', name: 'X-Api-Key', prefix: '', value: null };

  test.each([
    ['Basic', { type: 'basic', basic: [] }, {}, { kind: 'basic' }],
    ['a key', { type: 'apikey', apikey: [{ key: 'key', value: 'X-Api-Key' }] }, {}, key],
    [
      'a key in the query',
      {
        type: 'apikey',
        apikey: [
          { key: 'key', value: 'k' },
          { key: 'in', value: 'query' },
        ],
      },
      {},
      { ...key, in: 'query', name: 'k' },
    ],
    ['a key in a header without settings', null, { header: [{ key: 'X-Api-Key', value: '{{k}}' }] }, key],
    [
      'a key in the address without settings',
      null,
      { url: 'https://api.example.com/leads?api_key={{k}}' },
      { ...key, in: 'query', name: 'api_key' },
    ],
    [
      'a written header of another scheme',
      null,
      { header: [{ key: 'Authorization', value: 'Token {{k}}' }] },
      { ...key, name: 'Authorization' },
    ],
  ])('is learned: %s', (_, settings, request, expected) => {
    const proposal = auth(settings as Json, request);
    expect([proposal.contract.auth, proposal.questions]).toEqual([expected, []]);
  });

  test('a key beside a token is asked for', () => {
    const items = [
      anItem(
        { name: 'Token' },
        { url: 'https://api.example.com/oauth/token', body: grant(), auth: { type: 'noauth' } },
      ),
      anItem(
        { name: 'Create lead' },
        { url: 'https://api.example.com/leads', body: lead, header: [{ key: 'X-Api-Key', value: '{{k}}' }] },
      ),
    ];
    const collection = { ...aCollection(...items), auth: { type: 'bearer', bearer: [] } };
    const options = learnOptions({ operations: { validate: 'none' } });
    const { contract, questions } = learnContract([{ name: 'c.json', bytes: bytesOf(collection) }], options);
    expect([contract.auth, contract.token.path]).toEqual([undefined, '/oauth/token']);
    expect(questions).toMatchObject([{ answer: '--set X-Api-Key=@FILE' }]);
  });

  test.each([
    [
      'an authorization code',
      { type: 'oauth2', oauth2: [{ key: 'grant_type', value: 'authorization_code' }] },
      'signs in with a browser',
    ],
    [
      'a password',
      { type: 'oauth2', oauth2: [{ key: 'grant_type', value: 'password_credentials' }] },
      "a person's own user name",
    ],
    ['Digest', { type: 'digest', digest: [] }, 'the HTTP scheme "digest"'],
    ['AWS', { type: 'awsv4', awsv4: [] }, 'the HTTP scheme "awsv4"'],
  ])('is refused: %s', (_, settings, words) => {
    expect(auth(settings).questions).toMatchObject([{ name: 'operation:token', text: expect.stringContaining(words) }]);
  });
});
