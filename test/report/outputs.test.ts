import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openNew, openOutput, requireWritable, writeAll } from '../doors/kept.ts';
import { filesOpenHere } from '../helpers/open-files.ts';
import { outputHost } from '../helpers/output-host.ts';

let root: string;
let folder: string;
let path: string;
let made: ReturnType<typeof outputHost>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'srq-output-'));
  folder = join(root, 'work');
  mkdirSync(folder);
  path = join(folder, 'out.csv');
  made = outputHost(join(root, 'state'));
});
afterEach(() => rmSync(root, { recursive: true }));

type Rule = Parameters<typeof openOutput>[2];
/** Opens it for one command, which has the files in `outputs`. */
const opened = (changes: Partial<Rule> = {}, outputs = new Map<string, object>()) =>
  openOutput({ ...made.host, outputs }, path, { flag: '--output', kind: 'export', ...changes });
const files = () => readdirSync(folder).sort();
async function* chunks(last: () => string) {
  yield 'one\n';
  yield last();
}

describe('a file that a flag names', () => {
  test('a file that a flag names is written whole, for its owner alone, and replaced by the next one', async () => {
    for (const text of ['two\n', 'three\n']) {
      const output = await opened();
      expect(await output.write(chunks(() => text))).toBe(true);
      expect([readFileSync(path, 'utf8'), files(), output.path]).toEqual([`one\n${text}`, ['out.csv'], path]);
    }
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a file that a flag names is not replaced once somebody has changed it', async () => {
    await (await opened()).write(['as srq wrote it']);
    writeFileSync(path, 'as it was corrected');
    await expect(opened()).rejects.toThrow('is not as srq wrote it');
  });

  test('a file that a flag names may be empty, but is no folder and no device', async () => {
    writeFileSync(path, '');
    await opened();
    rmSync(path);
    mkdirSync(path);
    await expect(opened()).rejects.toThrow('is not a regular file');
  });

  test('a file that a flag names is never the input, under whatever name', async () => {
    await (await opened()).write(['a']);
    await expect(opened({ input: join(folder, '.', 'out.csv') })).rejects.toThrow('would replace the input');
  });

  test('a file that was changed while the new one was made is kept, and the new one goes beside it', async () => {
    const output = await opened();
    await output.write(
      chunks(() => {
        writeFileSync(path, 'mine');
        return 'two\n';
      }),
    );
    expect([output.path, readFileSync(path, 'utf8')]).toEqual([join(folder, 'out-2.csv'), 'mine']);
    expect(made.told).toEqual([
      `${path} is not as srq wrote it here, so it is kept; the export goes to ${output.path}.`,
    ]);
  });

  test('a file that a flag names is kept if not even a file of srq may be replaced', async () => {
    await (await opened()).write(['a']);
    await expect(opened({ keepsOwn: true })).rejects.toThrow('never replaced');
  });

  test('a file that cannot be written whole leaves the one before as it was, and nothing beside it', async () => {
    await (await opened()).write(['as it was']);
    const failing = chunks(() => {
      throw new Error('the input has changed');
    });
    await expect((await opened()).write(failing)).rejects.toThrow('the input has changed');
    expect([readFileSync(path, 'utf8'), files()]).toEqual(['as it was', ['out.csv']]);
  });

  test('a file that is stopped before it is whole leaves nothing, and its source is closed', async () => {
    const halt = new AbortController();
    let isClosed = false;
    async function* endless() {
      try {
        for (let at = 0; ; at++) {
          if (at === 3) halt.abort();
          yield 'x';
        }
      } finally {
        isClosed = true;
      }
    }
    expect(await (await opened()).write(endless(), halt.signal)).toBe(false);
    expect([isClosed, files()]).toEqual([true, []]);
  });

  test.skipIf(process.platform !== 'linux')('a file that was only looked at is not held open', async () => {
    writeFileSync(path, 'mine');
    await expect(opened()).rejects.toThrow('not replaced');
    expect(filesOpenHere()).not.toContain(path);
  });
});

describe('a default path', () => {
  const results = { flag: '--results', kind: 'results file', mayMove: true } as const;

  test('a default path gets the next free number where somebody has changed the file', async () => {
    for (const name of ['out.csv', 'out-2.csv']) writeFileSync(join(folder, name), 'mine');
    const output = await opened(results);
    expect(output.path).toBe(join(folder, 'out-3.csv'));
    expect(made.told).toEqual([
      `${path} is not as srq wrote it here, so it is kept; the results go to ${output.path}.`,
    ]);
  });

  test('a default path is never that of another file of the same command', async () => {
    const outputs = new Map<string, object>();
    const first = await opened(results, outputs);
    const other = await opened(results, outputs);
    expect([first.path, other.path]).toEqual([path, join(folder, 'out-2.csv')]);
    await expect(opened({}, outputs)).rejects.toThrow('is used by this command already');
  });
});

describe('before anything is sent', () => {
  test('the check before anything is sent leaves a writable file as it was, and nothing beside it', async () => {
    await requireWritable(path, 'results file', '--results');
    expect(files()).toEqual([]);
    writeFileSync(path, 'as it was');
    await requireWritable(path, 'results file', '--results');
    expect([files(), readFileSync(path, 'utf8')]).toEqual([['out.csv'], 'as it was']);
  });
});

test('a file to which lines are added is a new one, closed to others', async () => {
  const rule = { flag: '--events', kind: 'events' };
  const file = await openNew(made.host, path, rule);
  await file.write('{"schemaVersion":1}\n');
  await file.close();
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(openNew({ ...made.host, outputs: new Map() }, path, rule)).rejects.toMatchObject({
    reason: 'output.not-replaced',
    message: `${path} is there already. Nothing was sent.`,
    hint: `To write beside it: --events ${join(folder, 'out-2.csv')}`,
  });
  expect(readFileSync(path, 'utf8')).toBe('{"schemaVersion":1}\n');
  const used = new Map([[join(folder, 'new'), {}]]);
  await expect(openNew({ ...made.host, outputs: used }, join(folder, 'new'), rule)).rejects.toThrow('is there already');
});

test('a slow reader is waited for, and one that has gone is not', async () => {
  const slow = new PassThrough({ highWaterMark: 4 });
  let isWritten = false;
  const writing = writeAll(slow, 'more than four').then(() => {
    isWritten = true;
  });
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  expect(String(slow.read())).toBe('more than four');
  await writing;
  expect(slow.listenerCount('drain') + slow.listenerCount('close')).toBe(0);
  const leaving = writeAll(slow, 'more than four');
  slow.destroy();
  await leaving;
  await writeAll(slow, 'more');
});
