import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ANY_OWNER, MappingStore } from '../doors/kept.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-mappings-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const emptyStore = () => new MappingStore(join(folder, `${files++}.json`), ANY_OWNER);
const mapped = (field: string) => ({ map: { Wer: field }, set: {}, unused: [] });

test('the mapping of a header stays when the mapping of another is kept', () => {
  const store = emptyStore();
  store.keep(['Wer', 'Was'], mapped('fullname'), '2026-11-20');
  store.keep(['Wer', 'Wo'], mapped('ref'), '2026-11-21');
  expect([store.find(['Wer', 'Wo'])?.on, store.find(['Wer', 'Was'])?.on]).toEqual(['2026-11-21', '2026-11-20']);
});

test('the mapping that was confirmed longest ago makes room after two hundred headers', () => {
  const store = emptyStore();
  for (let at = 0; at <= 200; at += 1) store.keep(['Wer', `Was ${at}`], mapped('fullname'), '2026-11-20');
  expect([store.find(['Wer', 'Was 0']), store.find(['Wer', 'Was 1'])]).toMatchObject([null, { changes: null }]);
});

test('a header that differs in a quarter of its columns at most is a later form of the kept one', () => {
  const store = emptyStore();
  store.keep(['Wer', 'Was', 'Wo', 'Wann'], mapped('fullname'), '2026-11-20');
  expect(store.find(['Wer', 'Was', 'Wo', 'Wann', 'Wie'])?.changes).toEqual({ added: ['Wie'], gone: [] });
  expect(store.find(['Wer', 'Was', 'Wo', 'Warum'])).toBeNull();
  expect(store.find(['Wer', 'Was', 'Wo', 'Wann', 'Wie', 'Warum'])).toBeNull();
  store.keep(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'], mapped('fullname'), '2026-11-20');
  expect(store.find(['A', 'B', 'C', 'D', 'E', 'F'])?.changes).toEqual({ added: [], gone: ['G', 'H'] });
  expect(store.find(['A', 'B', 'C', 'D', 'E'])).toBeNull();
});

test('columns are found again whatever their order, case and accents, and templates as long as all of them are there', () => {
  const store = emptyStore();
  const confirmed = {
    map: { Größe: 'request_text', '  7': 'ref' },
    set: { fullname: '{Vorname} {Name}', address: '{Straße}, {Ort}', country: 'DE' },
    unused: ['Notiz', 'Ort'],
  };
  const columns = ['Vorname', 'Name', 'Straße', 'Ort', 'Größe', 'Notiz', '7'];
  store.keep(columns, confirmed, '2026-11-20');
  expect(store.find(['7', 'NOTIZ', 'größe', 'ort', 'STRAßE', 'NAME', 'vorname'])).toMatchObject({
    map: { größe: 'request_text', ' 7': 'ref' },
    set: confirmed.set,
    unused: ['NOTIZ', 'ort'],
    on: '2026-11-20',
    changes: null,
  });
  // Without the column of a place an address that is made from the street alone would be sent as if it were whole.
  expect(store.find(columns.filter((name) => name !== 'Ort'))).toMatchObject({
    set: { fullname: '{Vorname} {Name}' },
    unused: ['Notiz'],
    changes: { added: [], gone: ['Ort'] },
  });
  expect(Object.keys(store.find(columns.filter((name) => name !== 'Ort'))?.set ?? {})).toEqual(['fullname']);
});

test('a column without a name is the same only in the same header, and so is a header with two names alike', () => {
  const store = emptyStore();
  const columns = ['Wer', 'Was', 'Wo', 'Wann', 'Womit', 'Wozu', 'Warum', ''];
  store.keep(columns, { map: { 'column 8': 'ref', Wer: 'fullname' }, set: {}, unused: [] }, '2026-11-20');
  expect(store.find(columns)?.map).toEqual({ 'column 8': 'ref', Wer: 'fullname' });
  expect(store.find([...columns.slice(0, -1), 'Wie', ''])).toMatchObject({
    map: { Wer: 'fullname' },
    changes: { added: ['Wie'], gone: [] },
  });
  const twins = ['Wer', 'WER', 'Was', 'Wo'];
  store.keep(twins, mapped('ref'), '2026-11-21');
  expect([store.find(twins), store.used(twins)]).toEqual([null, []]);
  // Two columns of the very same name are told apart by nobody, and mean the same.
  store.keep(['Wer', 'Wer', 'Wie'], mapped('ref'), '2026-11-21');
  expect(store.find(['wer', 'wer', 'wie'])?.on).toBe('2026-11-21');
});

test('the columns that srq adds to its results make no other header', () => {
  const store = emptyStore();
  store.keep(['Wer', 'Was', 'Wo', 'Wann'], mapped('fullname'), '2026-11-20');
  expect(store.find(['Wer', 'Was', 'Wo', 'Wann', 'srq_status', 'srq_message'])).toMatchObject({ changes: null });
  const added = { added: ['Wie'], gone: [] };
  const own = ['srq_status', 'srq_id', 'srq_message', 'srq_row', 'srq_key'];
  expect(store.find(['Wer', 'Was', 'Wo', 'Wann', 'Wie', ...own])?.changes).toEqual(added);
  const results = emptyStore();
  results.keep(['Wer', 'Was', 'Wo', 'Wann', ...own], mapped('fullname'), '2026-11-20');
  expect(results.find(['Wer', 'Was', 'Wo', 'Wann', 'Wie'])?.changes).toEqual(added);
});
