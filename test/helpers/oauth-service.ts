import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

export const CLIENT = { clientId: '4711', clientSecret: 'an-invented-secret-of-some-length' };
/** A client that the provider knows, but not for this grant. */
export const OTHER_CLIENT = { clientId: '4712', clientSecret: 'another-invented-secret' };

const AUDIENCE = 'urn:requests';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface OAuthService {
  readonly baseUrl: string;
  /** The calls that arrived, in order, as paths. Creates and validates have their status as well. */
  readonly calls: readonly string[];
  count(call: string): number;
  /** Revokes all tokens that were issued so far. */
  revokeAll(): Promise<void>;
}

/**
 * Starts the request API with a real OAuth server. Tokens come from oidc-provider. A call is accepted only with an
 * opaque token that the provider calls valid, or with a JWT that it has signed for this audience and that has not
 * expired. It is closed at the end of the test.
 */
export async function startOAuthService(format: 'opaque' | 'jwt', ttlSeconds: number): Promise<OAuthService> {
  const calls: string[] = [];
  const revoked = new Set<string>();
  const given = new Set<string>();
  const server = createServer();
  const baseUrl = await listen(server);
  const provider = new Provider(baseUrl, configuration(format, ttlSeconds));
  const answerToken = provider.callback();
  const isGood = async (token: string) => {
    given.add(token);
    if (revoked.has(token)) return false;
    return format === 'jwt'
      ? isSigned(token, publicKey)
      : (await provider.ClientCredentials.find(token))?.isValid === true;
  };
  server.on('request', async (request, response) => {
    const path = request.url ?? '';
    if (path === '/oauth/token') {
      calls.push(path);
      answerToken(request, response);
      return;
    }
    await bodyOf(request);
    const good = await isGood(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const status = !good ? 401 : path === '/v1/request/create' ? 201 : 200;
    calls.push(`${path} ${status}`);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(!good ? { error: 'invalid_token' } : status === 201 ? { id: 'R-1' } : { duplicate: false }),
    );
  });
  return {
    baseUrl,
    calls,
    count: (call) => calls.filter((each) => each === call).length,
    revokeAll: async () => {
      for (const token of given) revoked.add(token);
    },
  };
}

/** The storage of the provider, by kind and id. */
class Store {
  static readonly kept = new Map<string, object>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async upsert(id: string, payload: object): Promise<void> {
    Store.kept.set(`${this.#kind} ${id}`, payload);
  }

  async find(id: string): Promise<object | undefined> {
    return Store.kept.get(`${this.#kind} ${id}`);
  }
}

function configuration(format: 'opaque' | 'jwt', ttlSeconds: number): object {
  const client = { redirect_uris: [], response_types: [], token_endpoint_auth_method: 'client_secret_post' };
  const ours = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, grant_types: ['client_credentials'] };
  const other = {
    client_id: OTHER_CLIENT.clientId,
    client_secret: OTHER_CLIENT.clientSecret,
    grant_types: ['refresh_token'],
  };
  const server = { scope: 'requests', audience: AUDIENCE, accessTokenTTL: ttlSeconds, accessTokenFormat: format };
  const jwk = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
  return {
    clients: [
      { ...client, ...ours },
      { ...client, ...other },
    ],
    adapter: Store,
    routes: { token: '/oauth/token' },
    jwks: { keys: [jwk] },
    ttl: { ClientCredentials: ttlSeconds },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      ...(format === 'jwt'
        ? {
            resourceIndicators: { enabled: true, defaultResource: () => AUDIENCE, getResourceServerInfo: () => server },
          }
        : {}),
    },
  };
}

/** Tells whether a token is signed with the provider's key, is for this audience, and has not expired. */
function isSigned(token: string, key: KeyObject): boolean {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${head}.${payload}`);
  if (
    !verify(
      'sha256',
      signed,
      createPublicKey(key.export({ format: 'pem', type: 'spki' })),
      Buffer.from(signature, 'base64url'),
    )
  ) {
    return false;
  }
  const { exp, aud } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return aud === AUDIENCE && exp * 1000 > Date.now();
}

async function bodyOf(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
