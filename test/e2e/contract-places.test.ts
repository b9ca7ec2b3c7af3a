import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

/** A create of which no member is a field: a code, and an object that holds anything. */
function freeDescription(desk: Desk): string {
  const schema = { type: 'object', properties: { deskCode: { type: 'string' }, values: { type: 'object' } } };
  const post = { requestBody: { content: { 'application/json': { schema } } }, responses: { 201: {} } };
  return desk.write('api.json', JSON.stringify({ openapi: '3.1.0', info: {}, paths: { '/requests': { post } } }));
}
const OPERATIONS = ['--operation', 'create=POST /requests', '--operation', 'validate=none'];
const kept = ({ config }: Desk): Contract =>
  JSON.parse(readFileSync(join(config, 'contracts', 'default.json'), 'utf8'));
const placeOf = (contract: Contract, field: string) =>
  contract.create.parameters?.find((each) => each.field === field)?.path.join('.');

test('without a word on where the fields go, rows are invalid and say the next command; with it they go there', async ({
  desk,
  openSandbox,
}) => {
  const file = freeDescription(desk);
  const leads = desk.write('leads.csv', leadsCsv(3));
  const learn = (...words: string[]) => desk.call('contract', 'learn', file, ...OPERATIONS, '--yes', ...words);
  const proposal = documentOf(await desk.call('contract', 'learn', file, ...OPERATIONS, '--dry-run', '--json'));
  expect(proposal['questions']).toMatchObject([
    {
      name: 'place:fields',
      answer: "--set 'values={fields}'",
      choices: ['values', 'body', 'none'],
      unanswered: 'none',
    },
  ]);
  expect(await learn()).toMatchObject({ code: 0 });
  const plan = documentOf(await desk.call('bulk', leads, '--dry-run', '--json'));
  expect(plan).toMatchObject({ invalid: 3 });
  expect(JSON.stringify(plan)).toContain('contract.no-fields');
  expect((await desk.call('bulk', leads, '--dry-run')).stderr).toContain(
    "srq contract learn FILE --set 'PLACE={fields}'",
  );

  expect(await learn('--set', 'values={fields}')).toMatchObject({ code: 0 });
  const sandbox = await openSandbox({ contract: kept(desk) });
  desk.use(sandbox);
  await desk.call('bulk', leads, '--yes', '--json');
  const [sent] = creates(sandbox);
  expect(sent?.params).toMatchObject({ 'values.email': expect.any(String) });
});

describe.skipIf(!HAS_TERMINAL)('on a terminal', () => {
  test('the number of an object, or its name, says that it takes the fields', async ({ desk }) => {
    const file = freeDescription(desk);
    const words = ['contract', 'learn', file, ...OPERATIONS];
    for (const [said, place] of [
      ['1', 'values.email'],
      ['body', 'email'],
      ['', undefined],
    ] as const) {
      const { shown, code } = await onTerminal(desk, words, [
        [/1\.\s+values.*\[none\]\s+$/s, said],
        [/\[y\/N\] $/, 'y'],
        [/not\s+now\): $/, ''],
      ]);
      expect(code, shown).toBe(0);
      expect(placeOf(kept(desk), 'email')).toBe(place);
    }
  });
});
