import { folded } from '../model/folded.ts';

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
  ['dreissig', 30], ['trenta', 30], ['vinte e quatro', 24], ['veinticuatro', 24], ['vingt-quatre', 24],
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

/** Names of each unit, and how many seconds it has. Those of one letter stand behind a figure alone. */
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
/** A time without a figure that could be read. The singular `second` counts repetitions more often than time. */
const LOOSE_UNIT =
  /\b(?:milliseconds?|seconds|minutes?|hours?|days?|weeks?|months?|years?|segundos?|minutos?|horas?|dias?|secondes|heures?|jours?|sekunden?|minuten|stunden?|tage|tagen|wochen?|secondi|minuti|giorn[oi])\b/;
/** A figure without a unit. */
const BARE_FIGURE =
  /\b(?:ttl|expir\w*|retention|life ?time|window|valid\w*)\b\W{0,4}(?:(?:is|of|in|after|for)\W{1,2})?\d/;
const VAGUE =
  /\b(?:short|brief|limited|certain|some|while) ?(?:time|period|window|duration)?\b(?=.{0,40}\b(?:only|after|period|time|window)\b)|\bbriefly\b|\bshortly\b|\bfor a while\b|\bmidnight\b|\bend of (?:the )?day\b|\bsession\b|\bas long as\b|\bconfigurable\b|\bvaries\b|\bdepend(?:s|ing)\b/;
const AT_MOST =
  /(?:up to|at most|max(?:imum)?(?: of)?|no more than|less than|bis zu|hochstens|ate|hasta|jusqu['’]a|fino a|massimo|maximo)\s*$/;

/**
 * The shortest time that a text names, in seconds; null if it names none. `unclear`: it speaks of a time that could not be
 * read, so the shortest is not known. A time that is only a bound from above counts for no more than `mostIfBound`.
 */
export function shortestDuration(text: string, mostIfBound: number): number | 'unclear' | null {
  const found: number[] = [];
  for (const [whole, weeks, days, hours, minutes, seconds] of text.matchAll(ISO)) {
    const parts = [weeks, days, hours, minutes, seconds].map((each) => Number(each ?? 0));
    const sizes = [7 * 86_400, 86_400, 3600, 60, 1];
    if (whole !== '') found.push(parts.reduce((sum, each, index) => sum + each * (sizes[index] ?? 0), 0));
  }
  // `folded` takes points for blanks, which are part of figures here.
  const plain = text.split('.').map(folded).join('.');
  const rest = plain.replace(DURATION, (whole, first: string, second: string | undefined, unit: string, at: number) => {
    const seconds = secondsOf(unit, second ?? first);
    if (seconds === null || plain[at - 1] === '/') return whole;
    const amounts = [first, second].flatMap((each) => (each === undefined ? [] : [amountOf(each, seconds)]));
    const shortest = Math.min(...amounts) * seconds;
    found.push(AT_MOST.test(plain.slice(Math.max(0, at - 20), at)) ? Math.min(shortest, mostIfBound) : shortest);
    return ' ';
  });
  if (LOOSE_UNIT.test(rest) || BARE_FIGURE.test(rest) || VAGUE.test(rest)) return 'unclear';
  return found.length > 0 ? Math.floor(Math.min(...found)) : null;
}

function secondsOf(unit: string, amount: string): number | null {
  const isFigure = /\d/.test(amount);
  // "A second request" and "one second try" tell no time.
  if (!isFigure && /^second$/.test(unit)) return null;
  if (unit.length === 1 && !isFigure) return null;
  return UNITS.find(([names]) => names.test(unit))?.[1] ?? null;
}

/** Three figures after a comma or point are thousands where the unit is short, and a part of one where it is long. */
function amountOf(amount: string, seconds: number): number {
  if (!/\d/.test(amount)) return WORDS.get(amount.replace(/(?<=ty) /, '-')) ?? 0;
  const isThousands = /^\d{1,3}(?:[.,]\d{3})+$/.test(amount) && seconds <= 60;
  return Number(isThousands ? amount.replace(/[.,]/g, '') : amount.replace(',', '.').replace(/(\..*?)[.,].*$/, '$1'));
}
