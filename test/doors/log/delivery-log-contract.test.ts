import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenLog, ReadRecord } from '../../../src/request/log/log-store.ts';
import type { Outcome } from '../../../src/request/log/outcome.ts';
import type { LoggedState } from '../../../src/request/log/status.ts';
import fc from '../../helpers/fast-check.ts';
import { LogProcess, logProgram } from '../../helpers/log-process.ts';
import { STORE_PASSWORD } from '../../helpers/postgres.ts';
import {
  CREATED,
  failureOf,
  keyOf,
  kindsOfLog,
  LOGGED_STATES,
  type LogPlaceOfTest,
  nextState,
  SENT_STATUSES,
  subjectOf,
} from '../log.ts';

const nothing: Omit<Outcome, 'status'> = { ids: {}, http: null, ms: null, message: null, raw: null };
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Brings a key into a state by records alone. */
const WAY_TO: Readonly<Record<LoggedState, (log: OpenLog, row: number) => Promise<unknown>>> = {
  none: async () => {},
  sending: (log, row) => log.sending(subjectOf(row), 'none'),
  created: (log, row) => log.outcome(subjectOf(row), CREATED),
  duplicate: (log, row) => log.outcome(subjectOf(row), { ...nothing, status: 'duplicate' }),
  rejected: (log, row) => log.outcome(subjectOf(row), { ...nothing, status: 'rejected' }),
  failed: (log, row) => log.outcome(subjectOf(row), { ...nothing, status: 'failed' }),
  unknown: (log, row) => log.outcome(subjectOf(row), { ...nothing, status: 'unknown' }),
  licensed: (log, row) => log.licence(subjectOf(row), 'none', 'person'),
  parked: (log, row) => log.sending(subjectOf(row), 'none', { by: 'idempotency' }),
};

type Change = 'sending' | 'by key' | 'licence' | 'looked into' | Outcome['status'];
const CHANGES: readonly Change[] = ['sending', 'by key', 'licence', 'looked into', ...SENT_STATUSES];

/** Records a change, provided the key is in the state `seen`; null: whatever its state. */
function record(log: OpenLog, row: number, change: Change, seen: LoggedState | null): Promise<boolean> {
  const subject = subjectOf(row);
  const of = seen === null ? {} : { seen };
  if (change === 'sending') return log.sending(subject, seen ?? log.lookup(subject.key));
  if (change === 'by key') return log.sending(subject, seen ?? log.lookup(subject.key), { by: 'idempotency' });
  if (change === 'licence') return log.licence(subject, seen ?? log.lookup(subject.key), 'validate');
  if (change === 'looked into')
    return log.outcome(subject, { ...nothing, status: 'unknown' }, { ...of, by: 'validate' });
  return log.outcome(subject, { ...nothing, status: change }, of);
}

function expected(before: LoggedState, change: Change): LoggedState {
  if (change === 'by key') return nextState(before, 'sending', 'idempotency');
  if (change === 'looked into') return nextState(before, 'unknown', 'validate');
  return nextState(before, change, null);
}

const kinds = kindsOfLog();
const missing = kinds.find((kind) => kind.missing !== null)?.missing ?? null;
const program = logProgram();
beforeAll(async () => {
  for (const kind of kinds) if (kind.missing === null) await kind.begin();
});
afterAll(() => {
  for (const kind of kinds) kind.end();
});

