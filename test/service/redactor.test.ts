import { describe, expect, test } from 'vitest';
import { cutRaw, Redactor } from '../../src/service/redaction/redactor.ts';
import { cpuMs } from '../helpers/cpu-time.ts';
import fc from '../helpers/fast-check.ts';

const LEAD = {
  country: 'PT',
  lang: 'pt',
  location: 'Rua João d’Ávila 12, 1000-001 Lisboa',
  fullname: 'Ana Sá d’Exemplo-Conceição',
  email: 'ana.exemplo+srq@example.com',
  phone: '+351912345678',
  request_text:
    'A torneira da "cozinha" <pinga> & molha tudo.\nTambém há um cano roto na casa de banho do primeiro andar.',
};
const redactor = new Redactor([...Object.values(LEAD), 'the-client-secret']);

describe('an answer is shown', () => {
  // Shorter ones are in test/doors/answer/redacted.md.
  test('an answer is shown without a recording', () => {
    const answer = `{"audio":"${Buffer.alloc(3000, 'sound').toString('base64')}"}`;
    expect(redactor.redact(answer)).toBe('{"audio":"***"}');
  });

  test('an answer is shown without three words in a row of a long text, whose single words are too common', () => {
    expect(redactor.redact('x: um cano roto na casa de banho')).not.toMatch(/cano|roto|casa|banho/);
    expect(redactor.redact('primeiro: tudo')).toBe('primeiro: tudo');
  });

  test('an answer is shown whole if nothing of it was sent', () => {
    const text = '{"id":12345678901234567890,"status":"received"}';
    expect(redactor.redact(text)).toBe(text);
    expect(new Redactor([]).redact(text)).toBe(text);
    expect(new Redactor(['', '  ', '?']).redact(text)).toBe(text);
  });

  test('an answer is shown without a token once it is known', () => {
    const growing = new Redactor(['Ana']);
    expect(growing.redact('Bearer abc.def-123')).toBe('Bearer abc.def-123');
    growing.add('abc.def-123');
    expect(growing.redact('Bearer abc.def-123')).toBe('Bearer ***');
  });

  test.each(['9f86d081884c7d659a2feaa0c55ad015', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 'ya29.a0Af1234567Qz+Yp/12'])(
    'an answer is shown without any part of the secret %s, which has digits like a number',
    (secret) => {
      const told = new Redactor([secret]).redact(
        `{"message":"Bearer ${secret} is unknown, ${secret.toUpperCase()} too"}`,
      );
      expect(told).toBe('{"message":"Bearer *** is unknown, *** too"}');
    },
  );

  test('an answer is shown without the rest of a secret that begins with another', () => {
    expect(new Redactor(['abcd1234', 'abcd1234wxyz']).redact('abcd1234wxyz')).toBe('***');
  });

  test('an answer is shown without half a surrogate pair that JSON can hold', () => {
    expect(new Redactor(['Ana \ud800 Exemplo']).redact('x Ana \ufffd Exemplo')).not.toMatch(/Ana|Exemplo/);
  });

  test('an answer is not shown beside a value longer than what is compared', () => {
    expect(new Redactor(['palavra número '.repeat(3000)]).redact('Nothing of it')).toBe('***');
  });

  test('an answer is masked in no time, however it was made', () => {
    const hostile = ['b\b', 'b\\b', 'ã', 'a', '345678 ', 'palavra1 número ', '的一是不', 'zumbido'];
    const answers = [
      ...hostile,
      '\\u00e3',
      '%C3%A3',
      '&#227;',
      '&__;',
      '9 9-',
      '\u0303',
      '%25',
      '\\',
      ';',
      'YWFh ',
      '[',
    ];
    const slow = hostile.flatMap((sent) => {
      const values = [...Object.values(LEAD), sent.repeat(20_000 / sent.length)];
      return answers.flatMap((each) => {
        const tookMs = cpuMs(() => new Redactor(values).redact(each.repeat((1 << 20) / each.length)), 50);
        return tookMs > 200 ? [`${sent} in ${each}: ${tookMs} ms`] : [];
      });
    });
    expect(slow).toEqual([]);
  });
});

describe('a raw answer', () => {
  test('a raw answer is cut at 2 KiB, between characters', () => {
    expect(cutRaw('a'.repeat(2048))).toHaveLength(2048);
    expect(Buffer.byteLength(cutRaw('é'.repeat(3000)))).toBe(2048);
    for (const lead of ['', 'a', 'aa', 'aaa']) {
      const cut = cutRaw(lead + '😀'.repeat(1000));
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2048);
      expect(cut).not.toContain('\ufffd');
    }
  });
});

