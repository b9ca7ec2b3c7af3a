import { expect, test } from 'vitest';
import { isRefusal, learn, type Proposal, page, secretGoesTo, unlessRefused } from '../doors/learn.ts';
import fc from '../helpers/fast-check.ts';
import { KNOWN } from './describe-request.ts';

const BASE_URL = 'https://api.example.com/partner';
/** Addresses as documents have them: of the service, of others, relative, with variables, and none at all. */
const SERVERS = fc.constantFrom(
  ...['https://api.example.com', 'https://api.example.com/partner', 'https://api.example.com/v2/', '/v3', 'v4'],
  ...['https://other.example.net/x', '//other.example.net', 'https://{host}/y', ''],
);
const TOKEN_URLS = fc.constantFrom(
  ...['/oauth/token', 'oauth/token', 'https://login.example.net/token', 'https://api.example.com/a/token'],
  ...['//login.example.net/t', '/{tenant}/token', 'http://api.example.com/token', ''],
);
const servers = fc.option(
  fc.array(
    SERVERS.map((url) => ({ url })),
    { maxLength: 3 },
  ),
  { nil: undefined },
);
const PREFIXES = fc.constantFrom('', '/v1', '/{tenant}', '/api/leads');
const DOCUMENT = fc.record({
  servers,
  pathServers: servers,
  operationServers: servers,
  prefix: PREFIXES,
  tokenUrl: fc.option(TOKEN_URLS, { nil: undefined }),
  tokenPath: fc.option(fc.constantFrom('/oauth/token', '/login', '/auth/{id}/token'), { nil: undefined }),
  validate: fc.constantFrom('/requests/validate', '/requests/check-duplicate', '/requests/search'),
});

interface Parts {
  readonly servers?: object | undefined;
  readonly pathServers?: object | undefined;
  readonly operationServers?: object | undefined;
  readonly prefix: string;
  readonly tokenUrl?: string | undefined;
  readonly tokenPath?: string | undefined;
  readonly validate: string;
}

function documentOf(parts: Parts): object {
  const body = (properties: object) => ({ content: { 'application/json': { schema: { properties } } } });
  const flows = { clientCredentials: { tokenUrl: parts.tokenUrl, scopes: {} } };
  const credentials = { grant_type: {}, client_id: {}, client_secret: {} };
  return {
    ...{ openapi: '3.1.0', info: { title: 'Addresses' }, servers: parts.servers },
    ...(parts.tokenUrl !== undefined && { components: { securitySchemes: { o: { type: 'oauth2', flows } } } }),
    paths: {
      [`${parts.prefix}/requests`]: {
        servers: parts.pathServers,
        post: { servers: parts.operationServers, requestBody: body(KNOWN), responses: { 201: {} } },
      },
      [parts.prefix + parts.validate]: { post: { requestBody: body(KNOWN), responses: { 200: {} } } },
      ...(parts.tokenPath !== undefined && {
        [parts.tokenPath]: { post: { requestBody: body(credentials), responses: { 200: {} } } },
      }),
    },
  };
}

/** Learns a document with the answers that it itself proposes. Returns null if it is refused or stays open. */
function learned(parts: Parts): Proposal | null {
  let operations = {};
  for (let round = 0; round < 4; round += 1) {
    const proposal = unlessRefused(() =>
      learn(documentOf(parts), { operations, baseUrl: BASE_URL, values: valuesFor(parts) }),
    );
    if (isRefusal(proposal)) return null;
    if (proposal.questions.length === 0) return proposal;
    const answers = proposal.questions.flatMap(({ name, choices = [] }) => {
      const role = /^operation:(\w+)$/.exec(name)?.[1];
      return role === undefined ? [] : [[role, choices[0]] as const];
    });
    operations = { ...operations, ...Object.fromEntries(answers) };
  }
  return null;
}

const valuesFor = ({ prefix }: Parts): Record<string, string> => (prefix === '/{tenant}' ? { tenant: 'acme' } : {});

test('each address that gets a request or the secret is shown before, whatever a document says', () => {
  let seen = 0;
  fc.assert(
    fc.property(DOCUMENT, (parts) => {
      const proposal = learned(parts);
      if (proposal === null) return;
      seen += 1;
      const { contract } = proposal;
      const shown = page(contract);
      for (const call of [contract.create, contract.validate]) {
        if (call === null) continue;
        expect(shown).toContain(call.call);
        // Requests themselves go to the base URL that the person has given, and below it.
        expect(new URL(BASE_URL + call.call.replace(/^\w+ /, '')).origin).toBe(new URL(BASE_URL).origin);
      }
      const { token } = contract;
      const isElsewhere = token.origin !== undefined && token.origin !== 'service';
      expect(shown).toContain(isElsewhere ? secretGoesTo(contract, BASE_URL) : token.path);
      if (token.origin === 'service') expect(shown).toContain('at: host');
    }),
    { numRuns: 200 },
  );
  expect(seen).toBeGreaterThan(50);
});
