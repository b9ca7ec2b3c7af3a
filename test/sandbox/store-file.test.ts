import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { creates, LEAD, partnerOf, startCalmSandbox } from './sandbox-client.ts';

let directory: string;
let storeFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'srq-sandbox-'));
  storeFile = join(directory, 'received.ndjson');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Runs `use` against a sandbox with the store and closes it. */
async function withStore<T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const sandbox = await startCalmSandbox({ storeFile });
  try {
    return await use(sandbox);
  } finally {
    await Promise.all([sandbox.close(), sandbox.close()]);
  }
}

const createOne = async (sandbox: Sandbox, fullname: string) =>
  (await partnerOf(sandbox)).create({ ...LEAD, fullname });

test('what one sandbox received, the next one knows: as a list, as duplicates, and no identifier comes twice', async () => {
  const before = await withStore(async (sandbox) => {
    await createOne(sandbox, 'Row 1');
    return creates(sandbox);
  });
  await withStore(async (sandbox) => {
    expect(creates(sandbox)).toEqual(before.map((each) => ({ ...each, answerMs: null })));
    const { validate } = await partnerOf(sandbox);
    const duplicate = await validate({ ...LEAD, fullname: 'Row 1' });
    expect(duplicate.text).toBe(`{"duplicate":true,"request_id":${before[0]?.requestId}}`);
    const { text } = await createOne(sandbox, 'Row 2');
    expect(text).not.toContain(before[0]?.requestId);
    expect(text).toContain('SR-00000002');
  });
});

test('the store is one JSON document a line, private, and holds no secret', async () => {
  const secret = await withStore(async (sandbox) => {
    await createOne(sandbox, 'Row 1');
    return sandbox.clientSecret;
  });
  const text = readFileSync(storeFile, 'utf8');
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).operation),
  ).toEqual(['token', 'create']);
  expect(text).not.toContain(secret);
  expect(statSync(storeFile).mode & 0o777).toBe(0o600);
});

test('a file that holds something else is refused and left alone', async () => {
  writeFileSync(storeFile, 'name;phone\nAna;1\n');
  await expect(startCalmSandbox({ storeFile })).rejects.toMatchObject({
    code: 'usage',
    message: `${storeFile}, line 1 is not a request that the sandbox received.`,
  });
  expect(readFileSync(storeFile, 'utf8')).toBe('name;phone\nAna;1\n');
});
