import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxAnswer } from './answer.ts';

/**
 * Reads a body, or returns null if it is longer than `limitBytes`. A body that is too long is still read to its end,
 * because a client whose connection is cut while it sends cannot read the refusal.
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

export function sendAnswer(response: ServerResponse, answer: SandboxAnswer): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
    'x-content-type-options': 'nosniff',
  });
  response.end(answer.body);
}

export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * Tells whether a Host header names this machine. In a DNS rebinding attack, a page of another site whose name resolves
 * to 127.0.0.1 sends that name here.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}

/**
 * Tells whether a page of another origin sends the request. Another port of this machine is another origin, too.
 * Browsers say so in one of two headers that pages cannot change, and other programs send neither.
 */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') return true;
  return headers.origin !== undefined && headers.origin !== `http://${headers.host}`;
}

/** Tells whether a browser opens the answer as a page of its own, which no other page can read. */
export function opensWindow({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
