import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { KnownAnswers } from '../../src/request/contract/known-answers.ts';
import { learnedFile, NOTHING_KNOWN } from '../doors/kept.ts';

const DESTINATION = { baseUrl: 'https://api.example.com', clientId: '4711' };
const ANSWERS: KnownAnswers = {
  ...{ shared: ['trace_id'], identifiers: [{ digest: '0a', key: 'k' }], experiments: 2 },
  forms: [
    {
      ...{ operation: 'create', means: 'taken', by: 'experiment', status: 201, type: 'application/json' },
      ...{ paths: { 'data.id': { values: ['id'], count: 3 } }, count: 3, text: '201 {"data":{"id":"#"}}' },
      ...{ byIdentifier: false, atMs: 1_000 },
    },
  ],
};
const PACE = { ratePerSecond: 3, concurrency: 4, limited: true };
const NOTHING = { answers: null, pace: null };

function somePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-learned-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'default.learned.json');
}
const storeAt = (path: string, changes = {}, contract = 'c0ffee') =>
  learnedFile(path, { ...DESTINATION, ...changes }, contract);

test('what was learned of an account is kept part by part', () => {
  const path = somePath();
  expect(storeAt(path).read()).toEqual(NOTHING);
  storeAt(path).write({ answers: ANSWERS });
  storeAt(path).write({ pace: PACE });
  expect(storeAt(path).read()).toEqual({ ...NOTHING, answers: ANSWERS, pace: PACE });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    ...DESTINATION,
    contract: 'c0ffee',
    answers: ANSWERS,
    pace: PACE,
  });
});

test('who has learned nothing leaves what another account has learned', () => {
  const path = somePath();
  storeAt(path).write({ answers: ANSWERS });
  storeAt(path, { clientId: 'another' }).add(NOTHING_KNOWN);
  expect(storeAt(path).read()).toEqual({ ...NOTHING, answers: ANSWERS });
});

test('what was learned is used for the same service and client, and answers under the same description', () => {
  const path = somePath();
  storeAt(path).write({ answers: ANSWERS, pace: PACE });
  expect(storeAt(path, { clientId: 'another' }).read()).toEqual(NOTHING);
  expect(storeAt(path, { baseUrl: 'https://other.example.com' }).read()).toEqual(NOTHING);
  expect(storeAt(path, {}, 'another').read()).toEqual({ ...NOTHING, pace: PACE });
  storeAt(path, {}, 'another').write({ pace: PACE });
  expect(storeAt(path).read()).toEqual({ ...NOTHING, pace: PACE });
});

test('answers in the file of what was learned are used only in the form that srq writes', () => {
  const [form] = ANSWERS.forms;
  const isBelieved = (changes: object) => {
    const path = somePath();
    storeAt(path).write({ answers: { ...ANSWERS, forms: [{ ...form, ...changes }] } });
    return storeAt(path).read().answers !== null;
  };
  const valued = (...values: string[]) => ({ paths: { state: { values, count: 1 } } });
  expect([{}, valued('x'.repeat(300)), valued(...Array.from({ length: 50 }, String))].map(isBelieved)).toEqual([
    true,
    true,
    true,
  ]);
  for (const wrong of [
    ...[
      { means: 'perhaps' },
      { by: 'nobody' },
      { operation: 'token' },
      { status: '201' },
      { count: -1 },
      { text: null },
    ],
    ...[valued('x'.repeat(301)), valued(...Array.from({ length: 51 }, String)), { byIdentifier: 1 }, { paths: [] }],
  ])
    expect([wrong, isBelieved(wrong)]).toEqual([wrong, false]);
});

test('what was learned is added to what another command has left of it', () => {
  const path = somePath();
  const store = storeAt(path);
  expect(store.add({ ...NOTHING_KNOWN, shared: ['trace_id'] }).shared).toEqual(['trace_id']);
  storeAt(path).write({ answers: ANSWERS, pace: PACE });
  const added = { ...ANSWERS, shared: ['trace_id', 'call_id'], experiments: 3 };
  expect(store.add({ ...NOTHING_KNOWN, shared: ['call_id'], experiments: 3 })).toEqual(added);
  expect(storeAt(path).read()).toEqual({ answers: added, pace: PACE });
});
