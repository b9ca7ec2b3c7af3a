import { createHash } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';
import { UUID } from '../../request/contract/body-check.ts';
import { addressOf, type Call, type VerdictRule } from '../../request/contract/contract.ts';
import { jsonIn } from '../../request/contract/json.ts';
import { JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, rawJson, refusal as refusalOf, type SandboxAnswer } from '../messages/answer.ts';
import type { FreshIdentity } from './marketplace.ts';
import { type AnswerDraft, valueAt, withValueAt } from './pointer.ts';

/** The verdict of validate on a request. */
export type ToldVerdict = 'clear' | 'duplicate';

interface Created {
  readonly answer: SandboxAnswer;
  readonly requestId: string;
}

/**
 * Builds the answer to a create: the document's, with a fresh identifier where it is read. If the body has no place for it,
 * it is in the header Location.
 */
export function createdAnswer({ reads, answers, ...call }: Call, { requestId, sequence }: FreshIdentity): Created {
  const { success } = answers;
  if (success === null && reads.id.length === 0) {
    const reference = `SR-${String(sequence).padStart(8, '0')}`;
    const body = `{"request_id":${requestId},"reference":"${reference}","status":"received"}`;
    return { answer: rawJson(201, body), requestId };
  }
  const { status, contentType, body: sample } = success ?? { status: 201, contentType: JSON_CONTENT_TYPE, body: null };
  const cleared = reads.duplicate.reduce<AnswerDraft>((draft, rule) => withVerdict(draft, rule, 'clear'), sample);
  const places = reads.id.map(pointerNames);
  const [first] = places;
  if (first === undefined) {
    const location = `${addressOf(call).path.replace(/\{[^{}]*\}/g, '1')}/${requestId}`;
    return { answer: answerWith(status, contentType, cleared, { location }), requestId };
  }
  const named = places.reduce<AnswerDraft>(
    (draft, place) => withValueAt(draft, place, freshValue(valueAt(cleared, place), sequence)),
    cleared,
  );
  return { answer: answerWith(status, contentType, named), requestId: String(valueAt(named, first)) };
}

/** Builds the answer of validate, or null if `rules` cannot tell this verdict. */
export function verdictAnswer(call: Call, verdict: ToldVerdict): SandboxAnswer | null {
  const { success } = call.answers;
  const rules = call.reads.duplicate;
  const telling = rules.find(
    (rule) => rule.kind === 'list' || (rule.kind === 'status' ? rule.verdict === verdict : rule[verdict].length > 0),
  );
  if (!telling) return null;
  const status = telling.kind === 'status' ? telling.status : (success?.status ?? 200);
  if (status >= 400) return refusalAnswer(call, { '': 'This request was sent before.' }, status);
  const body = rules.reduce<AnswerDraft>((draft, rule) => withVerdict(draft, rule, verdict), success?.body ?? {});
  return answerWith(status, success?.contentType ?? JSON_CONTENT_TYPE, body);
}

/** Builds the answer of a validate that nothing is known of. `requestId` is that of the first request, or null. */
export const documentedVerdict = (requestId: string | null): SandboxAnswer =>
  rawJson(200, requestId === null ? '{"duplicate":false}' : `{"duplicate":true,"request_id":${requestId}}`);

function withVerdict(draft: AnswerDraft, rule: VerdictRule, verdict: ToldVerdict): AnswerDraft {
  if (rule.kind === 'status') return draft;
  const at = pointerNames(rule.pointer);
  const sample = valueAt(draft, at);
  if (rule.kind === 'list') {
    const duplicates = Array.isArray(sample) && sample.length > 0 ? sample : ['an earlier request'];
    return withValueAt(draft, at, verdict === 'duplicate' ? duplicates : []);
  }
  const [text] = rule[verdict];
  if (text === undefined) return sample === undefined ? draft : withValueAt(draft, at, null);
  // Rules compare texts, whatever the type of the value.
  return withValueAt(draft, at, typeof sample === 'string' ? text : (jsonIn(text) ?? text));
}

/**
 * Refuses a request with these problems, by place. The refusal has the sandbox's own form; the text stands where the contract
 * says that it is read.
 */
export function refusalAnswer(
  call: Call,
  problems: Readonly<Record<string, string>>,
  otherStatus?: number,
): SandboxAnswer {
  const { refusal } = call.answers;
  const status = otherStatus ?? refusal?.status ?? 422;
  const own = {
    error: 'validation_failed',
    message: 'The request was not accepted. See errors.',
    errors: Object.fromEntries(Object.entries(problems).map(([name, problem]) => [name, [problem]])),
  };
  if (call.reads.error.length === 0)
    return otherStatus === undefined
      ? jsonAnswer(status, own)
      : refusalOf(status, 'duplicate', Object.values(problems).join(' '));
  const text = Object.entries(problems)
    .map((each) => each.join(' ').trim())
    .join('; ');
  const body = call.reads.error.reduce<AnswerDraft>(
    (draft, pointer) => withValueAt(draft, pointerNames(pointer), text),
    refusal?.body ?? {},
  );
  return answerWith(status, refusal?.contentType ?? JSON_CONTENT_TYPE, body);
}

/** Builds an answer. One without a body has no content type, and one with 204 never has a body. */
function answerWith(status: number, contentType: string, body: AnswerDraft, headers = {}): SandboxAnswer {
  if (body === null || status === 204) return { status, headers, body: '' };
  const isText = typeof body === 'string' && !/json/i.test(contentType);
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: isText ? body : (stringify(body) ?? ''),
  };
}

const MIN_OF_20_DIGITS = 10n ** 19n;
/**
 * Numbers start here where the document shows no example but that of a type, which is 0 or 1. Smaller ones are often in
 * the request as well, and the client would take them for what it had sent.
 */
const FIRST_NUMBER = 1000;

/**
 * Makes an identifier like the sample that differs for each `sequence`. A number remains a number, with 20 digits if
 * the sample has more than JavaScript can represent. A UUID remains a UUID. A text keeps everything before its last digits.
 */
function freshValue(sample: AnswerDraft | undefined, sequence: number): AnswerDraft {
  if (typeof sample === 'string') return freshText(sample, sequence);
  const number = (typeof sample === 'number' && sample >= 2 ? Math.trunc(sample) : FIRST_NUMBER) + sequence;
  return Number.isSafeInteger(number) ? number : new LosslessNumber(String(MIN_OF_20_DIGITS + BigInt(sequence)));
}

function freshText(sample: string, sequence: number): string {
  if (UUID.test(sample)) return uuidOf(sequence);
  const [, before = '', digits = ''] = /^(.*?)(\d+)$/s.exec(sample) ?? [];
  if (digits === '') return `${sample || 'SR'}-${sequence}`;
  return before + String(BigInt(digits) + BigInt(sequence)).padStart(digits.length, '0');
}

/** Makes a UUID of version 8 (RFC 9562), whose content is defined by us, so that the same sequence gives the same UUID. */
function uuidOf(sequence: number): string {
  const hex = createHash('sha256').update(`srq sandbox ${sequence}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
