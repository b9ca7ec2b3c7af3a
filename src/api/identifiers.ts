import type { Identifiers } from '../model/outcome.ts';
import { type AnswerValue, answerValue, isHtml, type Member, members } from './answer-value.ts';
import type { Answer } from './http.ts';
import type { Mask } from './mask.ts';

const IDENTIFYING = new Set(['id', 'uuid', 'guid', 'reference', 'ref', 'number', 'code']);
/** `phone_number`, `country_code`, `status_code`, `user_id`: named alike, but not what names the request. */
const NOT_IDENTIFYING =
  /^(?:phone|mobile|tel|telephone|fax|post|postal|zip|country|market|lang|language|locale|status|error|http|response|result|user|client|partner|account|category|page|house|street|trace|correlation)$/;
const LENGTH_LIMIT = 200;

/**
 * The identifiers in an answer whose shape nobody has described: every scalar whose name is or ends in id, uuid,
 * reference, number or code; else the last part of `Location`; else the one token of a short plain text.
 * Values that merely repeat what was sent are no identifiers.
 */
export function readIdentifiers(answer: Answer, sent: Mask): Identifiers {
  const value = answerValue(answer);
  const ids: Record<string, string> = {};
  for (const member of members(value)) {
    const text = identifierText(member, sent);
    if (text === null) continue;
    const name = member.name in ids && ids[member.name] !== text ? member.path : member.name;
    ids[name] = text;
  }
  if (Object.keys(ids).length > 0) return ids;
  return { ...fromPlainText(answer, value, sent), ...fromLocation(answer, sent) };
}

function identifierText(member: Member, sent: Mask): string | null {
  const last = member.words.at(-1) ?? '';
  if (!IDENTIFYING.has(last) || member.words.slice(0, -1).some((word) => NOT_IDENTIFYING.test(word))) return null;
  if (typeof member.value !== 'string') return null;
  if (member.value === '' || member.value.length > LENGTH_LIMIT || sent.hides(member.value)) return null;
  return member.value;
}

function fromLocation(answer: Answer, sent: Mask): Identifiers {
  const location = answer.headers['location'];
  if (!location || location.length > LENGTH_LIMIT * 2 || sent.hides(location)) return {};
  const last = location.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? '';
  return /\d/.test(last) ? { id: last, location } : { location };
}

function fromPlainText(answer: Answer, value: AnswerValue | undefined, sent: Mask): Identifiers {
  const text = (typeof value === 'string' ? value : value === undefined ? answer.body : '').trim();
  if (text === '' || text.length > LENGTH_LIMIT || isHtml(answer)) return {};
  const tokens = text.split(/[\s,;:=#"'()<>]+/).filter((token) => /\d/.test(token) && !sent.hides(token));
  const [token, ...others] = tokens.map((each) => each.replace(/[.!?]+$/, ''));
  return token !== undefined && others.length === 0 ? { id: token } : {};
}
