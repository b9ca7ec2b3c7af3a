import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { storeExport, storeImport, storeMigrate, storePrune, storeResume } from '../../src/commands/store/run.ts';
import type { SrqError } from '../../src/request/errors.ts';
import type { LogRecord } from '../../src/request/ports.ts';
import type { LoggedState } from '../../src/request/status.ts';
import * as boss from '../../src/store/postgres/boss.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { AT, fullKey, type WrittenRecord, writeLog, writeNotes } from '../helpers/log-file.ts';
import { openLog } from '../helpers/log-subjects.ts';

const NAME = 'postgres://leads@here/leads';
const DAY_MS = 86_400_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Known = { readonly record: LogRecord; readonly state: LoggedState };
type Scene = Parameters<typeof contextOf>[0] & { readonly store?: object };

/** A command with a store that has these members. Each signal of the process can be sent. */
function sceneOf({ store = {}, ...scene }: Scene = {}) {
  const of = contextOf(scene);
  const whole = { name: NAME, ...store } as never;
  const required = vi.spyOn(of.context, 'requireStore').mockResolvedValue(whole);
  vi.spyOn(of.context, 'postgresStore').mockResolvedValue(whole);
  const handlers = new Map<string, () => void>();
  Object.assign(of.context.process, { on: (signal: string, handler: () => void) => handlers.set(signal, handler) });
  const document = () => {
    const { schemaVersion: _, ...rest } = JSON.parse(of.stdout());
    return rest;
  };
  const interrupt = () => handlers.get('SIGINT')?.();
  return { ...of, document, interrupt, required, at: (name: string) => join(of.home, name) };
}

const refusalOf = (run: Promise<unknown>): Promise<SrqError> =>
  run.then(
    () => Promise.reject(new Error('It was expected to be refused.')),
    (error: SrqError) => error,
  );

describe('srq store migrate', () => {
  test.each<[string[], string]>([
    [[], `✓ The store ${NAME} is up to date.\n`],
    [['one', 'two'], `✓ The store ${NAME} now has: one, two.\n`],
  ])('of %j says so, and prepares the queue', async (migrated, text) => {
    const installed = vi.spyOn(boss, 'installBoss').mockResolvedValue(undefined as never);
    const store = { migrate: async () => migrated, database: 'the database' };
    try {
      const { context, stdout } = sceneOf({ store });
      expect(await storeMigrate(context)).toBe(0);
      expect(stdout()).toBe(text);
      expect(installed.mock.calls).toEqual([['the database']]);
      const json = sceneOf({ store, options: { json: true } });
      await storeMigrate(json.context);
      expect(json.document()).toEqual({ store: NAME, migrated });
    } finally {
      installed.mockRestore();
    }
  });
});

test('srq store resume tells of what was missing', async () => {
  const store = { resume: async () => ({ missing: [], doubtful: 0 }) };
  const { context, document } = sceneOf({ store, options: { json: true } });
  expect(await storeResume(context)).toBe(0);
  expect(document()).toEqual({ store: NAME, missing: [], doubtful: 0 });
});

