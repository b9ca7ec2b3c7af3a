import { nameWords } from '../../request/words/names.ts';
import { memberOf, objectOf, pointerTo, textOf } from '../documents/json-parts.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { KNOWN_FIELDS } from './field-names.ts';
import { singular } from './field-words.ts';

/** An operation, with what is known about its body. */
interface WithBody {
  readonly operation: OpenApiOperation;
  /** The known fields for which its body has a place. */
  readonly fields: ReadonlySet<string>;
  /** All fields for which it has a place, including a recording and a category. */
  readonly allFields: ReadonlySet<string>;
  /** Whether the document says nothing about the contents of its body. */
  readonly isEmpty: boolean;
}

/** The signs for and against an operation as the one that creates a request. */
export interface CreateSigns {
  /**
   * How clearly its name says that it creates a request. `perhaps` means that it names something that may be a request.
   */
  readonly name: 'plainly' | 'perhaps' | 'not';
  /** Whether its name is that of another action: one that changes, looks up or imports. */
  readonly isOtherAction: boolean;
  /** Whether its body has a way to reach a customer, among enough other things of a request. */
  readonly hasRequest: boolean;
  /** The reasons for it, in words for people. */
  readonly reasons: readonly string[];
  /** The reasons against taking it without asking, in words for people. */
  readonly objections: readonly string[];
}

/** Matches names for what a marketplace receives, in the languages of the markets. */
const REQUESTS =
  /^(?:(?:service|customer|client|quote|job|work)?(?:requests?|leads?)|enquir(?:y|ies)|inquir(?:y|ies)|pedidos?|solicitud(?:es)?|solicitac(?:ao|oes)|demandes?|richiest[ae]|anfragen?)$/;
/**
 * Matches names that also mean other things: goods that are ordered, work that is offered, faults that are reported.
 */
const PERHAPS_REQUESTS =
  /^(?:orders?|jobs?|tickets?|tasks?|cases?|quot(?:e|es|ation|ations)|appointments?|bookings?|prospects?|opportunit(?:y|ies)|referrals?|projects?|messages?|contacts?|issues?|incidents?|interventions?|applications?|submissions?|estimates?|auftr(?:a|ae)ge?|orcamentos?|presupuestos?|preventiv[oi]|devis|citas?|termine?)$/;
/** Matches words beside the name of a request that do not change its meaning. */
const BESIDE_REQUESTS =
  /^(?:api|rest|v\d+|\d+|public|external|partners?|services?|marketplace|intake|gateway|integrations?|b2b|crm|sales|inbound|customers?|clients?|quotes?|jobs?|work|home|professionals?|providers?|an?|the|of|for|de)$/;
const CREATES =
  /^(?:creat(?:e|es|ion)|add|new|submit|submission|post|put|place|send|insert|register|open|criar|crear|creer|crea|anlegen|erstellen)$/;
/** Matches words for other actions, and for parts of a request that have operations of their own. */
const OTHER_ACTIONS =
  /^(?:updat\w*|upsert\w*|edit\w*|modif\w*|patch\w*|replac\w*|delet\w*|remov\w*|search\w*|find|list|get|query|filter|lookup|fetch\w*|retriev\w*|bulk|batch|import\w*|export\w*|upload\w*|sync\w*|merg\w*|conver[st]\w*|assign\w*|cancel\w*|clos(?:e|ed|ing)|reopen\w*|archiv\w*|restor\w*|shar(?:e|ed|ing)|transfer\w*|accept\w*|reject\w*|declin\w*|approv\w*|confirm\w*|complet\w*|start|stop|schedul\w*|resend|reply|respon[ds]\w*|rate|review\w*|comment\w*|notes?|attach\w*|webhooks?|hooks?|callbacks?|events?|subscri\w*|notif\w*|drafts?|preview|calculat\w*|scor(?:e|es|ing)|enrich\w*|test\w*|mock|simulat\w*|clon(?:e|es|ing)|copy|copies|move|moves|mark|track\w*|logs?|login|reports?)$/;
/**
 * Minimum number of fields in a body for it to count as a request: the first applies if the body describes what is
 * needed, the second if it does not.
 */
const FIELDS_WITH_NEED = 3;
const FIELDS_WITHOUT_NEED = 4;

