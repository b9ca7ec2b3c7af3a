import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { creates, LEAD, partnerOf, send, startCalmSandbox } from './sandbox-client.ts';

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

test('the verdicts of validate are kept; a file of an earlier version has none', async () => {
  await withStore(async (sandbox) => (await partnerOf(sandbox)).validate(LEAD));
  const verdicts = () => withStore(async (sandbox) => sandbox.requests().map(({ verdict }) => verdict));
  expect(await verdicts()).toEqual([null, 'clear']);
  writeFileSync(storeFile, readFileSync(storeFile, 'utf8').replaceAll(/"verdict":(?:null|"\w+"),/g, ''));
  expect(await verdicts()).toEqual([null, null]);
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

test('texts longer than one reading, and line ends of all kinds, come back as they were', async () => {
  const texts = ['one\u2028two\r\nthree', 'ção '.repeat(700_000), 'short'];
  const sent = await withStore(async (sandbox) => {
    const { create } = await partnerOf(sandbox);
    for (const text of texts) await create({ ...LEAD, request_text: text });
    return creates(sandbox).map((each) => each.params);
  });
  expect(sent.map((params) => params['request_text'])).toEqual(texts);
  await withStore(async (sandbox) => expect(creates(sandbox).map((each) => each.params)).toEqual(sent));
});

test('a request whose answer is lost is in the store all the same', async () => {
  await withStore(async (sandbox) => {
    sandbox.setFaults({ 'reset-after': 1 });
    await createOne(sandbox, 'Row 1').catch(() => undefined);
  });
  await withStore(async (sandbox) => expect(creates(sandbox)).toMatchObject([{ fault: 'reset-after', status: null }]));
});

test('a line cut short by the end of a process is dropped, and the store goes on', async () => {
  await withStore((sandbox) => createOne(sandbox, 'Rów 1'));
  const whole = readFileSync(storeFile, 'utf8');
  appendFileSync(storeFile, '{"number":3,"operation":"cr');
  await withStore((sandbox) => createOne(sandbox, 'Row 2'));
  expect(readFileSync(storeFile, 'utf8').startsWith(`${whole}{"number":3,"operation":"token"`)).toBe(true);
  await withStore(async (sandbox) => expect(creates(sandbox)).toHaveLength(2));
});

test('clearing the requests clears the store', async () => {
  await withStore(async (sandbox) => {
    await createOne(sandbox, 'Row 1');
    await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`);
    await createOne(sandbox, 'Row 2');
  });
  await withStore(async (sandbox) =>
    expect(creates(sandbox).map((each) => each.params['fullname'])).toEqual(['Row 2']),
  );
});

test('a file that holds something else is refused and left alone', async () => {
  writeFileSync(storeFile, 'name;phone\nAna;1\n');
  await expect(startCalmSandbox({ storeFile })).rejects.toMatchObject({
    code: 'usage',
    message: `${storeFile}, line 1 is not a request that the sandbox received.`,
  });
  expect(readFileSync(storeFile, 'utf8')).toBe('name;phone\nAna;1\n');
});

test('a store that cannot be opened is a clear error', async () => {
  const folder = join(directory, 'folder');
  mkdirSync(folder);
  await expect(startCalmSandbox({ storeFile: folder })).rejects.toMatchObject({
    code: 'usage',
    message: `Cannot open the store ${folder} (EISDIR).`,
  });
});