describe('srq store import', () => {
  const many = (count: number): WrittenRecord[] =>
    Array.from({ length: count }, (_, at) => ({ key: at.toString(16).padStart(32, '0'), row: at + 1 }));

  function importing(options: object = {}, argv: readonly string[] = []) {
    const taken: Known[][] = [];
    const notes: unknown[] = [];
    const noted: unknown[] = [];
    const order: string[] = [];
    const hook: { onTake: () => unknown; known: number } = { onTake: () => {}, known: 0 };
    const store = {
      migrate: async () => {
        await turn();
        order.push('migrate');
      },
      takeOver: async (batch: readonly Known[]) => {
        order.push('take');
        taken.push([...batch]);
        await hook.onTake();
        order.push('taken');
        return batch.length - hook.known;
      },
      takeOverNotes: async (all: readonly unknown[]) => void notes.push(...all),
      noteFileLog: async (log: unknown) => void noted.push(log),
    };
    return { ...sceneOf({ store, options, argv }), taken, notes, noted, order, hook };
  }

  test('takes over each request in its state, the notes, and the log itself', async () => {
    const { context, at, taken, notes, noted, order, hook, stdout, required } = importing();
    hook.known = 1;
    const file = at('leads.ndjson');
    writeLog(file, [
      { key: 'a', event: 'sending' },
      { key: 'b', event: 'licence' },
      { key: 'a', event: 'created' },
    ]);
    writeNotes(file, { r: 'leads.csv' });
    expect(await storeImport(context, file)).toBe(0);
    expect(taken.map((batch) => batch.map(({ record, state }) => [record.key, record.event, state]))).toEqual([
      [
        [fullKey('b'), 'licence', 'licensed'],
        [fullKey('a'), 'created', 'created'],
      ],
    ]);
    expect([notes, noted, order]).toEqual([
      [expect.objectContaining({ event: 'begin', file: 'leads.csv' })],
      [expect.objectContaining({ name: file, isImported: true })],
      ['migrate', 'take', 'taken'],
    ]);
    const [knows = '', took] = stdout().split(', in ');
    expect(knows).toBe(`✓ The store ${NAME} knows what ${file} has: 1 of 2 requests are new to it`);
    expect(took).toMatch(/^\d+\.\d s/);
    expect(required.mock.calls).toEqual([['store import']]);
  });

  test.each([
    [4_999, [4_999]],
    [5_000, [5_000, 0]],
    [5_001, [5_000, 1]],
    [10_001, [5_000, 5_000, 1]],
  ])('takes %i requests in batches: %j', async (count, sizes) => {
    const { context, at, taken, document } = importing({ json: true });
    writeLog(at('leads.ndjson'), many(count));
    await storeImport(context, at('leads.ndjson'));
    expect(taken.map(({ length }) => length)).toEqual(sizes);
    expect(taken.flat().map(({ record }) => record.row)).toEqual(many(count).map(({ row }) => row));
    expect(document()).toMatchObject({
      store: NAME,
      requests: count,
      imported: count,
      known: 0,
      stopped: null,
      next: null,
    });
  });

  test('has one batch taken at a time', async () => {
    const { context, at, order, hook, document } = importing({ json: true });
    // The first one takes as long as the others could begin, if nobody waited for it.
    hook.onTake = async () => {
      const isAlone = () => order.filter((each) => each === 'take').length === 1;
      for (let turns = 0; turns < 5_000 && isAlone(); turns++) await turn();
    };
    writeLog(at('leads.ndjson'), many(10_001));
    await storeImport(context, at('leads.ndjson'));
    expect(order).toEqual(['migrate', ...['take', 'taken'], ...['take', 'taken'], ...['take', 'taken']]);
    expect(document()).toMatchObject({ requests: 10_001, imported: 10_001 });
  });

  test('that is interrupted ends with the batch at hand, and says how to go on', async () => {
    for (const json of [true, false]) {
      const scene = importing({ profile: 'shop', ...(json ? { json } : {}) });
      const { context, at, taken, notes, noted, hook, interrupt, stderr } = scene;
      hook.onTake = interrupt;
      const file = at('leads.ndjson');
      writeLog(file, many(5_001));
      writeNotes(file, { r: 'leads.csv' });
      expect(await storeImport(context, file)).toBe(130);
      expect([taken.length, notes, noted]).toEqual([1, [], []]);
      expect(stderr()).toContain('! Ending with the requests at hand; press Ctrl-C again to leave now.\n');
      const next = `srq store import --profile shop ${file}`;
      if (json)
        expect(scene.document()).toMatchObject({
          ...{ requests: 5_000, imported: 5_000, next },
          stopped: { reason: 'interrupted.signal', hint: `To go on: ${next}` },
          error: { reason: 'interrupted.signal' },
        });
      else
        expect(scene.stdout()).toMatch(
          /^! The store .* 5,000 of 5,000 requests are new to it, in .*\.\nNext: srq store import --profile shop /,
        );
    }
  });

  test('ends with the error of a batch, and leaves the log free', async () => {
    const { context, at, hook } = importing();
    hook.onTake = () => {
      throw new Error('no room');
    };
    writeLog(at('leads.ndjson'), many(5_001));
    await expect(storeImport(context, at('leads.ndjson'))).rejects.toThrow('no room');
    await context.close();
    const again = importing();
    expect(await storeImport(again.context, at('leads.ndjson'))).toBe(0);
  });

  test('holds the log for itself', async () => {
    const { context, at, hook } = importing();
    const tried: Promise<SrqError>[] = [];
    const file = at('leads.ndjson');
    writeLog(file, many(1));
    hook.onTake = () => void tried.push(refusalOf(openLog(file)));
    await storeImport(context, file);
    const message = expect.stringMatching(/^Another run is using this log: srq store import, /);
    expect(await Promise.all(tried)).toMatchObject([{ reason: 'log.in-use', message }]);
  });

  test('needs a log', async () => {
    const { context, at } = importing();
    writeFileSync(at('empty.ndjson'), '');
    const hint = 'srq status names the log of a profile.';
    for (const [name, message] of [
      ['empty.ndjson', `${at('empty.ndjson')} is empty, so it is no log.`],
      ['none.ndjson', `There is no log ${at('none.ndjson')}.`],
    ] as const)
      expect(await refusalOf(storeImport(context, at(name)))).toMatchObject({
        reason: 'arguments.invalid',
        message,
        hint,
      });
    expect(existsSync(at('none.ndjson'))).toBe(false);
  });
});

