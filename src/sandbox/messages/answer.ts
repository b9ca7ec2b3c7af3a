import { JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Builds an answer from JSON text, which may contain numbers with more digits than JavaScript can represent. */
export function rawJson(status: number, body: string, headers: Readonly<Record<string, string>> = {}): SandboxAnswer {
  return { status, headers: { 'content-type': JSON_CONTENT_TYPE, ...headers }, body };
}

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return rawJson(status, JSON.stringify(value), headers);
}

/** Builds a refusal as the create and validate operations have it: a code for programs and a sentence for people. */
export function refusal(
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return jsonAnswer(status, { error, message }, headers);
}

/** Builds a 429 with Retry-After in whole seconds, at least one. */
export function tooManyRequests(waitMs: number): SandboxAnswer {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refusal(429, 'rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  });
}
