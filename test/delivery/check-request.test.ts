import { describe, expect, it } from 'vitest';
import { checkRequest, likelyRequest } from '../../src/delivery/check/check-request.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { Mapping } from '../../src/request/lead/table.ts';
import { NO_MAPPING } from './leads.ts';

const GOOD = {
  country: 'Portugal',
  location: '1200-109 Lisboa',
  fullname: ' Zoé Conceição ',
  email: 'Zoe@example.com',
  phone: '912 345 678',
  request_text: 'Canalizador',
};
type Fields = Record<string, string | undefined>;

function check(changes: Fields = {}, postalCode?: string) {
  const merged: Fields = { ...GOOD, ...changes };
  const fields = Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return checkRequest(
    { row: 1, fields, ...(postalCode === undefined ? {} : { parts: { postal_code: postalCode } }) },
    null,
  );
}
const errors = (changes: Fields) =>
  check(changes)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);
const warnings = (changes: Fields) =>
  check(changes)
    .problems.filter(({ severity }) => severity === 'warning')
    .map(({ field }) => field);

describe('what is sent', () => {
  it("a request is in the API's form, with the market's language filled in", () => {
    expect(check()).toEqual({
      problems: [],
      audioPath: null,
      request: {
        ref: null,
        audio: null,
        params: {
          country: 'PT',
          lang: 'pt',
          location: '1200-109 Lisboa',
          fullname: 'Zoé Conceição',
          email: 'Zoe@example.com',
          phone: '+351912345678',
          request_text: 'Canalizador',
        },
      },
    });
  });

  it('a request has no empty parameter and no reference; extra fields go along', () => {
    const { request, audioPath } = check({
      ref: 'A-1',
      audio_file: 'a.wav',
      request_text: undefined,
      category: '7',
      budget: '80',
      email: ' ',
    });
    expect(audioPath).toBe('a.wav');
    expect(request).toMatchObject({ ref: 'A-1', audio: null });
    expect(Object.keys(request?.params ?? {}).sort()).toEqual([
      'budget',
      'category',
      'country',
      'fullname',
      'lang',
      'location',
      'phone',
    ]);
  });

  it('a request has its extra fields, whatever they are called', () => {
    const { request, problems } = check(JSON.parse('{"__proto__":"x","constructor":"y"}'));
    expect(problems).toEqual([]);
    expect(Object.entries(request?.params ?? {})).toEqual(
      expect.arrayContaining([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    );
  });

  it('a request has the recording in place of the text where a row has both, with a warning', () => {
    const both = { audio_file: 'a.wav' };
    expect(check(both).request?.params).not.toHaveProperty('request_text');
    expect(warnings(both)).toEqual(['request_text']);
  });
});

describe('what cannot work is an error', () => {
  it.each([
    [{ request_text: 'a\0b' }, 'NUL'],
    [{ fullname: '\ud800' }, 'NUL or half a character'],
    [{ ref: 'a\0' }, 'NUL'],
    [{ fullname: '<test lead: dummy data for full_name>' }, 'test lead'],
    [{ email: 'test@meta.com' }, 'test lead'],
    [{ email: 'Test@fb.com' }, 'test lead'],
    [{ ref: '1,23457E+15' }, 'ref was turned into scientific notation'],
    [{ category: '1.2E+11' }, 'category was turned into scientific notation'],
    [{ location: '1.2E+06' }, 'location was turned into scientific notation'],
    [{ country: 'CH', phone: undefined }, 'several languages (de, fr, it)'],
  ])('a value that cannot work is an error: %j', (changes, message) => {
    expect(errors(changes)).toEqual([expect.stringContaining(message)]);
    expect(check(changes).request).toBeNull();
  });
});

describe('everything else is a warning', () => {
  it.each([[{ request_text: 'caf\uFFFD' }, 'request_text']])('an odd value is a warning: %j', (changes, field) => {
    expect(warnings(changes)).toEqual([field]);
    expect(check(changes).request).not.toBeNull();
  });
});

describe('a postal code', () => {
  it('A postal code in scientific notation makes the row invalid, any other odd form warns', () => {
    expect(check({}, '1.2E+06').request).toBeNull();
    expect(check({}, '1200-109').problems).toEqual([]);
    expect(check({}, '12').problems).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('(1200-109)') }),
    ]);
  });
});

describe('a text that is longer than usual', () => {
  it.each([
    ['fullname', 200],
    ['location', 300],
    ['category', 100],
    ['ref', 255],
    ['request_text', 10_000],
    ['anything_else', 1000],
  ])('%s: more than %i letters are probably of another column', (field, most) => {
    expect(warnings({ [field]: 'x'.repeat(most) })).not.toContain(field);
    expect(warnings({ [field]: 'x'.repeat(most + 1) })).toContain(field);
  });
});