const letters = (text: string): string =>
  text
    .toUpperCase()
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
const wordsIn = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []).map(letters).filter((word) => word !== '');
const runsIn = (text: string): string[] => {
  const words = text.split('***').map(wordsIn);
  return words.flatMap((each) => each.slice(2).map((_, at) => each.slice(at, at + 3).join(' ')));
};
/** Texts of up to eight words that tell something are hidden word by word. */
const isShort = (text: string): boolean => wordsIn(text).filter((word) => word.length > 3).length <= 8;

/** What of the sent values can be read: words of three letters, words of four within others, numbers, runs of a text. */
function readable(shown: string, sent: readonly string[]): string[] {
  const words = wordsIn(shown);
  const secret = sent.filter(isShort).flatMap(wordsIn);
  const numbers = sent.filter((text) => /^[+\d][\d ]+$/.test(text)).map((text) => text.replace(/\D/g, '').slice(-7));
  const runs = new Set(sent.flatMap(runsIn));
  const digits = shown.replace(/(?<=\d)[ ().-]{1,3}(?=\d)/g, '');
  return [
    ...secret.filter((word) => word.length > 2 && words.includes(word)),
    ...secret.filter((word) => word.length > 3 && /\p{L}/u.test(word) && words.some((each) => each.includes(word))),
    ...numbers.filter((number) => number.length === 7 && digits.includes(number)),
    ...runsIn(shown).filter((run) => runs.has(run)),
    ...sent.filter((value) => value.length >= 12 && wordsIn(value).length > 0 && shown.includes(value)),
  ];
}

/** What a reader makes of what is shown, and of escapes that were left in it. */
const decoded = (shown: string): string =>
  shown
    .replace(/\\+[bfnrt"\\/]/g, ' ')
    .replace(/\\u([\da-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

const word = fc.string({ unit: fc.constantFrom(...'abcdeilmnorstuàãáçéêíõöøßñÁÉÇABCZ'), minLength: 1, maxLength: 14 });
const between = fc.constantFrom(' ', ' ', ' ', ', ', '-', "'", ' & ', '/', '\n', ' "');
const text = (most: number) =>
  fc.array(fc.tuple(word, between), { minLength: 1, maxLength: most }).map((parts) => parts.flat().join('').trim());
const phone = fc
  .tuple(fc.constantFrom('+351', '0', '00351', ''), fc.integer({ min: 912_000_000, max: 939_999_999 }))
  .map(([code, number]) => code + number);
const secret = fc.string({ minLength: 12, maxLength: 40 }).filter((each) => isShort(each) && !/[\\%&]/.test(each));

const withoutMarks = (value: string): string => value.normalize('NFKD').replace(/\p{M}/gu, '');
const inEntities = (value: string): string => value.replace(/[^\x20-\x7e]/gu, (each) => `&#${each.codePointAt(0)};`);
const inAscii = (value: string): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How a service may write what it was sent. */
const spelling = fc.constantFrom<(value: string) => string>(
  (value) => value,
  (value) => value.toUpperCase(),
  (value) => value.toLowerCase(),
  (value) => value.normalize('NFD'),
  withoutMarks,
  (value) => withoutMarks(value).toUpperCase(),
  (value) => value.replace(/(?<=\d)(?=(?:\d{3})+(?!\d))/g, ' '),
  (value) => value.replace(/(\d{3})(\d{2})(\d{4})$/, '($1) $2-$3'),
  encodeURIComponent,
  inEntities,
  (value) => inAscii(value).slice(1, -1),
);
/** The sentence around it: plain, or as JSON, or as JSON within JSON. */
const frame = fc.constantFrom<(sentence: string) => string>(
  (sentence) => sentence,
  (sentence) => JSON.stringify({ message: sentence, [sentence]: [7] }),
  (sentence) => `{"message":${inAscii(sentence)}}`,
  (sentence) => JSON.stringify({ answer: JSON.stringify({ message: sentence }) }),
);

test('what was sent cannot be read in any sentence around it', () => {
  const part = fc.tuple(fc.nat(), fc.nat(), spelling);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(text(3), text(8), text(40), phone, secret), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(text(3), part), { minLength: 1, maxLength: 4 }),
      frame,
      (sent, pieces, frameOf) => {
        const sentence = pieces.map(([own, [at, which, spell]]) => {
          const value = sent[at % sent.length] ?? '';
          const one = wordsIn(value);
          return `${own}: ${spell(which % 3 === 0 && isShort(value) ? (one[which % one.length] ?? '') : value)}, `;
        });
        expect(readable(decoded(new Redactor(sent).redact(frameOf(sentence.join('')))), sent)).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});
