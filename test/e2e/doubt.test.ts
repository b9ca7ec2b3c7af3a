import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv, REQUEST } from '../helpers/leads.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ROWS = 60;
/** Without waiting for validate to settle what is in doubt. */
const bulkArgs = (leads: string, ...more: string[]) => [
  'bulk',
  leads,
  '--rate',
  'max',
  '--concurrency',
  '4',
  '--in-doubt',
  'park',
  ...more,
];

describe.concurrent('a create whose answer is lost', () => {
  test('is unknown, exit code 7, and is not sent again', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after' }]);
    const ended = await partner.run('create', ...REQUEST, '--json');
    expect(ended.code).toBe(7);
    expect(documentOf(ended)).toMatchObject({ status: 'unknown', ids: {}, http: null });
    expect(await statsOf(sandbox)).toMatchObject({ created: 1 });
    for (const more of [[], ['--no-validate'], ['--again'], ['--on-duplicate', 'create']]) {
      const again = await partner.run('create', ...REQUEST, '--json', ...more);
      expect([more, again.code, documentOf(again)['status']]).toEqual([more, 7, 'unknown']);
    }
    expect(await statsOf(sandbox)).toMatchObject({ created: 1, doubled: 0 });
    const log = documentsOf(await partner.run('log', '--status', 'unknown', '--json'));
    expect(log).toMatchObject([{ status: 'unknown', ids: {} }]);
  });

  test('leaves the other rows of an import alone', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: 'Pintar a sala 5' } }]);
    const leads = partner.write('leads.csv', leadsCsv(10));
    const ended = await partner.run(...bulkArgs(leads, '--json'));
    expect(ended.code).toBe(7);
    expect(documentOf(ended)).toMatchObject({ rows: 10, created: 9, unknown: 1 });
    expect(partner.read('leads.results.csv')).toMatch(/L-5,.*,unknown,/);
    const again = await partner.run(...bulkArgs(leads, '--json'));
    expect(again.code).toBe(7);
    expect(documentOf(again)).toMatchObject({ repeated: 9, unknown: 1, created: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, distinct: 10, doubled: 0 });
  });

  test('is sent again at once where the service certainly did nothing', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: '429', ms: 100, times: 2 }]);
    expect(await partner.run('create', ...REQUEST)).toMatchObject({ code: 0 });
    expect(creates(sandbox).map(({ status }) => status)).toEqual([429, 429, 201]);
    expect(await statsOf(sandbox)).toMatchObject({ created: 1 });
  });

  test('does not come from a token that ends in the middle of an import', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'expire-token', match: { request_text: 'Pintar a sala 5' } }]);
    const leads = partner.write('leads.csv', leadsCsv(10));
    expect(documentOf(await partner.run(...bulkArgs(leads, '--json')))).toMatchObject({ created: 10 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 10, doubled: 0 });
  });
});

describe.concurrent('what is in doubt', () => {
  const SETTLING = ['--rate', 'max', '--settle', '1', '--json'];
  const parked = async (desk: Desk, fault: 'reset-after' | 'reset-before', sandbox: Sandbox) => {
    sandbox.setInstructions([{ on: 'create', fault, match: { request_text: 'Pintar a sala 5' } }]);
    const leads = desk.write('leads.csv', leadsCsv(8));
    expect(documentOf(await desk.run(...bulkArgs(leads, '--json')))).toMatchObject({ created: 7, unknown: 1 });
    return leads;
  };

  test('is settled by validate: taken requests are created, none is sent again', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-after', sandbox);
    const ended = await partner.run('bulk', leads, ...SETTLING);
    expect(ended.code).toBe(0);
    expect(documentOf(ended)).toMatchObject({ created: 1, repeated: 7, unknown: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 8, doubled: 0 });
  });

  test('is settled by validate: what was not taken is sent once', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-before', sandbox);
    expect(await statsOf(sandbox)).toMatchObject({ created: 7 });
    expect(await partner.run('bulk', leads, ...SETTLING)).toMatchObject({ code: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 8, distinct: 8, doubled: 0 });
  });

  test('is listed by resolve and settled by a person’s word', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-before', sandbox);
    const listed = await partner.run('resolve', '--json');
    expect(listed.code).toBe(7);
    expect(listed.stdout).toContain('L-5');
    expect(await partner.run('resolve', '--ref', 'L-5', '--not-created')).toMatchObject({ code: 0 });
    expect(documentOf(await partner.run(...bulkArgs(leads, '--json')))).toMatchObject({ created: 1, unknown: 0 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 8, doubled: 0 });
  });

  test('is never sent again once a person says that it was created', async ({ partner, sandbox }) => {
    const leads = await parked(partner, 'reset-after', sandbox);
    expect(await partner.run('resolve', '--ref', 'L-5', '--created', '12345678901234567890')).toMatchObject({
      code: 0,
    });
    expect(await partner.run(...bulkArgs(leads))).toMatchObject({ code: 0 });
    expect(documentsOf(await partner.run('log', '--id', '12345678901234567890', '--json'))).toHaveLength(1);
    expect(await statsOf(sandbox)).toMatchObject({ created: 8, doubled: 0 });
  });
});

