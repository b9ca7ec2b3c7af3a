import { expect, test } from 'vitest';
import { learnContract } from '../../src/contract/learn.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { KNOWN, learnParts } from './describe-request.ts';
import { learnOptions } from './learn-options.ts';

const post = { requestBody: { content: { 'application/json': { schema: { properties: KNOWN } } } }, responses: {} };
const learn = (paths: object, operations: Record<string, string> = {}) =>
  learnContract(
    [
      {
        name: 'api.json',
        bytes: Buffer.from(JSON.stringify({ openapi: '3.1.0', paths: { '/requests': { post }, ...paths } })),
      },
    ],
    learnOptions({ operations }),
  );
const finding = ({ contract }: ReturnType<typeof learn>) =>
  contract.findings.find(({ setting }) => setting === 'validate.path');

test('a document without validate leaves open whether there is one, and says how to say that there is none', () => {
  const proposal = learn({});
  expect(proposal.contract.hasValidate).toBeNull();
  expect(finding(proposal)).toMatchObject({
    confidence: 'weak',
    why: expect.stringContaining('--operation validate=none'),
  });
});

test('a person may say that there is none, also against the document', () => {
  const proposal = learn({}, { validate: 'none' });
  expect(proposal.contract.hasValidate).toBe(false);
  expect(finding(proposal)).toMatchObject({ value: 'none', confidence: 'certain', why: 'you said so' });
  expect(learnParts({}).contract.hasValidate).toBe(true);
  expect(learnParts({ options: { operations: { validate: 'none' } } }).contract.hasValidate).toBe(false);
});

test('one that is asked without a body is named, and why it cannot be used', () => {
  const paths = { '/requests/check-duplicate': { get: { responses: {} } } };
  expect(finding(learn(paths))?.why).toContain('GET /requests/check-duplicate looks like it, but takes no body');
  const choosing = () => learn(paths, { validate: 'GET /requests/check-duplicate' });
  expect(choosing).toThrow('GET /requests/check-duplicate takes no body');
  expect(choosing).toThrow(expect.objectContaining({ hint: expect.stringContaining('--operation validate=none') }));
  expect(choosing).toThrow(SrqError);
});

test('a path alone means the operation that takes a body', () => {
  const { contract } = learn({ '/check': { get: { responses: {} }, post } }, { validate: '/check' });
  expect(contract.validate.path).toBe('/check');
});

test('so it is in Swagger 2', () => {
  const create = { parameters: [{ in: 'body', name: 'lead', schema: { properties: KNOWN } }], responses: {} };
  const paths = { '/requests': { post: create }, '/requests/check-duplicate': { get: { responses: {} } } };
  const bytes = Buffer.from(JSON.stringify({ swagger: '2.0', paths }));
  expect(finding(learnContract([{ name: 'api.json', bytes }], learnOptions()))?.why).toContain('takes no body');
});
