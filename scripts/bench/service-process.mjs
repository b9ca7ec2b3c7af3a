// The service of service.mjs in a process of its own, and what it says that it has seen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onCore, SERVICE_CORE } from './run-measured.mjs';

const PROGRAM = new URL('service.mjs', import.meta.url).pathname;

/** Starts it on a free port of this machine, with an answer time of so many milliseconds and what else `words` say. */
export async function startService(latencyMs = 0, words = []) {
  const child = spawn(...onCore(SERVICE_CORE, process.execPath, [PROGRAM, String(latencyMs), ...words]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface(child.stdout), 'line');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** What it has seen since it was asked last. */
    take: async () => (await fetch(`${url}/counts`, { method: 'DELETE' })).json(),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
