import { expect, test } from 'vitest';
import { proposalText } from '../../src/commands/contract/version-1-text.ts';
import { learnContract } from '../../src/contract/learn.ts';
import { contractAt, isOffered, type Proposal, tokenAddress } from '../../src/contract/version-1/contract.ts';
import { painter } from '../../src/report/output.ts';
import { secretAddressText } from '../../src/report/terminal/contract-text.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import fc from '../helpers/fast-check.ts';
import { version2 } from '../helpers/version-1.ts';
import { KNOWN } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

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
  const bytes = Buffer.from(JSON.stringify(documentOf(parts)));
  let operations = {};
  for (let round = 0; round < 4; round += 1) {
    try {
      const options = learnOptions({ operations, baseUrl: BASE_URL, constants: constantsFor(parts) });
      const proposal = learnContract([{ name: 'api.json', bytes }], options);
      const open = proposal.questions.filter(({ unanswered }) => unanswered === undefined);
      if (open.length === 0) return proposal;
      const answers = open.flatMap(({ name, choices = [] }) => {
        const role = /^operation:(\w+)$/.exec(name)?.[1];
        return role === undefined ? [] : [[role, choices[0]] as const];
      });
      operations = { ...operations, ...Object.fromEntries(answers) };
    } catch (error) {
      if (error instanceof SrqError) return null;
      throw error;
    }
  }
  return null;
}

const constantsFor = ({ prefix }: Parts): Record<string, string> => (prefix === '/{tenant}' ? { tenant: 'acme' } : {});

test('whatever a document says of servers and paths, each address that gets a request or the secret is shown before', () => {
  let seen = 0;
  fc.assert(
    fc.property(DOCUMENT, (parts) => {
      const proposal = learned(parts);
      if (proposal === null) return;
      seen += 1;
      const contract = contractAt(proposal.contract, BASE_URL);
      const shown = `${proposalText(proposal, 1000, painter(false))}\n${secretAddressText(version2(contract), BASE_URL)}`;
      for (const role of ['create', 'validate'] as const) {
        if (isOffered(contract, role) === false) continue;
        const finding = proposal.contract.findings.find(({ setting }) => setting === `${role}.path`);
        const own = (finding?.value ?? '').replace(/^\w+ /, '');
        expect(shown).toContain(own);
        // The value of a variable is what the person has given, and what stands before all paths is shown beside them.
        const filled = own.replace('{tenant}', 'acme');
        const { path } = contract[role];
        expect(path.slice(-filled.length)).toBe(filled);
        expect(shown).toMatch(new RegExp(path === filled ? '' : `basePath +${path.slice(0, -filled.length)} `));
      }
      const address = tokenAddress(contract, BASE_URL);
      if (address !== null) expect(shown).toContain(address);
      // Requests themselves go to the base URL that the person has given, and below it.
      for (const { path } of [contract.create, contract.validate])
        expect(new URL(BASE_URL + path).origin).toBe(new URL(BASE_URL).origin);
    }),
    { numRuns: 200 },
  );
  expect(seen).toBeGreaterThan(50);
});
