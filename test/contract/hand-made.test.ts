import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import type { Contract } from '../../src/contract/version-1/contract.ts';
import { learnOptions } from './learn-options.ts';

interface Expected {
  readonly set: Record<string, string>;
  readonly questions: readonly string[];
  readonly create: object;
  readonly validate: object;
  readonly wire: object;
  readonly required: readonly string[];
  readonly constants: Record<string, string>;
  readonly alternatives: Record<string, Record<string, string>>;
  readonly identifiers: readonly string[];
  readonly verdict: string;
  readonly createDuplicate: boolean;
  readonly token: object;
  readonly idempotency: object | null;
  readonly unavailableIsNotActed: boolean;
  readonly basePath: string;
  readonly servers: readonly object[];
  readonly audio: string | null;
  readonly baseUrl?: string;
}

const FOLDER = new URL('../../fixtures/contracts/', import.meta.url);
const expectations = JSON.parse(readFileSync(new URL('expected.json', FOLDER), 'utf8')) as Record<string, Expected>;
const FIELDS =
  /^(?:country|lang|location|fullname|email|phone|request_text|category|audio_file|audio_type|audio_name)$/;

const fixture = (name: string) => ({ name, bytes: readFileSync(new URL(name, FOLDER)) });

for (const [file, expected] of Object.entries(expectations)) {
  test(`${file} is learned as its table says`, () => {
    const baseUrl = expected.baseUrl ?? null;
    const open = learnContract([fixture(file)], learnOptions({ baseUrl }));
    expect(open.questions.map(({ name }) => name).sort()).toEqual(expected.questions);
    const { contract, questions } = learnContract([fixture(file)], learnOptions({ baseUrl, constants: expected.set }));
    expect(questions).toEqual([]);
    expect(summary(contract)).toEqual({ ...expected, set: undefined, questions: undefined, baseUrl: undefined });
  });
}

/** A contract in the columns of the table. */
function summary(contract: Contract): object {
  const { create, validate, token } = contract;
  const parameters = create.parameters ?? [];
  const fields = parameters.filter(({ field }) => FIELDS.test(field));
  const place = ({ method, path, encoding, contentType }: Contract['create'] | Contract['validate']) => ({
    ...{ method, path, encoding, contentType },
  });
  const fixed = parameters.filter(({ constant, in: where }) => constant !== null && where === 'body');
  const chosen = create.choices.flat().filter(({ constants }) => constants.length > 0);
  return {
    create: place(create),
    validate: place(validate),
    wire: Object.fromEntries(fields.map(({ field, path }) => [field, path.join('.')])),
    required: fields
      .filter(({ required }) => required)
      .map(({ field }) => field)
      .sort(),
    constants: Object.fromEntries(fixed.map(({ path, constant }) => [path.join('.'), constant])),
    alternatives: Object.fromEntries(
      chosen.map((each) => [
        each.fields[0],
        Object.fromEntries(each.constants.map(({ path, value }) => [path.join('.'), value])),
      ]),
    ),
    identifiers: create.identifiers.map(({ name }) => name),
    verdict: validate.verdict[0]?.kind,
    createDuplicate: create.duplicate.length > 0,
    token: { path: token.path, auth: token.auth, encoding: token.encoding, extra: token.extra },
    idempotency: create.idempotency,
    unavailableIsNotActed: contract.unavailableIsNotActed,
    basePath: contract.basePath,
    servers: contract.servers.map(({ url, test: isTest }) => ({ url, test: isTest })),
    audio: parameters.find(({ field }) => field === 'audio_file')?.audioForm ?? null,
  };
}
