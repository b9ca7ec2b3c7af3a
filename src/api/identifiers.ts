import type { CreateOperation } from '../model/contract.ts';
import { isIdentifyingName } from '../model/identifying-name.ts';
import type { Identifiers } from '../model/outcome.ts';
import { answerValue, type Member, members, plainWords } from './answer-value.ts';
import type { Answer } from './exchange.ts';
import type { Mask } from './mask.ts';
import { textsAt } from './pointer.ts';

const LENGTH_LIMIT = 200;

/** The identifiers in their documented places; of several for one name the later ones are numbered. None: not there. */
export function documentedIdentifiers(answer: Answer, places: CreateOperation['identifiers']): Identifiers {
  const ids: Record<string, string> = {};
  const value = places.length === 0 ? undefined : answerValue(answer);
  for (const { name, pointer } of places) {
    const texts = new Set(textsAt(value, pointer).filter((text) => text !== '' && text.length <= LENGTH_LIMIT));
    for (const [at, text] of [...texts].entries()) ids[at === 0 ? name : `${name}.${at + 1}`] = text;
  }
  return ids;
}

/**
 * The identifiers in an answer whose shape nobody has described: every scalar whose name is or ends in id, uuid,
 * reference, number or code; else the last part of `Location`; else the one token of a short plain text.
 * Values that merely repeat what was sent are no identifiers.
 */
export function readIdentifiers(answer: Answer, sent: Mask): Identifiers {
  const ids: Record<string, string> = {};
  for (const member of members(answerValue(answer))) {
    const text = identifierText(member, sent);
    if (text === null || isResultCode(member, text)) continue;
    const name = member.name in ids && ids[member.name] !== text ? member.path : member.name;
    ids[name] = text;
  }
  if (Object.keys(ids).length > 0) return ids;
  return { ...fromPlainText(answer, sent), ...fromLocation(answer, sent) };
}

function identifierText(member: Member, sent: Mask): string | null {
  if (!isIdentifyingName(member.words)) return null;
  if (typeof member.value !== 'string') return null;
  if (member.value === '' || member.value.length > LENGTH_LIMIT || sent.hides(member.value)) return null;
  return member.value;
}

/** A bare `code` of up to three digits is how it went (`200`, `0`), not what it is called. */
function isResultCode({ name }: Member, text: string): boolean {
  return /^code$/i.test(name) && /^-?\d{1,3}$/.test(text);
}

function fromLocation(answer: Answer, sent: Mask): Identifiers {
  const location = answer.headers['location'];
  if (!location || location.length > LENGTH_LIMIT * 2 || sent.hides(location)) return {};
  const last = location.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? '';
  return /\d/.test(last) ? { id: last, location } : { location };
}

function fromPlainText(answer: Answer, sent: Mask): Identifiers {
  const text = plainWords(answer) ?? '';
  if (text.length > LENGTH_LIMIT) return {};
  const tokens = text.split(/[\s,;:=#"'()<>]+/).map((each) => each.replace(/[.!?]+$/, ''));
  const [token, ...others] = tokens.filter((each) => /\d/.test(each) && !sent.hides(each) && !sent.hasWord(each));
  return token !== undefined && others.length === 0 ? { id: token } : {};
}
