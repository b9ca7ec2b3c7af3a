import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LearnedFile } from '../../src/settings/account-files.ts';

const DESTINATION = { baseUrl: 'https://api.example.com', clientId: '4711' };
const EVIDENCE = {
  looks: [{ key: 'a'.repeat(32), kind: 'PT/0/text', createdAtMs: 1_000, end: 'seen', afterMs: 20 }],
} as const;
const PACE = { ratePerSecond: 3, concurrency: 4, limited: true };
const NOTHING = { evidence: null, answers: null, pace: null };

function learnedFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-learned-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'default.learned.json');
}
const storeAt = (path: string, changes = {}, contract = 'c0ffee') =>
  new LearnedFile(path, { ...DESTINATION, ...changes }, contract);

test('what was learned is kept part by part', () => {
  const path = learnedFile();
  expect(storeAt(path).read()).toEqual(NOTHING);
  storeAt(path).write({ evidence: EVIDENCE });
  storeAt(path).write({ pace: PACE });
  expect(storeAt(path).read()).toEqual({ ...NOTHING, evidence: EVIDENCE, pace: PACE });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    ...DESTINATION,
    contract: 'c0ffee',
    evidence: EVIDENCE,
    answers: null,
    pace: PACE,
  });
});

test('it is believed for the service and client it was found with, and evidence by the same contract alone', () => {
  const path = learnedFile();
  storeAt(path).write({ evidence: EVIDENCE, pace: PACE });
  expect(storeAt(path, { clientId: 'another' }).read()).toEqual(NOTHING);
  expect(storeAt(path, { baseUrl: 'https://other.example.com' }).read()).toEqual(NOTHING);
  expect(storeAt(path, {}, 'another').read()).toEqual({ ...NOTHING, pace: PACE });
  storeAt(path, {}, 'another').write({ pace: PACE });
  expect(storeAt(path).read()).toEqual({ ...NOTHING, pace: PACE });
});

test.each([null, 'taken', 'refused'] as const)('what answers mean is kept beside it, said by a person: %s', (said) => {
  const path = learnedFile();
  const form = { form: '204 empty', isDenied: false, complains: false, seen: 3, unseen: 0, said };
  const answers = { identifiedBy: ['data.id'], forms: [form] };
  storeAt(path).write({ answers });
  expect(storeAt(path).read()).toEqual({ ...NOTHING, answers });
  // It ends with the contract, too.
  expect(storeAt(path, {}, 'another').read()).toEqual(NOTHING);
});

test('a form of an earlier version counts as one that mentions an error, which has to be named', () => {
  const path = learnedFile();
  const form = { form: '204 empty', isDenied: false, seen: 0, unseen: 0, said: null };
  writeFileSync(
    path,
    JSON.stringify({ ...DESTINATION, contract: 'c0ffee', answers: { identifiedBy: [], forms: [form] } }),
  );
  expect(storeAt(path).read().answers?.forms).toEqual([{ ...form, complains: true }]);
});

test('evidence as earlier versions counted it is none; the rest of the file is as good as before', () => {
  const path = learnedFile();
  const old = { ...DESTINATION, evidence: { asked: 9, found: 9, slowestMs: 10 }, pace: PACE };
  writeFileSync(path, JSON.stringify(old));
  expect(storeAt(path).read()).toEqual(NOTHING);
  writeFileSync(path, JSON.stringify({ ...old, contract: 'c0ffee' }));
  expect(storeAt(path).read()).toEqual({ ...NOTHING, pace: PACE });
});

test.each(['', '{', '[]', 'null', '7', '{"baseUrl":1}'])('a file that holds %j is no knowledge', (text) => {
  const path = learnedFile();
  writeFileSync(path, text);
  expect(storeAt(path).read()).toEqual(NOTHING);
});

test('members that nobody knows are not kept', () => {
  const path = learnedFile();
  storeAt(path).write({ evidence: EVIDENCE });
  const strange = { ...JSON.parse(readFileSync(path, 'utf8')), more: 1 };
  strange.evidence.looks[0].name = 'Ana Exemplo';
  writeFileSync(path, JSON.stringify(strange));
  expect(storeAt(path).read()).toEqual({ ...NOTHING, evidence: EVIDENCE });
});

test('of evidence and answers only what has the form of srq is believed, as far as it goes', () => {
  const path = learnedFile();
  const [look] = EVIDENCE.looks;
  const evidenceOf = (changes: object) => {
    storeAt(path).write({ evidence: { looks: [{ ...look, ...changes }] } });
    return storeAt(path).read().evidence;
  };
  expect(evidenceOf({ kind: 'x'.repeat(32), afterMs: 0 })).not.toBeNull();
  for (const wrong of [{ kind: 'x'.repeat(33) }, { key: 'a'.repeat(31) }, { key: 'A'.repeat(32) }, { afterMs: -1 }]) {
    expect(evidenceOf(wrong)).toBeNull();
  }
  const answersOf = (form: string) => {
    storeAt(path).write({
      answers: {
        identifiedBy: [],
        forms: [{ form, isDenied: false, complains: false, seen: 0, unseen: 0, said: null }],
      },
    });
    return storeAt(path).read().answers;
  };
  expect([answersOf('x'.repeat(1_000)) === null, answersOf('x'.repeat(1_001)) === null]).toEqual([false, true]);
});

test('a record is changed from what another command has left of it, under its name in a store', async () => {
  const path = learnedFile();
  const store = storeAt(path);
  storeAt(path).write({ evidence: EVIDENCE, pace: PACE });
  const seen: unknown[] = [];
  const change = (name: string, keep: unknown) =>
    store.change(name, (kept) => {
      seen.push(kept);
      return { keep, result: 'told' };
    });
  const answers = { identifiedBy: ['id'], forms: [] };
  expect([await change('evidence-c0ffee', null), await change('answers-c0ffee', answers)]).toEqual(['told', 'told']);
  expect(seen).toEqual([EVIDENCE, null]);
  expect(storeAt(path).read()).toEqual({ evidence: null, answers, pace: PACE });
  await expect(change('evidence-another', null)).rejects.toThrow('no record of a file: evidence-another');
  await expect(change('pace-c0ffee', null)).rejects.toThrow('no record of a file');
});
