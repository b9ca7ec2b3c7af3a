import type { WriteStream } from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storeExport } from '../../src/commands/store/run.ts';
import { type Results, resultsChunks } from '../../src/report/results-file.ts';
import type { RowReport } from '../../src/request/log/import-plan.ts';
import { openOutput } from '../../src/run/outputs.ts';
import { contextOf } from '../helpers/command-context.ts';
import { filesOpenHere } from '../helpers/open-files.ts';
import { outputHost } from '../helpers/output-host.ts';

/** What the disk does: the error of every write, and the places whose files another program holds open. */
const disk = vi.hoisted(() => ({
  writeError: null as string | null,
  held: new Set<string>(),
  renames: [] as string[],
}));

vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  const createWriteStream = (...given: Parameters<typeof real.createWriteStream>): WriteStream => {
    const stream = real.createWriteStream(...given);
    const write = stream._write.bind(stream);
    stream._write = (chunk, encoding, done) =>
      disk.writeError === null
        ? write(chunk, encoding, done)
        : done(Object.assign(new Error('The disk fails.'), { code: disk.writeError }));
    return stream;
  };
  return { ...real, createWriteStream };
});
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  const rename = async (from: string, to: string) => {
    disk.renames.push(to);
    if (disk.held.has(to)) throw Object.assign(new Error('It is held.'), { code: 'EBUSY' });
    await real.rename(from, to);
  };
  return { ...real, rename };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'srq-disk-'));
  Object.assign(disk, { writeError: null, held: new Set<string>(), renames: [] });
});
afterEach(() => {
  for (const each of [folder, `${folder}-state`]) rmSync(each, { recursive: true, force: true });
});

function resultsOf(count: number) {
  const asked = { rows: 0 };
  async function* rows(): AsyncGenerator<RowReport> {
    for (; asked.rows < count; asked.rows++)
      yield {
        row: { number: asked.rows + 1, line: null, cells: ['x'.repeat(1_000)], problem: null },
        ...{ status: 'created', ids: {}, message: null, reason: null, record: null, problems: [], isKept: false },
      };
  }
  return { asked, results: { columns: ['Name'], delimiter: ',', rows: rows() } };
}
/** Opens the results in the folder, and writes them after `between`. Returns where they are. */
async function write(results: Results, between = () => {}): Promise<{ path: string; told: readonly string[] }> {
  const { host, told } = outputHost(`${folder}-state`);
  const rule = { flag: '--results', kind: 'results file', mayMove: true, ...UNWRITTEN };
  const output = await openOutput(host, join(folder, 'out.csv'), rule);
  between();
  await output.write(resultsChunks(output.path, results));
  return { path: output.path, told };
}

const UNWRITTEN = { reason: 'results.unwritable', hint: 'nothing is sent twice' } as const;
const unwritable = (code: string) => ({
  reason: 'results.unwritable',
  message: expect.stringContaining(code),
  hint: expect.stringContaining('nothing is sent twice'),
});

// An error that nobody listens to would end the process, with the outcomes told to nobody.
test.each([1, 1_000])(
  'a disk that fails while %d rows are written is reported, and no file is left behind',
  async (count) => {
    disk.writeError = 'ENOSPC';
    await expect(write(resultsOf(count).results)).rejects.toMatchObject(unwritable('ENOSPC'));
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a place where no results file can be made is reported before a row is read', async () => {
  const { asked, results } = resultsOf(5);
  const gone = () => rmSync(folder, { recursive: true });
  await expect(write(results, gone)).rejects.toMatchObject(unwritable('ENOENT'));
  mkdirSync(folder);
  expect(asked.rows).toBe(0);
});

test.skipIf(process.platform !== 'linux')('a results file that is not finished is not held open', async () => {
  const path = join(folder, 'out.csv');
  async function* rows(): AsyncGenerator<RowReport> {
    yield* resultsOf(1).results.rows;
    throw new Error('gone');
  }
  await expect(write({ columns: ['Name'], delimiter: ',', rows: rows() })).rejects.toThrow();
  const held = () => filesOpenHere().filter((each) => each.startsWith(path));
  await expect.poll(held).toEqual([]);
});

const placeOf = (number: number) => join(folder, number === 1 ? 'out.csv' : `out-${number}.csv`);

test.each([
  [0, 1],
  [1, 2],
  [4, 5],
])('where other programs hold %d results files open, the results go to place %d', async (held, place) => {
  for (let at = 1; at <= held; at++) disk.held.add(placeOf(at));
  const { path, told } = await write(resultsOf(1).results);
  expect(path).toBe(placeOf(place));
  expect(told).toEqual(
    Array.from({ length: held }, (_, at) => {
      const kept = `${placeOf(at + 1)} is open in another program, such as Excel, so it is kept`;
      return `${kept}; the results go to ${placeOf(at + 2)}.`;
    }),
  );
  expect(readFileSync(path, 'utf8')).toContain('srq_status');
  expect(readdirSync(folder)).toEqual([`${path.slice(folder.length + 1)}`]);
});

test('where other programs hold five results files open, the results are given up', async () => {
  for (let at = 1; at <= 9; at++) disk.held.add(placeOf(at));
  await expect(write(resultsOf(1).results)).rejects.toMatchObject(unwritable('EBUSY'));
  expect([disk.renames.length, readdirSync(folder)]).toEqual([5, []]);
});

test('an export of the store that cannot be written is reported like any other export', async () => {
  const { context } = contextOf();
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const requests = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(full) }) });
  const store = { name: 'a store', requests, waitingRows: async () => 0 };
  Object.assign(context.log, { postgresStore: async () => store });
  const output = join(folder, 'log.ndjson');
  await expect(storeExport(context, { output })).rejects.toMatchObject({
    reason: 'output.unwritable',
    message: `The log ${output} cannot be written (ENOSPC).`,
    hint: 'Name another place: --output FILE',
  });
  expect(readdirSync(folder)).toEqual([]);
});
