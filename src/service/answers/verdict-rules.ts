import type { VerdictRule } from '../../request/contract/contract.ts';
import { isSuccess } from '../../request/log/outcome.ts';
import type { Answer } from '../network/exchange.ts';
import { answerValue, scalarsAt, valuesAt } from './answer-value.ts';

/** Returns the verdict of the first documented rule that applies to an answer, or null if none does. */
export function ruledVerdict(answer: Answer, rules: readonly VerdictRule[]): 'clear' | 'duplicate' | null {
  const value = rules.length === 0 ? undefined : answerValue(answer);
  for (const rule of rules) {
    const verdict = byRule(rule, answer, value);
    // An error answer may report a duplicate. If it reports none, that does not mean that the request is clear.
    if (verdict === 'duplicate' || (verdict === 'clear' && isSuccess(answer.status))) return verdict;
  }
  return null;
}

function byRule(rule: VerdictRule, { status }: Answer, value: ReturnType<typeof answerValue>) {
  if (rule.kind === 'status') return rule.status === status ? rule.verdict : null;
  if (status >= 500) return null;
  if (rule.kind === 'list') {
    const lists = valuesAt(value, rule.pointer).filter((each) => Array.isArray(each));
    return lists.length === 0 ? null : lists.some((list) => list.length > 0) ? 'duplicate' : 'clear';
  }
  const texts = scalarsAt(value, rule.pointer);
  if (texts.some((text) => rule.duplicate.includes(text))) return 'duplicate';
  return texts.some((text) => rule.clear.includes(text)) ? 'clear' : null;
}