describe('A problem is told once, of the field that it is about', () => {
  const codes = (changes: Fields, postalCode?: string) =>
    check(changes, postalCode).problems.map(({ code, field }) => [code, field]);

  it.each<[Fields, string[][]]>([
    // Without a country a national number cannot be judged; one with its code can.
    [{ country: undefined, phone: '12', lang: 'pt' }, [['country.missing', 'country']]],
    [
      { country: undefined, phone: '+999 12', lang: 'pt' },
      [
        ['country.missing', 'country'],
        ['phone.country-code', 'phone'],
      ],
    ],
    [{ country: 'Atlantis', phone: '12', lang: 'pt' }, [['country.unknown', 'country']]],
    [{ phone: undefined }, []],
    [{ email: undefined }, []],
    [{ phone: undefined, email: undefined }, [['contact.missing', 'phone']]],
    [{ request_text: undefined, audio: 'UklGRg==' }, []],
    [{ audio: 'UklGRg==' }, [['request_text.left-out', 'request_text']]],
    [{ fullname: '<TEST LEAD: x>', email: 'test@fb.com' }, [['row.test-lead', 'fullname']]],
    [{ email: 'my-test@fb.com' }, []],
    [{ category: 'caf\uFFFD\0' }, [['text.damaged', 'category']]],
    [
      { ref: 'x'.repeat(256), audio_file: 'a\0', request_text: undefined },
      [
        ['text.too-long', 'ref'],
        ['text.damaged', 'audio_file'],
      ],
    ],
  ])('A problem is reported once, for the field that it is about: %j: %j', (changes, told) => {
    expect(codes(changes)).toEqual(told);
  });

  it.each<[string, Fields]>([
    ['fullname', { fullname: '#NAME?' }],
    ['fullname', { fullname: 'Ana #NV' }],
    ['location', { location: '1200-109 #N/A' }],
    ['category', { category: ' #REF! ' }],
    ['request_text', { request_text: '#¡VALOR!' }],
    ['lang', { lang: '#N/A' }],
    ['ref', { ref: '#BEZUG!' }],
    ['phone', { phone: '#WERT!' }],
    ['phone', { phone: '#WERT!', country: undefined, lang: 'pt' }],
    ['utm_source', { utm_source: '#NOM?' }],
  ])('an error value of a spreadsheet as the %s is refused: %j', (field, changes) => {
    const told = check(changes).problems.filter(({ code }) => code !== 'country.missing');
    expect(told.map(({ code, severity, field }) => [code, severity, field])).toEqual([
      ['text.error-value', 'error', field],
    ]);
    expect(told[0]?.value).toMatch(/^#\S+$/);
    expect(check(changes).request).toBeNull();
  });

  it('An error value in place of a part is one problem of the whole', () => {
    expect(codes({}, '#N/A')).toEqual([['text.error-value', 'location']]);
    expect(codes({ location: '#N/A Lisboa' }, '#N/A')).toEqual([['text.error-value', 'location']]);
    expect(codes({ email: '#REF!' })).toEqual([['email.invalid', 'email']]);
    expect(codes({ request_text: 'My table shows #REF! since Monday' })).toEqual([]);
  });

  it.each(['1.5E+11', '1,5e+11', '1.55555E+05'])('%s is a number without its digits', (text) => {
    expect(codes({ category: text })).toEqual([['text.scientific', 'category']]);
  });

  it.each(['15E+11', '1.5E+1', '1.5E11', 'x1.5E+11', '1.E+11'])('%s is not a number without its digits', (text) => {
    expect(codes({ category: text })).toEqual([]);
  });
});

it('a request is probably good if its checks say so, and never with a recording', () => {
  const likely = (fields: Record<string, string>) => likelyRequest({ row: 1, fields }, DOCUMENTED_CONTRACT);
  expect(likely(GOOD)).toEqual(checkRequest({ row: 1, fields: GOOD }, null).request);
  expect(likely({ ...GOOD, audio_file: 'a.wav' })).toBeNull();
  expect(likely({ ...GOOD, country: 'Atlantis' })).toBeNull();
  // Both are sent, and the recording takes the place of the text.
  expect(likely({ ...GOOD, audio: 'UklGRg==' })?.params).not.toHaveProperty('request_text');
  expect(likely({ ...GOOD, email: 'nobody' })?.params).toMatchObject({ email: 'nobody' });
  const { phone: _, ...phoneless } = GOOD;
  expect(likely(phoneless)?.params).not.toHaveProperty('phone');
});

it('a problem names the columns of all sources of its field, each once', () => {
  const source = (field: string, columns: number[]) =>
    ({ field, columns, how: 'first', template: null, prefix: null, because: '', level: 'certain' }) as const;
  const mapping: Mapping = {
    ...NO_MAPPING,
    columns: ['A', 'B', 'C'],
    sources: [source('phone', [0, 1]), source('phone', [1, 2]), source('country', []), source('lang', [2])],
  };
  const columnOf = (changes: Record<string, string>) =>
    checkRequest({ row: 1, fields: { ...GOOD, ...changes } }, mapping).problems.map(({ column }) => column);
  expect(columnOf({ phone: '1' })).toEqual(['A / B / C']);
  expect(columnOf({ country: 'Atlantis' })[0]).toBeNull();
  expect(columnOf({ lang: 'xx' })).toEqual(['C']);
});
