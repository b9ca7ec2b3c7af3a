import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { FORM_CONTENT_TYPE, PATHS } from '../../src/request/wire.ts';

interface ShapedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Maps the parameters that were sent to an answer. */
type Shape = (sent: Readonly<Record<string, string>>) => ShapedAnswer;

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

const answer = (status: number, type: string, body: string): ShapedAnswer => ({
  status,
  headers: type ? { 'content-type': type } : {},
  body,
});

/** Returns the answer in `fixtures/api/<name>`. By default the content type follows from the file's ending. */
function fromFile(status: number, name: string, type = TYPES[name.split('.').at(-1) ?? ''] ?? ''): Shape {
  return () => answer(status, type, readFileSync(new URL(`../../fixtures/api/${name}`, import.meta.url), 'utf8'));
}

const json = (value: unknown): ShapedAnswer => answer(200, 'application/json', JSON.stringify(value));

const REFUSALS = {
  'html-error-page': fromFile(200, 'html-error-page.html'),
  'conflict-duplicate': fromFile(409, 'conflict-duplicate.json'),
  'problem-json': fromFile(422, 'problem.json', 'application/problem+json'),
} satisfies Record<string, Shape>;

/** The possible answers of create. */
export const CREATE_SHAPES = {
  flat: fromFile(201, 'create-flat.json'),
  nested: fromFile(201, 'create-nested.json'),
  'json-api': fromFile(201, 'create-json-api.json', 'application/vnd.api+json'),
  array: fromFile(200, 'create-array.json'),
  'location-only': () => ({ status: 201, headers: { location: '/v1/request/4711' }, body: '' }),
  'plain-text': fromFile(200, 'create-plain-text.txt'),
  'empty-204': () => answer(204, '', ''),
  'big-number': fromFile(201, 'create-big-number.json'),
  /** This answer repeats everything that was sent and has no identifier. */
  echo: (sent) => answer(200, 'application/json', JSON.stringify({ received: sent, status: 'received' })),
  ...REFUSALS,
} satisfies Record<string, Shape>;

/** The possible answers of validate. */
export const VALIDATE_SHAPES = {
  'is-duplicate-true': fromFile(200, 'validate-is-duplicate-true.json'),
  'is-duplicate-false': fromFile(200, 'validate-is-duplicate-false.json'),
  'exists-true': fromFile(200, 'validate-exists-true.json'),
  'exists-false': fromFile(200, 'validate-exists-false.json'),
  'unique-true': fromFile(200, 'validate-unique-true.json'),
  'unique-false': fromFile(200, 'validate-unique-false.json'),
  'valid-true': fromFile(200, 'validate-valid-true.json'),
  'valid-false-duplicate': fromFile(200, 'validate-valid-false-duplicate.json'),
  'valid-false-other': fromFile(200, 'validate-valid-false-other.json'),
  'status-duplicate': fromFile(200, 'validate-status-duplicate.json'),
  'status-clear': fromFile(200, 'validate-status-clear.json'),
  'matches-some': fromFile(200, 'validate-matches-some.json'),
  'matches-none': fromFile(200, 'validate-matches-none.json'),
  'already-reported-208': fromFile(208, 'validate-already-reported.json'),
  unreadable: fromFile(200, 'validate-unreadable.json'),
  'empty-204': () => answer(204, '', ''),
  ...REFUSALS,
} satisfies Record<string, Shape>;

const LIFE_SECONDS = 1_800;

/** Returns a token that states its own expiry. Nobody here checks its signature. */
function jwtWithExpiry(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: 'partner', exp: expiresAtSeconds })}.`;
}

/** The ways in which the token operation can state the lifetime of a token, which is always {@link LIFE_SECONDS}. */
export const TOKEN_SHAPES = {
  'expires-in-number': () => json({ access_token: 'shaped-token', token_type: 'Bearer', expires_in: LIFE_SECONDS }),
  'expires-in-text': () => json({ access_token: 'shaped-token', token_type: 'bearer', expires_in: `${LIFE_SECONDS}` }),
  'expires-at': () =>
    json({ access_token: 'shaped-token', expires_at: new Date(Date.now() + LIFE_SECONDS * 1000).toISOString() }),
  'jwt-with-exp': () => json({ access_token: jwtWithExpiry(), token_type: 'Bearer' }),
  'without-life': () => json({ access_token: 'shaped-token', token_type: 'Bearer' }),
  'html-page': REFUSALS['html-error-page'],
} satisfies Record<string, Shape>;

export interface ServiceShape {
  readonly token?: keyof typeof TOKEN_SHAPES;
  readonly create?: keyof typeof CREATE_SHAPES;
  readonly validate?: keyof typeof VALIDATE_SHAPES;
}

export interface ShapedService {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Returns the number of creates that arrived. */
  creates(): number;
  close(): Promise<void>;
}

/**
 * Starts a service that always answers in the given shapes and checks nothing. The default shapes are plain successes.
 */
export async function startShapedService(shape: ServiceShape): Promise<ShapedService> {
  const shapes: Readonly<Record<string, Shape>> = {
    [PATHS.token]: TOKEN_SHAPES[shape.token ?? 'expires-in-number'],
    [PATHS.create]: CREATE_SHAPES[shape.create ?? 'flat'],
    [PATHS.validate]: VALIDATE_SHAPES[shape.validate ?? 'is-duplicate-false'],
  };
  let creates = 0;
  const server = createServer(async (request, response) => {
    const sent = await sentParameters(request);
    if (request.url === PATHS.create) creates += 1;
    send(response, shapes[request.url ?? '']?.(sent) ?? answer(404, 'text/plain', 'no such path'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    clientId: '700100',
    clientSecret: 'shaped-service-secret',
    creates: () => creates,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function sentParameters(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const isForm = request.headers['content-type']?.startsWith(FORM_CONTENT_TYPE) ?? false;
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || '{}');
}

function send(response: ServerResponse, { status, headers, body }: ShapedAnswer): void {
  response.writeHead(status, headers).end(body);
}
