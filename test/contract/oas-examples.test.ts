import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { learnOptions } from './learn-options.ts';

const FOLDER = new URL('../../node_modules/@readme/oas-examples/', import.meta.url);
const files = ['2.0', '3.0', '3.1'].flatMap((version) =>
  readdirSync(new URL(version, FOLDER), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|yaml)$/.test(name))
    .map((name) => `${version}/${name}`),
);

function learned(file: string, operations: Record<string, string> = {}): string {
  const document = { name: basename(file), bytes: readFileSync(new URL(file, FOLDER)) };
  try {
    const { contract, questions } = learnContract([document], learnOptions({ operations }));
    expect(contract.source?.kind).toMatch(/^(?:OpenAPI 3\.[01]|Swagger 2\.0)$/);
    for (const { text, answer } of questions)
      expect(text.length > 20 && /^--(?:set|operation) /.test(answer)).toBe(true);
    return questions.length > 0 ? 'question' : 'proposal';
  } catch (error) {
    if (!(error instanceof SrqError)) throw error;
    expect(error.hint).toMatch(/srq contract learn FILE|--operation/);
    return 'error';
  }
}

test('every public example of a description ends in a proposal or a question', () => {
  expect(files.length).toBeGreaterThanOrEqual(70);
  const ends = files.map((file) => learned(file));
  expect(ends.filter((end) => end === 'question')).toHaveLength(files.length);
});

test('whichever operation creates, none of the others is taken for validate unasked', () => {
  const chosen = files.flatMap((file) =>
    writingOperations(file).flatMap((create) => {
      const document = { name: basename(file), bytes: readFileSync(new URL(file, FOLDER)) };
      try {
        const { findings } = learnContract([document], learnOptions({ operations: { create } })).contract;
        return findings.filter(({ setting, where }) => setting === 'validate.path' && where !== '');
      } catch (error) {
        if (error instanceof SrqError) return [];
        throw error;
      }
    }),
  );
  expect(chosen).toEqual([]);
});

/** Of the descriptions in JSON: `POST /pets`. */
function writingOperations(file: string): string[] {
  if (!file.endsWith('.json')) return [];
  const { paths = {} } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { paths?: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) =>
    ['post', 'put'].filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
