import type { VerdictRule } from '../../request/contract.ts';
import {
  DENIAL,
  DUPLICATE_FLAG,
  DUPLICATES,
  duplicateStatement,
  EXISTS_FLAG,
  namesAnother,
  namesRequest,
  UNIQUE_FLAG,
} from '../../request/duplicate-words.ts';
import { isSuccess } from '../../request/outcome.ts';
import type { Verdict } from '../../request/ports.ts';
import type { Answer } from '../network/exchange.ts';
import {
  type AnswerMember,
  type AnswerValue,
  answerValue,
  asBoolean,
  members,
  nameOf,
  plainWords,
  readableKind,
  scalarsAt,
  valuesAt,
} from './answer-value.ts';
import { foldedWords, outcomeSigns } from './refusal-signs.ts';

/* These patterns match the words of a verdict in the languages of the markets. The texts are folded first. */
const SAYS_DUPLICATE = /duplicat|already|exist|repeated|repetid[oa]|wiederholt|ripetut[oa]/;
const SAYS_OTHERWISE = new RegExp(
  `${DENIAL}|\\b(?:un (?=duplicated|repeated|existing)|(?:pass(?:ed)?|free)\\b)|nonexist|inexist|inesist`,
);
const SAYS_CLEAR =
  /^(?:unique|clear|new|none|(?:no|not) ?(?:a )?(?:duplicates?|found|exists?)|does not exist|unic[oa]|nuev[oa]|nov[oa]|neu|nouveau|nouvelle|nuov[oa]|keine? (?:duplikat|dublette)|nicht (?:doppelt|vorhanden|gefunden)|(?:no|nao) (?:es |e )?(?:duplicad[oa]|existe|encontrad[oa])|(?:pas de|aucun) doublon|non (?:duplique|trouve|duplicat[oa]|trovat[oa]|esiste))$/;
/** Matches words that may be about the call or the data alone. Any other text about duplicates takes precedence. */
const SAYS_OK = /^(?:ok|valid|accepted)$/i;
const VALID_FLAGS = new Set(['valid', 'isvalid']);
const VERDICT_TEXT =
  /^(?:status|result|verdict|outcome|state|estado|resultado|resultat|ergebnis|statut|stato|esito|risultato)$/;

/**
 * Reads the verdict of an answer of validate in a fixed order:
 *
 * - status 208, or a 409 that can be read and is about nothing else
 * - an empty answer, because a duplicate would be reported
 * - a boolean
 * - a status text
 * - a list of matches
 * - a word that says that all is well, or a body that is nothing but a word
 *
 * Anything else is `unknown`, because srq does not guess.
 */
export function readVerdict(answer: Answer): Verdict {
  if (answer.status === 208) return 'duplicate';
  // A page, or an answer that was cut, may come from a proxy, or may have said what else the conflict is about.
  if (readableKind(answer) === null) return 'unknown';
  if (answer.status === 409) return reportsDuplicate(answer) || isBareConflict(answer) ? 'duplicate' : 'unknown';
  if (!isSuccess(answer.status)) return 'unknown';
  if (holdsNothing(answer)) return 'clear';
  const said = statedVerdict(answer);
  // A service that mentions an error has not looked, whatever else its answer says.
  return said === 'clear' && outcomeSigns(answer).complains ? 'unknown' : said;
}

/** Tells whether a conflict says no more than its status: no reason, and nothing else that exists. */
function isBareConflict(answer: Answer): boolean {
  const saysAnother = members(answerValue(answer)).some(
    (each) => isAboutAnother(each) && SAYS_DUPLICATE.test(each.words.join(' ')) && asBoolean(each.value) !== false,
  );
  return !saysAnother && errorTexts(answer, () => true).every(saysNothing);
}

/** Tells whether a body holds nothing: an empty body, `null`, `{}`, `[]`, `{"data":null}`. */
function holdsNothing(answer: Answer): boolean {
  const value = answerValue(answer);
  if (value === undefined) return answer.body.trim() === '';
  const isNothing = (each: AnswerValue): boolean =>
    each === null || (typeof each === 'object' && Object.keys(each).length === 0);
  if (isNothing(value)) return true;
  return !Array.isArray(value) && typeof value === 'object' && value !== null
    ? Object.entries(value).every(([name, inner]) => name === 'data' && isNothing(inner))
    : false;
}

