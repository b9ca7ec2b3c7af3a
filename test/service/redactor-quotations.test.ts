import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { cpuMs } from '../helpers/cpu-time.ts';

/** The same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const random = seeded(20_26);
const upTo = (most: number): number => Math.floor(random() * most);
const times = <Made>(count: number, make: () => Made): Made[] => Array.from({ length: count }, make);

function oneOf<Each>(all: readonly Each[]): Each {
  const one = all[upTo(all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}

const naughty: readonly string[] = createRequire(import.meta.url)('big-list-of-naughty-strings');
const SCRIPTS = [
  'abcdefghijklmnopqrstuvwxyz',
  'abcdeáâãàçéêíóôõúABCÁÉÇ',
  'äöüßabcdefgÄÖÜ',
  'αβγδεζηθικλμνξοπρσςάέ',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяЖЩ',
  'אבגדהוזחטיךכלםמןנסעפצקרשת',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
  'कखगघचछजझटठडढतथदधनपफबभमयरलवशसह',
  '的一是不了人我在有他这为之大来以个中上们',
  '가나다라마바사아자차카타파하',
  '0123456789',
].map((letters) => [...letters]);
const BETWEEN = [' ', ' ', ' ', ', ', '. ', '\n', ' - ', '/', ' "', "' ", ' <', '> ', ' & ', '\t', ' 😀 ', ' € '];
const ESCAPES = [
  '\\',
  '\\b',
  '\\n',
  '\\u00e3',
  '\\u',
  '%',
  '%41',
  '%25',
  '%C3%A3',
  '&',
  '&amp;',
  '&#227;',
  '&lt;',
  ';',
  '+',
];

const word = (letters: readonly string[], most = 12) => times(1 + upTo(most), () => oneOf(letters)).join('');

function wordsText(): string {
  const letters = oneOf(SCRIPTS);
  return times(1 + upTo(oneOf([3, 8, 30, 60])), () => word(letters) + oneOf(BETWEEN)).join('');
}

/** What a lead may have in a field, if it was made to do harm. */
const TEXTS: readonly (() => string)[] = [
  ...times(6, () => wordsText),
  () => times(1 + upTo(60), () => (random() < 0.5 ? oneOf(ESCAPES) : word(oneOf(SCRIPTS)))).join(oneOf(['', ' '])),
  () => oneOf(naughty),
  () => oneOf(naughty),
  () => oneOf(naughty),
  () => `${word(oneOf(SCRIPTS))}.${word(oneOf(SCRIPTS))}+${upTo(1000)}@example.${word(oneOf(SCRIPTS), 3)}`,
  () => `+351 9${times(8, () => upTo(10)).join('')}`,
  () => String(random() * 10 ** upTo(20)),
  () => (random() < 0.9 ? wordsText() : 'b\b'.repeat(1 + upTo(5000))),
  () => (random() < 0.9 ? wordsText() : 'b\\b'.repeat(1 + upTo(5000))),
  () => (random() < 0.8 ? wordsText() : word(oneOf(SCRIPTS), 1).repeat(10_000)),
  () => (random() < 0.8 ? wordsText() : times(10_000, () => oneOf(oneOf(SCRIPTS.slice(0, 5)))).join('')),
];

const units = (text: string): number[] => times(text.length, () => 0).map((_, at) => text.charCodeAt(at));
const inUnicode = (text: string): string =>
  units(text)
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const inHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function cut(text: string): string {
  const letters = [...text];
  const from = upTo(letters.length);
  return letters.slice(from, from + 1 + upTo(letters.length - from)).join('');
}

