import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SrqError } from '../../src/request/words/errors.ts';
import { encodeRecord } from '../../src/store/file/record.ts';
import { callSrq } from '../doors/call-srq.ts';
import { requestFor } from '../helpers/leads.ts';

const lock = vi.hoisted(() => ({ isMissing: false }));
vi.mock('../../src/store/file/kernel-lock.ts', async (original) => {
  const real = await original<typeof import('../../src/store/file/kernel-lock.ts')>();
  const missing = () => Promise.reject(new SrqError('platform.no-lock', 'This srq cannot lock its log.'));
  return { ...real, loadKernelLock: () => (lock.isMissing ? missing() : real.loadKernelLock()) };
});

const KEY = '0123456789abcdef0123456789abcdef';
const IN_DOUBT = encodeRecord({ key: KEY, row: 1, ref: null }, 'sending', '2026-11-21T03:39:00.123Z', 'run', {});
const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: 'id', SRQ_CLIENT_SECRET: 'secret' };
const LEADS = 'country,phone,request_text\nPT,+351912345678,Obras\n';

interface Circumstances {
  readonly log?: Uint8Array;
  readonly isLoggedIn?: boolean;
  readonly hasNoLock?: boolean;
}

/** The error that a command ends with, which `callSrq` looks for in the map of the commands. `@` stands for a folder with a file of leads. */
async function endOf(words: readonly string[], { log, isLoggedIn = true, hasNoLock = false }: Circumstances) {
  const home = mkdtempSync(join(tmpdir(), 'srq-map-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const state = join(home, 'state');
  mkdirSync(state, { mode: 0o700 });
  if (log !== undefined) writeFileSync(join(state, 'default.ndjson'), log, { mode: 0o600 });
  writeFileSync(join(home, 'leads.csv'), LEADS);
  const env = { SRQ_STATE_DIR: state, SRQ_CONFIG_DIR: join(home, 'config'), ...(isLoggedIn ? ACCOUNT : {}) };
  lock.isMissing = hasNoLock;
  onTestFinished(() => {
    lock.isMissing = false;
  });
  const args = words.map((word) => word.replace(/^@(?=\/)/, home));
  const { stdout } = await callSrq([...args, '--json', '--no-input', '--timeout', '5'], { env, cwd: null });
  return JSON.parse(stdout).error;
}

test.each<[string[], Circumstances, string]>([
  [['create', ...requestFor('Obras')], { hasNoLock: true }, 'platform.no-lock'],
  [['create', '--file', '@/none.json'], {}, 'input'],
  [['validate', ...requestFor('Obras')], { isLoggedIn: false }, 'auth'],
  [['bulk', '@/leads.csv', '--yes'], { hasNoLock: true }, 'platform.no-lock'],
  [['bulk', '@/none.csv', '--yes'], {}, 'input'],
  [['resolve', KEY, '--not-created'], { log: IN_DOUBT, hasNoLock: true }, 'platform.no-lock'],
  [['export', '@/none.csv'], {}, 'input'],
  [['contract', 'learn', '@/none.yaml'], {}, 'input'],
  [['contract', 'learn', '--taken-by', 'status'], { isLoggedIn: false }, 'auth'],
])('the end of srq %j with %j, %s, is one that its map names', async (words, circumstances, kind) => {
  expect((await endOf(words, circumstances))?.code).toBe(kind);
});
