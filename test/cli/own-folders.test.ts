import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import { forgetKeychain, forgetProfile, requireNoSandbox, warnOfRepair } from '../../src/cli/profiles.ts';
import { keepRehearsal } from '../../src/cli/rehearsal.ts';
import { makeTemporaryFolder } from '../../src/cli/temporary-folder.ts';
import { contextOf } from '../helpers/command-context.ts';

const SHOP = { baseUrl: 'https://api.example.com', clientId: 'id', clientSecret: 'secret' };

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('The log of a rehearsal', () => {
  /** The folder of a rehearsal with these files, and where the last one is kept. */
  function rehearsed(...names: string[]) {
    const home = folderOfTest();
    const folder = join(home, 'rehearsal-under-way');
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, name), `new ${name}`);
    return { home, folder, last: join(home, 'state', 'rehearsal') };
  }

  test('is kept with its notes, and nothing else of it, for its user alone', () => {
    const { home, folder, last } = rehearsed('sandbox.ndjson', 'sandbox.ndjson.runs', 'sandbox.token.json');
    keepRehearsal(folder, last);
    expect(readdirSync(last).toSorted()).toEqual(['sandbox.ndjson', 'sandbox.ndjson.runs']);
    expect(readFileSync(join(last, 'sandbox.ndjson'), 'utf8')).toBe('new sandbox.ndjson');
    if (process.platform !== 'win32') expect((statSync(last).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(join(home, 'state'))).toEqual(['rehearsal']);
  });

  test('replaces that of the one before as a whole', () => {
    const { folder, last } = rehearsed('sandbox.ndjson');
    mkdirSync(last, { recursive: true });
    for (const name of ['sandbox.ndjson', 'sandbox.ndjson.runs']) writeFileSync(join(last, name), 'old');
    keepRehearsal(folder, last);
    expect(readdirSync(last)).toEqual(['sandbox.ndjson']);
    expect(readFileSync(join(last, 'sandbox.ndjson'), 'utf8')).toBe('new sandbox.ndjson');
  });

  test('leaves that of the one before where nothing was sent', () => {
    const { folder, last } = rehearsed('sandbox.token.json');
    mkdirSync(last, { recursive: true });
    writeFileSync(join(last, 'sandbox.ndjson'), 'old');
    keepRehearsal(folder, last);
    expect(readFileSync(join(last, 'sandbox.ndjson'), 'utf8')).toBe('old');
  });

  test('is lost without a word, and without a rest, where it cannot be kept', () => {
    const { home, folder, last } = rehearsed('sandbox.ndjson');
    writeFileSync(join(home, 'state'), 'no folder');
    keepRehearsal(folder, last);
    expect(readFileSync(join(home, 'state'), 'utf8')).toBe('no folder');
    // A folder in the place of the notes cannot be copied as a file.
    const other = rehearsed('sandbox.ndjson');
    mkdirSync(join(other.folder, 'sandbox.ndjson.runs'));
    keepRehearsal(other.folder, other.last);
    expect(readdirSync(join(other.home, 'state'))).toEqual([]);
  });

  test('is kept when the command ends, and its own folder is not', async () => {
    const { context, home } = contextOf({ options: { sandbox: true } });
    const { state, log } = await context.paths();
    writeFileSync(log, 'a record');
    await context.close();
    expect([existsSync(state), readFileSync(join(home, 'state', 'rehearsal', 'sandbox.ndjson'), 'utf8')]).toEqual([
      ...[false, 'a record'],
    ]);
  });
});

