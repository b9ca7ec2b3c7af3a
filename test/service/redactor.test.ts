import { describe, expect, test } from 'vitest';
import { Characters } from '../../src/service/redaction/characters.ts';
import { cutIntoWords, StepBudget } from '../../src/service/redaction/folded-words.ts';
import { HiddenWords } from '../../src/service/redaction/hidden-words.ts';
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

const htmlEscaped = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? '&#039;');
const asciiJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The forms in which a service may give back what it was sent. */
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  raw: (value) => value,
  'as JSON': (value) => JSON.stringify(value).slice(1, -1),
  'as JSON in ASCII': asciiJson,
  'as JSON in ASCII, upper-case digits': (value) =>
    asciiJson(value).replace(/\\u..../g, (u) => `\\u${u.slice(2).toUpperCase()}`),
  'as JSON with escaped slashes': (value) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  'in a URL with %20': encodeURIComponent,
  'in a URL with +': (value) => new URLSearchParams([[value, '']]).toString().slice(0, -1),
  'in a URL within a URL': (value) => encodeURIComponent(encodeURIComponent(encodeURIComponent(value))),
  'in a URL, lower-case digits': (value) => encodeURIComponent(value).replace(/%../g, (each) => each.toLowerCase()),
  'as HTML': htmlEscaped,
  'as HTML with numbered entities': (value) =>
    htmlEscaped(value).replace(/[^\x00-\x7f]/gu, (c) => `&#${c.codePointAt(0)};`),
  'as HTML with hexadecimal entities': (value) =>
    htmlEscaped(value).replace(/[^\x00-\x7f]/gu, (c) => `&#x${c.codePointAt(0)?.toString(16)};`),
  'as base64': (value) => Buffer.from(value).toString('base64'),
  'as base64url': (value) => Buffer.from(value).toString('base64').replace(/=+$/, ''),
  'in upper case': (value) => value.toUpperCase(),
  'in lower case': (value) => value.toLowerCase(),
  'in Unicode form D': (value) => value.normalize('NFD'),
};

/** Letters and digits that a reader can still make out: nothing of the values is left if there are none. */
function residue(redacted: string): string {
  const read = redacted
    .replace(/\\u([\da-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/&#(x?)([\da-f]+);/gi, (_, x, code) => String.fromCodePoint(Number.parseInt(code, x ? 16 : 10)))
    .replace(/&(?:amp|lt|gt|quot);|\\[bfnrtv]/g, '')
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
  return read.replace(/[^\p{L}\p{N}]/gu, '');
}

describe.each(Object.entries(FORMS))('a value given back %s', (_, form) => {
  test.each(Object.entries(LEAD))('is redacted: %s', (_, value) => {
    expect(residue(redactor.redact(`"${form(value)}"`))).toBe('');
  });

  test('is redacted whatever it is', () => {
    const value = fc
      .oneof(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.lorem({ maxCount: 30 }),
        fc.emailAddress(),
      )
      .map((text) => Buffer.from(text).toString('utf8'))
      .filter((text) => /[\p{L}\p{N}]/u.test(text));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
        const answer = values.map((each) => `"${form(each)}"`).join(', ');
        expect(residue(new Redactor(values).redact(answer))).toBe('');
      }),
      { numRuns: 60 },
    );
  });
});

describe('a part of a value', () => {
  test.each(['Ana', 'Sá', 'EXEMPLO', 'conceição', 'Conceicao', 'ávila', 'Lisboa'])(
    'is redacted: the word %s',
    (word) => {
      expect(redactor.redact(`{"m":"Hello ${word}!"}`)).toBe('{"m":"Hello ***!"}');
    },
  );

  test.each(['%20Ana%20', '\\nAna\\n', '\\u0020Ana\\u0020'])('is redacted between escapes: %s', (text) => {
    expect(redactor.redact(text)).not.toContain('Ana');
  });

  test.each([
    '351912345678',
    '00351912345678',
    '+351 912 345 678',
    '912345678',
    '912 345 678',
    '(351) 912-345-678',
    '%2B351%20912%20345%20678',
  ])('is redacted: the telephone number as %s', (phone) => {
    expect(redactor.redact(`{"tel":"${phone}"}`)).toMatch(/^\{"tel":"(?:\+|00|\(|%2B)?\*\*\*"\}$/);
  });

  test('is redacted: one line of a text, and a text that was cut short', () => {
    expect(redactor.redact('x: Também há um cano roto na casa de banho do primeiro andar.')).not.toMatch(/[a-wyzáé]/);
    const cut = redactor.redact('Também há um cano roto na casa de ban');
    expect(cut).not.toMatch(/Também|cano|roto/);
  });
});

