import { nameWords } from '../../request/names.ts';
import { memberOf, objectOf, textOf } from '../documents/json-parts.ts';
import type { OpenApiOperation } from './described-operation.ts';
import { KNOWN_FIELDS } from './field-names.ts';

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
/** Minimum number of fields in the body of a request, if it describes what is needed and if it does not. */
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
