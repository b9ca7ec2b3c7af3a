import { nameWords } from '../../request/names.ts';
import { memberOf, objectOf, pointerTo, textOf } from '../documents/json-parts.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';

/** An operation with the fields for which its body has a place. */
interface WithFields {
  readonly operation: OpenApiOperation;
  readonly fields: ReadonlySet<string>;
}

/** Matches words that mean only a check. `duplicate` is left out, because it may also be a command to make one. */
const CHECKS = /^(?:validates?|validations?|check|precheck|verify|duplicates|duplication|duplicated|exists?|lookup)$/;
/** Further words for a check, which have other meanings as well. */
const RESEMBLES =
  /^(?:valid(?:at|er)\w*|checks?|precheck\w*|preflight|verif\w*|duplicat\w*|dedup\w*|exists?|lookups?|eligibility|validar|comprobar|pr(?:u|ue)fen|dublette\w*|doublons?|duplicad\w*|duplicidade)$/;

/** Stems of verbs for actions with effects. They count anywhere. */
const VERBS =
  'creat upsert insert clon copy copi send submit add register registr updat edit modif delet remov import upload sav persist ' +
  'confirm accept convert assign merg trigger notif inserir enviar guardar salvar gravar actualiz atualiz anleg erstell ' +
  'speicher aktualisier enregistr envoy aggiorn';
/** Stems that count only in names, because in texts they are other words as well. */
const VERBS_IN_NAMES =
  'stor post put patch plac book cancel dispatch process run start publish checkout buy pay payment charg sync push queue ' +
  'enqueu set reset open enroll sign signup writ schedul replac mov purchas invit mak clos complet execut issu approv ' +
  'generat activat subscrib archiv submission subscription deduplicat dedup';
const WRITES = verbs(`${VERBS} ${VERBS_IN_NAMES}`, '(?:e|es|s|y|ies|d|ed|ing|ion|ions|ation|ations)?', '^(?:re)?', '$');
const SAYS_WRITES = verbs(VERBS, '(?:e|es|s|y|ies|ion|ing|a|e[nt])?', '\\b(?:re)?', '\\b');
const SAYS_WRITTEN =
  /\b(?:is|are|be|gets?|been|and|then|was|were) (?:also |then |automatically )?(?:created|stored|saved|inserted|upserted|updated|registered|added|submitted|recorded|persisted|sent|queued|imported|merged|cloned|copied)\b|\bstores?\b|\bplaces? an?\b|\bhands? over\b|\bcri(?:a|ar)\b|\bcre(?:a|ar|are)\b|\benvia\b|\blegt\b.{0,60}\ban\b/;
/**
 * Matches statements of what is not done, or of what the caller does later: `without creating it`, `before you create
 * it`, `nothing is stored`.
 */
const HARMLESS = new RegExp(
  '\\b(?:without|already|instead of|rather than|go (?:on|ahead) (?:and|to)|ready to|before (?:you|they|clients?|partners?)' +
    '|(?:you|clients?|callers?|partners?) (?:may|can|could|should|would)|(?:can|would) be' +
    "|(?:does|do|will|is|are|must|can)(?: not|n['’]t)|never" +
    '|(?:nothing|no (?:request|lead|order|job|record|data|ticket)s?) (?:is|are|gets|will be|was)|sem|sin|sans|ohne|senza) ' +
    '(?:(?:actually|really|then|now|been|it|be|is|a|an|the|ever) )*' +
    '(?:creat|upsert|insert|submit|send|sent|stor|sav|add|regist|updat|post|plac|persist|record|import|cri|enviar|guard|crear|cré|envoy|anleg|speicher)\\w*',
  'gi',
);

/** Matches other things that may be checked. */
const OF_ANOTHER =
  /^(?:address(?:es)?|e?mails?|phones?|sms|otp|codes?|tokens?|log[io]n|signin|users?|usernames?|accounts?|customers?|contacts?|clients?|passwords?|sessions?|auth|credentials?|coupons?|vouchers?|cards?|iban|bank|vat|tax|identity|domains?|numbers?|status|permissions?|signatures?|schemas?|templates?|rules?|balance|payees?|postcodes?|zip|captcha|eligibility)$/;
const OF_REQUESTS = /^(?:requests?|leads?|orders?|jobs?|enquir(?:y|ies)|inquir(?:y|ies))$/;
/** Matches words of paths that do not tell what an operation is about. */
const NEUTRAL =
  /^(?:api|rest|v\d+|\d+|public|external|partners?|services?|marketplace|intake|gateway|integrations?|b2b|new|is|if|for|of|by|pre|the|a|an|any|already)$/;
const MIN_FIELDS = 3;

