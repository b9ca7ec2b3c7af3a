import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxAnswer } from './answer.ts';

/**
 * Reads a body; null if it is longer than `limitBytes`. Then too it is read to its end, and dropped: a client that is
 * cut while it sends does not get to read the refusal.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= limitBytes ? Buffer.concat(chunks) : null;
}

/** Sends an answer; true once it was handed over whole, false if the client left before. */
export function sendAnswer(response: ServerResponse, answer: SandboxAnswer): Promise<boolean> {
  // After a pause the client may be gone, and with it the event that is waited for below.
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished));
    response.writeHead(answer.status, {
      ...answer.headers,
      'content-length': Buffer.byteLength(answer.body),
      'x-content-type-options': 'nosniff',
    });
    response.end(answer.body);
  });
}

export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * Whether a Host header names this machine. A page of some other site whose name was pointed at 127.0.0.1 (DNS
 * rebinding) sends its own name here.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}

/**
 * Whether a page of another origin asks: another port of this machine is one, too. Browsers say so by one of two headers,
 * and pages cannot change them; other programs send neither.
 */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}