/** How a service may give a text back. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  json: inJson,
  'json in ASCII': (text) => inJson(text).replace(/[^\x20-\x7e]/g, inUnicode),
  'unicode-escaped': inUnicode,
  url: encodeURIComponent,
  'url twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  form: (text) => new URLSearchParams({ text }).toString(),
  html: inHtml,
  'html with names': (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/é/g, '&eacute;'),
  'html with numbers': (text) => [...text].map((letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join(''),
  'upper case': (text) => text.toUpperCase(),
  'lower case': (text) => text.toLowerCase(),
  'form D': (text) => text.normalize('NFD'),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
};

const decoded = (bytes: string): string => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8');
/** How a reader may make words of what is shown. */
const READINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) =>
    text
      .replace(/\\u([\da-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
      .replace(/\\[bfnrt]/g, ' '),
  (text) => text.replace(/%25/g, '%').replace(/(?:%[\da-f]{2})+/gi, decoded),
  (text) =>
    text
      .replace(/&#(x?)([\da-f]{1,6});/gi, (_, x, code) => fromCode(Number.parseInt(code, x === '' ? 10 : 16)))
      .replaceAll('&amp;', '&')
      .replaceAll('&lt;', '<')
      .replaceAll('&eacute;', 'é'),
  (text) => text.replace(/[\w+/-]{6,}/g, (run) => ` ${Buffer.from(run, 'base64').toString('utf8')} `),
];
const fromCode = (code: number): string => (code > 0x10ffff ? '' : String.fromCodePoint(code));

const WORD = /[\p{L}\p{N}]+|\*\*\*/gu;
const wordsIn = (text: string): string[] =>
  text.toUpperCase().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').match(WORD) ?? [];
const runsIn = (words: readonly string[]): string[] =>
  words
    .slice(2)
    .map((_, at) => words.slice(at, at + 3).join(' '))
    .filter((run) => !run.includes('***'));

/** What of the sent text can be read in what is shown: words of four letters and runs of three words. */
function readable(shown: string, sent: string, runsAlone: boolean): string[] {
  const words = wordsIn(sent);
  const traces = new Set([...(runsAlone ? [] : words.filter((each) => each.length >= 4)), ...runsIn(words)]);
  for (const own of wordsIn(OWN_WORDS)) traces.delete(own);
  const escapes = escapeWords(sent);
  for (const trace of traces) if (trace.split(' ').some((each) => escapes.has(each))) traces.delete(trace);
  const once = new Set(READINGS.map((read) => read(shown)));
  const twice = new Set([...once].flatMap((text) => READINGS.map((read) => read(text))));
  return [...twice].flatMap((text) => [...wordsIn(text), ...runsIn(wordsIn(text))]).filter((each) => traces.has(each));
}

const OWN_WORDS = 'Zurückgewiesen: feldinhalt unzulässig text';

/** The insides of escapes that were sent as text: they are no words to whoever reads them to the end. */
const escapeWords = (text: string): ReadonlySet<string> =>
  new Set(
    (text.match(/\\?u[\da-f]{4}|\\x[\da-f]{2}|%[\da-f]{2}|\\\w|&#?\w+;?/gi) ?? []).flatMap((each) => wordsIn(each)),
  );

interface Quotation {
  readonly text: string;
  readonly answer: string;
  readonly how: string;
  readonly isCut: boolean;
}

function quotation(): Quotation {
  const text = oneOf(TEXTS)();
  const isCut = random() < 0.2;
  // In another case base64 is another text.
  const isLast = (name: string) => name.startsWith('base64');
  const names = times(random() < 0.3 ? 2 : 1, () => oneOf(Object.keys(FORMS))).sort((a, b) => +isLast(a) - +isLast(b));
  const quoted = names.reduce((each, name) => FORMS[name]?.(each) ?? each, (isCut ? cut(text) : text).toWellFormed());
  const answer = random() < 0.5 ? `Zurückgewiesen: "${quoted}" unzulässig` : `{"feldinhalt":"${quoted}"}`;
  return { text, answer, how: names.join(', '), isCut };
}

const COUNT = 10_000;

describe('random texts, each in a random quotation', () => {
  test('none takes longer than 50 ms, and nothing of them can be read in what is shown', { timeout: 600_000 }, () => {
    const slow: unknown[] = [];
    const shown: unknown[] = [];
    for (let number = 0; number < COUNT; number++) {
      const { text, answer, how, isCut } = quotation();
      const redacted: string[] = [];
      const redact = () => redacted.push(new Redactor([text, 'PT', 'ana@example.com']).redact(answer));
      const tookMs = cpuMs(redact, 50);
      if (tookMs > 50) slow.push({ number, tookMs, how, text: text.slice(0, 80) });
      const traces = readable(redacted[0] ?? '', text.toWellFormed(), isCut);
      if (traces.length > 0) shown.push({ number, how, traces: traces.slice(0, 5), text: text.slice(0, 80) });
    }
    expect({ slow: slow.slice(0, 5), shown: shown.slice(0, 5), count: shown.length }).toEqual({
      slow: [],
      shown: [],
      count: 0,
    });
  });
});
