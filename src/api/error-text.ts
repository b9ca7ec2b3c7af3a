import { type AnswerValue, answerValue, isHtml, members } from './answer-value.ts';
import type { Answer } from './http.ts';
import type { Mask } from './mask.ts';

const TEXT_LIMIT = 300;
/** Names under which services say why, in groups: the first group that has something to say is shown. */
const TELLING = [['detail'], ['message', 'description', 'title', 'errors'], ['reason'], ['error'], ['code']];

/** The service's own words on why it refused, sent values masked; null if it gave none that a person could read. */
export function readErrorText(answer: Answer, sent: Mask): string | null {
  const value = answerValue(answer);
  const text = value === undefined ? plainText(answer) : toldText(value);
  if (text === null) return null;
  const line = sent.apply(text).replace(/\s+/g, ' ').trim();
  return line === '' ? null : line.length > TEXT_LIMIT ? `${line.slice(0, TEXT_LIMIT - 1)}…` : line;
}

function toldText(value: AnswerValue): string | null {
  const groups = TELLING.map((parts) => parts.flatMap((part) => toldUnder(part, value)));
  const told = groups.find((each) => each.length > 0) ?? [];
  return told.length > 0 ? [...new Set(told)].join('; ') : typeof value === 'string' ? value : null;
}

function toldUnder(part: string, value: AnswerValue): string[] {
  const found = members(value).filter(({ words }) => words.at(-1) === part);
  return found.flatMap((member) => flatten(member.value)).slice(0, 10);
}

function flatten(value: AnswerValue, prefix = ''): string[] {
  if (typeof value === 'string') return value === '' ? [] : [prefix + value];
  if (Array.isArray(value)) return value.flatMap((inner) => flatten(inner, prefix)).slice(0, 10);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) => flatten(inner, `${prefix}${name}: `))
    .slice(0, 10);
}

function plainText(answer: Answer): string | null {
  return isHtml(answer) || answer.body.length > TEXT_LIMIT * 2 ? null : answer.body;
}
