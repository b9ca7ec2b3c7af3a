import { describe, expect } from 'vitest';
import { contractFile } from '../helpers/contracts.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

describe.concurrent('--plan', () => {
  test('sends the plan that was looked at, and refuses every other one', async ({ partner, sandbox }) => {
    const file = partner.write('leads.csv', leadsCsv(3));
    const plan = async (...flags: string[]) => {
      const { planId, run } = documentOf(await partner.call('bulk', file, '--dry-run', '--json', ...flags));
      expect(run).toMatch(/^[0-9a-f-]{36}$/);
      expect(planId).toMatch(/^[0-9a-f]{32}$/);
      return String(planId);
    };
    const held = (id: string, ...flags: string[]) =>
      partner.call('bulk', file, '--plan', id, '--rate', 'max', '--json', ...flags);
    const id = await plan();
    expect(await plan()).toBe(id);
    // Other rows, another mapping, another way to send.
    for (const flags of [['--limit', '2'], ['--set', 'lang=en'], ['--no-validate'], ['--on-duplicate', 'create']]) {
      const refused = await held(id, ...flags);
      expect([flags, refused.code, documentOf(refused)]).toMatchObject([
        flags,
        2,
        { error: { reason: 'plan.differs' } },
      ]);
    }
    partner.write('leads.csv', leadsCsv(4));
    expect(documentOf(await held(id))).toMatchObject({ error: { reason: 'plan.differs' } });
    expect((await statsOf(sandbox)).created).toBe(0);
    partner.write('leads.csv', leadsCsv(3));
    expect(documentOf(await held(id))).toMatchObject({ rows: 3, created: 3, next: null });
    const done = await partner.call('bulk', file, '--dry-run', '--json');
    expect(documentOf(done)).toMatchObject({ ready: 0, repeated: 3, advice: null, next: null });
    // What the log knows now makes another plan.
    expect(await plan()).not.toBe(id);
    expect(documentOf(await held(id))).toMatchObject({ error: { reason: 'plan.differs' } });
  });

  test('is of one service and one contract', async ({ partner, openSandbox }) => {
    const file = partner.write('leads.csv', leadsCsv(3));
    const planned = async () => documentOf(await partner.call('bulk', file, '--dry-run', '--json'));
    const { planId } = await planned();
    const { SRQ_BASE_URL: before = '' } = partner.env;
    partner.env['SRQ_BASE_URL'] = (await openSandbox()).baseUrl;
    const there = await partner.call('bulk', file, '--plan', String(planId), '--json');
    expect(documentOf(there)).toMatchObject({ error: { reason: 'plan.differs' } });
    partner.env['SRQ_BASE_URL'] = before;
    expect(await planned()).toMatchObject({ planId });
    // The same rows are ready, but they would be sent in another way.
    await partner.call('contract', 'learn', contractFile('form-openapi30.yaml'), '--yes');
    const learned = await planned();
    expect(learned).toMatchObject({ ready: 3 });
    expect(learned['planId']).not.toBe(planId);
  });

  test('is for a service that stays, and not for a dry run', async ({ partner }) => {
    const file = partner.write('leads.csv', leadsCsv(1));
    for (const flag of ['--sandbox', '--dry-run'])
      expect(documentOf(await partner.call('bulk', file, '--plan', 'x', flag, '--json'))).toMatchObject({
        error: { reason: 'flags.contradict' },
      });
  });
});
