import { stringify } from 'lossless-json';
import type { CreateOperation, Operation, VerdictRule } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import { JSON_CONTENT_TYPE } from '../model/wire.ts';
import { type Answer, jsonAnswer, refusal } from './answer.ts';
import { freshValue } from './fresh-value.ts';
import type { FreshIdentity } from './marketplace.ts';
import { type Draft, valueAt, withValueAt } from './pointer.ts';
import { refusalBody } from './refusal-words.ts';
import type { Problems } from './schema-check.ts';

type Verdict = 'clear' | 'duplicate';

/**
 * The document's answer to a create, with identifiers of its own; null where the document shows none. Without a place for
 * them in the body, the identifier is in the header Location.
 */
export function createdAnswer(
  { success, identifiers, duplicate, path }: CreateOperation,
  { requestId, sequence }: FreshIdentity,
): { readonly answer: Answer; readonly requestId: string } | null {
  const [first] = identifiers;
  if (!success && !first) return null;
  const { status, contentType, body: sample } = success ?? { status: 201, contentType: JSON_CONTENT_TYPE, body: null };
  // The document's example may be that of a duplicate.
  const body =
    sample === null ? null : duplicate.reduce<Draft>((draft, rule) => withVerdict(draft, rule, 'clear'), sample);
  if (!first) return { answer: answerWith(status, contentType, body, { location: `${path}/${requestId}` }), requestId };
  const named = identifiers.reduce<Draft>((draft, { pointer }) => {
    const parts = pointerNames(pointer);
    return withValueAt(draft, parts, freshValue(valueAt(body, parts) ?? undefined, sequence));
  }, body);
  const answered = valueAt(named, pointerNames(first.pointer));
  return { answer: answerWith(status, contentType, named), requestId: String(answered) };
}

/** An answer from which `rules` read this verdict; null where none of them can tell it. */
export function verdictAnswer(operation: Operation, rules: readonly VerdictRule[], verdict: Verdict): Answer | null {
  const { success } = operation;
  const telling = rules.find((rule) => canTell(rule, verdict));
  if (!telling) return null;
  const status = telling.kind === 'status' ? telling.status : (success?.status ?? 200);
  if (status >= 400) return refusalAnswer(operation, { '': 'This request was sent before.' }, status);
  const sample = success ? success.body : {};
  const body = rules.reduce<Draft>((draft, rule) => withVerdict(draft, rule, verdict), sample);
  return answerWith(status, success?.contentType ?? JSON_CONTENT_TYPE, body);
}

function canTell(rule: VerdictRule, verdict: Verdict): boolean {
  if (rule.kind === 'status') return rule.verdict === verdict;
  return rule.kind === 'list' || rule[verdict].length > 0;
}

function withVerdict(draft: Draft, rule: VerdictRule, verdict: Verdict): Draft {
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

/** Rules compare texts; the answer has the type that the sample has. */
function typedAs(sample: Draft | undefined, text: string): Draft {
  if (typeof sample === 'number') return Number(text);
  return typeof sample !== 'string' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

/** The document's refusal of a request with these problems; in the shape of the other sandbox where it shows none. */
export function refusalAnswer(operation: Operation, problems: Problems, otherStatus?: number): Answer {
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

/** An answer without a body has no content type either; with 204 it never has one. */
function answerWith(
  status: number,
  contentType: string,
  body: Draft,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  if (body === null || status === 204) return { status, headers, body: '' };
  const isText = typeof body === 'string' && !/json/i.test(contentType);
  return {
    status,
    headers: { 'content-type': contentType, ...headers },
    body: isText ? body : (stringify(body) ?? ''),
  };
}
