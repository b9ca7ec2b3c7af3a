import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutRaw, Mask } from '../../src/api/mask.ts';

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
const mask = new Mask([...Object.values(LEAD), 'the-client-secret']);

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
function residue(masked: string): string {
  const read = masked
    .replace(/\\u([\da-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/&#(x?)([\da-f]+);/gi, (_, x, code) => String.fromCodePoint(Number.parseInt(code, x ? 16 : 10)))
    .replace(/&(?:amp|lt|gt|quot);|\\[bfnrtv]/g, '')
    .replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
  return read.replace(/[^\p{L}\p{N}]/gu, '');
}

describe.each(Object.entries(FORMS))('a value given back %s', (_, form) => {
  test.each(Object.entries(LEAD))('is masked: %s', (_, value) => {
    expect(residue(mask.apply(`"${form(value)}"`))).toBe('');
  });

  test('is masked whatever it is', () => {
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
        expect(residue(new Mask(values).apply(answer))).toBe('');
      }),
      { numRuns: 60 },
    );
  });
});

describe('a part of a value', () => {
  test.each(['Ana', 'Sá', 'EXEMPLO', 'conceição', 'Conceicao', 'ávila', 'Lisboa'])('is masked: the word %s', (word) => {
    expect(mask.apply(`{"m":"Hello ${word}!"}`)).toBe('{"m":"Hello ***!"}');
  });

  test.each(['%20Ana%20', '\\nAna\\n', '\\u0020Ana\\u0020'])('is masked between escapes: %s', (text) => {
    expect(mask.apply(text)).not.toContain('Ana');
  });

  test.each([
    '351912345678',
    '00351912345678',
    '+351 912 345 678',
    '912345678',
    '912 345 678',
    '(351) 912-345-678',
    '%2B351%20912%20345%20678',
  ])('is masked: the telephone number as %s', (phone) => {
    expect(mask.apply(`{"tel":"${phone}"}`)).toMatch(/^\{"tel":"(?:\+|00|\(|%2B)?\*\*\*"\}$/);
  });

  test('is masked: one line of a text, and a text that was cut short', () => {
    expect(mask.apply('x: Também há um cano roto na casa de banho do primeiro andar.')).not.toMatch(/[a-wyzáé]/);
    const cut = mask.apply('Também há um cano roto na casa de ban');
    expect(cut).not.toMatch(/Também|cano|roto/);
  });
});

describe('what was not sent stays', () => {
  test('words and numbers that only contain a short value or a number of an address', () => {
    expect(mask.apply('optional: 41000999 Banana depth pt-part')).toBe('optional: 41000999 Banana depth ***-part');
  });

  test('an answer without anything of it', () => {
    const text = '{"id":12345678901234567890,"status":"received"}';
    expect(mask.apply(text)).toBe(text);
    expect(new Mask([]).apply(text)).toBe(text);
    expect(new Mask(['', '  ', '?']).apply(text)).toBe(text);
  });
});

test('a token is masked once it is known, a recording always', () => {
  const growing = new Mask(['Ana']);
  expect(growing.apply('Bearer abc.def-123')).toBe('Bearer abc.def-123');
  growing.add('abc.def-123');
  expect(growing.apply('Bearer abc.def-123')).toBe('Bearer ***');
  const recording = Buffer.alloc(3000, 'sound').toString('base64');
  expect(mask.apply(`{"audio":"${recording}"}`)).toBe('{"audio":"***"}');
});

test('half a surrogate pair, as JSON can hold it, is no obstacle', () => {
  const broken = new Mask(['Ana \ud800 Exemplo']);
  expect(residue(broken.apply('Ana \ufffd Exemplo'))).toBe('');
});

test('masking a hostile answer takes no time to speak of', () => {
  const long = new Mask([Array.from({ length: 300 }, (_, word) => `palavra${word} número`).join(' '), 'ããããããããã']);
  const startedMs = performance.now();
  for (const text of ['ã', '\\u00e3', '%C3%A3', '&#227;', '&__;', 'palavra1 número ', '9 9-', '\u0303']) {
    long.apply(text.repeat((1 << 20) / text.length));
    mask.apply(text.repeat((1 << 20) / text.length));
  }
  expect(performance.now() - startedMs).toBeLessThan(40_000);
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
    expect(mask.hides(text)).toBe(true);
  });

  test.each([
    '4711',
    '41000999',
    '10000010',
    '12345678901234567890',
    'PT-4711',
    '0d5c7a7e-6a0e-4b56-9a1c-1f2e3d4c5b6a',
  ])('but %s does not', (text) => {
    expect(mask.hides(text)).toBe(false);
  });
});