describe('srq store export', () => {
  const record = (key: string): LogRecord => ({
    ...{ key: fullKey(key), row: 1, ref: null, event: 'created', at: AT, run: 'r', ids: {}, http: 201, ms: 1 },
    ...{ message: null, raw: null, by: null, again: false },
  });

  function exporting(count: number, options: object = {}) {
    const hook = { onRead: (_: number) => {} };
    const store = {
      requests: async function* () {
        for (let at = 0; at < count; at++) {
          hook.onRead(at);
          yield { record: record(at.toString(16).padStart(32, '0')), state: 'created' };
        }
      },
    };
    return { ...sceneOf({ store, options }), hook };
  }
  const keysIn = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).key);
  const keys = (count: number) => Array.from({ length: count }, (_, at) => at.toString(16).padStart(32, '0'));

  const told: Readonly<Record<number, string>> = { 0: '0 requests', 1: '1 request', 2000: '2,000 requests' };

  test.each([0, 1, 2_000])('writes all of %i requests as a log', async (count) => {
    for (const output of [undefined, '-']) {
      const { context, stdout } = exporting(count);
      expect(await storeExport(context, output === undefined ? {} : { output })).toBe(0);
      expect(keysIn(stdout())).toEqual(keys(count));
    }
    const { context, at, stdout } = exporting(count);
    expect(await storeExport(context, { output: at('out.ndjson') })).toBe(0);
    expect(keysIn(readFileSync(at('out.ndjson'), 'utf8'))).toEqual(keys(count));
    expect(stdout()).toBe(`✓ ${at('out.ndjson')} has the ${told[count]} of the store ${NAME}.\n`);
    const json = exporting(count, { json: true });
    await storeExport(json.context, { output: json.at('out.ndjson') });
    expect(json.document()).toEqual({ store: NAME, output: json.at('out.ndjson'), requests: count });
  });

  test('is not mixed with a document', async () => {
    const error = await refusalOf(storeExport(exporting(1, { json: true }).context, {}));
    expect(error).toMatchObject({ reason: 'flags.incomplete', hint: 'Add: --output FILE' });
  });

  test('reads no further than its reader does', async () => {
    const { context, hook } = exporting(5_000);
    const { stdout } = context.process;
    let last = 0;
    hook.onRead = (at) => {
      last = at;
    };
    const written = vi.spyOn(stdout, 'write').mockReturnValue(false);
    const exported = storeExport(context, {});
    for (const chunks of [1, 2, 3]) {
      await vi.waitFor(() => expect(written).toHaveBeenCalledTimes(chunks), 60_000);
      const before = last;
      for (let turns = 0; turns < 100; turns++) await turn();
      expect([written.mock.calls.length, last]).toEqual([chunks, before]);
      if (chunks === 3) written.mockReturnValue(true);
      stdout.emit('drain');
    }
    await exported;
    expect(last).toBe(4_999);
  });

  test('ends where its reader has gone', async () => {
    const { context, hook } = exporting(5_000);
    let last = 0;
    hook.onRead = (at) => {
      last = at;
      if (at === 100) context.process.stdout.destroy();
    };
    expect(await storeExport(context, {})).toBe(0);
    expect(last).toBeLessThan(4_999);
  });

  test('replaces nothing, and leaves nothing half-written', async () => {
    const { context, at } = exporting(1);
    writeFileSync(at('mine'), 'x');
    expect((await refusalOf(storeExport(context, { output: at('mine') }))).reason).toBe('output.not-replaced');
    expect((await refusalOf(storeExport(context, { output: at('none/out') }))).reason).toBe('output.unwritable');
    const stopped = exporting(5_000);
    stopped.hook.onRead = (row) => {
      if (row === 100) stopped.interrupt();
    };
    const error = await refusalOf(storeExport(stopped.context, { output: stopped.at('out') }));
    expect([error.reason, error.message, existsSync(stopped.at('out'))]).toEqual([
      ...['interrupted.signal', 'Interrupted. Nothing was written.', false],
    ]);
  });
});

