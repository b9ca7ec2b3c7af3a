import { expect, test } from 'vitest';
import { judgedDocuments, tallyOf, verdictOn } from './judged-document.ts';

/** A folder of whole documents, see fixtures/documents/README.md. */
const FOLDER = process.env['SRQ_TEST_DOCUMENTS'];

const documents = judgedDocuments(FOLDER);
const judged = documents.map(({ judgement }) => judgement);
const verdicts = documents.map(({ file, bytes, judgement }) => verdictOn(file, bytes, judgement));
const tally = tallyOf(verdicts);

/** What is wrong in each document, for the message of a test that fails. */
const faults = verdicts
  .map(({ name, wrongCreate, wrongValidate, wrongToken, wrongFields }) => {
    const all = [wrongCreate, wrongValidate, wrongToken, ...wrongFields].filter((each) => each !== null);
    return all.length === 0 ? '' : `${name}: ${all.join('; ')}\n`;
  })
  .join('');

test.skipIf(FOLDER !== undefined)(
  'real API descriptions of many kinds are tried, each once and most with a create',
  () => {
    expect(new Set(judged.map(({ name }) => name)).size).toBe(judged.length);
    expect(judged.filter(({ document }) => document !== undefined).length).toBeGreaterThanOrEqual(80);
    expect(judged.filter(({ create }) => create.length > 0).length).toBeGreaterThanOrEqual(60);
    expect(judged.flatMap(({ fields }) => Object.keys(fields)).length).toBeGreaterThan(200);
  },
);

test.each(['creates', 'validates', 'tokens', 'fields'] as const)('no %s are wrong unasked', (what) => {
  expect(tally.wrong[what], faults).toBe(0);
});

test('every create of the real API descriptions is taken or offered, with few questions', () => {
  expect(verdicts.filter(({ isMissed, refusal }) => isMissed && refusal === null).map(({ name }) => name)).toEqual([]);
  expect(tally.medianQuestions).toBeLessThanOrEqual(2);
  expect(tally.mostQuestions).toBeLessThanOrEqual(5);
  // A figure, not a demand: who leaves all open is never wrong.
  if (FOLDER === undefined) expect(tally.rightFields + tally.commented).toBeGreaterThan(230);
});
