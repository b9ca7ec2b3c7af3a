import type { VerdictRule } from '../model/contract.ts';
import { type AnswerValue, answerValue } from './answer-value.ts';
import type { Answer } from './exchange.ts';
import { textsAt, valuesAt } from './pointer.ts';

/** What an answer says by the rules of the service's description: the first that applies decides. Null: none does. */
export function ruledVerdict(answer: Answer, rules: readonly VerdictRule[]): 'clear' | 'duplicate' | null {
  if (rules.length === 0) return null;
  const value = answerValue(answer);
  for (const rule of rules) {
    const verdict = byRule(rule, answer.status, value);
    if (verdict !== null) return verdict;
  }
  return null;
}

function byRule(rule: VerdictRule, status: number, value: AnswerValue | undefined): 'clear' | 'duplicate' | null {
  if (rule.kind === 'status') return rule.status === status ? rule.verdict : null;
  const verdict = rule.kind === 'list' ? byList(value, rule.pointer) : byValue(value, rule);
  // An error may name a duplicate; that it names none says nothing.
  return verdict === 'clear' && (status < 200 || status > 299) ? null : verdict;
}

function byList(value: AnswerValue | undefined, pointer: string): 'clear' | 'duplicate' | null {
  const lists = valuesAt(value, pointer).filter((each) => Array.isArray(each));
  if (lists.length === 0) return null;
  return lists.some((list) => list.length > 0) ? 'duplicate' : 'clear';
}

function byValue(
  value: AnswerValue | undefined,
  { pointer, duplicate, clear }: Extract<VerdictRule, { kind: 'value' }>,
): 'clear' | 'duplicate' | null {
  const texts = textsAt(value, pointer);
  if (texts.some((text) => duplicate.includes(text))) return 'duplicate';
  return texts.some((text) => clear.includes(text)) ? 'clear' : null;
}
