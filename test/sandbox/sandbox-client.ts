import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/records/sandbox-state.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';

export { FAULT_KINDS } from '../../src/sandbox/service/faults.ts';

const CALM: SandboxOptions = {
  port: 0,
  latencyMs: 0,
  ratePerSecond: null,
  tokenTtlSeconds: 3600,
  faults: {},
  seed: 1,
  contract: null,
  hasInbox: true,
  now: Date.now,
};

/** A sandbox without limits and faults, but for what is given. */
export const startCalmSandbox = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  startSandbox({ ...CALM, ...options });

/** The same, closed at the end of the test. */
export async function sandboxWith(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startCalmSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A time that passes only when told to. */
export function handClock(): { now: () => number; passMs(ms: number): void } {
  let nowMs = Date.UTC(2026, 10, 21);
  return {
    now: () => nowMs,
    passMs: (ms) => {
      nowMs += ms;
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One plain HTTP request. Rejects with the system's error where the connection fails. */
export function send(method: string, url: string, headers: Record<string, string> = {}, body = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The plumber's request of an invented customer; a phone number that libphonenumber gives as its example. */
export const LEAD: Readonly<Record<string, string>> = {
  country: 'PT',
  lang: 'pt',
  location: 'Lisboa 1000-001',
  fullname: 'Inês Exemplo',
  email: 'ines@example.com',
  phone: '+351912345678',
  request_text: 'A torneira da cozinha pinga.',
};

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export function askToken(sandbox: Sandbox, changes: Record<string, string> = {}): Promise<Reply> {
  const asked = {
    grant_type: 'client_credentials',
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
    ...changes,
  };
  return send('POST', `${sandbox.baseUrl}/oauth/token`, FORM, new URLSearchParams(asked).toString());
}

export async function grantedToken(sandbox: Sandbox): Promise<string> {
  return JSON.parse((await askToken(sandbox)).text).access_token;
}

/** Sends requests with one token, form-encoded. */
export async function partnerOf(sandbox: Sandbox) {
  const token = await grantedToken(sandbox);
  const call = (path: string) => (lead: Readonly<Record<string, string>>) =>
    send(
      'POST',
      `${sandbox.baseUrl}${path}`,
      { ...FORM, authorization: `Bearer ${token}` },
      new URLSearchParams(lead).toString(),
    );
  return { token, create: call('/v1/request/create'), validate: call('/v1/request/validate') };
}

export const creates = (sandbox: Sandbox) => sandbox.requests().filter((each) => each.operation === 'create');

/** The code of the error a call ends with; fails if it does not. */
export async function connectionError(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  throw new Error('The call was answered.');
}
