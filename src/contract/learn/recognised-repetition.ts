import { folded } from '../../request/words/names.ts';

/**
 * This file reads, sentence by sentence, what a document says about a header that looks like an idempotency key. Only a
 * plain statement that a repetition is recognised counts. Anything that makes the statement doubtful leaves the
 * question to a person. If a header is mistaken for an idempotency key, a request is sent twice. The opposite mistake
 * only leaves a request in doubt.
 */

const DIRECTIVE =
  /^\W*(?:please |note: ?)?(?:do not|don['’]t|never|always|avoid|make sure|be sure|clients?|callers?|use|used? only)\b|\b(?:clients?|callers?|you|partners?|consumers?|integrators?|applications?) (?:must|should|shall|have to|need to|are (?:expected|required|responsible))\b/;
const DENIAL = /\b(?:not|never|cannot|unable|hardly|rarely|unless|fails?|different|no longer)\b|n['’]t\b/;
const REPEATED =
  '(?:same|identical|repeat\\w*|second|subsequent|duplicate[sd]?|retr(?:y|ies|ied|ying)|re-?sent|re-?used?|already|again|seen before)';
const ANSWERS =
  '(?:returns?|returned|returning|replays?|replayed|receives?|gets?|gives?|given|yields?|answer(?:s|ed)?|respond\\w*|produces?|repl(?:y|ies))';
const THE_FIRST =
  '(?:same|identical|first|original|initial|cached|stored|saved|earlier|previous|prior|existing)\\b.{0,40}\\b(?:response|answer|result|reply|outcome|resource|object|record|request|lead|order|job|ticket|one)s?';
const ACTS = '(?:process|execut|creat|perform|act(?:s|ed)? on|appl(?:y|ied)|handl|deliver)\\w*';

const RECOGNISED: readonly RegExp[] = [
  new RegExp(`\\b${REPEATED}\\b.{0,120}\\b${ANSWERS}\\b.{0,60}\\b${THE_FIRST}\\b`),
  new RegExp(`\\b${ANSWERS}\\b.{0,60}\\b${THE_FIRST}\\b.{0,120}\\b${REPEATED}\\b`),
  /\bsafe(?:ly)?\b.{0,30}\b(?:retr\w+|repeat\w*|re-?s[eu]n[dt]\w*|re-?submit\w*)/,
  /\b(?:retr\w+|repeat\w*|re-?s[eu]n[dt]\w*)\b.{0,60}\b(?:safe|safely|without (?:any )?(?:risk|fear|worry\w*))\b/,
  new RegExp(
    `\\b${REPEATED}\\b.{0,80}\\b(?:is|are|will be|gets?)\\b (?:\\w+ ){0,2}(?:ignored|discarded|dropped|de-?duplicated|recogni[sz]ed|detected|suppressed|rejected|refused)\\b`,
  ),
  /\b(?:recogni[sz]e[sd]?|detects?|suppress(?:es)?|ignores?|discards?|drops?|de-?duplicates?|prevents?|avoids?|protects?|guards? against|guarantees?|ensures?)\b.{0,60}\b(?:retr(?:y|ies)|repe(?:at(?:s|ed)?|tition\w*)|duplicate\w*|double|twice|more than once|(?:only|exactly|at most) once)\b/,
];
/** Statements that a second act does not happen. They consist of a denial, or need none. */
const NEVER_TWICE: readonly RegExp[] = [
  new RegExp(
    `(?:\\b(?:not|never|nothing|no \\w+|without)\\b|n['’]t\\b).{0,40}\\b${ACTS}\\b.{0,40}\\b(?:again|twice|more than once|a second time|anew|once more|duplicates?|an? (?:new|second|other)|another)\\b`,
  ),
  new RegExp(`\\b${ACTS}\\b(?: \\S+){0,6} (?:only|exactly|at most|no more than|just) once\\b`),
  new RegExp(`\\b(?:only|exactly|at most|no more than|just) (?:be )?(?:once (?:be )?${ACTS}|${ACTS} once)\\b`),
];

/**
 * The corresponding phrases in the other languages of the markets: a repetition, its answer, and that nothing is done
 * again.
 */
interface Phrases {
  readonly same: RegExp;
  readonly gets: RegExp;
  readonly first: RegExp;
  readonly denial: RegExp;
  readonly neverTwice: RegExp;
  readonly safe: RegExp;
}

/**
 * Matches denials in all Romance languages together. Their phrases are alike, so a denial in one would be taken for a
 * statement in another.
 */
const ROMANCE_DENIAL = /\b(?:nao|nunca|no|ne|pas|jamais|non|mai)\b/;

const LANGUAGES: readonly Phrases[] = [
  {
    same: /\bmesm[ao] (?:chave|requisicao|pedido|valor)|\brepeti\w+|\bsegund[ao] (?:requisicao|pedido)/,
    gets: /\b(?:retorna\w*|devolve\w*|recebe\w*|responde\w*|obtem)\b/,
    first:
      /\b(?:mesm[ao]|primeir[ao]|original|armazenad[ao]|guardad[ao]) (?:resposta|resultado)|\bresposta (?:original|armazenada|guardada|anterior|da primeira)|\bprimeira resposta/,
    denial: ROMANCE_DENIAL,
    neverTwice:
      /\b(?:nao|nunca|nenhum\w*)\b.{0,40}\b(?:process|cri|execut)\w*.{0,30}\b(?:novamente|de novo|outra vez|duas vezes|nov[ao])\b|\b(?:process|cri|execut)\w*.{0,30}\b(?:apenas|somente|so) uma vez\b/,
    safe: /\b(?:repet|reenvi|tentar (?:de novo|novamente)|retent)\w*.{0,60}\b(?:com seguranca|sem risco)|\b(?:com seguranca|segur[ao])\b.{0,30}\b(?:repet|reenvi|retent)\w*|\bevita\w* (?:a )?(?:duplic\w+|criacao duplicada)/,
  },
  {
    same: /\bmism[ao] (?:clave|peticion|solicitud|valor)|\brepetici\w+|\breintent\w+/,
    gets: /\b(?:devuelve\w*|retorna\w*|recibe\w*|responde\w*|reproduce\w*|obtiene\w*)\b/,
    first:
      /\b(?:mism[ao]|primer[ao]?|original) (?:respuesta|resultado)|\brespuesta (?:original|almacenada|guardada|anterior)/,
    denial: ROMANCE_DENIAL,
    neverTwice:
      /\b(?:no|nunca|ningun\w*)\b.{0,40}\b(?:proces|cre|ejecut)\w*.{0,30}\b(?:nuevamente|de nuevo|otra vez|dos veces|nuev[ao])\b|\b(?:proces|cre|ejecut)\w*.{0,30}\buna sola vez\b/,
    safe: /\b(?:repet|repit|reenvi|reintent)\w*.{0,60}\b(?:forma segura|con seguridad|sin riesgo)|\b(?:forma segura|con seguridad)\b.{0,30}\b(?:repet|reenvi|reintent)\w*|\bevita\w* (?:la )?(?:duplic\w+|creacion duplicada)/,
  },
  {
    same: /\bmeme (?:cle|requete|demande|valeur)|\brepetition\w*|\bnouvelle tentative/,
    gets: /\b(?:renvoie\w*|retourne\w*|recoit|recoivent|rejoue\w*|obtient|donne\w*)\b/,
    first:
      /\b(?:meme|premiere?) (?:reponse|resultat)|\breponse (?:d['’]origine|initiale|originale|conservee|stockee|precedente)/,
    denial: ROMANCE_DENIAL,
    neverTwice:
      /\b(?:n['’]|ne |pas|jamais|aucun\w*|sans).{0,40}\b(?:trait|cre|execut)\w*.{0,30}\b(?:a nouveau|de nouveau|deux fois|une seconde fois|une deuxieme fois)|\b(?:trait|cre|execut)\w*.{0,30}\bune seule fois\b/,
    safe: /\b(?:relanc|repet|renvoy|reessay)\w*.{0,60}\b(?:sans risque|toute securite|sans danger)|\bevite\w* (?:les |tout )?(?:doublons?|double\w*)/,
  },
  {
    same: /\b(?:gleiche[nmrs]?|demselben|denselben|derselbe[nmr]?|selbe[nmr]?)\b.{0,20}\b(?:schlussel|key|anfrage|wert)|\bwiederhol\w+/,
    gets: /\b(?:gibt|liefert|erhalt|bekommt|antwortet|beantwortet|zuruckgegeben|zuruck)\b/,
    first:
      /\b(?:dieselbe|gleiche|selbe|ursprungliche|erste|gespeicherte|vorherige)n?\b.{0,10}\b(?:antwort|ergebnis)|\bwie (?:beim ersten mal|die erste)/,
    denial: /\bnicht\b|\bnie\b|\bkein\w*\b/,
    neverTwice:
      /\b(?:nicht|nie|kein\w*)\b.{0,30}\b(?:erneut|nochmals|noch einmal|ein zweites mal|doppelt|zweimal|zweite\w*)\b.{0,40}\b(?:verarbeit|ausgefuhr|angeleg|erstell|erzeug)\w*|\b(?:erzeugt|erstellt|verarbeitet) (?:nie|kein\w*) (?:eine )?(?:zweite|zweiten)\b|\bnur (?:ein|genau ein)mal\b.{0,40}\b(?:verarbeit|ausgefuhr|angeleg|erstell)\w*/,
    safe: /\b(?:gefahrlos|sicher|ohne risiko)\b.{0,30}\b(?:wiederhol|erneut)\w*|\bwiederhol\w*.{0,40}\b(?:gefahrlos|ohne risiko)\b|\bverhindert (?:doppelte|dubletten|duplikate)/,
  },
  {
    same: /\bstess[ao] (?:chiave|richiesta|valore)|\bripetizion\w+/,
    gets: /\b(?:restituisce\w*|riceve\w*|ritorna\w*|risponde\w*|ottiene\w*)\b/,
    first:
      /\b(?:stess[ao]|prim[ao]|original\w*) (?:risposta|risultato)|\brisposta (?:originale|salvata|memorizzata|precedente)/,
    denial: ROMANCE_DENIAL,
    neverTwice:
      /\b(?:non|mai|nessun\w*)\b.{0,40}\b(?:elabor|rielabor|cre|esegu)\w*.{0,30}\b(?:di nuovo|nuovamente|due volte|nuov[ao]|seconda volta)\b|\b(?:elabor|cre|esegu)\w*.{0,30}\b(?:una sola volta|solo una volta)\b/,
    safe: /\b(?:ritent|ripet|reinvi)\w*.{0,60}\b(?:in sicurezza|senza rischi\w*)|\bevita\w* (?:i )?(?:duplicat\w+|doppion\w+)/,
  },
];

/** Words that make it uncertain, anywhere in a text, whether the service uses the header here, now, and always. */
const DOUBTFUL: readonly RegExp[] = [
  /\breserved\b|\breservad[ao]s?\b|\breservee?s?\b|\breservier\w*|\briservat\w*/,
  /\bfuture?\b|\bfutur[aeo]s?\b|\bz?u?kunftig\w*|\bplanned\b|\bgeplant\b|\bprevist[ao]\b|\bprevue?\b|\bvorgesehen\b|\bupcoming\b|\bcoming soon\b|\broadmap\b|\btb[ad]\b|\btodo\b/,
  /\bnot yet\b|\bnoch nicht\b|\bpas encore\b|\bainda nao\b|\b(?:todavia|aun) no\b|\bnon ancora\b|\bnot (?:currently|supported|implemented|enabled|available|idempotent)\b|\bwill be (?:supported|introduced|added|available|enforced)\b/,
  /\bno effect\b|\bsem efeito\b|\bsin efecto\b|\bsans effet\b|\bdoes nothing\b|\bplans? to\b|\bsoon\b|\bothers\b|\bother (?:end ?points?|operations?|methods?)\b|\bin v\d|\b(?:from|since|as of|starting) v|\bversions?\b/,
  /\bstatistic\w*|\bmetrics?\b|\breport(?:s|ing)\b|\bmanual\w*|\bwebhooks?\b|\bnotifications?\b|\bsame (?:customer|user|contact|person|phone|e-?mail|address|company)\b/,
  /\bexperimental\b|\bpreview\b|\bbeta\b|\bbest[- ]effort\b|\bguarantee[sd]?\b(?=.{0,20}\b(?:not|no)\b)|\b(?:no|not|without|cannot|never|n['’]t) (?:a |any )?guarantee/,
  /\bcorrelat\w*|\bcorrela\w*|\bkorrel\w*|\btrac(?:e|es|ed|ing|eability)\b|\btracab\w*|\brastre\w*|\btraz(?:a|as|ar|abilidad)\b|\bnachverfolg\w*|\blogging\b|\blogs?\b|\bdiagnos\w*|\bdebug\w*|\bmonitor\w*|\banalytics\b|\binformational\b|\baudit\w*/,
  /\b(?:may|might|could|can|should|kann|puede|pode|peut|puo) (?:be |also be |sometimes |ser |etre |essere )?(?:ignored|dropped|evicted|expire|lost|missed|forgotten|not|nao|no|pas|non)\b/,
  /\bevict\w*|\bin[- ]memory\b|\bper (?:node|instance|region|server|session)\b|\brestart\w*|\bsometimes\b|\busually\b|\bmost(?:ly| cases)\b|\btypically\b/,
  /\bonly (?:for|applies|apply|on|to|in|with|used|supported|available|effective|valid|when|if|while|during)\b|\b(?:apenas|somente|solo|solamente|soltanto) (?:para|per|com|con)\b|\bnur (?:fur|bei)\b|\buniquement\b|\bseulement\b/,
  /\b(?:concurrent|simultaneous|parallel)\w*\b|\bat the same time\b/,
  /\b(?:if|when|once) (?:it is |this is |the feature is )?(?:enabled|activated|configured|agreed)\b|\b(?:on|upon) request\b|\benterprise\b/,
];
const ACTS_AGAIN = new RegExp(
  `\\b${ACTS}\\b.{0,30}\\b(?:again|twice|anew|a second time|once more)\\b|\\btreated as (?:an? )?(?:new|separate|different)\\b|\\bcreat\\w* (?:an? |its own |their own )?(?:new|second|another|duplicates?|copies|copy|own)\\b`,
);
/** Matches sentences that deny a second act or warn of it, or that describe what happens after the time has passed. */
const NOT_MEANT =
  /\b(?:not|never|nothing|no|without|cannot|instead|rather|prevent\w*|avoid\w*|protect\w*|against|accident\w*|unintend\w*|risk|fear|worry\w*|after|afterwards|expir\w*|older|beyond|later|elapsed|passed)\b|n['’]t\b/;
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];

/**
 * Tells whether the words state without doubt that a create by `method` is recognised when it is repeated with the same
 * value.
 */
export function saysRecognised(words: string, method: string): boolean {
  const sentences = words
    .split(/[.;!?](?=\s|$)|\n/)
    .map((sentence) => ({ raw: sentence, plain: folded(sentence) }))
    .filter(({ plain }) => plain !== '');
  if (sentences.some(({ raw, plain }) => isDoubtful(plain) || isOfAnotherMethod(raw, plain, method))) return false;
  const named = METHODS.filter((each) => new RegExp(`\\b${each}\\b`).test(words));
  if (named.length > 0 && !named.includes(method)) return false;
  return sentences.some(({ plain }) => isStatement(plain));
}

const isDoubtful = (sentence: string): boolean =>
  DOUBTFUL.some((each) => each.test(sentence)) || (ACTS_AGAIN.test(sentence) && !NOT_MEANT.test(sentence));

/** Tells whether a sentence excludes the method of create. */
const isOfAnotherMethod = (raw: string, sentence: string, method: string): boolean =>
  new RegExp(`\\b${method}\\b`).test(raw) &&
  /\b(?:ignored?|except|exclud\w*|not|never|unsupported)\b|n['’]t\b/.test(sentence);

function isStatement(sentence: string): boolean {
  const isEnglish =
    !DIRECTIVE.test(sentence) &&
    (NEVER_TWICE.some((each) => each.test(sentence)) ||
      (!DENIAL.test(sentence) && RECOGNISED.some((each) => each.test(sentence))));
  return (
    isEnglish ||
    LANGUAGES.some(({ same, gets, first, denial, neverTwice, safe }) => {
      if (neverTwice.test(sentence)) return true;
      if (denial.test(sentence)) return false;
      return safe.test(sentence) || (same.test(sentence) && gets.test(sentence) && first.test(sentence));
    })
  );
}

const ONES = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const TEENS = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const FURTHER = [
  ['um', 1], ['uma', 1], ['un', 1], ['una', 1], ['une', 1], ['uno', 1], ['ein', 1], ['eine', 1], ['einen', 1], ['einer', 1],
  ['dois', 2], ['duas', 2], ['dos', 2], ['deux', 2], ['zwei', 2], ['due', 2], ['tres', 3], ['trois', 3], ['drei', 3], ['tre', 3],
  ['cinco', 5], ['cinq', 5], ['funf', 5], ['cinque', 5], ['dez', 10], ['diez', 10], ['dix', 10], ['zehn', 10], ['dieci', 10],
  ['quinze', 15], ['quince', 15], ['funfzehn', 15], ['quindici', 15], ['trinta', 30], ['treinta', 30], ['trente', 30],
  ['dreissig', 30], ['dreißig', 30], ['trenta', 30], ['vinte e quatro', 24], ['veinticuatro', 24], ['vingt-quatre', 24],
  ['vierundzwanzig', 24], ['ventiquattro', 24],
] as const; // biome-ignore format: a table
const WORDS: ReadonlyMap<string, number> = new Map<string, number>([
  ...ONES.slice(1).map((word, index) => [word, index + 1] as const),
  ...TEENS.map((word, index) => [word, index + 10] as const),
  ...TENS.flatMap((ten, index) =>
    ONES.map((one, more) => [one === '' ? ten : `${ten}-${one}`, (index + 2) * 10 + more] as const),
  ),
  ...FURTHER,
  ['half', 0.5],
  ['half an', 0.5],
  ['half a', 0.5],
  ['quarter of an', 0.25],
  ['a', 1],
  ['an', 1],
]);

/**
 * Matches the names of each unit, with its length in seconds. Names of one letter count only directly after a figure.
 */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:milliseconds?|millis|ms)$/, 0.001],
  [/^(?:seconds?|secs?|s|segundos?|secondes?|sekunden?|sek|second[oi])$/, 1],
  [/^(?:minutes?|mins?|m|minutos?|minuten?|minut[oi])$/, 60],
  [/^(?:hours?|hrs?|h|horas?|heures?|stunden?|std|or[ae])$/, 3600],
  [/^(?:days?|d|dias?|jours?|tag|tage|tagen|giorn[oi])$/, 86_400],
  [/^(?:weeks?|w|semanas?|semaines?|wochen?|settiman[ae])$/, 7 * 86_400],
  [/^(?:months?|mes|meses|mois|monate?|monaten|mes[ei])$/, 28 * 86_400],
  [/^(?:years?|y|anos?|ans?|jahre?|jahren|ann[oi])$/, 365 * 86_400],
];
const DIGITS = String.raw`\d{1,9}(?:[.,]\d{1,3}){0,3}`;
const SPELT = [...WORDS.keys()]
  .sort((a, b) => b.length - a.length)
  .map((word) => word.replace('-', '[- ]'))
  .join('|');
const AMOUNT = String.raw`(?:${DIGITS}|(?<![a-z])(?:${SPELT})(?=[\s-]))`;
const DURATION = new RegExp(
  String.raw`(${AMOUNT})(?:\s?(?:-|–|—|\.\.|to|or|and|bis|a|ate|hasta|y|e|ou|oder|o|et)\s?(${AMOUNT}))?[\s-]{0,2}([a-z]{1,12})(?![a-z])`,
  'g',
);
const ISO =
  /\bP(?=\d|T\d)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?(?![\dA-Za-z])/g;
/**
 * Matches a time without a readable figure. The singular `second` is left out, because it numbers repetitions more
 * often than it means a time.
 */
const LOOSE_UNIT =
  /\b(?:milliseconds?|seconds|minutes?|hours?|days?|weeks?|months?|years?|segundos?|minutos?|horas?|dias?|secondes|heures?|jours?|sekunden?|minuten|stunden?|tage|tagen|wochen?|secondi|minuti|giorn[oi])\b/;
/** Matches a figure without a unit. */
const BARE_FIGURE =
  /\b(?:ttl|expir\w*|retention|life ?time|window|valid\w*)\b\W{0,4}(?:(?:is|of|in|after|for)\W{1,2})?\d/;
const VAGUE =
  /\b(?:short|brief|limited|certain|some|while) ?(?:time|period|window|duration)?\b(?=.{0,40}\b(?:only|after|period|time|window)\b)|\bbriefly\b|\bshortly\b|\bfor a while\b|\bmidnight\b|\bend of (?:the )?day\b|\bsession\b|\bas long as\b|\bconfigurable\b|\bvaries\b|\bdepend(?:s|ing)\b/;
const AT_MOST =
  /(?:up to|at most|max(?:imum)?(?: of)?|no more than|less than|bis zu|hochstens|ate|hasta|jusqu['’]a|fino a|massimo|maximo)\s*$/;

/**
 * Returns the shortest time that a text names, in seconds, or null if it names none. `unclear` means that a time could
 * not be read, so that the shortest is not known. A time that is only an upper bound counts as at most `maxIfBound`.
 */
export function shortestDuration(text: string, maxIfBound: number): number | 'unclear' | null {
  const found: number[] = [];
  for (const [whole, weeks, days, hours, minutes, seconds] of text.matchAll(ISO)) {
    const parts = [weeks, days, hours, minutes, seconds].map((each) => Number(each ?? 0));
    const sizes = [7 * 86_400, 86_400, 3600, 60, 1];
    if (whole !== '') found.push(parts.reduce((sum, each, index) => sum + each * (sizes[index] ?? 0), 0));
  }
  // `folded` replaces points by blanks, but here they are part of figures.
  const plain = text.replaceAll(ISO, ' ').split('.').map(folded).join('.');
  const rest = plain.replace(DURATION, (whole, first: string, second: string | undefined, unit: string, at: number) => {
    const seconds = secondsOf(unit, second ?? first);
    if (seconds === null || plain[at - 1] === '/') return whole;
    const amounts = [first, second].flatMap((each) => (each === undefined ? [] : [amountOf(each, seconds)]));
    const shortest = Math.min(...amounts) * seconds;
    found.push(AT_MOST.test(plain.slice(Math.max(0, at - 20), at)) ? Math.min(shortest, maxIfBound) : shortest);
    return ' ';
  });
  if (LOOSE_UNIT.test(rest) || BARE_FIGURE.test(rest) || VAGUE.test(rest)) return 'unclear';
  return found.length > 0 ? Math.floor(Math.min(...found)) : null;
}

function secondsOf(unit: string, amount: string): number | null {
  const isFigure = /\d/.test(amount);
  // "A second request" and "one second try" name no time.
  if (!isFigure && /^second$/.test(unit)) return null;
  if (unit.length === 1 && !isFigure) return null;
  return UNITS.find(([names]) => names.test(unit))?.[1] ?? null;
}

/**
 * Reads an amount. Three digits after a comma or point are thousands if the unit is short, and decimals if it is long.
 */
function amountOf(amount: string, seconds: number): number {
  if (!/\d/.test(amount)) return WORDS.get(amount.replace(/(?<=ty) /, '-')) ?? 0;
  const isThousands = /^\d{1,3}(?:[.,]\d{3})+$/.test(amount) && seconds <= 60;
  return Number(isThousands ? amount.replace(/[.,]/g, '') : amount.replace(',', '.').replace(/(\..*?)[.,].*$/, '$1'));
}
