import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished, type TestContext } from 'vitest';

interface Scripted {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Arrived {
  readonly path: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The number of the request on this path, from 1. */
  readonly number: number;
}

/** Returns the answer to a call. Null cuts the connection. */
export type Script = (arrived: Arrived) => Scripted | null | Promise<Scripted | null>;

export interface ScriptedService {
  readonly baseUrl: string;
  /** Returns all calls that arrived, whatever their path. */
  calls(): readonly Arrived[];
  tokens(): readonly Arrived[];
  creates(): readonly Arrived[];
  validates(): readonly Arrived[];
}

const unknownPath: Script = () => ({ status: 404 });

/**
 * Starts a service on 127.0.0.1 that answers each call as the test says. By default the tokens are `token-1`,
 * `token-2`, …, and validate calls what was created a duplicate, and nothing else. `other` answers all other paths.
 */
export async function startScriptedService(
  script: Partial<Record<'token' | 'create' | 'validate' | 'other', Script>>,
  /**
   * A test that runs concurrently with others must pass its own function, because vitest's may be that of another test.
   */
  atEnd: TestContext['onTestFinished'] = onTestFinished,
): Promise<ScriptedService> {
  const arrived: Arrived[] = [];
  const at = (path: string) => arrived.filter((each) => each.path === path);
  const created = new Set<string>();
  const scripts: Readonly<Record<string, Script>> = {
    '/oauth/token': script.token ?? (({ number }) => ({ status: 200, body: { access_token: `token-${number}` } })),
    '/v1/request/create': script.create ?? (({ number }) => ({ status: 201, body: { id: String(4710 + number) } })),
    '/v1/request/validate':
      script.validate ?? (({ body }) => ({ status: 200, body: { duplicate: created.has(body) } })),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = request.url ?? '';
    const path = url.replace(/\?.*/, '');
    const body = Buffer.concat(chunks).toString('utf8');
    const call = { path, url, headers: request.headers, body, number: at(path).length + 1 };
    arrived.push(call);
    const answer = await (scripts[path] ?? script.other ?? unknownPath)(call);
    if (path === '/v1/request/create' && answer && answer.status < 300) created.add(body);
    if (!answer) {
      request.socket.resetAndDestroy();
      return;
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(text);
  });
  // On a busy machine a kept connection may rest for long. A close in that moment would be a doubt no test asked for.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    calls: () => arrived,
    tokens: () => at('/oauth/token'),
    creates: () => at('/v1/request/create'),
    validates: () => at('/v1/request/validate'),
  };
}