describe('srq store prune', () => {
  function pruning(counts: readonly number[], scene: Scene = {}) {
    const asked: [string, boolean][] = [];
    const hook = { onCount: (_: boolean) => {} };
    const store = {
      replacedRecords: async function* (before: Date, deletes: boolean) {
        asked.push([before.toISOString(), deletes]);
        for (const count of counts) {
          hook.onCount(deletes);
          yield count;
        }
      },
    };
    const of = sceneOf({ ...scene, store });
    const nowMs = Date.parse('2026-11-21T12:00:00Z');
    Object.assign(of.context, { clock: { ...of.context.clock, nowMs: () => nowMs } });
    const daysAgo = (days: number) => new Date(nowMs - days * DAY_MS).toISOString();
    return { ...of, asked, hook, daysAgo };
  }

  test('with --dry-run counts alone', async () => {
    const { context, asked, daysAgo, stdout } = pruning([1_000, 234]);
    expect(await storePrune(context, { olderThan: 30, dryRun: true })).toBe(0);
    expect(asked).toEqual([[daysAgo(30), false]]);
    expect(stdout()).toBe(
      `✓ The store ${NAME}: 1,234 records from before 2026-10-22T12:00:00.000Z that a later one has replaced would be deleted.\n`,
    );
  });

  test('deletes after a yes', async () => {
    const typed: Typed[] = [[/Delete 3 records from before 2026-11-20\? \[y\/N\] /, 'y\r']];
    for (const [scene, yes] of [
      [{ typed }, undefined],
      [{ typed: [] }, true],
    ] as const) {
      const { context, asked, daysAgo, stdout } = pruning([1, 2], scene);
      expect(await storePrune(context, { olderThan: 1, ...(yes ? { yes } : {}) })).toBe(0);
      expect(asked).toEqual([
        [daysAgo(1), false],
        [daysAgo(1), true],
      ]);
      expect(stdout()).toBe(
        `✓ The store ${NAME}: Deleted 3 of 3 records from before 2026-11-20T12:00:00.000Z that a later one has replaced.\n`,
      );
    }
    const { context, asked, stderr } = pruning([1], { options: { profile: 'shop' } });
    expect(await refusalOf(storePrune(context, { olderThan: 1 }))).toMatchObject({
      ...{
        reason: 'deletion.not-confirmed',
        hint: expect.stringContaining('srq store prune --profile shop --dry-run'),
      },
    });
    expect([asked.length, stderr()]).toEqual([1, '']);
  });

  test('tells one record as one', async () => {
    const what = 'from before 2026-10-22T12:00:00.000Z that a later one has replaced';
    const dry = pruning([1]);
    await storePrune(dry.context, { olderThan: 30, dryRun: true });
    expect(dry.stdout()).toBe(`✓ The store ${NAME}: 1 record ${what} would be deleted.\n`);
    const asked = pruning([1], { typed: [[/Delete 1 record from before 2026-10-22\? /, 'y\r']] });
    await storePrune(asked.context, { olderThan: 30 });
    expect(asked.stdout()).toBe(`✓ The store ${NAME}: Deleted 1 of 1 record ${what}.\n`);
  });

  test('asks nothing where there is nothing to delete', async () => {
    const { context, asked, document } = pruning([0], { options: { json: true } });
    expect(await storePrune(context, { olderThan: 30 })).toBe(0);
    expect(asked).toHaveLength(1);
    expect(document()).toEqual({
      store: NAME,
      before: '2026-10-22T12:00:00.000Z',
      found: 0,
      deleted: 0,
      stopped: null,
    });
  });

  test('that is interrupted ends with the records at hand', async () => {
    const { context, hook, interrupt, document, stderr } = pruning([5, 6, 7], { options: { json: true } });
    hook.onCount = (deletes) => {
      if (deletes) interrupt();
    };
    expect(await storePrune(context, { olderThan: 30, yes: true })).toBe(130);
    const stopped = { reason: 'interrupted.signal', hint: 'Run the same command again: it goes on where it stopped.' };
    expect(document()).toMatchObject({ found: 18, deleted: 5, stopped, error: stopped });
    expect(stderr()).toContain('Ending with the records at hand; press Ctrl-C again to leave now.');
  });
});
