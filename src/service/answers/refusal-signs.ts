import { nameWords } from '../../request/names.ts';
import type { Answer } from '../network/exchange.ts';
import { type AnswerValue, answerValue, asBoolean } from './answer-value.ts';

/** Signs in a successful answer that the request was taken, or that it was not. */
export interface OutcomeSigns {
  /** The answer says that the request was not taken: `success: false`, `status: "error"`, `code: 500`. */
  readonly denies: boolean;
  /** The answer names or mentions an error, which may be about the request or about something besides it. */
  readonly complains: boolean;
  /** Whether an error is apparently all that the answer tells: `error: "…"`, a message that mentions a failure. */
  readonly fails: boolean;
  /** The answer says that the request was taken, without naming it: `success: true`, `status: "received"`. */
  readonly affirms: boolean;
}

const MAX_DEPTH = 8;
const MAX_MEMBERS = 5_000;
/**
 * Maximum length of a text that is searched. A longer one counts as mentioning an error, because nobody has read all of
 * it.
 */
const MAX_TEXT_LENGTH = 20_000;

/** Matches the names of flags that tell the outcome, in the languages of the markets. */
const FLAG_NAME =
  /^(?:is|was|has|been)?(?:success|successful|succeeded|ok|okay|accepted|created|taken|processed|received|saved|stored|registered|submitted|valid|sucesso|exito|exitoso|erfolg|erfolgreich|succes|reussi|successo|riuscito|aceite|aceito|aceptado|angenommen|accepte|accettato)$/;
/** Matches names under which a service tells the outcome in a word or a number. */
const STATUS_NAME = /^(?:status|state|result|outcome|code|estado|resultado|ergebnis|statut|stato|esito)$/;
/**
 * Matches words that say that the request was taken. `valid` is not among them, because it is about the data alone: a
 * request may be valid and not be taken.
 */
const AFFIRMING_WORD =
  /^(?:ok|okay|success|successful|succeeded|created|accepted|received|queued|submitted|registered|stored|saved|done|completed?|processing|pending|new|open|sucesso|criado|recebido|aceite|exito|creado|recibido|aceptado|erfolg|erfolgreich|erstellt|angelegt|empfangen|angenommen|succes|cree|recu|accepte|successo|creato|ricevuto|accettato)$/;
/** Matches names that announce an error. */
const ERROR_NAME =
  /^(?:err|error|errors|fault|faults|exception|exceptions|failure|failures|failed|problem|problems|violation|violations|erro|erros|errore|errori|errores|erreur|erreurs|fehler|falha|falhas|fallo|fallos)$/;
/** Matches names under which services say something in words. */
const MESSAGE_NAME =
  /^(?:message|messages|msg|detail|details|description|title|reason|info|text|mensagem|mensaje|nachricht|meldung|messaggio)$/;
/** Matches the value of an error's name if there is no error. */
const NO_ERROR =
  /^(?:|0|-|none|no|null|nil|false|ok|n\/a|no ?errors?|success|kein(?:e|er)?|nenhum|ninguno|aucune?|nessuno)$/;
/** Matches the names of members that only wrap the answer, and are not part of what it tells about. */
const WRAPPER =
  /^(?:data|results?|response|reply|payload|body|content|attributes|requests?|servicerequests?|leads?|orders?|jobs?|meta|envelope|header|status|return|output|\d+)$/;
/**
 * Matches the names of members about something other than the request: a person, a professional, a notification, a
 * link.
 */
const FOREIGN =
  /^(?:links?|_links|included|users?|account|client|customer|contact|partner|professional|provider|category|categories|warnings?|notices?)$/;

/**
 * Matches words of refusal and failure in English, Portuguese, Spanish, German, French and Italian, without accents.
 * The list is broad on purpose: a word too many costs a question to validate, a word too few costs a lead.
 */