describe.each(kinds)('A log in $kind', (kind) => {
  if (kind.missing !== null) {
    test.skip(`A log of this kind is not tried: ${kind.missing}`, () => {});
    return;
  }

  let place: LogPlaceOfTest;
  beforeEach(async () => {
    place = await kind.fresh();
  });
  afterEach(async () => {
    await LogProcess.endAll();
    await place.remove();
  });

  const process = (options: { exclusive?: boolean } = {}) =>
    new LogProcess(program, place.at, { ...options, env: { PGPASSWORD: STORE_PASSWORD } });

  test('A log is empty before anything was recorded, and reading it makes nothing', async () => {
    const store = place.store('reader');
    expect(await all(store.latest())).toEqual([]);
    expect(await all(store.records())).toEqual([]);
    expect(await all(store.notes())).toEqual([]);
    const reader = await store.openReader();
    await reader.prefetch([keyOf(1)]);
    expect([reader.lookup(keyOf(1)), await reader.read(keyOf(1))]).toEqual(['none', null]);
    await reader.close();
  });

  test('A log gives back what was recorded as it was: 20 digits, quotes, line breaks, emoji', async () => {
    const ref = 'a "quoted" \\ ref,\r\nover\u2028two lines 🧳 {"key":1}, {a,b} NULL\n';
    const ids = { request_id: '12345678901234567890', 'odd "name"\n': '00017' };
    const raw = '{"id":12345678901234567890}\n';
    const outcome: Outcome = { status: 'created', ids, http: 201, ms: 1234, message: 'Größe “ok”', raw };
    const log = await place.store('run-1').open('bulk', true);
    const subject = { ...subjectOf(1), ref, market: 'PT' };
    await log.sending(subject, 'none', { again: true });
    const startMs = performance.now();
    await log.outcome(subject, outcome, { again: true });
    // A store counts a long wait for it as part of the duration.
    const ms = performance.now() - startMs < 2_000 ? 1_234 : expect.any(Number);
    await log.outcome({ ...subjectOf(2), ref: null }, { ...nothing, status: 'failed' });
    await log.licence(subjectOf(3), 'none', 'person', { again: true });
    expect(await log.read(keyOf(3))).toMatchObject({ event: 'licence', by: 'person', again: true });
    await log.licence(subjectOf(4), 'none', 'person');
    expect(await log.read(keyOf(4))).toMatchObject({ event: 'licence', by: 'person', again: false });
    const { status, ...details } = outcome;
    const told = { ...subject, event: status, run: 'run-1', ...details, ms, by: null, again: true };
    const read = await log.read(keyOf(1));
    expect(read).toEqual({ ...told, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) });
    expect(Math.abs(log.nowMs() - Date.parse(read?.at ?? ''))).toBeLessThan(30_000);
    await log.close();
    const latest = await all(place.store('reader').latest());
    expect(latest.slice(0, 2)).toEqual([
      read,
      expect.objectContaining({ ref: null, event: 'failed', run: 'run-1', ids: {} }),
    ]);
    expect(latest[1]).not.toHaveProperty('market');
  });

  test('A log gives back how a request was sent whose outcome is unknown, and of no other request', async () => {
    const log = await place.store('run-1').open('bulk', true);
    const wireForm = '0123456789abcdef';
    for (const row of [1, 2, 3]) await log.sending(subjectOf(row), 'none', { wireForm });
    await log.outcome(subjectOf(2), { ...nothing, status: 'unknown' }, { wireForm });
    await log.outcome(subjectOf(3), { ...nothing, status: 'created' }, { wireForm });
    await log.sending(subjectOf(4), 'none', { wireForm: null });
    const hows = [
      { wasClear: true },
      { wasClear: true, wireForm },
      { looked: true },
      { looked: true, wireForm },
      { wasClear: true, looked: true },
      { wasClear: true, looked: true, wireForm },
    ];
    for (const [at, how] of hows.entries()) {
      await log.sending(subjectOf(at + 5), 'none');
      await log.outcome(subjectOf(at + 5), { ...nothing, status: 'unknown' }, how);
    }
    await log.sending(subjectOf(11), 'none', { wasClear: true });
    const told = async (row: number) => {
      const { event, by, wireForm: form } = (await log.read(keyOf(row))) ?? {};
      return [log.lookup(keyOf(row)), event, by, form];
    };
    expect(await told(1)).toEqual(['sending', 'sending', null, wireForm]);
    expect(await told(2)).toEqual(['unknown', 'unknown', null, wireForm]);
    expect(await told(3)).toEqual(['created', 'created', null, undefined]);
    expect(await told(4)).toEqual(['sending', 'sending', null, undefined]);
    await log.close();
    const later = await place.store('run-2').open('bulk', true);
    expect(await later.read(keyOf(2))).toMatchObject({ event: 'unknown', wireForm });
    const howOf = async (row: number) => {
      const { by, wasClear, looked, wireForm: form } = (await later.read(keyOf(row))) ?? {};
      expect(by).toBeNull();
      return { ...(wasClear && { wasClear }), ...(looked && { looked }), ...(form && { wireForm: form }) };
    };
    for (const [at, how] of hows.entries()) expect(await howOf(at + 5)).toEqual(how);
    expect(await howOf(11)).toEqual({ wasClear: true });
    await later.close();
  });

  test.each(LOGGED_STATES)('A log takes a request from %s to the next state as FORMAT.md says', async (before) => {
    const log = await place.store('run-1').open('bulk', true);
    for (const [at, change] of CHANGES.entries()) {
      await WAY_TO[before](log, at);
      await log.prefetch([keyOf(at)]);
      expect(log.lookup(keyOf(at))).toBe(before);
      const wrong = before === 'none' ? 'failed' : 'none';
      expect(await record(log, at, change, wrong), `${change} that saw ${wrong}`).toBe(false);
      expect(log.lookup(keyOf(at))).toBe(before);
      expect(await record(log, at, change, before), change).toBe(true);
      expect(log.lookup(keyOf(at)), `after ${change}`).toBe(expected(before, change));
    }
    await log.close();
    const reader = await place.store('reader').openReader();
    await reader.prefetch(CHANGES.map((_, at) => keyOf(at)));
    expect(CHANGES.map((_, at) => reader.lookup(keyOf(at)))).toEqual(CHANGES.map((each) => expected(before, each)));
    await reader.close();
  });

  test('A log records what is asked for in one moment, in that order, and a repeated key only once', async () => {
    const log = await place.store('run-1').open('bulk', true);
    const rows = numbers(1, 300);
    const asked = rows.flatMap((row) => [log.sending(subjectOf(row), 'none'), log.sending(subjectOf(row), 'none')]);
    expect(await Promise.all(asked)).toEqual(rows.flatMap(() => [true, false]));
    await log.close();
    const latest = await all(place.store('reader').latest());
    expect(latest.map(({ row }) => row)).toEqual(rows);
  });

  test('A log waits at its end for what was asked for before, and accepts nothing after it', async () => {
    const log = await place.store('run-1').open('bulk', true);
    const asked = numbers(1, 50).map((row) => log.sending(subjectOf(row), 'none'));
    await log.close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => true));
    await failureOf(log.sending(subjectOf(99), 'none'));
    expect(await all(place.store('reader').latest())).toHaveLength(50);
  });

  test('A log gives every record in order, the last ones, and how requests are numbered', async () => {
    const log = await place.store('run-1').open('bulk', true);
    for (const row of [1, 2, 3]) await log.sending(subjectOf(row), 'none');
    await log.outcome(subjectOf(2), CREATED);
    await log.outcome(subjectOf(1), { ...nothing, status: 'failed' });
    await log.close();
    const told = (await all(place.store('reader').records())).map(
      ({ record: { row, event }, request, isLast }: ReadRecord) => [row, event, request, isLast],
    );
    expect(told).toEqual([
      [1, 'sending', 0, false],
      [2, 'sending', 1, false],
      [3, 'sending', 2, true],
      [2, 'created', 1, true],
      [1, 'failed', 0, true],
    ]);
    expect((await all(place.store('reader').latest())).map(({ row }) => row)).toEqual([3, 2, 1]);
  });

  test('A log gives the records with a reference alone, wherever they stand in it', async () => {
    const log = await place.store('run-1').open('bulk', true);
    const odd = {
      ...subjectOf(9_000),
      ref: `a "quoted" \\ ref's ${Array.from({ length: 300 }, (_, at) => keyOf(at)).join('')}\0`,
    };
    // More than is read of a file at once.
    const filled = (from: number) =>
      Promise.all(Array.from({ length: 4_000 }, (_, at) => log.sending(subjectOf(from + at), 'none')));
    await filled(1);
    await log.sending(odd, 'none');
    await filled(10_001);
    await log.outcome(odd, CREATED);
    await log.close();
    const told = async (ref: string) =>
      (await all(place.store('reader').records(ref))).map(({ record: { row, event }, isLast }) => [row, event, isLast]);
    expect(await told(odd.ref)).toEqual([
      [9_000, 'sending', false],
      [9_000, 'created', true],
    ]);
    expect([await told('lead-3999'), await told('lead-10002'), await told('lead')]).toEqual([
      [[3_999, 'sending', true]],
      [[10_002, 'sending', true]],
      [],
    ]);
  });

  test('A log keeps notes on runs', async () => {
    const store = place.store('run-1');
    const log = await store.open('bulk', true);
    const notes = store.openNotes('run-1');
    for (const _ of numbers(0, 20)) notes.note({ event: 'refused', http: 429, count: 1, pauseMs: 10 });
    notes.note({ event: 'end', stopped: 'Why "not"?' });
    await notes.flush();
    await log.close();
    const kept = await all(place.store('reader').notes());
    expect(kept.filter(({ event }) => event === 'refused')).toHaveLength(20);
    expect(kept.at(-1)).toMatchObject({ run: 'run-1', event: 'end', stopped: 'Why "not"?', at: expect.any(String) });
  });

  test('A log lets only one of two processes that race for 500 requests have each', async () => {
    const rows = numbers(1000, 500);
    const commands = rows.map((row) => `sending ${keyOf(row)} none`);
    const both = [process({ exclusive: true }), process()] as const;
    for (const each of both) await each.opened();
    const [said, saidToo] = await Promise.all([
      tellBitByBit(both[0], commands, 10),
      tellBitByBit(both[1], [...commands].reverse(), 10),
    ]);
    const winners = (lines: string[]) =>
      lines.filter((line) => line.endsWith(' true')).map((line) => line.slice(0, 32));
    expect([...winners(said), ...winners(saidToo)].sort()).toEqual(rows.map(keyOf).sort());
    expect(winners(said).length * winners(saidToo).length).toBeGreaterThan(0);
    for (const each of both) await each.close();
    const latest = await all(place.store('reader').latest());
    expect(latest).toHaveLength(500);
    expect(new Set(latest.map(({ run }) => run)).size).toBe(2);
  });

  test('A log leaves unknown what a killed process had begun, and knows what it had finished', async () => {
    const victim = process({ exclusive: true });
    await victim.opened();
    victim.tell(`sending ${keyOf(1)} none`, `sending ${keyOf(2)} none`);
    await victim.hear(2);
    victim.tell(`outcome ${keyOf(2)} created`);
    await victim.hear(1);
    victim.kill();
    expect(await victim.ended).toBe('SIGKILL');
    const log = await place.store('run-2').open('bulk', true);
    await log.prefetch([keyOf(1), keyOf(2)]);
    expect([log.lookup(keyOf(1)), log.lookup(keyOf(2))]).toEqual(['sending', 'created']);
    expect(await log.sending(subjectOf(1), 'none')).toBe(false);
    await log.close();
  });

  test.each([
    ['on a licence', 'licensed'],
    ['for the first time', 'none'],
  ] as const)(
    'A log says that what a living process sends %s may be under way, until that process ends',
    async (_, before) => {
      const first = await place.store('run-1').open('bulk', true);
      await WAY_TO[before](first, 1);
      await first.close();
      const sender = process();
      await sender.opened();
      sender.tell(`sending ${keyOf(1)} ${before}`);
      expect(await sender.hear(1)).toEqual([`${keyOf(1)} true`]);
      const log = await place.store('run-2').open('resolve', true);
      await log.prefetch([keyOf(1)]);
      expect(log.lookup(keyOf(1))).toBe(nextState(before, 'sending', null));
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(true);
      await sender.close();
      expect(await log.mayBeUnderWay(keyOf(1))).toBe(false);
      await log.close();
    },
  );

  test('A log does not say that a request with an outcome may be under way, also while its sender lives', async () => {
    const sender = process();
    await sender.opened();
    sender.tell(`sending ${keyOf(1)} none`, `outcome ${keyOf(1)} unknown`);
    await sender.hear(2);
    const log = await place.store('run-2').open('resolve', true);
    await log.prefetch([keyOf(1)]);
    expect([log.lookup(keyOf(1)), await log.mayBeUnderWay(keyOf(1))]).toEqual(['unknown', false]);
    await log.close();
  });

  test('A log takes the records of a process that was away as they are, but only where nobody was faster', async () => {
    const [first, second] = [process(), process()];
    for (const each of [first, second]) await each.opened();
    first.tell(`sending ${keyOf(1)} none`);
    expect(await first.hear(1)).toEqual([`${keyOf(1)} true`]);
    second.tell(`sending ${keyOf(1)} none`, `lookup ${keyOf(1)}`);
    const said = await second.hear(2);
    expect(said).toContain(`${keyOf(1)} false`);
    first.tell(`outcome ${keyOf(1)} created`);
    await first.hear(1);
    second.tell(`sending ${keyOf(1)} sending`);
    expect(await second.hear(1)).toEqual([`${keyOf(1)} false`]);
    for (const each of [first, second]) await each.close();
  });
});

