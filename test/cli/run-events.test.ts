import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunEvents } from '../../src/commands/bulk/events.ts';
import type { BulkOptions } from '../../src/commands/bulk/flags.ts';
import { SrqError } from '../../src/request/errors.ts';
import type { RowReport } from '../../src/request/import-plan.ts';
import { type RunNote, withListener } from '../../src/request/log-store.ts';
import type { RowResult } from '../../src/request/outcome.ts';
import { noCounts } from '../../src/request/status.ts';
import { contextOf } from '../helpers/command-context.ts';

type Told = Record<string, unknown>;

/** Events on standard output, with a clock that the test sets. */
async function eventsOf(flags: Partial<BulkOptions> = { events: '-' }, options: object = {}) {
  const of = contextOf({ options });
  const time = { ms: 0 };
  Object.assign(of.context, { clock: { ...of.context.clock, monotonicMs: () => time.ms, nowMs: () => time.ms } });
  const events = await RunEvents.open(of.context, flags as BulkOptions);
  const told = (): Told[] =>
    of
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const bare = () => told().map(({ schemaVersion: _, at: __, run: ___, ...event }) => event);
  return { ...of, time, events, told, bare };
}

const result = (row: number): RowResult => ({
  ...{
    row,
    status: 'created',
    ref: 'L-1',
    key: 'k',
    ids: { id: '1' },
    http: 201,
    message: 'Ana Exemplo',
    reason: null,
  },
});
const SENDING = { is: 'sending', rows: 5 } as const;
const stateAt = (done: number) => ({ done, total: 5, counts: { ...noCounts(), created: done } });

test('an event has the run and its time, and a row does not have the message of the service', async () => {
  const { context, events, time, told } = await eventsOf();
  time.ms = 1_500;
  events.row('a.csv', result(7));
  expect(told()).toEqual([
    {
      ...{ schemaVersion: 1, event: 'row', at: '1970-01-01T00:00:01.500Z', run: context.run, file: 'a.csv', row: 7 },
      ...{ status: 'created', ref: 'L-1', key: 'k', ids: { id: '1' }, http: 201, reason: null },
    },
  ]);
});

test('progress is told a second after the last time, and at the end of a pass', async () => {
  const { events, time, bare } = await eventsOf();
  time.ms = 500;
  const observer = events.observe('a.csv', SENDING);
  const at = (ms: number, row: number) => {
    time.ms = ms;
    observer.row(result(row), stateAt(row));
  };
  at(1_499, 1);
  at(1_500, 2);
  at(2_499, 3);
  at(2_500, 4);
  observer.end(stateAt(5));
  const { ready: _, ...counts } = noCounts();
  const progress = (done: number) => ({
    ...{ event: 'progress', file: 'a.csv', pass: 'sending', done, total: 5 },
    ...counts,
    created: done,
  });
  expect(bare().map((event) => (event['event'] === 'row' ? event['row'] : event))).toEqual([
    ...[1, 2, progress(2), 3, 4, progress(4), progress(5)],
  ]);
});

test('the plan has the sums of the files, and each file by its name', async () => {
  const { events, bare } = await eventsOf();
  const plan = (rows: number, counts: object) => ({ rows, counts: { ...noCounts(), ...counts } }) as never;
  events.plan([plan(3, { ready: 2, invalid: 1 }), plan(4, { ready: 1, repeated: 3 })], ['a.csv', 'b.csv']);
  const none = { ready: 0, repeated: 0, duplicate: 0, invalid: 0, unknown: 0 };
  expect(bare()).toEqual([
    {
      ...{ event: 'plan', rows: 7, ...none, ready: 3, repeated: 3, invalid: 1 },
      files: [
        { file: 'a.csv', rows: 3, ...none, ready: 2, invalid: 1 },
        { file: 'b.csv', rows: 4, ...none, ready: 1, repeated: 3 },
      ],
    },
  ]);
});

