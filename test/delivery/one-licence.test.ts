import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { accountedFor, bulkArgs, expectNothingHidden, faultOnRow } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { type Crash, crashing, logCalls } from '../helpers/log-crash.ts';
import { createdAtLeast, statsOf } from '../helpers/sandbox-view.ts';
import { hasStrace } from '../helpers/strace.ts';
import { creates, partnerOf } from '../sandbox/sandbox-client.ts';

// Settling is mostly waiting, so many at once cost little.
vi.setConfig({ maxConcurrency: 12 });

/** The row in doubt, and those by which validate is checked. */
const ROWS = 14;
const SETTLING = ['--settle', '1'];
/** The row in doubt. */
const DOUBTED = 2;

const createsOfDoubted = (sandbox: Sandbox) =>
  creates(sandbox).filter(({ params }) => params['request_text'] === `Pintar a sala ${DOUBTED}`);

/** Imports with one row cut off before the service acted on it, and leaves that row in doubt. */
async function doubtOneRow(desk: Desk, sandbox: Sandbox): Promise<string> {
  sandbox.setInstructions([faultOnRow(DOUBTED, 'reset-before')]);
  const leads = desk.write('leads.csv', leadsCsv(ROWS));
  const document = accountedFor(await desk.run(...bulkArgs(leads, '--in-doubt', 'park')), ROWS);
  expect(document).toMatchObject({ created: ROWS - 1, unknown: 1 });
  return leads;
}

describe.concurrent('a row in doubt that validate does not know', () => {
  test('an unknown row that validate does not know is sent once more, only once', async ({ partner, sandbox }) => {
    const leads = await doubtOneRow(partner, sandbox);
    sandbox.setInstructions([faultOnRow(DOUBTED, 'reset-before')]);
    for (let run = 0; run < 3; run++) {
      const ended = await partner.run(...bulkArgs(leads, ...SETTLING));
      expect([ended.code, accountedFor(ended, ROWS)['unknown']]).toEqual([7, 1]);
      expect(createsOfDoubted(sandbox).map(({ fault }) => fault)).toEqual(['reset-before', 'reset-before']);
    }
  });

  test('an unknown row is not sent again when validate contradicts itself', async ({ partner, sandbox }) => {
    const leads = await doubtOneRow(partner, sandbox);
    const [{ params = {} } = {}] = createsOfDoubted(sandbox);
    const running = partner.start(bulkArgs(leads, ...SETTLING));
    const asked = () =>
      sandbox
        .requests()
        .filter(
          (each) => each.operation === 'validate' && each.params?.['request_text'] === `Pintar a sala ${DOUBTED}`,
        );
    // Clear in the first round.
    while (asked().length < 1) await pause(20);
    // Before the second one the first try takes effect at last.
    await (await partnerOf(sandbox)).create(params);
    await createdAtLeast(sandbox, ROWS, running);
    const ended = await running.ended;
    expect([ended.code, accountedFor(ended, ROWS)['unknown']]).toEqual([7, 1]);
    expect((await partner.run(...bulkArgs(leads, ...SETTLING))).code).toBe(7);
    expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, doubled: 0 });
  });
});

describe.skipIf(!hasStrace)('a licence to send again', () => {
  const KILL = { effect: 'signal=SIGKILL' } as const;
  // One call for the licence, one for the intent that uses it, one for the outcome. What the dead process wrote without
  // syncing is still there; an intent on a licence is then a second doubt about that row, which a person must settle.
  const cases: readonly { readonly crash: Crash; readonly unknown: number; readonly created: number }[] = [
    { crash: { ...KILL, call: 'write', at: 1 }, unknown: 0, created: ROWS },
    { crash: { ...KILL, call: 'fdatasync', at: 1 }, unknown: 0, created: ROWS },
    { crash: { ...KILL, call: 'write', at: 2 }, unknown: 0, created: ROWS },
    { crash: { ...KILL, call: 'fdatasync', at: 2 }, unknown: 1, created: ROWS - 1 },
    { crash: { ...KILL, call: 'write', at: 3 }, unknown: 1, created: ROWS },
    { crash: { ...KILL, call: 'fdatasync', at: 3 }, unknown: 0, created: ROWS },
  ];
  test.concurrent.for(cases)(
    'a licence does not become two when the process dies at $crash.call number $crash.at',
    async ({ crash, unknown, created }, { partner, sandbox }) => {
      const leads = await doubtOneRow(partner, sandbox);
      const { ended } = partner.start(bulkArgs(leads, ...SETTLING), crashing(partner, crash));
      expect([(await ended).signal, logCalls(partner)[crash.call]]).toEqual(['SIGKILL', crash.at]);
      await expectNothingHidden(partner, sandbox);
      const later = accountedFor(await partner.run(...bulkArgs(leads, ...SETTLING)), ROWS);
      expect(later['unknown']).toBe(unknown);
      expect(await statsOf(sandbox)).toMatchObject({ created, distinct: created, doubled: 0 });
    },
  );
});
