import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../scripts/postgres-server.mjs';
import { systemClock } from '../../src/account/system-clock.ts';
import { type Health, keepHealthFile, serveHealth, type WatchedProcess } from '../../src/commands/health.ts';
import type { ProcessState } from '../../src/report/metrics.ts';
import { contextOf } from '../helpers/command-context.ts';
import { send } from '../sandbox/sandbox-client.ts';

const health = (): Health => ({ state: 'idle', at: '', since: '', inFlight: 0, reason: null });

test('a health file that cannot be written is refused at once: whoever watches it would take the worker for dead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'file'), '');
  for (const path of [folder, join(folder, 'file', 'health.json')]) {
    expect(() => keepHealthFile(path, health, systemClock)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(path),
        hint: expect.stringContaining('--health-file'),
      }),
    );
  }
});

test('the health file is written at once, every two seconds, and once more when the process ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'srq-health-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'health.json');
  const slept: number[] = [];
  let wake = () => {};
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      slept.push(ms);
      wake = resolve;
      signal?.addEventListener('abort', () => setImmediate(resolve));
    });
  let inFlight = 0;
  const stop = keepHealthFile(path, () => ({ ...health(), inFlight }), { ...systemClock, sleep });
  const written = () => JSON.parse(readFileSync(path, 'utf8')).inFlight;
  expect([written(), slept, readFileSync(path, 'utf8').endsWith('}\n')]).toEqual([0, [2_000], true]);
  inFlight = 1;
  expect(written()).toBe(0);
  wake();
  await new Promise(setImmediate);
  expect([written(), slept]).toEqual([1, [2_000, 2_000]]);
  inFlight = 2;
  await stop();
  expect([written(), slept.length]).toEqual([2, 2]);
});

describe('The health of a process is served', () => {
  /** What is answered to a path about a process in this state. */
  async function served(state: ProcessState = 'working', view?: () => never) {
    const { context } = contextOf();
    const healthPort = await freePort();
    const watched = {
      health: { ...health(), state, inFlight: 3 },
      get view() {
        if (view) return view();
        return { version: '1.2.3', state, worker: null, imported: null, connection: null };
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

  test('also after errors of the port, such as that no more files can be opened', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    const { get } = await served();
    const server = (listen.mock.contexts as Server[]).at(-1);
    listen.mockRestore();
    for (const code of ['EMFILE', 'EMFILE']) server?.emit('error', Object.assign(new Error(code), { code }));
    expect((await get('/livez')).status).toBe(200);
  });

  test.each<[ProcessState, number]>([
    ['starting', 503],
    ['working', 200],
    ['idle', 200],
    ['waiting-for-database', 503],
    ['stopping', 503],
  ])('%s: /healthz with %i, /livez with 200', async (state, status) => {
    const { get } = await served(state);
    const [healthz, livez] = [await get('/healthz'), await get('/livez')];
    expect([healthz.status, livez.status]).toEqual([status, 200]);
    expect([JSON.parse(healthz.text), JSON.parse(livez.text)]).toEqual(
      Array(2).fill({ ...health(), state, inFlight: 3 }),
    );
    expect([healthz.headers['content-type'], healthz.text.endsWith('\n')]).toEqual(['application/json', true]);
  });

  test('and nothing else: another path tells nothing of it', async () => {
    const { get } = await served();
    for (const path of ['/', '/healthz/', '/health', '/livez?x=1'])
      expect([path, (await get(path)).status, (await get(path)).text]).toEqual([path, 404, '{}\n']);
  });

  test('with its metrics, and without them if they cannot be told', async () => {
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

  test('at no port that is taken', async () => {
    const { healthPort } = await served();
    const again = serveHealth(contextOf().context, { healthPort, healthHost: '127.0.0.1' }, {} as never);
    await expect(again).rejects.toMatchObject({
      ...{ reason: 'port.unavailable', message: `Cannot listen on 127.0.0.1, port ${healthPort} (EADDRINUSE).` },
      hint: 'Choose another one: --health-port PORT',
    });
  });
});