describe('A folder for personal data', () => {
  test('is open to its user alone, and is removed with the command', async () => {
    const { context } = contextOf();
    const folder = context.temporaryFolder('srq-of-a-test-');
    writeFileSync(join(folder, 'lead'), 'Ana Exemplo');
    if (process.platform !== 'win32') expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
    expect(folder.startsWith(join(tmpdir(), 'srq-of-a-test-'))).toBe(true);
    await context.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('is removed with a process that ends before its command', () => {
    const { context } = contextOf();
    const atExit = vi.spyOn(context.interruption, 'beforeExit');
    const folder = context.temporaryFolder('srq-of-a-test-');
    writeFileSync(join(folder, 'lead'), 'Ana Exemplo');
    for (const [remove] of atExit.mock.calls) remove();
    expect([atExit.mock.calls.length, existsSync(folder)]).toEqual([1, false]);
  });

  afterEach(() => vi.unstubAllEnvs());
  test('that cannot be made ends the command with what to do', () => {
    const none = join(folderOfTest(), 'none');
    vi.stubEnv('TMPDIR', none);
    if (process.platform === 'win32') vi.stubEnv('TEMP', none);
    expect(() => makeTemporaryFolder('srq-')).toThrow(
      expect.objectContaining({
        ...{ reason: 'settings.unwritable', hint: expect.stringContaining('TMPDIR') },
        message: `No temporary folder can be created in ${none} (ENOENT). Nothing was sent.`,
      }),
    );
  });
});

describe('A profile that is forgotten', () => {
  const withProfile = async (profile: object = {}) => {
    const of = contextOf();
    await (await of.context.profiles()).set('shop', { ...SHOP, ...profile });
    return of;
  };

  test('needs no folder of a token', async () => {
    const { context, home, stderr } = await withProfile();
    writeFileSync(join(home, 'state'), 'no folder');
    await forgetProfile(context, 'shop');
    expect(stderr()).toBe('');
  });

  test('is told with what could not be removed: its token', async () => {
    const { context, home, stderr } = await withProfile();
    const token = join(home, 'state', 'shop.token.json');
    mkdirSync(token, { recursive: true });
    await forgetProfile(context, 'shop');
    expect(stderr()).toMatch(/^! The token of profile shop is still in .*shop\.token\.json \(\w+\)\. Remove it\.\n$/);
    expect((await context.profiles()).all()).toEqual({});
  });

  test('is told with what could not be removed: its secret in the keychain, if it is there', async () => {
    const kept = await withProfile({ keychain: true, clientSecret: undefined });
    // This program cannot be started, so that no keychain is asked.
    kept.context.process.execPath = join(kept.home, 'no-node');
    await forgetProfile(kept.context, 'shop');
    expect(kept.stderr()).toMatch(/^! The secret of profile shop is still in the keychain, under "srq"\. \S/);
    const file = await withProfile();
    file.context.process.execPath = join(file.home, 'no-node');
    await forgetProfile(file.context, 'shop');
    expect(file.stderr()).toBe('');
    await forgetKeychain(file.context, 'shop', SHOP);
    expect(file.stderr()).toContain('is still in the keychain');
  });

  test.skipIf(process.platform === 'win32')(
    'is told with the folder that others could open, once it is repaired',
    async () => {
      const { context, home, stderr } = await withProfile();
      await warnOfRepair(context);
      expect(stderr()).toBe('');
      chmodSync(join(home, 'config'), 0o755);
      await forgetProfile(context, 'shop');
      expect([stderr().startsWith('! '), stderr().includes(join(home, 'config'))]).toEqual([true, true]);
      expect((statSync(join(home, 'config')).mode & 0o777).toString(8)).toBe('700');
    },
  );
});

test('a command that changes a profile takes no sandbox', () => {
  const refused = { reason: 'flags.contradict', hint: 'Leave it out: srq logout' };
  expect(() => requireNoSandbox({ options: { sandbox: true } }, 'logout')).toThrow(expect.objectContaining(refused));
  for (const options of [{}, { sandbox: false }]) expect(() => requireNoSandbox({ options }, 'logout')).not.toThrow();
});

describe('A command', () => {
  test('tells others that find the log in use what it does, where and since when', () => {
    expect(contextOf().context.holder('bulk')).toMatch(
      new RegExp(`^srq bulk, process ${process.pid} on \\S+, since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`),
    );
  });

  test('has no user where the system has none', () => {
    const { context } = contextOf();
    expect(context.uid).toBe(process.getuid?.() ?? null);
    Object.assign(context.process, { getuid: undefined });
    expect(context.uid).toBeNull();
  });

  test.each<[GlobalOptions, boolean, string]>([
    [{}, true, '! It is unknown. Take it over: srq store import a.ndjson\n'],
    [{ profile: 'shop' }, true, '! It is unknown. Take it over: srq store import --profile shop a.ndjson\n'],
    [{ freshStore: true }, true, ''],
    [{}, false, ''],
  ])('with %j and a log that the store does not know (%j) warns', async (options, isUnknown, warned) => {
    const { context, stderr } = contextOf({ options });
    const found = { message: 'It is unknown.', hint: 'Take it over: srq store import a.ndjson' };
    vi.spyOn(context, 'unknownFileLog').mockResolvedValue(isUnknown ? found : null);
    await context.warnOfFileLog();
    expect(stderr()).toBe(warned);
  });

  test.each<[GlobalOptions, boolean]>([
    [{}, true],
    [{ sandbox: true }, false],
  ])('with %j notes what it has written for its user: %j', async (options, isNoted) => {
    const { context, home } = contextOf({ options });
    const path = join(home, 'leads.results.csv');
    writeFileSync(path, 'x');
    await (await context.writtenFiles()).note(path, 'a'.repeat(64), 'run');
    expect(existsSync(join(home, 'state', 'written'))).toBe(isNoted);
  });

  test('begins a store anew only if that is said', () => {
    const begins = (options: GlobalOptions) => contextOf({ options }).context.freshStore;
    expect([begins({}), begins({ freshStore: false }), begins({ freshStore: true })]).toEqual([false, false, true]);
  });

  test('shows where a fault happened with --verbose, in printable lines without secrets', async () => {
    const { context, stderr } = contextOf({ options: { verbose: true } });
    context.addSecret('s3cret');
    const error = new TypeError('s3cret\u0007 in it');
    await context.showStack(error);
    expect(stderr()).toMatch(/^TypeError: \*\*\*\\u\{7\} in it\n/);
  });
});
