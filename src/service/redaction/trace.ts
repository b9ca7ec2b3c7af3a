import { jsonIn } from '../../request/contract/json.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { TracedCall } from '../../request/ports.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { failureName } from '../network/network-failure.ts';
import { REDACTED } from './hidden-words.ts';
import type { Redactor } from './redactor.ts';

/** What a trace may show of a call. */
export interface RedactedCall {
  /** Returns path and body with what may be secret or personal replaced. Called only if the call is shown. */
  readonly shown: () => { readonly path: string; readonly body: string | Buffer };
  /** Finds the sent values in the answer. */
  readonly redactor: Redactor;
  /**
   * Whether a successful answer contains a token. The texts of such an answer are not shown, because nobody knows the
   * token before the answer is read.
   */
  readonly grantsToken: boolean;
}

/** A call as it is sent. `base` is the URL below which its path lies. */
type SentCall = Pick<TracedCall, 'method' | 'headers'> & { readonly base: string };

/** Builds the record of a call that traces show, with secrets and personal values replaced. */
export function tracedCall(call: SentCall, exchange: Exchange, { shown, ...answers }: RedactedCall): TracedCall {
  const { method, base, headers } = call;
  const { path, body } = shown();
  const sent = { method, url: base + path, headers: sentHeaders(headers), body: body.toString() };
  const { answer } = exchange;
  if (!answer) return { ...sent, ms: exchange.ms, answer: null, failure: failureName(exchange.error) };
  const { redactor, grantsToken } = answers;
  const { status, ms } = answer;
  const told = grantsToken && isSuccess(status) ? withoutTexts(answer.body) : redactor.redact(answer.body);
  return { ...sent, ms, answer: { status, headers: answerHeaders(answer, redactor), body: told }, failure: null };
}

/** Keeps the names and numbers of a JSON text. A text that is not JSON is hidden whole. */
function withoutTexts(text: string): string {
  const whole = jsonIn(text);
  if (whole === undefined) return REDACTED;
  return JSON.stringify(whole, (_, value: unknown) => (typeof value === 'string' ? REDACTED : value));
}

/**
 * Hides the values of the sent headers. Headers that a contract adds may hold a key or personal data. The scheme of an
 * authorization is not secret. If there is no known one, everything is hidden, because the first word may be the key itself.
 */
function sentHeaders({ authorization, ...headers }: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, OWN_HEADER.test(name) ? value : REDACTED]);
  if (authorization === undefined) return Object.fromEntries(shown);
  const [scheme = ''] = /^(?:Basic|Bearer) /.exec(authorization) ?? [];
  return { authorization: scheme + REDACTED, ...Object.fromEntries(shown) };
}

const OWN_HEADER = /^(?:accept|accept-encoding|content-type)$/;

/**
 * Matches the names of headers that tell of the service and of the route to it. Other headers may hold anything:
 * cookies, tokens, an address with a name in it.
 */
const TELLING_HEADER =
  /^(?:age|allow|cache-control|connection|content-.*|date|keep-alive|retry-after|server|transfer-encoding|vary|via|www-authenticate|.*rate-?limit.*|.*(?:request|correlation|trace)-?id|cf-ray)$/;

function answerHeaders({ headers }: Answer, redactor: Redactor): Record<string, string> {
  const shown = (name: string, value: string) => (TELLING_HEADER.test(name) ? redactor.redact(value) : REDACTED);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(name, value)]));
}
