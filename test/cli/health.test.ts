import { Server } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { serveHealth } from '../../src/commands/work/health.ts';
import type { WorkerView } from '../../src/commands/work/metrics.ts';
import { noCounts } from '../../src/request/log/status.ts';
import { contextOf } from '../helpers/command-context.ts';
import { send } from '../sandbox/sandbox-client.ts';

const { ready: _, invalid: __, ...ENDED } = noCounts();
const VIEW: WorkerView = {
  ...{ version: '1.2.3', state: 'working', endedCounts: ENDED, inHand: 3, reason: null },
  ...{ depth: null, standing: null, pace: null, refusals: {}, breakerPauses: 0 },
};

describe('The health of a process is served', () => {
  async function served(view: () => WorkerView = () => VIEW) {
    const { context } = contextOf();
    const healthPort = await freePort();
    await serveHealth(context, { healthPort, healthHost: '127.0.0.1' }, view);
    return {
      healthPort,
      get: (path: string) => send('GET', `http://127.0.0.1:${healthPort}${path}`),
    };
  }

  test('The health of a process is served even after an error of the port, such as too many open files', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    const { get } = await served();
    const server = (listen.mock.contexts as Server[]).at(-1);
    listen.mockRestore();
    for (const code of ['EMFILE', 'EMFILE']) server?.emit('error', Object.assign(new Error(code), { code }));
    expect((await get('/livez')).status).toBe(200);
  });

  test('The health port serves the state and the metrics, and goes on if they cannot be read', async () => {
    const { get } = await served();
    const page = await get('/metrics');
    expect([page.status, page.text.includes('srq_build_info{version="1.2.3"} 1')]).toEqual([200, true]);
    expect(page.headers['content-type']).toMatch(/^text\/plain/);
    expect(JSON.parse((await get('/healthz')).text)).toEqual({ state: 'working', inHand: 3, reason: null });
    expect((await get('/')).status).toBe(404);
    const failing = await served(() => {
      throw new Error('not now');
    });
    for (const path of ['/metrics', '/livez']) expect(await failing.get(path)).toMatchObject({ status: 500, text: '' });
  });

  test('The health of a process is not served at a port that is taken', async () => {
    const { healthPort } = await served();
    const again = serveHealth(contextOf().context, { healthPort, healthHost: '127.0.0.1' }, () => VIEW);
    await expect(again).rejects.toMatchObject({
      ...{ reason: 'port.unavailable', message: `Cannot listen on 127.0.0.1, port ${healthPort} (EADDRINUSE).` },
      hint: 'Choose another one: --health-port PORT',
    });
  });
});
