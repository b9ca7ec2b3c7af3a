import { Server } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { type Health, serveHealth, type WatchedProcess } from '../../src/commands/health.ts';
import type { ProcessState } from '../../src/report/metrics.ts';
import { contextOf } from '../helpers/command-context.ts';
import { send } from '../sandbox/sandbox-client.ts';

const health = (): Health => ({ state: 'idle', at: '', since: '', inFlight: 0, reason: null });

describe('The health of a process is served', () => {
  /** What is answered to a path about a process in this state. */
  async function served(state: ProcessState = 'working', view?: () => never) {
    const { context } = contextOf();
    const healthPort = await freePort();
    const watched = {
      health: { ...health(), state, inFlight: 3 },
      get view() {
        if (view) return view();
        return { version: '1.2.3', state, ended: {}, inHand: 0, oldestMs: null, queue: { depth: null }, pace: null };
      },
    } satisfies WatchedProcess;
    const metrics = await serveHealth(context, { healthPort, healthHost: '127.0.0.1' }, watched);
    return {
      context,
      metrics,
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

  test('The health port serves the metrics, and goes on without them if they cannot be read', async () => {
    const { get } = await served();
    const page = await get('/metrics');
    expect([page.status, page.text.includes('srq_build_info{version="1.2.3"} 1')]).toEqual([200, true]);
    expect(page.headers['content-type']).toMatch(/^text\/plain/);
    const failing = await served('working', () => {
      throw new Error('not now');
    });
    const none = await failing.get('/metrics');
    expect([none.status, none.text, (await failing.get('/livez')).status]).toEqual([500, '', 200]);
  });

  test('The health of a process is not served at a port that is taken', async () => {
    const { healthPort } = await served();
    const again = serveHealth(contextOf().context, { healthPort, healthHost: '127.0.0.1' }, {} as never);
    await expect(again).rejects.toMatchObject({
      ...{ reason: 'port.unavailable', message: `Cannot listen on 127.0.0.1, port ${healthPort} (EADDRINUSE).` },
      hint: 'Choose another one: --health-port PORT',
    });
  });
});
