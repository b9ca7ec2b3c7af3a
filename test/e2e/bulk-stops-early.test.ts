import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

describe.concurrent('bulk stops early', () => {
  test('bulk that stops because the file changed after the first request does not end with exit code 2', async ({
    partner,
    sandbox,
  }) => {
    sandbox.setLatency(300);
    const running = partner.start(['bulk', partner.write('leads.csv', leadsCsv(8)), '--concurrency', '1', '--json']);
    await createdAtLeast(sandbox, 1, running);
    partner.write('leads.csv', leadsCsv(9));
    const ended = await running.ended;
    expect(ended.code).toBe(6);
    const document = documentOf(ended);
    expect(document).toMatchObject({
      rows: 8,
      stopped: { message: expect.stringContaining('changed while it was read') },
    });
    expect([document['created'], document['results']]).toEqual([creates(sandbox).length, null]);
  });
});