/**
 * Returns the signs for and against an operation as create. Every row would be sent to it. Therefore it is used without
 * asking only if both its name and its body indicate it and nothing speaks against it.
 */
export function createSigns({ operation, fields, allFields, isEmpty }: WithBody): CreateSigns {
  const { name, isOtherAction, against } = nameSigns(operation);
  const hasNeed = allFields.has('request_text') || allFields.has('audio_file');
  const hasContact = allFields.has('phone') || allFields.has('email');
  const hasRequest = hasContact && allFields.size >= (hasNeed ? FIELDS_WITH_NEED : FIELDS_WITHOUT_NEED);
  const isWhole = fields.size === KNOWN_FIELDS.size;
  const placeholders = operation.path.match(/\{[^{}]*\}/g) ?? [];
  const objections = [
    ...(against === null ? [] : [against]),
    ...(name === 'perhaps' && against === null && !isWhole ? ['its name may be that of something else'] : []),
    ...(placeholders.length > 0 ? [`its path holds ${placeholders.join(', ')}`] : []),
    ...(operation.method === 'put' && !saysCreated(operation) ? ['PUT mostly changes what is there'] : []),
    ...(operation.value['deprecated'] === true ? ['it is deprecated'] : []),
    ...(isEmpty ? ['the document does not say what its body holds'] : []),
    ...(isEmpty || hasRequest ? [] : ['its body lacks much of a request']),
  ];
  const reasons = [
    ...(name === 'plainly' ? ['its name says so'] : []),
    ...(allFields.size > 0 ? [`its body has a place for ${[...allFields].join(', ')}`] : []),
  ];
  return { name, isOtherAction, hasRequest, reasons, objections };
}

interface NameSigns {
  readonly name: CreateSigns['name'];
  readonly isOtherAction: boolean;
  readonly against: string | null;
}

/** Reads the words of an operation's address, of its id, and the first one of its summary. */
function nameSigns({ path, id, value }: OpenApiOperation): NameSigns {
  const words = actionWords(path.replace(/\{[^{}]*\}|\.\w{2,4}$/g, ''));
  const idWords = actionWords(id);
  const [firstOfSummary = ''] = nameWords(textOf(value['summary']).slice(0, MAX_SUMMARY));
  const action = [...words, ...idWords, firstOfSummary].find((word) => OTHER_ACTIONS.test(word));
  if (action !== undefined) {
    // "Create or update" creates as well, but it is not known which of the two would happen.
    const isOtherAction = !idWords.some((word) => CREATES.test(word));
    return { name: 'not', isOtherAction, against: `it seems to do something else ("${action}")` };
  }
  const subject = words.findLastIndex(isSubject);
  const foreign = words.find((word, index) => {
    const isBeside = index < subject && (BESIDE_REQUESTS.test(word) || REQUESTS.test(word));
    return index !== subject && !isBeside && !CREATES.test(word);
  });
  if (subject >= 0 && foreign === undefined) {
    const isPlain = REQUESTS.test(words[subject] ?? '');
    return { name: isPlain ? 'plainly' : 'perhaps', isOtherAction: false, against: null };
  }
  const isNamed = isSubject(words.at(-1) ?? '') || idWords.some(isSubject);
  const against =
    subject < 0 ? 'its path does not say that it is about requests' : `"${foreign}" may make it something else`;
  return { name: isNamed ? 'perhaps' : 'not', isOtherAction: false, against };
}

const isSubject = (word: string): boolean => REQUESTS.test(word) || PERHAPS_REQUESTS.test(word);

/** Returns the words of a name. An action is separated from what follows it: `addleads` gives `add leads`. */
const actionWords = (name: string): string[] =>
  nameWords(name).flatMap(
    (word) => /^(add|create|new|post|submit|update|edit)([a-z]{3,})$/.exec(word)?.slice(1) ?? word,
  );

const MAX_SUMMARY = 200;

/** Tells whether an operation says that it creates, by a word in its name or by its answer. */
function saysCreated({ path, id, value }: OpenApiOperation): boolean {
  return (
    memberOf(objectOf(value['responses']), '201') !== undefined ||
    [...nameWords(path), ...nameWords(id)].some((word) => CREATES.test(word) && word !== 'put')
  );
}

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
