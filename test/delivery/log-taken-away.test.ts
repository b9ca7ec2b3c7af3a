import { copyFileSync, linkSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { accountedFor, bulkArgs, requestOfRow } from '../helpers/delivery.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { type ScriptedService, startScriptedService } from '../helpers/scripted-service.ts';

const ROWS = 40;
/** The create that is answered only once something has happened to the log. */
const HELD = 10;
const oneByOne = (leads: string) => bulkArgs(leads, '--concurrency', '1', '--in-doubt', 'park');
const logOf = (desk: Desk) => join(desk.state, 'default.ndjson');
const aside = (desk: Desk) => `${logOf(desk)}.1`;
const contents = (service: ScriptedService) => service.creates().map(({ body }) => body);

/** A service that takes everything, and holds one answer back. */
async function holdingService() {
  let reached = () => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const service = await startScriptedService({
    create: async ({ number }) => {
      if (number === HELD) {
        reached();
        await opened;
      }
      return { status: 201, body: { id: String(4710 + number) } };
    },
  });
  return { service, isReached, open };
}

describe('an import whose log is no longer the one log of that name', () => {
  test.for<[string, (desk: Desk) => void, (desk: Desk) => void]>([
    ['renamed', (desk) => renameSync(logOf(desk), aside(desk)), (desk) => renameSync(aside(desk), logOf(desk))],
    [
      'renamed by logrotate, with an empty one in its place',
      (desk) => {
        renameSync(logOf(desk), aside(desk));
        writeFileSync(logOf(desk), '', { mode: 0o600 });
      },
      (desk) => renameSync(aside(desk), logOf(desk)),
    ],
    [
      'copied and emptied by logrotate',
      (desk) => {
        copyFileSync(logOf(desk), aside(desk));
        truncateSync(logOf(desk));
      },
      (desk) => renameSync(aside(desk), logOf(desk)),
    ],
    ['given a second name', (desk) => linkSync(logOf(desk), aside(desk)), (desk) => rmSync(aside(desk))],
  ])('an import whose log was replaced sends nothing more, nor does the next: %s', async ([, take, mend], { desk }) => {
    const { service, isReached, open } = await holdingService();
    desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
    const leads = desk.write('leads.csv', leadsCsv(ROWS));
    const running = desk.start(oneByOne(leads));
    await isReached;
    take(desk);
    open();
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(9);
    expect(documentOf(ended)).toMatchObject({
      created: HELD,
      stopped: { message: expect.stringContaining('default.ndjson') },
    });
    expect(ended.stderr).toContain('Not in the log');
    expect(service.creates()).toHaveLength(HELD);
    for (const words of [oneByOne(leads), ['create', ...requestOfRow(HELD + 5), '--no-validate', '--json']]) {
      const refused = await desk.run(...words);
      expect([words[0], refused.code]).toEqual([words[0], 9]);
      expect(documentOf(refused)).toMatchObject({ error: { code: 'log', hint: expect.any(String) } });
    }
    expect(service.creates()).toHaveLength(HELD);
    mend(desk);
    const next = accountedFor(await desk.run(...oneByOne(leads)), ROWS);
    expect(next).toMatchObject({ repeated: HELD - 1, unknown: 1, created: ROWS - HELD });
    expect(new Set(contents(service)).size).toBe(ROWS);
    expect(contents(service)).toHaveLength(ROWS);
  });
});