test('pauses and refusals are told in seconds, and are noted in the log all the same', async () => {
  const { events, bare } = await eventsOf();
  const noted: unknown[] = [];
  const notes = withListener(
    {
      note: (note) => void noted.push(note.event),
      refused: (http, pauseMs) => void noted.push([http, pauseMs]),
      flush: async () => void noted.push('flushed'),
    },
    events,
  );
  notes.note({ event: 'breaker', pauseMs: 2_500 });
  notes.note({ event: 'end', stopped: null } satisfies RunNote);
  notes.refused(429, 1_234.6);
  await notes.flush();
  expect(bare()).toEqual([
    { event: 'pause', seconds: 2.5 },
    { event: 'refused', http: 429, seconds: 1.235 },
  ]);
  expect(noted).toEqual(['breaker', 'end', [429, 1_234.6], 'flushed']);
});

test('rows that no pass of this run has told are told when they are reported', async () => {
  const { context, events, bare } = await eventsOf();
  const { run } = context;
  const report = (number: number, status: string, record: object | null): RowReport =>
    ({ row: { number }, status, ids: {}, message: null, reason: null, problems: [], isKept: false, record }) as never;
  const record = { ref: 'L-1', key: 'k', http: 201, run, event: 'created' };
  const reports = [
    report(1, 'created', record),
    report(2, 'created', { ...record, run: 'another' }),
    report(3, 'unknown', { ...record, event: 'sending', http: null }),
    report(4, 'repeated', record),
    report(5, 'invalid', null),
  ];
  const passed: RowReport[] = [];
  for await (const each of events.withRows(
    'a.csv',
    (async function* () {
      yield* reports;
    })(),
  ))
    passed.push(each);
  expect(passed).toEqual(reports);
  expect(bare().map(({ row, ref, key, http }) => [row, ref, key, http])).toEqual([
    [2, 'L-1', 'k', 201],
    [3, 'L-1', 'k', null],
    [4, 'L-1', 'k', 201],
    [5, null, null, null],
  ]);
});

describe('The error that ends a command', () => {
  test.each<[string, unknown, Told]>([
    ['of srq', new SrqError('log.unwritable', 'Full.', 'Make room.'), { exitCode: 9, code: 'log', message: 'Full.' }],
    ['of a person', new SrqError('prompt.left', 'Left.'), { exitCode: 130, code: 'interrupted', message: 'Left.' }],
    [
      'that is a fault',
      new TypeError('Ana Exemplo'),
      { exitCode: 1, code: 'fault', message: expect.not.stringContaining('Ana') },
    ],
  ])('%s is told with its exit code, and thrown', async (_, error, { exitCode, ...told }) => {
    const { context, events, bare } = await eventsOf();
    await expect(events.during(context, () => Promise.reject(error))).rejects.toBe(error);
    expect(bare()).toEqual([{ event: 'end', exitCode, error: { ...told, reason: expect.any(String) }, summary: null }]);
  });

  test('after a signal has the exit code of the signal', async () => {
    const { context, events, bare } = await eventsOf();
    Object.defineProperty(context.interruption, 'code', { value: 'terminated' });
    const failing = () => Promise.reject(new SrqError('log.unwritable', 'Full.'));
    await expect(events.during(context, failing)).rejects.toThrow('Full.');
    expect(bare()).toMatchObject([{ exitCode: 143, error: { code: 'log' } }]);
  });

  test('is none where all went well', async () => {
    const { context, events, bare } = await eventsOf();
    expect(await events.during(context, async () => 3)).toBe(3);
    events.end({ exitCode: 3, stopped: null, summary: null });
    expect(bare()).toEqual([{ event: 'end', exitCode: 3, error: null, summary: null }]);
  });
});

