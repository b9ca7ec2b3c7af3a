import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { onceWhole } from '../../src/report/whole-result.ts';

/** More than is kept in memory, with a character of several bytes. */
const LONG = 'ä'.repeat(700_000);

function folderOfTest() {
  const folder = mkdtempSync(join(tmpdir(), 'srq-whole-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function* listed(...texts: readonly string[]) {
  yield* texts;
}

async function* failingAfter(...texts: readonly string[]) {
  yield* texts;
  throw new Error('unreadable');
}

async function collected(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const bytes: Buffer[] = [];
  for await (const chunk of chunks) bytes.push(Buffer.from(chunk as string));
  return Buffer.concat(bytes).toString('utf8');
}

describe('texts that are passed on once they are whole', () => {
  test('need no folder if they are short', async () => {
    const never = () => {
      throw new Error('a folder');
    };
    expect(await collected(onceWhole(listed('[', 'a', ']'), never))).toBe('[a]');
  });

  test('are the same by way of a file that only the user can read', async () => {
    const folder = folderOfTest();
    const chunks = onceWhole(listed(LONG, LONG, 'b', LONG, LONG, 'c'), () => folder);
    const first = await chunks.next();
    expect(readdirSync(folder)).toEqual(['result']);
    expect(statSync(join(folder, 'result')).mode & 0o777).toBe(0o600);
    const rest = await collected(chunks);
    expect(Buffer.from(first.value ?? '').toString('utf8') + rest).toBe(`${LONG}${LONG}b${LONG}${LONG}c`);
  });

  test.each([[['a']], [[LONG, LONG, 'b']]])('are nothing if their source fails', async (texts) => {
    const folder = folderOfTest();
    await expect(onceWhole(failingAfter(...texts), () => folder).next()).rejects.toThrow('unreadable');
  });

  test('cannot be put together in a folder that has gone, and the error says what to do', async () => {
    const folder = join(folderOfTest(), 'gone');
    await expect(onceWhole(listed(LONG, LONG), () => folder).next()).rejects.toMatchObject({
      reason: 'output.unwritable',
      hint: expect.stringContaining('TMPDIR'),
    });
    expect(existsSync(folder)).toBe(false);
  });
});