describe('what was not sent stays', () => {
  test('words and numbers that only contain a short value or a number of an address', () => {
    expect(redactor.redact('optional: 41000999 Banana depth pt-part')).toBe('optional: 41000999 Banana depth ***-part');
  });

  test('an answer without anything of it', () => {
    const text = '{"id":12345678901234567890,"status":"received"}';
    expect(redactor.redact(text)).toBe(text);
    expect(new Redactor([]).redact(text)).toBe(text);
    expect(new Redactor(['', '  ', '?']).redact(text)).toBe(text);
  });
});

test('a token is redacted once it is known, a recording always', () => {
  const growing = new Redactor(['Ana']);
  expect(growing.redact('Bearer abc.def-123')).toBe('Bearer abc.def-123');
  growing.add('abc.def-123');
  expect(growing.redact('Bearer abc.def-123')).toBe('Bearer ***');
  const recording = Buffer.alloc(3000, 'sound').toString('base64');
  expect(redactor.redact(`{"audio":"${recording}"}`)).toBe('{"audio":"***"}');
});

test('half a surrogate pair, as JSON can hold it, is no obstacle', () => {
  const broken = new Redactor(['Ana \ud800 Exemplo']);
  expect(residue(broken.redact('Ana \ufffd Exemplo'))).toBe('');
});

describe('a text that was made to stop the search for it', () => {
  const hostile: Readonly<Record<string, string>> = {
    'b and backspace': 'b\b'.repeat(10_000),
    'the same as an escape': 'b\\b'.repeat(10_000),
    'b and some backspaces': `b${'\\b'.repeat(80)} gaiola`,
    'b and many backspaces': `b${'\\b'.repeat(10_000)}`,
    'accented letters without a blank': 'ã'.repeat(10_000),
    'letters without a blank': 'zumbido'.repeat(2000),
    'one letter': 'a'.repeat(30_000),
    'the words of a long text': Array.from({ length: 300 }, (_, word) => `palavra${word} número`).join(' '),
    ideographs: '的一是不了人我在有他这为之大来'.repeat(1000),
    'telephone numbers': '345678 '.repeat(4000),
    'letters of all kinds': Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x20 + at)).join(''),
  };
  const answers: Readonly<Record<string, string>> = {
    ...hostile,
    ...Object.fromEntries(
      ['ã', '\\u00e3', '%C3%A3', '&#227;', '&__;', 'palavra1 número ', '9 9-', '\u0303', '%25', '\\', ';', 'YWFh '].map(
        (each) => [each, each.repeat((1 << 20) / each.length)],
      ),
    ),
  };

  test.each(Object.entries(hostile))('is looked for in no time in any answer: %s', (_, text) => {
    const slow = Object.entries(answers).flatMap(([name, answer]) => {
      const tookMs = cpuMs(() => new Redactor([text, ...Object.values(LEAD)]).redact(answer), 50);
      return tookMs > 200 ? [`${name}: ${tookMs} ms`] : [];
    });
    expect(slow).toEqual([]);
  });

  test.each(Object.entries(hostile))('is hidden where it is quoted: %s', (_, text) => {
    expect(new Redactor([text]).redact(`"${text}"`)).toMatch(/^"?[^\p{L}\p{N}]*\*\*\*[^\p{L}\p{N}]*"?$/u);
  });

  test('hides the whole answer if it is longer than what is compared', () => {
    const long = 'palavra número '.repeat(3000);
    expect(new Redactor([long]).redact('Nothing of it')).toBe('***');
  });

  test('hides the end of an answer that is longer than what is compared, and half a word there', () => {
    const shown = redactor.redact(`${'x '.repeat(16_380)}Conceição`);
    expect(shown.length).toBeLessThan(1 << 15);
    expect(shown).toMatch(/x \*\*\*$/);
  });
});

describe('where looking takes more steps than a text is worth, the rest is hidden', () => {
  const numbers = Array.from({ length: 400 }, (_, at) => `+351${100 + at}345678`);
  const alike = Array.from({ length: 400 }, (_, at) => `жжжжж${at}b`);
  const letters = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');

  test.each<[string, readonly string[], string]>([
    ['many numbers that end alike', numbers, '345678 '.repeat(4000)],
    ['many words that begin alike', alike, 'ж'.repeat(30_000)],
    ['letters of more kinds than anybody writes', ['Ana'], letters],
  ])('%s', (_, sent, answer) => {
    const redacted: string[] = [];
    expect(cpuMs(() => redacted.push(new Redactor(sent).redact(answer)), 50)).toBeLessThan(1_000);
    expect(redacted[0]).toMatch(/\*\*\*$/);
    expect(new Redactor(['Ana']).redact(answer.slice(0, 2000))).toBe(answer.slice(0, 2000));
  });
});