/** Tells whether an operation may be a check for duplicates, by a word of its name. */
export const resemblesCheck = ({ path, id }: OpenApiOperation): boolean =>
  [...nameWords(path), ...nameWords(id)].some((word) => RESEMBLES.test(word));

/** Tells whether the address names requests in general, or the subject of this create. */
export function isAboutRequests({ path }: OpenApiOperation, create: OpenApiOperation): boolean {
  return subjectWords(path).some((word) => OF_REQUESTS.test(word) || subjectWords(create.path).includes(word));
}

/**
 * Returns the reasons why an operation is not used for validate without asking, or an empty list if it may be. An
 * operation that writes would do so for every row and for every `srq doctor`. Therefore everything must indicate that
 * it only checks a request like those of create.
 */
export function objectionsTo(
  reading: DocumentReading,
  { operation, fields }: WithFields,
  create: WithFields,
): string[] {
  const { method, path, id, value } = operation;
  const [inPath, inId] = [nameWords(path.replace(/\{[^{}]*\}/g, '')), nameWords(id)];
  const writes = [...inPath, ...inId].find((word) => WRITES.test(word)) ?? proseThatWrites(reading, operation);
  const checks = [...inPath, ...inId].some((word) => CHECKS.test(word));
  const known = new Set(subjectWords(create.operation.path));
  const isExplained = (word: string) =>
    CHECKS.test(word) ||
    isDuplicateCheck(word, inPath) ||
    isOfRequest(word, known) ||
    (!checks && RESEMBLES.test(word));
  const other = inPath.find((word) => !isExplained(word)) ?? inId.find((word) => OF_ANOTHER.test(word));
  const statuses = Object.keys(objectOf(value['responses'])).filter((status) => /^2/.test(status));
  const created = statuses.find((status) => /^20[12]$/.test(status)) ?? (statuses.join() === '204' ? '204' : undefined);
  const common = [...fields].filter((field) => create.fields.has(field)).length;
  const isAlike = common >= Math.min(MIN_FIELDS, create.fields.size) && common * 2 > fields.size;
  return [
    ...(method === 'post' ? [] : [`${method.toUpperCase()} changes what is there`]),
    ...(path.includes('{') ? ['its path names one thing that is there already'] : []),
    ...(writes === undefined ? [] : [`it seems to write ("${writes}")`]),
    ...(checks ? [] : ['no word of its name says that it only looks']),
    ...(other === undefined ? [] : [`it seems to be about something else ("${other}")`]),
    ...(isAboutRequests(operation, create.operation) ? [] : ['its path does not say what it looks at']),
    ...(created === undefined ? [] : [`it answers ${created}`]),
    ...(isAlike ? [] : ['its body is not that of create']),
  ];
}

/** Returns the words of a path in the singular, without those of its action. */
function subjectWords(path: string): string[] {
  return nameWords(path)
    .filter((word) => !RESEMBLES.test(word) && !WRITES.test(word) && !NEUTRAL.test(word) && !OF_ANOTHER.test(word))
    .map(singular);
}

const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/s$/, '');

const isOfRequest = (word: string, known: ReadonlySet<string>): boolean =>
  OF_REQUESTS.test(word) || NEUTRAL.test(word) || known.has(singular(word));

/**
 * Tells whether a word is part of a check for duplicates. `duplicate-check` and `is-duplicate` only look, but
 * `duplicate` alone may make one.
 */
const isDuplicateCheck = (word: string, words: readonly string[]): boolean =>
  word === 'duplicate' && words.some((each) => /^(?:check|precheck|validate|validation|verify|lookup|is)$/.test(each));

/**
 * Returns a word which says that something is done, from the summary, the description, or the description of a success.
 */
function proseThatWrites({ references }: DocumentReading, { value, pointer }: OpenApiOperation): string | undefined {
  const successes = Object.entries(objectOf(value['responses']))
    .filter(([status]) => /^2/.test(status))
    .map(([status, each]) => references.follow(each, pointerTo(pointer, 'responses', status)).value);
  const texts = [value['summary'], value['description'], ...successes.map((each) => memberOf(each, 'description'))];
  return texts
    .map((text) => textOf(text).slice(0, MAX_PROSE).replace(PATHS, ' ').replace(HARMLESS, ' ').toLowerCase())
    .flatMap((text) => (SAYS_WRITES.exec(text) ?? SAYS_WRITTEN.exec(text))?.[0] ?? [])[0];
}

function verbs(beginnings: string, ending: string, before: string, after: string): RegExp {
  return new RegExp(`${before}(?:${beginnings.replaceAll(' ', '|')})${ending}${after}`);
}

const MAX_PROSE = 10_000;
const PATHS = /(?:\b(?:POST|PUT|GET|PATCH|DELETE) )?\/[\w{}./-]+/g;
