import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Contract, edited, learn, page } from '../doors/learn.ts';

interface Expected {
  readonly set: Record<string, string>;
  readonly operations: Record<string, string>;
  readonly questions: readonly string[];
  readonly create: Where;
  readonly validate: Where;
  readonly wire: Record<string, string>;
  readonly constants: Record<string, string>;
  readonly alternatives: Record<string, Record<string, string>>;
  readonly token: Record<string, unknown>;
  readonly idempotency: object | null;
  readonly servers: readonly object[];
  readonly audio: string | null;
}

interface Where {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
}

const FOLDER = new URL('../../fixtures/contracts/', import.meta.url);
const bytesOf = (name: string) => readFileSync(new URL(name, FOLDER));
const expected: Record<string, Expected> = JSON.parse(bytesOf('expected.json').toString());

/** What the test compares, in the words of `expected.json`. */
function summary({ create, validate, token, servers }: Contract) {
  const body = ([place]: readonly [string, unknown]) => !/^(?:header|query) /.test(place);
  const { path, auth, encoding, extra } = token;
  return {
    create: [create.call, create.as],
    validate: validate && [validate.call, validate.as],
    wire: Object.fromEntries(Object.entries(create.fields).map(([place, field]) => [field, place])),
    constants: Object.fromEntries(
      Object.entries(create.always)
        .filter(body)
        .map(([place, value]) => [place, String(value)]),
    ),
    alternatives: create.when,
    token: { path, auth, encoding, extra },
    idempotency: create.again,
    servers: servers.map(({ url }) => ({ url })),
    audio: Object.values(create.fields).includes('audio_file') ? create.audio : null,
  };
}

test.each(Object.entries(expected))('%s is learned once its questions are answered', (name, each) => {
  const unanswered = learn(bytesOf(name), { name, operations: each.operations });
  expect(unanswered.questions.map((question) => question.name).sort()).toEqual([...each.questions].sort());
  const { contract, questions } = learn(bytesOf(name), { name, operations: each.operations, values: each.set });
  expect(questions.filter(({ unanswered: counts }) => counts === undefined)).toEqual([]);
  const where = ({ method, path, contentType }: Where) => [`${method} ${path}`, contentType];
  expect(summary(contract)).toEqual({
    ...{ create: where(each.create), validate: where(each.validate), wire: each.wire, constants: each.constants },
    ...{ alternatives: each.alternatives, token: each.token, idempotency: each.idempotency },
    ...{ servers: each.servers, audio: each.audio },
  });
  expect(edited(page(contract), contract).contract).toEqual(contract);
});

test.each(Object.entries(expected))('%s: only the paths of the public API are taken unasked', (name, each) => {
  const asked = learn(bytesOf(name), { name }).questions.map((question) => question.name);
  const roles = Object.keys(each.operations).map((role) => `operation:${role}`);
  expect(asked.filter((question) => /^operation:(?:create|validate)$/.test(question))).toEqual(roles);
});

test('a collection gives places, a token by HTTP Basic, and no secret', () => {
  const environment = JSON.parse(bytesOf('postman-nested-v20.environment.json').toString());
  const operations = { create: 'POST /jobs', validate: 'POST /jobs/check' };
  const name = 'postman-nested-v20.json';
  const { contract } = learn(bytesOf(name), { name, environment, operations });
  expect(summary(contract)).toMatchObject({
    create: ['POST /jobs', 'application/json'],
    wire: { fullname: 'customer.name', email: 'customer.email', phone: 'customer.phone', request_text: 'description' },
    token: { path: '/auth/token', auth: 'basic', extra: { scope: 'jobs:write' } },
    servers: [{ url: 'https://test.jobs.example.com/partner' }],
  });
});

test('a collection of forms is read with its file and its further parameters', () => {
  const operations = { create: 'POST /v2/request/create', validate: 'POST /v2/request/validate' };
  const { contract } = learn(bytesOf('postman-multipart-v21.json'), { operations });
  expect(summary(contract)).toMatchObject({
    create: ['POST /v2/request/create', 'multipart/form-data'],
    validate: ['POST /v2/request/validate', 'application/x-www-form-urlencoded'],
    token: { path: '/v2/oauth/token', auth: 'basic', extra: { audience: 'requests' } },
    audio: 'binary',
  });
});
