import { describe, expect, test } from 'vitest';
import { prepareRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { contentKey, KEY_RECIPE } from '../../src/request/lead/service-request.ts';
import { PREPARATION } from '../delivery/leads.ts';

// These keys are in logs. A change that makes one of them another one makes leads new that were sent long ago: it needs a
// new KEY_RECIPE and a way to find the old ones (src/store/file/FORMAT.md, "Content key"), never a new text here.

const SERVICE = 'https://api.example.com';
const FULL = {
  country: 'PT',
  lang: 'pt',
  location: 'Lisboa 1000-001',
  fullname: 'Inês Exemplo',
  email: 'ines@example.com',
  phone: '+351912345678',
  request_text: 'A torneira da cozinha pinga.',
  category: 'plumbing',
};
const { country, phone, request_text } = FULL;
const FILE = { path: 'voice.wav', sizeBytes: 6, sha256: 'ab12'.repeat(16), mediaType: 'audio/wav' };
const VOICE = { ...FILE, base64: async () => '' };

/** Reckoned from FORMAT.md by another program in another language. */
const KEYS: readonly [string, Readonly<Record<string, string>>, string, { at?: string; client?: string }?][] = [
  ['all fields', FULL, '5eb2052b51aaa6227100f93501e997ee'],
  [
    'the fields in another order',
    Object.fromEntries(Object.entries(FULL).reverse()),
    '5eb2052b51aaa6227100f93501e997ee',
  ],
  ['few fields', { country, phone, request_text }, '7b6e94d1fb63f7532e3744f34156c682'],
  ['no field', {}, '50e7c3b6f162d84f2049709c0ccaf34a'],
  ['empty texts', { fullname: '', request_text: '' }, '7530109d35a5fd4dc570ce130135b51d'],
  ['fields of its own', { budget: '500', Zone: 'A', country, área: 'sul' }, '1404ebb466e61903aaac21d88532e98d'],
  ['many scripts', { request_text: 'Maler für 3 Räume 🏠, 東京 שלום' }, '0b024dd192b6c7ae0dc2887d1659ba55'],
  ['letters in two parts', { fullname: 'Ine\u0302s' }, '0573ec14501d44cc8f2b6913c50c1fac'],
  ['quotes', { request_text: 'a "quoted" \\ back / slash' }, 'c4ae17f277c0a03490fc8d5578073b43'],
  [
    'control characters',
    { request_text: 'one\r\ntwo\tthree\b\f\u0000\u001f\u007f\u2028' },
    'b465dd7adc9f3fbe62049dd8d18f56f6',
  ],
  ['the first half of an emoji', { request_text: 'half \ud83e' }, 'f90209254b70572f436bb174c9bbf3a7'],
  ['the second half of an emoji', { request_text: '\udd73 half' }, '9d340bfcfe91b5a036dea789f4f57001'],
  ['another client', FULL, 'c5abd75cea5180f0c83596a36cf98e75', { client: '4712' }],
  ['another service', FULL, '955789bc63e47f5be688ee860904cfb9', { at: 'https://test.example.com' }],
  ['a service of this machine', FULL, '1f34ebbbaf622b162e313acf585e281c', { at: 'http://127.0.0.1:4010' }],
  [
    'a service below a path and an odd client',
    FULL,
    'cee7037bf9446c19cd80fb2c9b9a4f7b',
    { at: 'https://api.example.com/partners', client: 'client "7" ü' },
  ],
];

describe(`By recipe ${KEY_RECIPE}, the keys are what they were in every log so far:`, () => {
  test('the recipe in force is the first', () => expect(KEY_RECIPE).toBe(1));

  test.each(KEYS)(
    'a request keeps the key of older logs: %s',
    (_, params, key, { at = SERVICE, client = '4711' } = {}) => {
      expect(contentKey({ params, audio: null, ref: 'any' }, { baseUrl: at, clientId: client })).toBe(key);
    },
  );

  test.each([
    ['a recording', {}],
    ['a recording beside a text', { request_text }],
  ])('a request keeps the key of older logs, with %s', (_, more) => {
    const request = { params: { country, phone, ...more }, audio: VOICE, ref: null };
    const key = 'cc49d86aecbd7b6ff905147d38367a70';
    expect(contentKey(request, { baseUrl: SERVICE, clientId: '4711' })).toBe(key);
  });
});

describe('Rows of a file have the keys that they had in every log so far:', () => {
  const COLUMNS = ['Country', 'Full name', 'E-mail', 'Phone', 'City', 'Message', 'Language', 'Budget', 'ref'];
  const mapping = planMapping(COLUMNS, { map: { Budget: 'budget' }, set: {} });

  test.each([
    {
      row: 'as people write',
      cells: ['Portugal', 'Inês Exemplo', 'ines@Example.COM', '912 345 678', 'Lisboa', 'Pintar', 'pt', '', 'A-1'],
      key: 'ded6db68926ce1362120ffe6f6051e9b',
    },
    {
      row: 'with blanks',
      cells: [
        ' PT ',
        ' Inês  Exemplo ',
        ' i@example.com ',
        '00351 912345678',
        ' Lisboa ',
        ' Pintar\r\na ',
        '',
        '5',
        '',
      ],
      key: '71f1d4bf53de4a63061476dfd2b3830e',
    },
    {
      row: 'of another market',
      cells: ['DE', 'Jörg Beispiel', 'j@example.com', '030 123456', 'Berlin', 'Küche streichen 🎨', 'Deutsch', '', ''],
      key: 'b3077a4670085e3617ed5ab5dc115cd2',
    },
    {
      row: 'with little',
      cells: ['PT', '', '', '+351 (0)912 345 678', '', 'Obras', '', '', ''],
      key: 'bf0731537db61ba70a5a7e5a6a526df0',
    },
  ])('a row of a file keeps the key of older logs: $row', async ({ cells, key }) => {
    const prepared = await prepareRow(
      { number: 1, line: 2, cells, problem: null },
      { mapping, preparation: PREPARATION },
    );
    expect(prepared).toMatchObject({ key });
  });
});
