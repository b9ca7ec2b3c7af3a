import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Judgement, tallyOf, verdictOn } from './judged-document.ts';

/** A judgement of a public document, of which there is an extract, or which is one of the examples. */
interface JudgedDocument extends Judgement {
  readonly document?: object;
  readonly file?: string;
}

const EXAMPLES = new URL('../../node_modules/@readme/oas-examples/', import.meta.url);

const judged = readFileSync(new URL('../../fixtures/documents/judged.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as JudgedDocument);
const verdicts = judged.map((each) => verdictOn(`${each.name}.json`, bytesOf(each), each));
const tally = tallyOf(verdicts);

function bytesOf({ document, file }: JudgedDocument): Buffer {
  return file === undefined ? Buffer.from(JSON.stringify(document)) : readFileSync(new URL(file, EXAMPLES));
}

/** What is wrong in each document, for the message of a test that fails. */
const faults = verdicts
  .map(({ name, wrongCreate, wrongValidate, wrongToken, wrongFields }) => {
    const all = [wrongCreate, wrongValidate, wrongToken, ...wrongFields].filter((each) => each !== null);
    return all.length === 0 ? '' : `${name}: ${all.join('; ')}\n`;
  })
  .join('');

test('real API descriptions of many kinds are tried, each once and most with a create', () => {
  expect(new Set(judged.map(({ name }) => name)).size).toBe(judged.length);
  expect(judged.filter(({ document }) => document !== undefined).length).toBeGreaterThanOrEqual(80);
  expect(judged.filter(({ create }) => create.length > 0).length).toBeGreaterThanOrEqual(60);
  expect(judged.flatMap(({ fields }) => Object.keys(fields)).length).toBeGreaterThan(200);
});

test.each(['creates', 'validates', 'tokens', 'fields'] as const)('no %s are wrong unasked', (what) => {
  expect(tally.wrong[what], faults).toBe(0);
});

test('every create of the real API descriptions is taken or offered, with few questions', () => {
  expect(verdicts.filter(({ isMissed, refusal }) => isMissed && refusal === null).map(({ name }) => name)).toEqual([]);
  expect(tally.medianQuestions).toBeLessThanOrEqual(1);
  expect(tally.mostQuestions).toBeLessThanOrEqual(5);
  // A figure, not a demand: who leaves all open is never wrong.
  expect(tally.rightFields + tally.commented).toBeGreaterThan(230);
});
