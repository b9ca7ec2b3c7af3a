import { isSuccess } from '../../request/log/outcome.ts';
import type { TracedCall } from '../../request/ports.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { failureName } from '../network/network-failure.ts';
import { REDACTED } from './hidden-words.ts';
import type { Redactor } from './redactor.ts';

/** What a trace may show of a call. Every value that was sent is `***`, as it may be secret or personal. */
export interface RedactedCall {
  /** Values that are shown all the same, such as the market. */
  readonly shown: readonly string[];
  /** Finds the sent values in the answer. */
  readonly redactor: Redactor;
  /**
   * Whether a successful answer contains a token. The texts of such an answer are not shown, because nobody knows the
   * token before the answer is read.
   */
  readonly grantsToken: boolean;
}

/** A call as it is sent. */
interface SentCall {
  readonly method: TracedCall['method'];
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Builds the record of a call that traces show, with secrets and personal values replaced. */
export function tracedCall(call: SentCall, exchange: Exchange, { shown, ...answers }: RedactedCall): TracedCall {
  const { method, origin, path, headers, body } = call;
  const mask = (value: string) => (shown.includes(value) ? value : REDACTED);
  const url = origin + path.replace(/\?.*$/s, (query) => `?${maskedForm(query, mask)}`);
  const sent = { method, url, headers: sentHeaders(headers), body: maskedBody(body, headers['content-type'], mask) };
  const { answer } = exchange;
  if (!answer) return { ...sent, ms: exchange.ms, answer: null, failure: failureName(exchange.error) };
  const { redactor, grantsToken } = answers;
  const { status, ms } = answer;
  const told = grantsToken && isSuccess(status) ? withoutTexts(answer.body) : redactor.redact(answer.body);
  return { ...sent, ms, answer: { status, headers: answerHeaders(answer, redactor), body: told }, failure: null };
}

type Mask = (value: string) => string;

/** Masks the values of a body and keeps their names. */
function maskedBody(body: string | Buffer, type = '', mask: Mask): string {
  const [, boundary] = /boundary=(.+)$/.exec(type) ?? [];
  if (boundary !== undefined) return maskedParts(body.toString('latin1'), `--${boundary}`, mask);
  try {
    return JSON.stringify(JSON.parse(body.toString()), (_, value: unknown) =>
      value === null || typeof value === 'object' ? value : mask(String(value)),
    );
  } catch {
    return maskedForm(body.toString(), mask);
  }
}

function maskedForm(text: string, mask: Mask): string {
  const masked = [...new URLSearchParams(text)].map(([name, value]): [string, string] => [name, mask(value)]);
  return new URLSearchParams(masked).toString();
}

/** Masks the parts of a multipart body. The heads of recordings name their files. */
function maskedParts(body: string, delimiter: string, mask: Mask): string {
  const parts = body.split(delimiter).map((part) => {
    const [, name, content] =
      /^(\r\ncontent-disposition: form-data; name="[^"]*")[\s\S]*?\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    if (name === undefined || content === undefined) return part;
    return `${Buffer.from(name, 'latin1')}\r\n\r\n${mask(Buffer.from(content, 'latin1').toString())}\r\n`;
  });
  return parts.join(delimiter);
}

/** Keeps the names and numbers of a JSON text. A text that is not JSON is hidden whole. */
function withoutTexts(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => (typeof value === 'string' ? REDACTED : value));
  } catch {
    return REDACTED;
  }
}

/**
 * Hides the values of the sent headers. The scheme of an authorization is not secret. Headers that a contract adds may
 * hold a key or personal data.
 */
function sentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { authorization, ...rest } = headers;
  const shown = Object.entries(rest).map(([name, value]) => [name, OWN_HEADER.test(name) ? value : REDACTED] as const);
  const shownScheme = authorization === undefined ? {} : { authorization: withoutCredentials(authorization) };
  return { ...shownScheme, ...Object.fromEntries(shown) };
}

/**
 * Hides the credentials of an authorization header and keeps its scheme. If there is no known scheme, everything is
 * hidden, because the first word may be the key itself.
 */
function withoutCredentials(authorization: string): string {
  const [, scheme = ''] = /^((?:Basic|Bearer) )/.exec(authorization) ?? [];
  return scheme + REDACTED;
}

const OWN_HEADER = /^(?:accept|accept-encoding|content-type)$/;

/**
 * Matches the names of headers that tell of the service and of the route to it. Other headers may hold anything:
 * cookies, tokens, an address with a name in it.
 */
const TELLING_HEADER =
  /^(?:age|allow|cache-control|connection|content-.*|date|keep-alive|retry-after|server|transfer-encoding|vary|via|www-authenticate|.*rate-?limit.*|.*(?:request|correlation|trace)-?id|cf-ray)$/;

function answerHeaders({ headers }: Answer, redactor: Redactor): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => {
    return [name, TELLING_HEADER.test(name) ? redactor.redact(value) : REDACTED] as const;
  });
  return Object.fromEntries(pairs);
}
