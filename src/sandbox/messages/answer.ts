import { JSON_CONTENT_TYPE } from '../../request/wire.ts';

/** What goes back over the wire. */
export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** JSON that is already text: the way to a number of more digits than JavaScript can hold. */
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

/** A refusal in the shape of the create and validate operations: a code for programs, a sentence for people. */
export function refusal(
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return jsonAnswer(status, { error, message }, headers);
}

/** 429 with the pause in whole seconds, at least one. */
export function tooManyRequests(waitMs: number): SandboxAnswer {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refusal(429, 'rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  });
}