/** Tells a process in small portions, so that the two take turns. Returns all it says. */
async function tellBitByBit(log: LogProcess, commands: readonly string[], portion: number): Promise<string[]> {
  const said: string[] = [];
  for (let from = 0; from < commands.length; from += portion) {
    const now = commands.slice(from, from + portion);
    log.tell(...now);
    said.push(...(await log.hear(now.length)));
  }
  return said;
}

describe.skipIf(missing !== null)(`Whatever is recorded${missing === null ? '' : ` (${missing})`}`, () => {
  const change = fc.record({
    row: fc.integer({ min: 1, max: 4 }),
    change: fc.constantFrom(...CHANGES),
    seen: fc.oneof(fc.constant('now' as const), fc.constantFrom(...LOGGED_STATES), fc.constant(null)),
    settles: fc.boolean(),
  });

  test('Both kinds of log give the same answers, states and records, whatever is recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), async (turns) => {
        const stories: unknown[] = [];
        for (const kind of kinds) {
          const place = await kind.fresh();
          const log = await place.store('run').open('bulk', true);
          const answers: unknown[] = [];
          for (const turn of turns) {
            // What one turn holds is recorded at once, and may share a group.
            const told = turn.map((each) => {
              const seen = each.seen === 'now' ? log.lookup(keyOf(each.row)) : each.seen;
              return record(log, each.row, each.change, seen);
            });
            answers.push(
              await Promise.all(told),
              [1, 2, 3, 4].map((row) => log.lookup(keyOf(row))),
            );
          }
          await log.close();
          const store = place.store('reader');
          // A store counts a long wait for it as part of a duration.
          const records = (await all(store.records())).map(({ record: { at, ms, ...rest }, ...more }) => ({
            ...{ ...rest, hasDuration: ms !== null },
            ...more,
          }));
          const latest = (await all(store.latest())).map(({ key, event, by }) => ({ key, event, by }));
          stories.push({ answers, records, latest });
          await place.remove();
        }
        expect(stories[1]).toEqual(stories[0]);
      }),
      { seed: 20261121, numRuns: 25 },
    );
  });
});
