import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

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
  'html-error-page': fromFile(200, 'html-error-page.html'),
  'conflict-duplicate': fromFile(409, 'conflict-duplicate.json'),
  'problem-json': fromFile(422, 'problem.json', 'application/problem+json'),
} satisfies Record<string, Shape>;

export interface ShapedService {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Returns the number of creates that arrived. */
  creates(): number;
  close(): Promise<void>;
}

/** Starts a service that answers every create in this shape, calls everything clear, and checks nothing. */
export async function startShapedService({ create }: { create: keyof typeof CREATE_SHAPES }): Promise<ShapedService> {
  const shapes: Readonly<Record<string, Shape>> = {
    '/oauth/token': () => json({ access_token: 'shaped-token', token_type: 'Bearer', expires_in: 1_800 }),
    '/v1/request/create': CREATE_SHAPES[create],
    '/v1/request/validate': () => json({ duplicate: false }),
  };
  let creates = 0;
  const server = createServer(async (request, response) => {
    const sent = await sentParameters(request);
    if (request.url === '/v1/request/create') creates += 1;
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
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || '{}');
}

function send(response: ServerResponse, { status, headers, body }: ShapedAnswer): void {
  response.writeHead(status, headers).end(body);
}