/** Everything that was created is in the log as created, and the results file has a line for every row. */
async function expectNothingLost(desk: Desk, sandbox: Sandbox): Promise<void> {
  const { created } = await statsOf(sandbox);
  const logged = documentsOf(await desk.run('log', '--status', 'created', '--json'));
  expect(logged).toHaveLength(created);
  const answered = creates(sandbox).map(({ requestId }) => requestId);
  expect(logged.map(({ ids }) => (ids as Record<string, string>)['request_id']).sort()).toEqual(answered.sort());
  expect(desk.read('leads.results.csv').trim().split('\r\n')).toHaveLength(ROWS + 1);
}

describe.concurrent('an interrupted import', () => {
  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'finishes what is in flight after %s, and the next run does the rest',
    async ([signal, code], { desk, openSandbox }) => {
      const sandbox = await openSandbox({ latencyMs: 20 });
      desk.use(sandbox);
      const leads = desk.write('leads.csv', leadsCsv(ROWS));
      const running = desk.start(bulkArgs(leads, '--json'));
      await createdAtLeast(sandbox, 12, running);
      running.process.kill(signal);
      const ended = await running.ended;
      expect([ended.code, ended.signal]).toEqual([code, null]);
      const document = documentOf(ended);
      expect(document).toMatchObject({ rows: ROWS, unknown: 0, stopped: expect.any(String), next: expect.any(String) });
      expect(document['created']).toBe((await statsOf(sandbox)).created);
      expect(document['failed']).toBe(ROWS - Number(document['created']));
      expect(document['failed']).toBeGreaterThan(0);
      await expectNothingLost(desk, sandbox);

      const second = await desk.run(...bulkArgs(leads, '--json'));
      expect(second.code).toBe(0);
      expect(documentOf(second)).toMatchObject({ created: document['failed'], repeated: document['created'] });
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, distinct: ROWS, doubled: 0 });
      await expectNothingLost(desk, sandbox);
    },
  );

  test('is left at once on the second Ctrl-C; what was in flight is in doubt', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'create', fault: 'slow', ms: 60_000, match: { request_text: 'Pintar a sala 7' } }]);
    const leads = partner.write('leads.csv', leadsCsv(ROWS));
    const running = partner.start(bulkArgs(leads));
    await createdAtLeast(sandbox, 20, running);
    running.process.kill('SIGINT');
    await running.until(/Ctrl-C again/);
    running.process.kill('SIGINT');
    const ended = await running.ended;
    expect([ended.code, ended.signal]).toEqual([130, null]);
    const again = await partner.run(...bulkArgs(leads, '--json'));
    expect(again.code).toBe(7);
    expect(documentOf(again)['unknown']).toBeGreaterThanOrEqual(1);
    expect(await statsOf(sandbox)).toMatchObject({ doubled: 0 });
    expect(partner.read('leads.results.csv')).toMatch(/L-7,.*,unknown,/);
  });

  test('killed without warning sends nothing twice either', async ({ desk, openSandbox }) => {
    const sandbox = await openSandbox({ latencyMs: 20 });
    desk.use(sandbox);
    const leads = desk.write('leads.csv', leadsCsv(ROWS));
    const running = desk.start(bulkArgs(leads));
    await createdAtLeast(sandbox, 12, running);
    running.process.kill('SIGKILL');
    expect((await running.ended).signal).toBe('SIGKILL');
    const again = await desk.run(...bulkArgs(leads, '--json'));
    const document = documentOf(again);
    const { created, doubled } = await statsOf(sandbox);
    expect({ doubled, code: again.code }).toEqual({ doubled: 0, code: 7 });
    expect(Number(document['created']) + Number(document['repeated']) + Number(document['unknown'])).toBe(ROWS);
    // What was created and is not known as created is known to be in doubt.
    expect(created - Number(document['created']) - Number(document['repeated'])).toBeLessThanOrEqual(
      Number(document['unknown']),
    );
  });
});

test('Ctrl-C during a create waits for its answer', async ({ desk, openSandbox }) => {
  const sandbox = await openSandbox({ latencyMs: 300 });
  desk.use(sandbox);
  const running = desk.start(['create', ...REQUEST, '--no-validate', '--json']);
  await createdAtLeast(sandbox, 1, running);
  running.process.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(documentOf(ended)).toMatchObject({ status: 'created', ids: { request_id: creates(sandbox)[0]?.requestId } });
});
