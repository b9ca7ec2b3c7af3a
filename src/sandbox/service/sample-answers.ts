import { createHash } from 'node:crypto';
import { LosslessNumber, stringify } from 'lossless-json';
import type { CreateOperation, Json, Operation, VerdictRule } from '../../request/contract/contract-1.ts';
import { JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from '../messages/answer.ts';
import type { FreshIdentity } from './marketplace.ts';
import { type AnswerDraft, isList, isObject, valueAt, withValueAt } from './pointer.ts';
import { type Problems, UUID } from './schema-check.ts';

/** The verdict of validate on a request. */
export type ToldVerdict = 'clear' | 'duplicate';

/**
 * Builds the document's answer to a create, with identifiers of its own, or returns null if the document shows none. If
 * the body has no place for them, the identifier is in the header Location.
 */
export function createdAnswer(
  { success, identifiers, duplicate, path }: CreateOperation,
  { requestId, sequence }: FreshIdentity,
  basePath: string,
): { readonly answer: SandboxAnswer; readonly requestId: string } | null {
  const [first] = identifiers;
  if (!success && !first) return null;
  const { status, contentType, body: shown } = success ?? { status: 201, contentType: JSON_CONTENT_TYPE, body: null };
  const sample = withoutFailure(shown, status);
  // The document's example may show a duplicate.
  const body =
    sample === null ? null : duplicate.reduce<AnswerDraft>((draft, rule) => withVerdict(draft, rule, 'clear'), sample);
  const location = `${basePath}${path.replace(/\{[^{}]*\}/g, '1')}/${requestId}`;
  if (!first) return { answer: answerWith(status, contentType, body, { location }), requestId };
  const named = identifiers.reduce<AnswerDraft>((draft, { pointer }) => {
    const parts = pointerNames(pointer);
    return withValueAt(draft, parts, freshValue(valueAt(body, parts) ?? undefined, sequence));
  }, body);
  const answered = valueAt(named, pointerNames(first.pointer));
  return { answer: answerWith(status, contentType, named), requestId: String(answered) };
}

/** Builds an answer from which `rules` read this verdict, or returns null if none of them can express it. */
export function verdictAnswer(
  operation: Operation,
  rules: readonly VerdictRule[],
  verdict: ToldVerdict,
): SandboxAnswer | null {
  const { success } = operation;
  const telling = rules.find((rule) => canTell(rule, verdict));
  if (!telling) return null;
  const status = telling.kind === 'status' ? telling.status : (success?.status ?? 200);
  if (status >= 400) return refusalAnswer(operation, { '': 'This request was sent before.' }, status);
  const sample = success ? withoutFailure(success.body, success.status) : {};
  const body = rules.reduce<AnswerDraft>((draft, rule) => withVerdict(draft, rule, verdict), sample);
  return answerWith(status, success?.contentType ?? JSON_CONTENT_TYPE, body);
}

/** Matches names of members that report failures, in the languages of the markets. */
const OF_FAILURE =
  /^(?:(?:has|is|validation)?(?:err|errors?|faults?|exceptions?|fail(?:ed|ures?)?|problems?|violations?|warnings?)(?:codes?|messages?|texts?|descriptions?|details?|types?|reasons?)?|erros?|errore[s]?|errori|erreurs?|fehler|falhas?|fallos?)$/;
const OF_SUCCESS =
  /^(?:is)?(?:success(?:ful)?|succeeded|ok|accepted|created|valid|sucesso|exito|erfolg(?:reich)?|succes|successo)$/;
const OF_OUTCOME = /^(?:(?:http)?status(?:code)?|code|result(?:code)?|outcome|state|estado|resultado|statut|stato)$/;
const TELLS_FAILURE =
  /\b(?:errors?|fail\w*|invalid|reject\w*|refus\w*|denied|declin\w*|bad|not|missing|forbidden|unauthori[sz]ed|erro|fehler|erreur|errore)\b/i;

/**
 * Removes failures from a sample, so that it is that of a success. Examples, and samples made from a schema, may
 * contain errors as well. This code deliberately shares nothing with the client's reading of answers, so that a mistake
 * there becomes visible.
 */
function withoutFailure(sample: Json, status: number): Json {
  if (Array.isArray(sample)) return sample.map((each: Json) => withoutFailure(each, status));
  if (!isObject(sample)) return sample;
  return Object.fromEntries(
    Object.entries(sample as { readonly [name: string]: Json }).flatMap(([name, value]) => {
      const kept = successMember(name.toLowerCase().replace(/[^a-z]/g, ''), value, status);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

/** Returns the value that a member has in a success, or undefined if it has none. */
function successMember(name: string, value: Json, status: number): Json | undefined {
  if (OF_FAILURE.test(name)) {
    if (Array.isArray(value)) return [];
    if (typeof value === 'boolean') return false;
    return typeof value === 'number' ? 0 : undefined;
  }
  if (value === false && OF_SUCCESS.test(name)) return true;
  if (OF_OUTCOME.test(name)) {
    if (typeof value === 'number' && value >= 400 && value < 600) return status;
    if (typeof value === 'string' && TELLS_FAILURE.test(value.replaceAll('_', ' '))) return 'ok';
  }
  return name === 'message' && typeof value === 'string' && TELLS_FAILURE.test(value)
    ? 'ok'
    : withoutFailure(value, status);
}

function canTell(rule: VerdictRule, verdict: ToldVerdict): boolean {
  if (rule.kind === 'status') return rule.verdict === verdict;
  return rule.kind === 'list' || rule[verdict].length > 0;
}

function withVerdict(draft: AnswerDraft, rule: VerdictRule, verdict: ToldVerdict): AnswerDraft {
  if (rule.kind === 'status') return draft;
  const parts = pointerNames(rule.pointer);
  const sample = valueAt(draft, parts);
  if (rule.kind === 'list') {
    const duplicates = Array.isArray(sample) && sample.length > 0 ? sample : ['an earlier request'];
    return withValueAt(draft, parts, verdict === 'duplicate' ? duplicates : []);
  }
  const [value] = rule[verdict];
  if (value !== undefined) return withValueAt(draft, parts, typedAs(sample, value));
  return sample === undefined ? draft : withValueAt(draft, parts, null);
}

/** Converts a text to the type that the sample has, because rules compare texts. */
function typedAs(sample: AnswerDraft | undefined, text: string): AnswerDraft {
  if (typeof sample === 'number') return Number(text);
  return typeof sample !== 'string' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

/**
 * Builds the document's refusal of a request with these problems. If the document shows none, the refusal has the shape
 * of the documented interface.
 */
export function refusalAnswer(operation: Operation, problems: Problems, otherStatus?: number): SandboxAnswer {
  const { refusal: sample, errorTexts } = operation;
  const status = otherStatus ?? sample?.status ?? 422;
  if (errorTexts.length > 0) {
    return answerWith(status, sample?.contentType ?? JSON_CONTENT_TYPE, refusalBody(operation, problems));
  }
  if (otherStatus !== undefined) return refusal(status, 'duplicate', Object.values(problems).join(' '));
  return jsonAnswer(status, {
    error: 'validation_failed',
    message: 'The request was not accepted. See errors.',
    errors: Object.fromEntries(Object.entries(problems).map(([name, problem]) => [name, [problem]])),
  });
}

/** Builds an answer. One without a body has no content type, and one with 204 never has a body. */
function answerWith(
  status: number,
  contentType: string,
  body: AnswerDraft,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  if (body === null || status === 204) return { status, headers, body: '' };
  const isText = typeof body === 'string' && !/json/i.test(contentType);
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: isText ? body : (stringify(body) ?? ''),
  };
}

const ENDS_IN_DIGITS = /^(.*?)(\d+)$/s;
const MIN_OF_20_DIGITS = 10n ** 19n;

/**
 * Numbers start here where the document shows no example but that of a type, which is 0 or 1. Smaller ones are often in
 * the request as well, and the client would take them for what it had sent.
 */
const FIRST_NUMBER = 1000;

/**
 * Makes an identifier like the sample that differs for each `sequence`. A number remains a number, with 20 digits if
 * the sample has more than JavaScript can represent. A UUID remains a UUID. A text keeps everything before its last
 * digits. Without a sample, the result is a number.
 */
function freshValue(sample: AnswerDraft | undefined, sequence: number): AnswerDraft {
  if (typeof sample === 'string') return freshText(sample, sequence);
  const number = (typeof sample === 'number' && sample >= 2 ? Math.trunc(sample) : FIRST_NUMBER) + sequence;
  return Number.isSafeInteger(number) ? number : new LosslessNumber(String(MIN_OF_20_DIGITS + BigInt(sequence)));
}

function freshText(sample: string, sequence: number): string {
  if (UUID.test(sample)) return uuidOf(sequence);
  const [, before = '', digits = ''] = ENDS_IN_DIGITS.exec(sample) ?? [];
  if (digits === '') return `${sample || 'SR'}-${sequence}`;
  return before + String(BigInt(digits) + BigInt(sequence)).padStart(digits.length, '0');
}

/**
 * Makes a UUID of version 8 (RFC 9562), whose content is defined by us, so that the same sequence gives the same UUID.
 */
function uuidOf(sequence: number): string {
  const hex = createHash('sha256').update(`srq sandbox ${sequence}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A problem of a request. `name` is the wire path, and is empty if the problem is about the whole request. */
interface NamedProblem {
  readonly name: string;
  readonly words: string;
}

/** Names of members of an error that name the parameter. */
const NAMES_PARAMETER = /^(?:field|param|parameter|property|attribute|name|pointer|path|loc|location)$/i;

/**
 * Builds the body of the document's refusal with these problems in place of its texts. A list of errors gets one
 * element for each problem, an object of errors gets one member each, and a single text names them all.
 */
function refusalBody({ refusal, errorTexts }: Operation, problems: Problems): AnswerDraft {
  const all = Object.entries(problems).map(([name, words]) => ({ name, words }));
  const sample: Json = refusal?.body ?? null;
  return errorTexts.reduce<AnswerDraft>((draft, pointer) => withWords(draft, pointerNames(pointer), all), sample);
}

function withWords(
  draft: AnswerDraft | undefined,
  parts: readonly string[],
  problems: readonly NamedProblem[],
): AnswerDraft {
  const [part, ...rest] = parts;
  if (part === undefined) return problems.map(({ name, words }) => `${name} ${words}`.trim()).join('; ');
  if (part !== '*') {
    const members = isObject(draft) ? draft : {};
    return { ...members, [part]: withWords(members[part], rest, problems) };
  }
  if (isObject(draft)) {
    const [first] = Object.values(draft);
    const members = problems.map((problem) => [problem.name, withWords(draft[problem.name] ?? first, rest, [problem])]);
    return Object.fromEntries(members);
  }
  const elements = isList(draft) ? draft : [];
  return problems.map((problem, place) =>
    withWords(withName(elements[place] ?? elements[0], problem.name), rest, [problem]),
  );
}

/** Returns a copy of an error of the sample that is about another parameter. */
function withName(draft: AnswerDraft | undefined, name: string): AnswerDraft | undefined {
  if (!isObject(draft)) return draft;
  return Object.fromEntries(
    Object.entries(draft).map(([member, value]) => [
      member,
      NAMES_PARAMETER.test(member) && !isObject(value) ? namedAs(value, name) : (withName(value, name) ?? value),
    ]),
  );
}

/**
 * Returns the name in the form of the sample: a JSON pointer, a list of its parts (after `body`, as some services have
 * it), or the bare name.
 */
function namedAs(sample: AnswerDraft, name: string): AnswerDraft {
  if (isList(sample)) return [...(sample[0] === 'body' ? ['body'] : []), ...name.split('.')];
  return typeof sample === 'string' && sample.startsWith('/') ? `/${name.replaceAll('.', '/')}` : name;
}
