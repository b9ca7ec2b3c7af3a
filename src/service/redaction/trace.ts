import type { Call, Contract, Json } from '../../request/contract/contract.ts';
import { readPlace } from '../../request/contract/place.ts';
import type { ServiceRequest } from '../../request/lead/service-request.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { TracedCall } from '../../request/ports.ts';
import { secretTexts } from '../../request/words/names.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import { failureName } from '../network/network-failure.ts';
import { REDACTED, type Redactor } from './redactor.ts';

/**
 * The parts of a call that may be shown: the call as it was sent, with `***` for each value that is secret or personal.
 */
export interface RedactedCall {
  /** Path below the base URL, with its query. */
  readonly path: string;
  readonly body: string | Buffer;
  /** Finds the sent values in the answer. */
  readonly redactor: Redactor;
  /**
   * Whether a successful answer contains a token. The texts of such an answer are not shown, because nobody knows the
   * token before the answer is read.
   */
  readonly grantsToken: boolean;
}

/** Builds the record of a call that traces show, with secrets and personal values replaced. */
export function tracedCall(
  method: TracedCall['method'],
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  exchange: Exchange,
  { path, body, redactor, grantsToken }: RedactedCall,
): TracedCall {
  const { answer } = exchange;
  const call = { method, url: baseUrl + path, headers: sentHeaders(headers), body: body.toString() };
  if (!answer) return { ...call, ms: exchange.ms, answer: null, failure: failureName(exchange.error) };
  const { status, ms } = answer;
  const shown = grantsToken && isSuccess(status) ? withoutTexts(answer.body) : redactor.redact(answer.body);
  return { ...call, ms, answer: { status, headers: answerHeaders(answer, redactor), body: shown }, failure: null };
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

/** Returns the request with `***` for every value but the market, so that it can be encoded and shown. */
export function maskedRequest({ params, parts, audio, ref }: ServiceRequest): ServiceRequest {
  return {
    params: masked(params),
    ...(parts && { parts: masked(parts) }),
    audio: audio && { ...audio, path: REDACTED, mediaType: audio.mediaType && REDACTED },
    ref: ref && REDACTED,
  };
}

function masked(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [name, name === 'country' ? value : REDACTED]);
  return Object.fromEntries(entries);
}

/** Returns the contract as it encodes masked requests: without constants that may be keys, and `***` is allowed. */
export function maskedContract(contract: Contract): Contract {
  const { create, validate } = contract;
  return {
    ...contract,
    create: { ...create, ...maskedCall(create) },
    validate: validate && { ...validate, ...maskedCall(validate) },
  };
}

function maskedCall({
  fields,
  always,
  when,
  audio,
  schema,
}: Call): Pick<Call, 'always' | 'when' | 'codes' | 'audio' | 'schema'> {
  const withoutSecrets = (values: Call['always']) =>
    Object.fromEntries(
      Object.entries(values).map(([place, value]): [string, Json] => {
        const isSecret = secretTexts(readPlace(place).path.at(-1) ?? '', value).length > 0;
        return [place, isSecret ? REDACTED : value];
      }),
    );
  return {
    always: Object.fromEntries(
      Object.entries(always).map(([place, value]) => [place, fields[place] === 'country' ? value : REDACTED]),
    ),
    when: Object.fromEntries(Object.entries(when).map(([field, values]) => [field, withoutSecrets(values)])),
    codes: {},
    audio: audio === 'binary' ? 'base64' : audio,
    // Without a schema every text is written as it is. Whether there is one decides what is sent without a place.
    schema: schema === null ? null : {},
  };
}