/** Returns the verdict that the body itself states, whatever the status is. */
export function statedVerdict(answer: Answer): Verdict {
  const all = members(answerValue(answer));
  const found = all.filter((each) => !isAboutAnother(each));
  return (
    flagVerdict(found) ?? textVerdict(found) ?? listVerdict(found) ?? okVerdict(all) ?? bareVerdict(answer) ?? 'unknown'
  );
}

/** Tells whether an answer mentions an error, and none of its errors is that of a duplicate. */
export function reportsOtherError(answer: Answer): boolean {
  const { complains } = outcomeSigns(answer);
  return complains && errorTexts(answer, () => true).every((text) => duplicateStatement(text) === null);
}

/** Tells whether the code or text of an error says that the request is a duplicate. */
export function reportsDuplicate(answer: Answer): boolean {
  if (statedVerdict(answer) === 'duplicate') return true;
  return errorTexts(answer, (each) => !isAboutAnother(each)).some((text) => duplicateStatement(text) === 'yes');
}

const ERROR_TEXT =
  /^(?:error|errors|code|type|title|detail|message|reason|status|result|erro|erros|errore|errori|errores|erreur|erreurs|fehler|codigo|codice|mensagem|mensaje|nachricht|meldung|messaggio|motivo|grund|raison|estado|resultado|ergebnis|statut|stato|esito)$/;

function errorTexts(answer: Answer, isMeant: (member: AnswerMember) => boolean): string[] {
  const told = members(answerValue(answer)).filter(({ words }) => words.some((word) => ERROR_TEXT.test(word)));
  return [...told.filter(isMeant).map(({ value }) => wordsIn(value)), plainWords(answer) ?? ''];
}

/** Maximum length of a value whose names are read as well. */
const MAX_NAMED_LENGTH = 20_000;
const MAX_NAMED_DEPTH = 8;

/** Returns the texts of a value as one. Before each stand the names above it, which tell what it is about. */
function wordsIn(value: AnswerValue): string {
  if (typeof value === 'string') return value;
  const json = JSON.stringify(value);
  const hasNames = typeof value === 'object' && value !== null && json.length <= MAX_NAMED_LENGTH;
  return hasNames ? namedWords(value, '', 0) : json;
}

function namedWords(value: AnswerValue, names: string, depth: number): string {
  if (typeof value === 'string') return `${names} ${value}`;
  if (typeof value !== 'object' || value === null || depth >= MAX_NAMED_DEPTH)
    return `${names}: ${JSON.stringify(value)}`;
  const inner = Object.entries(value).map(([name, each]) =>
    namedWords(each, Array.isArray(value) ? names : `${names} ${name}`, depth + 1),
  );
  return inner.join('. ');
}

/**
 * Tells whether a text says no more than the status does. A long text always says more, and matching the pattern would
 * take time quadratic in its length.
 */
const saysNothing = (text: string): boolean =>
  text.length <= 200 && /^(?:null|about:blank|error|[\W\d]*(?:conflict)?\W*)$/i.test(text.trim());

/**
 * Matches words in the names of parts of an answer that are about the customer or their data. That an e-mail address
 * exists does not mean that the request exists.
 */
const OF_ANOTHER =
  /^(?:customer|contact|person|location|address|city|country|phone|mobile|e?mail|cliente|kunde|utente|usuari|correo|telefon|adress|enderec|direcc|indirizz|cidade|ciudad)|^(?:clients?|users?|accounts?|partners?|cuentas?|contas?|konto|comptes?|ort)$/;

/**
 * Tells whether a value is about something other than the request: `customer.status`, `customer_status`. The last word
 * decides: a `customer_request` is a request.
 */
function isAboutAnother({ path, words }: AnswerMember): boolean {
  const above = path.includes('.') ? path.split('.').slice(0, -1) : [];
  return [...above.map((name) => nameOf(name).words), words].some((part) => {
    const at = part.findLastIndex((word) => OF_ANOTHER.test(word));
    return at >= 0 && !part.slice(at + 1).some(namesRequest);
  });
}

