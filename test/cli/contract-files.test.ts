import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readDocuments } from '../../src/commands/contract/contract-documents.ts';
import { openFolder } from '../../src/commands/contract/description-folder.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** A folder with these files, which is removed with the test. */
function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('A file of a description', () => {
  test.each([
    [MAX_BYTES, true],
    [MAX_BYTES + 1, false],
  ])('may have 10 MB and no byte more: %i', async (size, isRead) => {
    const folder = folderOf({ 'a.yaml': '' });
    truncateSync(join(folder, 'a.yaml'), size);
    const read = readDocuments([join(folder, 'a.yaml')]).then(({ documents }) => documents[0]?.bytes.length);
    if (isRead) expect(await read).toBe(size);
    else await expect(read).rejects.toThrow(`${join(folder, 'a.yaml')} cannot be read (it is larger than 10 MB).`);
  });
});

describe('A folder of a description', () => {
  const API = 'openapi: 3.1.0\n';

  test('with several descriptions leaves the choice to a person', () => {
    const folder = folderOf({ 'b.yaml': API, 'a.yaml': API });
    expect(openFolder(folder).mainDocument).toThrow(
      expect.objectContaining({
        message: `${folder} holds several descriptions: a.yaml, b.yaml.`,
        hint: `Name the one that is meant, and the folder of the others: srq contract learn ${join(folder, 'a.yaml')} ${folder}`,
      }),
    );
  });

  test('is not left by a link, nor by "..", and has files alone', () => {
    const outside = folderOf({ 'secret.yaml': 'x', 'api-too/b.yaml': 'x' });
    const folder = join(outside, 'api');
    mkdirSync(join(folder, 'sub.yaml'), { recursive: true });
    writeFileSync(join(folder, 'a.yaml'), API);
    symlinkSync(join(outside, 'secret.yaml'), join(folder, 'linked.yaml'));
    symlinkSync(join(folder, 'a.yaml'), join(folder, 'inner.yaml'));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    const { within } = openFolder(folder);
    const read = within(join(folder, 'a.yaml'))?.read ?? (() => null);
    const left = ['linked.yaml', '../secret.yaml', '../api-too/b.yaml', 'sub.yaml', 'pipe.yaml', 'none.yaml', '.'];
    expect(left.map((name) => read(name))).toEqual(left.map(() => null));
    expect(read('inner.yaml')?.toString()).toBe(API);
    for (const path of [
      join(outside, 'secret.yaml'),
      join(outside, 'api-too/b.yaml'),
      folder,
      join(folder, 'none.yaml'),
    ])
      expect(within(path), path).toBeNull();
    // The folder itself may be named by a link.
    symlinkSync(folder, join(outside, 'link'));
    expect(openFolder(join(outside, 'link')).within(join(folder, 'a.yaml'))?.path).toBe('a.yaml');
    expect(openFolder(join(outside, 'link')).mainDocument).toThrow('holds several descriptions: a.yaml, inner.yaml.');
  });
});
