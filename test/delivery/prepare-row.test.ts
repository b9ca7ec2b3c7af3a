import { describe, expect, test } from 'vitest';
import { likelyRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow, prepareAgain, prepareRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Row } from '../../src/request/lead/table.ts';
import { PREPARATION } from './leads.ts';

const COLUMNS = ['country', 'phone', 'email', 'request_text', 'lang', 'audio_file', 'ref'];
const MAPPING = planMapping(COLUMNS, { map: {}, set: {} });
const PLAIN = ['PT', '+351912345678', 'ana@example.com', 'A dripping tap', '', '', 'A-1'];

/** A row like the plain one, with some cells of its own. */
function rowWith(cells: Partial<Record<(typeof COLUMNS)[number], string>>): Row {
  const changed = COLUMNS.map((name, at) => cells[name] ?? PLAIN[at] ?? '');
  return { number: 7, line: 8, cells: changed, problem: null };
}

const first = async (row: Row) => {
  const prepared = await prepareRow(row, { mapping: MAPPING, preparation: PREPARATION });
  return prepared.request ? prepared : expect.fail(JSON.stringify(prepared.problems));
};
const isLikely = (row: Row) => likelyRequest(mapRow(row, MAPPING), PREPARATION.contract);

describe('A row that is prepared again', () => {
  test.each<[string, Parameters<typeof rowWith>[0]]>([
    ['plain', {}],
    ['with blanks around its cells', { phone: ' +351 912 345 678 ', email: ' ana@example.com ', ref: ' A-1 ' }],
    ['with a national number', { phone: '912 345 678' }],
    ['with a number as people dial it', { country: 'Germany', phone: '0049 30 123456' }],
    ['of the United Kingdom by another of its names', { country: 'GB', phone: '020 7946 0958' }],
    ['with a language by its name', { country: 'CH', phone: '+41 44 668 18 00', lang: 'German' }],
    ['with an address in a form that is not sent', { email: 'Ana <ana@Example.com>' }],
    ['with a zero between the codes', { phone: '+351 (0)912 345 678' }],
    ['with a zero behind the code of another country', { phone: '+49 030 123456' }],
    ['with a mobile of Argentina as it is dialled there', { country: 'AR', phone: '+54 11 15 2345-6789' }],
    ['with an extension', { phone: '+351 912 345 678 ext. 12' }],
    ['with a prefix of its platform', { phone: 'p:+351912345678 ' }],
    ['with a number of another country', { phone: '+44 20 7946 0958' }],
  ])('A row that is prepared again, %s, has its key, unchecked, and is the same request', async (_, cells) => {
    const row = rowWith(cells);
    const { request, key } = await first(row);
    expect(isLikely(row)).toEqual(request);
    expect(await prepareAgain(row, key, { mapping: MAPPING, preparation: PREPARATION })).toEqual({
      row: 7,
      request,
      key,
      problems: [],
    });
  });

  test('A row that has become ragged is no request any more', async () => {
    const row = rowWith({});
    const { key } = await first(row);
    const ragged = { ...row, problem: 'has 6 cells' };
    expect(await prepareAgain(ragged, key, { mapping: MAPPING, preparation: PREPARATION })).toMatchObject({
      request: null,
    });
  });

  test('A row with a recording is prepared with another look at the recording', async () => {
    let looks = 0;
    const recording = { path: 'a.mp3', sizeBytes: 5, sha256: 'ab'.repeat(32), mediaType: 'audio/mpeg' };
    const audio = async () => {
      looks += 1;
      return { ...recording, base64: async () => '' };
    };
    const preparation = { ...PREPARATION, audio };
    const row = rowWith({ audio_file: 'a.mp3' });
    const prepared = await prepareRow(row, { mapping: MAPPING, preparation });
    if (!prepared.request) return expect.fail('It was meant to be ready.');
    expect(await prepareAgain(row, prepared.key, { mapping: MAPPING, preparation })).toMatchObject({
      request: { audio: recording },
    });
    expect(looks).toBe(2);
  });
});
