import { SrqError } from '../model/errors.ts';
import type { CachedToken } from '../model/ports.ts';
import { type AnswerValue, answerValue, isHtml, members } from './answer-value.ts';
import type { Answer } from './http.ts';

/** The token in an answer of any usual shape, and when it ends. `askedAtMs` is the wall clock before the request. */
export function readToken(answer: Answer, askedAtMs: number): CachedToken {
  const value = answerValue(answer);
  const found = members(value);
  const textOf = (...names: string[]) => {
    for (const name of names) {
      const text = found.find((member) => member.words.join('') === name)?.value;
      if (typeof text === 'string' && text !== '') return text;
    }
    return null;
  };
  const accessToken = textOf('accesstoken', 'token', 'bearertoken', 'bearer') ?? bareToken(answer, value);
  if (accessToken === null) {
    throw new SrqError(
      'service',
      `The token endpoint answered HTTP ${answer.status} without a token${isHtml(answer) ? ' (a web page)' : ''}.`,
      'Check the base URL with: srq status. Change it with: srq login --base-url URL',
    );
  }
  const expiresAtMs = lifetimeEnd(
    textOf('expiresin'),
    textOf('expiresat', 'expiration', 'expires'),
    accessToken,
    askedAtMs,
  );
  return { accessToken, obtainedAtMs: askedAtMs, expiresAtMs };
}

function bareToken(answer: Answer, value: AnswerValue | undefined): string | null {
  const text = typeof value === 'string' ? value : value === undefined ? answer.body.trim() : '';
  return /^[\w.~+/=-]{16,4096}$/.test(text) ? text : null;
}

function lifetimeEnd(seconds: string | null, at: string | null, token: string, askedAtMs: number): number | null {
  if (seconds !== null && /^\d+(\.\d+)?$/.test(seconds)) return askedAtMs + Number(seconds) * 1000;
  if (at !== null && /^\d+$/.test(at)) return Number(at) > 1e11 ? Number(at) : Number(at) * 1000;
  if (at !== null && !Number.isNaN(Date.parse(at))) return Date.parse(at);
  return jwtEnd(token);
}

/** `exp` of a JWT, unverified: it only says when to ask for the next token. */
function jwtEnd(token: string): number | null {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1];
  if (payload === undefined) return null;
  const exp = /"exp"\s*:\s*(\d+)/.exec(Buffer.from(payload, 'base64url').toString('utf8'))?.[1];
  return exp === undefined ? null : Number(exp) * 1000;
}
