import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { contextOf } from '../helpers/command-context.ts';

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('A folder for personal data', () => {
  test('A folder for personal data is open to its user alone, and is removed with the command', async () => {
    const { context } = contextOf();
    const folder = context.temporaryFolder('srq-of-a-test-');
    writeFileSync(join(folder, 'lead'), 'Ana Exemplo');
    if (process.platform !== 'win32') expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
    expect(folder.startsWith(join(tmpdir(), 'srq-of-a-test-'))).toBe(true);
    await context.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('A folder for personal data is removed with a process that ends before its command', () => {
    const { context } = contextOf();
    const atExit = vi.spyOn(context.interruption, 'beforeExit');
    const folder = context.temporaryFolder('srq-of-a-test-');
    writeFileSync(join(folder, 'lead'), 'Ana Exemplo');
    for (const [remove] of atExit.mock.calls) remove();
    expect([atExit.mock.calls.length, existsSync(folder)]).toEqual([1, false]);
  });

  afterEach(() => vi.unstubAllEnvs());
  test('A command ends with a hint if the folder for personal data cannot be made', () => {
    const { context } = contextOf();
    const none = join(folderOfTest(), 'none');
    vi.stubEnv('TMPDIR', none);
    if (process.platform === 'win32') vi.stubEnv('TEMP', none);
    expect(() => context.temporaryFolder('srq-')).toThrow(
      expect.objectContaining({
        ...{ reason: 'settings.unwritable', hint: expect.stringContaining('TMPDIR') },
        message: `No temporary folder can be created in ${none} (ENOENT). Nothing was sent.`,
      }),
    );
  });
});
