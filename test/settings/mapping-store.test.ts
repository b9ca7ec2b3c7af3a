import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ANY_OWNER, mappingStore } from '../doors/kept.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-mappings-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const emptyStore = () => mappingStore(join(folder, `${files++}.json`), ANY_OWNER);
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

test('the mapping of a results file was that of the file itself, which has a column more now', () => {
  const store = emptyStore();
  store.keep(['Wer', 'Was', 'srq_status', 'srq_id', 'srq_message', 'srq_key'], mapped('fullname'), '2026-11-20');
  expect(store.used(['Wer', 'Was', 'Wo']).map(({ on, changes }) => [on, changes?.added])).toEqual([
    ['2026-11-20', ['Wo']],
  ]);
});