test('the steps that a search may take are a million', () => {
  const budget = new StepBudget();
  expect([budget.spend(1_000_000), budget.isSpent]).toEqual([true, false]);
  expect([budget.spend(1), budget.isSpent]).toEqual([false, true]);
});

describe('what is left of a text', () => {
  test('is redacted at the end of a run of its words, where it was cut', () => {
    expect(redactor.redact('cut: "eira da cozinha pinga & mol"')).toBe('cut: "*** *** & ***"');
  });

  test('is redacted as a piece of a word too long to be one', () => {
    const long = new Redactor(['Жук'.repeat(20)]);
    expect(long.redact('cut: ЖукЖукЖукЖ, Жук')).toBe('cut: ***, Жук');
  });

  test('is redacted within longer words, in base64 within base64, and as signs of its own', () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    expect(redactor.redact('idConceicao7')).toBe('***');
    expect(redactor.redact(`a/${base64(`[${base64('name=Exemplo')}]`)}`)).toBe('a/***');
    expect(new Redactor(['Ana 😀']).redact('Hello 😀 😎')).toBe('Hello *** 😎');
  });

  test('is redacted where nobody can tell whether it is an escape', () => {
    expect(redactor.redact('DOMAIN\\Ana \\\\Ana')).toBe('DOMAIN\\*** \\\\***');
    const escaped = String.raw`\u005c\u0075\u0030\u0030\u0045\u0031vila`;
    expect(redactor.redact(escaped)).toBe('***');
    expect(redactor.redact('Concei&ccy;o &ndash; x')).toBe('*** *** x');
  });
});

test('letters are the same in any case and form', () => {
  const wordOf = (text: string): string => {
    const { words } = cutIntoWords(Characters.of(text), new StepBudget());
    return words.map(({ letters }) => letters).join('');
  };
  const odd: string[] = [];
  for (let code = 0; code < 0x30000; code++) {
    const letter = String.fromCodePoint(code);
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const forms = [letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD'), letter.normalize('NFC')];
    if (forms.some((form) => wordOf(form) !== wordOf(letter))) odd.push(`${letter} U+${code.toString(16)}`);
  }
  expect(odd).toEqual([]);
});

describe('a raw answer', () => {
  test('is cut at 2 KiB between characters', () => {
    expect(cutRaw('a'.repeat(2048))).toHaveLength(2048);
    expect(Buffer.byteLength(cutRaw('é'.repeat(3000)))).toBe(2048);
    for (const lead of ['', 'a', 'aa', 'aaa']) {
      const cut = cutRaw(lead + '😀'.repeat(1000));
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2048);
      expect(cut).not.toContain('\ufffd');
    }
  });
});

describe('a text repeats what was sent', () => {
  test.each([
    'PT',
    'pt',
    'ana.exemplo+srq@example.com',
    'ANA SÁ D’EXEMPLO-CONCEIÇÃO',
    'request-of-conceição-4711',
    '351912345678',
    '+351 912 345 678',
    '912345678',
    '1000-001',
    'the-client-secret',
  ])('%s', (text) => {
    expect(redactor.repeatsSent(text)).toBe(true);
  });

  test.each([
    '4711',
    '41000999',
    '10000010',
    '12345678901234567890',
    'PT-4711',
    '0d5c7a7e-6a0e-4b56-9a1c-1f2e3d4c5b6a',
  ])('but %s does not', (text) => {
    expect(redactor.repeatsSent(text)).toBe(false);
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
const isShort = (text: string): boolean => {
  const telling = wordsIn(text).filter((word) => word.length > 3).length;
  return telling > 0 && telling <= 8;
};

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

describe.each([
  ['as it was', (sent: readonly string[], answer: string) => new Redactor(sent).redact(answer)],
  ['as it will be', (sent: readonly string[], answer: string) => new HiddenWords(sent).hide(answer)],
])('what was sent, hidden %s,', (_, hide) => {
  test('cannot be read in any sentence around it', () => {
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
          expect(readable(decoded(hide(sent, frameOf(sentence.join('')))), sent)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
