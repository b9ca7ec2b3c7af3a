import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'vitest';

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RecordedAnswer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on 127.0.0.1 that keeps all calls, whatever their path. */
export interface Recorder {
  readonly origin: string;
  readonly calls: readonly RecordedCall[];
}

/** Starts a recorder. It ends with the test. */
export async function startRecorder(
  answer: (call: RecordedCall, count: number) => RecordedAnswer,
  atEnd: TestContext['onTestFinished'],
): Promise<Recorder> {
  const calls: RecordedCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://recorder');
    const call = {
      method: request.method ?? '',
      path,
      query,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    calls.push(call);
    const { status, body = {}, headers = {} } = answer(call, calls.length);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  return { origin: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, calls };
}