const WORDS_OF_FAILURE = new RegExp(
  [
    'err|errors?|fail(?:ed|ure|ures|s)?|faults?|exceptions?|fatal|panic|traceback|denied|den(?:y|ies|ial)|refus\\w*|reject\\w*|declin\\w*|invalid\\w*|unsuccessful\\w*',
    'not? (?:been )?(?:accepted|processed|created|saved|stored|taken|found|allowed|permitted|authori[sz]ed|authenticated|available|possible|valid|successful|implemented|supported|acceptable|completed|registered|reachable)',
    "could ?n[o']?t|can ?not|can't|unable|unavailable|unauthori[sz]ed|unauthenticated|forbidden|expired?|time[ -]?d?[ -]?out|missing|block(?:ed|ing)?|maintenance|exceed(?:ed|s)?|too many|overload\\w*|offline|abort\\w*|cancel\\w*|session|log ?in|sign ?in|try again|try later|retry|busy|suspend\\w*|disabled|unexpected\\w*|unknown|bad (?:request|gateway)|closed|be back|captcha|rate limit",
    'erros?|falh(?:a|as|ou)|invalid[oa]s?|recusad[oa]s?|rejeitad[oa]s?|negad[oa]s?|nao (?:foi|e|pode|pôde|aceit\\w*|autorizad\\w*|encontrad\\w*)|expirad[oa]s?|indisponive\\w*|manutencao|bloquead[oa]s?|obrigatori[oa]s?|em falta|excedid[oa]s?|tente (?:novamente|mais tarde)|sessao',
    'errores|fall(?:o|os|ido|ida)|rechazad[oa]s?|denegad[oa]s?|no (?:se (?:pudo|ha)|es (?:posible|valid\\w*)|autorizad\\w*|encontrad\\w*|disponible)|caducad[oa]s?|mantenimiento|obligatori[oa]s?|intentelo|sesion',
    'fehler\\w*|fehlgeschlagen\\w*|ungultig\\w*|abgelehnt\\w*|verweigert\\w*|nicht|abgelaufen\\w*|wartung\\w*|gesperrt\\w*|fehlt|fehlend\\w*|uberschritten\\w*|erneut|anmelden|storung\\w*',
    "erreurs?|echou\\w*|echec\\w*|invalides?|refuse\\w*|rejete\\w*|impossible|n'a pas|n'est pas|expire\\w*|indisponible\\w*|bloque\\w*|manquant\\w*|depasse\\w*|reessay\\w*|connecter",
    'errore|errori|fallit[oa]\\w*|non (?:valid\\w*|autorizzat\\w*|trovat\\w*|riuscit\\w*|e |disponibil\\w*|accettat\\w*)|rifiutat\\w*|respint\\w*|negat[oa]|scadut[oa]\\w*|manutenzione|bloccat\\w*|mancant\\w*|obbligatori\\w*|riprov\\w*|sessione',
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
);

/** Tells whether a text mentions a failure, whatever the failure is about. */
export function mentionsFailure(text: string): boolean {
  return text.length > MAX_TEXT_LENGTH || WORDS_OF_FAILURE.test(foldedWords(text));
}

/** Returns a text in lower case without accents, with blanks between the words of a code such as `SESSION_EXPIRED`. */
export function foldedWords(text: string): string {
  // Most texts that an import reads here are numbers or empty, and need no folding.
  if (/^[a-z\d ]*$/.test(text)) return text;
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[’`]/g, "'");
  return plain
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[_-]+/g, ' ');
}

const NO_SIGNS: OutcomeSigns = { denies: false, complains: false, fails: false, affirms: false };

/** Returns the signs of success and failure in the body of an answer. */
export function outcomeSigns(answer: Answer): OutcomeSigns {
  const value = answerValue(answer);
  const isProblem = /^application\/problem\b/i.test(answer.headers['content-type'] ?? '');
  const told = value === undefined || typeof value !== 'object' ? textSigns(value ?? answer.body) : memberSigns(value);
  return isProblem ? { ...told, denies: true } : told;
}

function textSigns(value: AnswerValue): OutcomeSigns {
  if (typeof value === 'boolean') return value ? { ...NO_SIGNS, affirms: true } : { ...NO_SIGNS, denies: true };
  if (typeof value !== 'string') return NO_SIGNS;
  const fails = mentionsFailure(value);
  return { ...NO_SIGNS, complains: fails, fails, affirms: !fails && isAffirming(value) };
}

interface Place {
  readonly value: AnswerValue;
  /** Whether there are only wrappers above the value, so that it is about the request as a whole. */
  readonly isOfTheWhole: boolean;
  readonly depth: number;
}

function memberSigns(top: AnswerValue): OutcomeSigns {
  let [denies, complains, fails, affirms] = [false, false, false, false];
  let seen = 0;
  const places: Place[] = [{ value: top, isOfTheWhole: true, depth: 0 }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { value: holder, isOfTheWhole, depth } = place;
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [name, value] of Object.entries(holder)) {
      seen += 1;
      // The rest has not been read, so the answer counts as mentioning an error.
      if (seen > MAX_MEMBERS || depth >= MAX_DEPTH) return { denies, complains: true, fails: true, affirms };
      const words = Array.isArray(holder) ? [] : nameWords(name);
      const joined = words.join('');
      if (isOfTheWhole && FLAG_NAME.test(joined)) {
        const flag = asBoolean(value);
        denies ||= flag === false;
        affirms ||= flag === true && !joined.endsWith('valid');
      }
      if (isOfTheWhole && STATUS_NAME.test(words.at(-1) ?? '')) {
        const told = statusSigns(words, value);
        denies ||= told.denies;
        affirms ||= told.affirms;
      }
      if (tellsOfError(words, value, Array.isArray(holder))) {
        complains = true;
        // A list of errors beside an identifier is about parts of the request, such as a photo that was skipped.
        fails ||= isOfTheWhole && !Array.isArray(value);
      }
      if (FOREIGN.test(joined)) continue;
      const staysWhole = isOfTheWhole && (Array.isArray(holder) || WRAPPER.test(joined));
      places.push({ value, isOfTheWhole: staysWhole, depth: depth + 1 });
    }
  }
  return { denies, complains, fails, affirms };
}

function tellsOfError(words: readonly string[], value: AnswerValue, isElement: boolean): boolean {
  if (words.some((word) => ERROR_NAME.test(word))) return holdsSomething(value);
  const isTold = isElement || MESSAGE_NAME.test(words.at(-1) ?? '');
  return isTold && typeof value === 'string' && mentionsFailure(value);
}

/**
 * Reads the signs of a status: `status: 400`, `code: "ERR_SESSION"`, `result: "ok"`. Numbers count by the classes of
 * HTTP, and a negative number is a failure.
 */
function statusSigns(words: readonly string[], value: AnswerValue): OutcomeSigns {
  if (typeof value !== 'string') return NO_SIGNS;
  if (/^-?\d+$/.test(value)) {
    const number = Number(value);
    const denies = number < 0 || (number >= 400 && number <= 599 && value.length === 3);
    const affirms = number >= 200 && number <= 299 && value.length === 3;
    return { ...NO_SIGNS, denies, affirms };
  }
  if (isAffirming(value)) return { ...NO_SIGNS, affirms: !words.includes('error') };
  // A free text under `result` may be about anything. If it names a failure, it counts as a denial all the same.
  const denies = mentionsFailure(value) || /^(?:ko|nok|nak|bad|no|nao|nein|non|false)$/i.test(value.trim());
  return { ...NO_SIGNS, denies };
}

const isAffirming = (text: string): boolean =>
  AFFIRMING_WORD.test(
    foldedWords(text)
      .replace(/[.!\s]+$/, '')
      .trim(),
  );

/** Tells whether the value of an error's name says that there is an error. */
function holdsSomething(value: AnswerValue): boolean {
  if (value === null || value === false) return false;
  if (typeof value === 'boolean') return true;
  // The text may also be a count of errors, or a result code.
  if (typeof value === 'string') return !NO_ERROR.test(foldedWords(value).trim()) && !/^0+$/.test(value);
  return Object.values(value).some(holdsSomething);
}