/**
 * Reads the verdict from flags. Those about duplicates come first, because a request can be both valid and a duplicate.
 */
function flagVerdict(found: readonly AnswerMember[]): Verdict | undefined {
  const flag = (isMeant: (joined: string) => boolean): boolean | undefined =>
    found
      .filter(({ joined }) => isMeant(joined))
      .map(({ value }) => asBoolean(value))
      .find((value) => value !== undefined);
  const isDuplicate = flag((joined) => DUPLICATE_FLAG.test(joined) || EXISTS_FLAG.test(joined));
  if (isDuplicate !== undefined) return isDuplicate ? 'duplicate' : 'clear';
  const isUnique = flag((joined) => UNIQUE_FLAG.test(joined));
  if (isUnique !== undefined) return isUnique ? 'clear' : 'duplicate';
  return flag((joined) => VALID_FLAGS.has(joined)) === false && messageSaysDuplicate(found) ? 'duplicate' : undefined;
}

/** Reads the weakest sign: `valid: true`, or a status that says no more than `ok`. */
function okVerdict(found: readonly AnswerMember[]): Verdict | undefined {
  const isWell = found.some(({ words, joined, value }) =>
    VALID_FLAGS.has(joined) ? asBoolean(value) === true : isVerdictText(words) && SAYS_OK.test(String(value)),
  );
  const isInvalid = found.some(({ joined, value }) => VALID_FLAGS.has(joined) && asBoolean(value) === false);
  return isWell && !isInvalid ? 'clear' : undefined;
}

function messageSaysDuplicate(found: readonly AnswerMember[]): boolean {
  return found.some(({ words, value }) => MESSAGE.test(words.join(' ')) && says(value));
}

const MESSAGE = /message|reason|error|detail|mensagem|mensaje|nachricht|meldung|messaggio|motivo|grund|raison/;

function says(value: AnswerValue): boolean {
  const text = wordsIn(value);
  const statement = duplicateStatement(text);
  if (statement === 'no' || statement === 'another' || (statement === null && namesAnother(text))) return false;
  const isSaid = SAYS_DUPLICATE.test(foldedWords(text)) || statement === 'yes';
  return isSaid && !SAYS_OTHERWISE.test(foldedWords(text));
}

function textVerdict(found: readonly AnswerMember[]): Verdict | undefined {
  for (const { words, value } of found) {
    if (typeof value !== 'string' || !isVerdictText(words)) continue;
    const verdict = wordVerdict(value);
    if (verdict) return verdict;
  }
  return undefined;
}

const isVerdictText = (words: readonly string[]): boolean => VERDICT_TEXT.test(words.at(-1) ?? '');

const MAX_WORDS = 60;

function wordVerdict(text: string): Verdict | undefined {
  if (text.length > MAX_WORDS) return undefined;
  if (SAYS_CLEAR.test(foldedWords(text).trim())) return 'clear';
  return says(text) ? 'duplicate' : undefined;
}

function listVerdict(found: readonly AnswerMember[]): Verdict | undefined {
  for (const { words, value } of found) {
    if (Array.isArray(value) && DUPLICATES.test(words.at(-1) ?? '')) return value.length > 0 ? 'duplicate' : 'clear';
  }
  return undefined;
}

/** Reads a body that is nothing but a word: `duplicate`, `OK`. */
function bareVerdict(answer: Answer): Verdict | undefined {
  const text = plainWords(answer);
  if (!text) return undefined;
  return SAYS_OK.test(text) ? 'clear' : wordVerdict(text);
}

/**
 * Returns the verdict of the first rule of the service's description that applies to an answer, or null if none
 * applies.
 */
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
  // An error answer may report a duplicate. If it reports none, that does not mean that the request is clear.
  return verdict === 'clear' && !isSuccess(status) ? null : verdict;
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
  const texts = scalarsAt(value, pointer);
  if (texts.some((text) => duplicate.includes(text))) return 'duplicate';
  return texts.some((text) => clear.includes(text)) ? 'clear' : null;
}
