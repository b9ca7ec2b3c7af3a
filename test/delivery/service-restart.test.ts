import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { accountedFor, bulkArgs, expectNothingHidden } from '../helpers/delivery.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';

const ROWS = 60;
/** Eight tries in a row of as many rows would be over by then. */
const OUTAGE_MS = 2_000;

/** Stands before a service. While it is down, its calls under way are cut and new connections are refused. */
async function frontOf(baseUrl: string) {
  const { port: behind } = new URL(baseUrl);
  const lines = new Set<Socket>();
  const server = createServer((line) => {
    const onwards = connect(Number(behind), '127.0.0.1');
    for (const each of [line, onwards]) {
      lines.add(each);
      each.on('error', () => {}).on('close', () => [line, onwards].map((other) => other.destroy()));
    }
    line.pipe(onwards).pipe(line);
  });
  const up = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening');
  await up(0);
  const { port } = server.address() as AddressInfo;
  const down = () => {
    server.close();
    for (const line of lines) line.destroy();
  };
  return { baseUrl: `http://127.0.0.1:${port}`, down, up: () => up(port) };
}

test('a service that restarts during an import ends no run: only what was under way is unknown', async ({
  desk,
  openSandbox,
}) => {
  const sandbox = await openSandbox({ latencyMs: 100 });
  const front = await frontOf(sandbox.baseUrl);
  desk.use({ ...sandbox, baseUrl: front.baseUrl });
  const running = desk.start(bulkArgs(desk.write('leads.csv', leadsCsv(ROWS)), '--in-doubt', 'park'));
  await createdAtLeast(sandbox, 20, running);
  front.down();
  await setTimeout(OUTAGE_MS);
  await front.up();
  const ended = await running.ended;
  front.down();
  const { created, unknown, stopped } = accountedFor(ended, ROWS);
  expect({ stopped, left: ROWS - Number(created) - Number(unknown) }).toEqual({ stopped: null, left: 0 });
  expect(unknown).toBeGreaterThan(0);
  expect(unknown).toBeLessThanOrEqual(16);
  await expectNothingHidden(desk, sandbox);
});
