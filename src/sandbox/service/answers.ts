import { createHash } from 'node:crypto';
import { UUID } from '../../request/contract/body-check.ts';
import { addressOf, type CreateCall, type Json } from '../../request/contract/contract.ts';
import { memberOf, objectOf, partAt } from '../../request/contract/json.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, rawJson, type SandboxAnswer } from '../messages/answer.ts';
import type { FreshIdentity } from './marketplace.ts';

/**
 * Builds the answer to a create: the document's, with a fresh identifier where it is read. If the body has no place for it, it
 * is in the header Location.
 */
export function createdAnswer(call: CreateCall, { requestId, sequence }: FreshIdentity) {
  const { success, identifiers } = call;
  if (success === null) {
    const reference = `SR-${String(sequence).padStart(8, '0')}`;
    return {
      answer: rawJson(201, `{"request_id":${requestId},"reference":"${reference}","status":"received"}`),
      requestId,
    };
  }
  const body = identifiers.reduce<Json>(
    (draft, at) => withValueAt(draft, pointerNames(at), freshValue(partAt(draft, at), sequence)),
    success.body,
  );
  const [first] = identifiers;
  const { path } = addressOf(call);
  const headers = first === undefined ? { location: `${path.replace(/\{[^{}]*\}/g, '1')}/${requestId}` } : {};
  const answer =
    body === null || success.status === 204
      ? { status: success.status, headers, body: '' }
      : jsonAnswer(success.status, body, { 'content-type': success.contentType, ...headers });
  return { answer, requestId: String((first === undefined ? undefined : partAt(body, first)) ?? requestId) };
}

/**
 * Builds the answer of validate. `requestId` names the first request with this content, or is null if there is none.
 */
export function verdictAnswer(requestId: string | null): SandboxAnswer {
  if (requestId === null) return rawJson(200, '{"duplicate":false}');
  const id = /^\d+$/.test(requestId) ? requestId : JSON.stringify(requestId);
  return rawJson(200, `{"duplicate":true,"request_id":${id}}`);
}

/** Refuses a request with these problems, by place. */
export const refusalAnswer = (problems: Readonly<Record<string, string>>): SandboxAnswer =>
  jsonAnswer(422, {
    error: 'validation_failed',
    message: 'The request was not accepted. See errors.',
    errors: Object.fromEntries(Object.entries(problems).map(([name, problem]) => [name, [problem]])),
  });

/** Returns a copy with another value at one place, which is made if it is missing. */
export function withValueAt(value: Json | undefined, [name, ...rest]: readonly string[], put: Json): Json {
  if (name === undefined) return put;
  const inner = withValueAt(memberOf(value, name), rest, put);
  if (Array.isArray(value)) return value.map((each: Json, at) => (String(at) === name ? inner : each));
  return { ...objectOf(value), [name]: inner };
}

/**
 * Numbers start here, because smaller ones are often in the request as well, and the client would take them for what it had
 * sent.
 */
const FIRST_NUMBER = 1000;

/** Makes an identifier of the kind of the sample: a number, a UUID, or a text that begins alike. */
function freshValue(sample: Json | undefined, sequence: number): Json {
  const number = FIRST_NUMBER + sequence;
  if (typeof sample !== 'string') return number;
  if (!UUID.test(sample)) return sample.replace(/\d+$/, '') + number;
  // Version 8 (RFC 9562) is the one whose content is ours.
  const hex = createHash('sha256').update(`srq sandbox ${sequence}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