describe('The place of the events', () => {
  const refusal = async (flags: Partial<BulkOptions>, options: object = {}) =>
    eventsOf(flags, options).then(
      () => null,
      ({ reason, message }: SrqError) => [reason, message],
    );

  test.each<[Partial<BulkOptions>, object, RegExp]>([
    [{ events: '-' }, { json: true }, /^--events - and --json cannot .* --json writes to standard output as well/],
    [{ events: '-', results: '-' }, {}, /^--events - and --results cannot .* --results writes to the same place/],
    [{ events: 'a', results: 'a' }, {}, /^--events a and --results cannot/],
    [{ events: 'a', report: 'a' }, {}, /^--events a and --report cannot .* --report writes to the same place/],
    [{ events: 'a', saveMapping: './a' }, {}, /^--events a and --save-mapping cannot/],
    [{ events: 'a' }, { log: 'a' }, /^--events a and --log cannot/],
    [{ events: 'a', healthFile: 'a' } as never, {}, /^--events a and --health-file cannot/],
    [{ events: 'a', dryRun: true }, {}, /^--events and --dry-run cannot/],
    [{ onEnd: 'true', dryRun: true }, {}, /^--on-end and --dry-run cannot/],
    [{ events: 'a', onEnd: 'true', dryRun: true }, {}, /^--events and --dry-run cannot/],
  ])('is its own: with %j and %j nothing is sent', async (flags, options, message) => {
    expect(await refusal(flags, options)).toEqual(['flags.contradict', expect.stringMatching(message)]);
  });

  test('may be standard output beside files, and none at all in a dry run', async () => {
    const allowed: Partial<BulkOptions>[] = [
      { events: '-', results: 'a', report: 'b' },
      { events: '-', results: false },
      { dryRun: true },
      {},
    ];
    for (const flags of allowed) expect([flags, await refusal(flags)]).toEqual([flags, null]);
    expect(await refusal({}, { json: true })).toBeNull();
    expect(await refusal({ events: join(contextOf().home, 'events.ndjson') }, { json: true })).toBeNull();
  });

  test('is a file that has them once the command has ended, after those of the run before', async () => {
    const { home } = contextOf();
    const path = join(home, 'events.ndjson');
    for (const row of [1, 2]) {
      const { context, events, stdout } = await eventsOf({ events: path });
      events.row('a.csv', result(row));
      await context.close();
      expect(stdout()).toBe('');
    }
    const rows = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).row);
    expect(rows).toEqual([1, 2]);
    writeFileSync(path, 'mine');
    expect(await refusal({ events: path })).toEqual(['output.not-replaced', expect.stringContaining(path)]);
  });
});

describe.skipIf(process.platform === 'win32')('The command of --on-end', () => {
  test('gets the end on its standard input, and writes to standard error', async () => {
    const { context, events, stdout, stderr } = await eventsOf({ onEnd: 'echo aside >&2; cat' });
    events.row('a.csv', result(1));
    events.end({ exitCode: 5, stopped: null, summary: null });
    await context.close();
    expect(stdout()).toBe('');
    const end =
      stderr()
        .split('\n')
        .find((line) => line.startsWith('{')) ?? '';
    expect(JSON.parse(end)).toMatchObject({ event: 'end', exitCode: 5, error: null });
    expect([stderr().includes('aside\n'), stderr().includes('on-end')]).toEqual([true, false]);
  });

  test.each([
    ['exit 4', 'ended with exit code 4'],
    ['kill -9 $$', 'ended with SIGKILL'],
  ])('that fails is told without its words: %s', async (command, words) => {
    const { context, events, stderr } = await eventsOf({ onEnd: command });
    events.end({ exitCode: 0, stopped: null, summary: null });
    await context.close();
    expect(stderr().replace(/\s+/g, ' ')).toContain(`The command of --on-end ${words}. The exit code of srq stays`);
    expect(stderr()).not.toContain(command);
  });

  test('does not run where nothing has ended', async () => {
    const { context, stderr } = await eventsOf({ onEnd: 'echo ran' });
    await context.close();
    expect(stderr()).toBe('');
  });

  test('does not run where the command was refused for the place of its events', async () => {
    const of = contextOf();
    const flags = { onEnd: 'echo ran', events: '-', results: '-' } as never;
    await expect(RunEvents.open(of.context, flags)).rejects.toMatchObject({ reason: 'flags.contradict' });
    await of.context.close();
    expect(of.stderr()).toBe('');
  });

  test('has the environment of srq, and need not read what it gets', async () => {
    const of = contextOf({ env: { LEADS_OF: 'shop' } });
    const events = await RunEvents.open(of.context, { onEnd: 'echo "for $LEADS_OF"; exec 0<&-' } as never);
    // What is longer than a pipe holds cannot be written to a command that has closed its input.
    const stopped = { code: 'stopped', reason: 'srq.fault', message: 'x'.repeat(1_000_000) } as const;
    events.end({ exitCode: 0, stopped, summary: null });
    await of.context.close();
    expect(of.stderr()).toBe('for shop\n');
  });
});
