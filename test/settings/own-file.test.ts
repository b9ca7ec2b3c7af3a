import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Contract,
  contractStore,
  DOCUMENTED_CONTRACT,
  fileTokenCache,
  learnedFile,
  NOTHING_KNOWN,
  ownFile,
} from '../doors/kept.ts';

const DESTINATION = { baseUrl: 'https://api.example.com', clientId: '7' };
const LEARNED = { answers: NOTHING_KNOWN, pace: null };
const TOKEN = { accessToken: 'not a secret', obtainedAtMs: 0, expiresAtMs: null };
const CONTRACT: Contract = {
  ...DOCUMENTED_CONTRACT,
  source: { file: 'api.yaml', title: 'API', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T00:00:00.000Z' },
};
const ownUid = process.getuid?.() ?? 0;

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "srq-it's-own-"));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const trust = (uid: number | null = ownUid) => ({ uid, onDistrusted: (message: string) => void said.push(message) });

/** Each kind of state file: writes it and tells whether it is believed, to a user with this number. */
const KINDS = [
  {
    kind: 'what runs found out',
    file: 'x.learned.json',
    mayBeRead: true,
    write: (uid?: number) =>
      learnedFile(join(folder, 'x.learned.json'), DESTINATION, 'contract', trust(uid)).write(LEARNED),
    isBelieved: (uid?: number | null) =>
      learnedFile(join(folder, 'x.learned.json'), DESTINATION, 'contract', trust(uid)).read().answers !== null,
  },
  {
    kind: 'the token',
    file: 'x.token.json',
    mayBeRead: false,
    write: (uid?: number) => fileTokenCache(join(folder, 'x.token.json'), DESTINATION, null, trust(uid)).write(TOKEN),
    isBelieved: (uid?: number | null) =>
      fileTokenCache(join(folder, 'x.token.json'), DESTINATION, null, trust(uid)).read() !== null,
  },
] as const;

const contracts = (uid: number | null = ownUid) => contractStore('default', join(folder, 'contract.json'), uid);

describe.skipIf(process.platform === 'win32').each(KINDS)('$kind', ({ file, mayBeRead, write, isBelieved }) => {
  const quoted = () => `'${join(folder, file).replace("'", "'\\''")}'`;

  test.each([0o602, 0o620, 0o666])('a kept file that others may change is not used: mode %o', (mode) => {
    write();
    chmodSync(join(folder, file), mode);
    const before = readFileSync(join(folder, file), 'utf8');
    expect(isBelieved()).toBe(false);
    expect(said.at(-1)).toContain(`other users (mode 0${mode.toString(8)}); what it says is not used`);
    expect(said.at(-1)?.endsWith(`chmod 600 ${quoted()}`)).toBe(true);
    write();
    expect(readFileSync(join(folder, file), 'utf8')).toBe(before);
    chmodSync(join(folder, file), 0o600);
    expect(isBelieved()).toBe(true);
  });

  test(`a kept file that others can only read is ${mayBeRead ? 'used' : 'not used'}`, () => {
    write();
    chmodSync(join(folder, file), 0o644);
    expect(isBelieved()).toBe(mayBeRead);
    expect(said).toHaveLength(mayBeRead ? 0 : 1);
  });

  test('a kept file of another user is not used', () => {
    write();
    expect(isBelieved(ownUid + 1)).toBe(false);
    expect(said.at(-1)).toMatch(/belongs to another user; .* sudo chown \d+ /);
    expect(isBelieved(null)).toBe(true);
  });

  test('a kept file in a folder that everybody may write is not used', () => {
    write();
    chmodSync(folder, 0o777);
    expect(isBelieved()).toBe(false);
    expect(said.at(-1)).toContain('can be written by every user (mode 0777)');
    chmodSync(folder, 0o1777);
    expect(isBelieved()).toBe(true);
  });

  test('a kept file is empty, and ends nothing, where the folder for it is a file', () => {
    const missing = folder;
    writeFileSync(join(missing, 'file'), '');
    folder = join(missing, 'file', 'state');
    write();
    expect([isBelieved(), said]).toEqual([false, []]);
    folder = missing;
  });

  test('a kept file that does not exist is empty, without a word', () => {
    expect(isBelieved()).toBe(false);
    expect(said).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('A contract', () => {
  test.each([0o640, 0o604, 0o622, 0o666])(
    'an API description is not used where others may have read or changed it: mode %o',
    async (mode) => {
      await contracts().write(CONTRACT);
      chmodSync(join(folder, 'contract.json'), mode);
      await expect(contracts().read()).rejects.toThrow(
        expect.objectContaining({
          code: 'settings',
          message: expect.stringContaining(`(mode 0${mode.toString(8)}); it is not used`),
          hint: expect.stringMatching(/srq contract forget --profile default .*chmod 600 /),
        }),
      );
      chmodSync(join(folder, 'contract.json'), 0o600);
      expect(await contracts().read()).toEqual(CONTRACT);
    },
  );

  test('an API description of another user is not used', async () => {
    await contracts().write(CONTRACT);
    await expect(contracts(ownUid + 1).read()).rejects.toThrow(/belongs to another user; it is not used/);
    expect(await contracts(null).read()).toEqual(CONTRACT);
  });

  test('an API description that is a folder is reported as such', async () => {
    mkdirSync(join(folder, 'contract.json'), { mode: 0o700 });
    writeFileSync(join(folder, 'other'), '');
    await expect(contracts().read()).rejects.toThrow(/cannot be used/);
  });
});

test('a file whose loss would matter says that it cannot be written', () => {
  writeFileSync(join(folder, 'file'), '');
  const file = ownFile(join(folder, 'file', 'x.json'), trust());
  expect(() => file.replaceOrThrow('{}')).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
});
