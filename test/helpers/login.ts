import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { CANARY } from './canary-secret.ts';
import type { Desk } from './desk.ts';
import type { Ended } from './run-srq.ts';

export function loginTo({ baseUrl, clientId }: Sandbox, ...more: string[]): string[] {
  return ['login', '--base-url', baseUrl, '--client-id', clientId, ...more];
}

/** Logs in with the right secret. */
export function logIn(desk: Desk, sandbox: Sandbox, ...more: string[]): Promise<Ended> {
  return desk.pipe(`${CANARY}\n`, ...loginTo(sandbox, '--client-secret-stdin', ...more));
}

/** Returns the profiles in the settings file. */
export function storedProfiles(desk: Desk): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(join(desk.config, 'config.json'), 'utf8')).profiles;
}
