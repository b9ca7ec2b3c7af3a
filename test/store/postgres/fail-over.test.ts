import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CREATED, keyOf, storeAt, subjectOf } from '../../doors/log.ts';
import { openAccountState, openQueue, systemClock } from '../../doors/store.ts';
import { postgresIsMissing } from '../../helpers/postgres.ts';
import { PostgresPair } from '../../helpers/postgres-pair.ts';

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
const PATIENCE = { timeout: 120_000, interval: 100 };
const GONE = 'srq work, process 12 on host-b';

describe.skipIf(postgresIsMissing !== null)(`A store whose server is replaced${why}`, { timeout: 180_000 }, () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterEach(() => pair?.end());

  const opened = async (run: string, at: string, options: Parameters<typeof storeAt>[2] = {}) => {
    const store = storeAt(at, run, options);
    const log = await store.open('bulk', true);
    onTestFinished(async () => {
      await log.close();
      await store.close();
    });
    return { store, log };
  };
  const events = (...rows: number[]) =>
    Promise.all(
      rows.map(async (row) => {
        const text = 'select event from srq.record where key = $1 order by id';
        return (await pair.standby.query(pair.url, text, [keyOf(row)])).map(({ event }) => event);
      }),
    );
  /** A process that lived until the server was replaced, and has died with it. */
  const dies = async () => {
    const text = "insert into srq.worker (run, holder, timeline) values ('gone', $1, 1) returning id";
    const [row] = await pair.primary.query<{ id: number }>(pair.url, text, [GONE]);
    return row?.id ?? 0;
  };

  test('a standby that takes no writing yet is waited for, and no connection is left open there', async () => {
    const { log, store } = await opened('run', pair.behindOne);
    const stopping = new AbortController();
    const account = openAccountState(store.database, 'a'.repeat(32), 'run', stopping.signal);
    onTestFinished(() => {
      stopping.abort();
      return account.close();
    });
    const count = () => account.change('count', (kept) => ({ keep: Number(kept ?? 0) + 1, result: null }));
    await log.sending(subjectOf(1), 'none');
    await count();
    await pair.caughtUp();
    pair.loseThePrimary();
    const waiting = Promise.all([log.outcome(subjectOf(1), CREATED), count()]);
    let most = 0;
    const text = "select pid, backend_start from pg_stat_activity where application_name = 'srq'";
    const seen = new Set<unknown>();
    // Many tries have come and gone.
    while (seen.size < 16) {
      const connections = await pair.standby.query(pair.url, text);
      for (const { pid } of connections) seen.add(pid);
      most = Math.max(most, connections.length);
    }
    expect(most).toBeLessThanOrEqual(5);
    pair.standby.promote();
    expect(await waiting).toEqual([true, null]);
    expect(await events(1)).toEqual([['sending', 'created']]);
  });

  test('one that lacks the last commits gets them back from who made them, and nobody begins them again', async () => {
    const told: string[] = [];
    const one = await opened('one', pair.behindOne, { warn: (message) => told.push(message) });
    const two = await opened('two', pair.behindOne);
    await one.log.sending(subjectOf(1), 'none');
    await pair.caughtUp();
    pair.heard.silence();
    await one.log.outcome(subjectOf(1), CREATED);
    await one.log.sending(subjectOf(2), 'none');
    await one.log.sending(subjectOf(3), 'none');
    await one.log.outcome(subjectOf(3), CREATED);
    // It is a process that the server has never heard of.
    const three = await opened('three', pair.behindOne);
    await three.log.sending(subjectOf(4), 'none');
    pair.replace();
    // The other one knows nothing of these, and would begin them.
    const begun = [2, 3, 4].map((row) => two.log.sending(subjectOf(row), 'none'));
    expect(await Promise.all(begun)).toEqual([false, false, false]);
    expect([2, 3, 4].map((row) => two.log.lookup(keyOf(row)))).toEqual(['sending', 'created', 'sending']);
    expect(await events(1, 2, 3, 4)).toEqual([
      ['sending', 'created'],
      ['sending'],
      ['sending', 'created'],
      ['sending'],
    ]);
    // On a busy machine it may also say that it waits for the others.
    const losses = told.filter((message) => message.includes('had lost'));
    expect(losses).toEqual([expect.stringContaining('had lost 4 records')]);
    expect(await one.log.read(keyOf(1))).toMatchObject({ event: 'created', ids: CREATED.ids, run: 'one' });
    expect(await two.log.mayBeUnderWay(keyOf(2))).toBe(true);
    // All is as it was; what comes next is told from what was put back.
    expect(await three.log.outcome(subjectOf(4), CREATED)).toBe(true);
    expect(await two.log.sending(subjectOf(5), 'none')).toBe(true);
  });

  test('nothing is begun before those are back that lived, or a person says that they will not come', async () => {
    const told: string[] = [];
    let looks = 0;
    const sleep: typeof systemClock.sleep = (ms, signal) => {
      // A second, between two looks at who is back.
      if (ms === 1_000) looks += 1;
      return systemClock.sleep(ms, signal);
    };
    const warn = (message: string) => told.push(message);
    const { log, store } = await opened('one', pair.behindOne, { warn, clock: { ...systemClock, sleep } });
    await log.sending(subjectOf(1), 'none');
    const destination = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };
    const stopping = new AbortController().signal;
    const queue = await openQueue({ database: store.database, destination, worker: await dies(), stopping });
    onTestFinished(() => queue.close());
    const request = { params: { country: 'PT' }, audio: null, ref: null };
    await queue.add([7, 8].map((row) => ({ key: keyOf(row), row, request })));
    expect(await queue.take(1)).toHaveLength(1);
    await pair.primary.query(pair.url, "update srq_queue.job set started_on = started_on - interval '10 minutes'");
    await pair.caughtUp();
    pair.replace();
    let [begun, isOpen] = [false, false];
    const beginning = log.sending(subjectOf(2), 'none').finally(() => {
      begun = true;
    });
    const opening = opened('late', pair.behindOne).finally(() => {
      isOpen = true;
    });
    await expect
      .poll(() => told.join(), PATIENCE)
      .toMatch(/may lack the last commits.*process 12 on host-b.*store resume/s);
    // Waiting longer does not help.
    await pair.standby.query(pair.url, "update srq.timeline set since = since - interval '1 hour'");
    const before = looks;
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(before + 2);
    expect([begun, isOpen]).toEqual([false, false]);
    const person = storeAt(pair.behindOne, 'person');
    expect(await person.resume()).toEqual({ missing: [GONE], doubtful: 1 });
    await person.close();
    expect(await beginning).toBe(true);
    const late = await opening;
    const held = await Promise.all([7, 8].map((row) => late.log.read(keyOf(row))));
    const [doubtful, untouched] = held[0] ? held : held.reverse();
    expect(doubtful).toMatchObject({ event: 'unknown', message: expect.stringContaining('may have sent it') });
    // It may have been sent as soon as it was taken, so that a key is not trusted for longer.
    expect(doubtful?.ms).toBeGreaterThan(600_000);
    expect(untouched).toBeNull();
  });

  test('what one that does not come back had in hand once more is as young as the moment when a person says so, and as old as its first try', async () => {
    const told: string[] = [];
    const { log, store } = await opened('one', pair.behindOne, { warn: (message) => told.push(message) });
    const gone = await dies();
    const destination = { baseUrl: 'http://127.0.0.1:1', clientId: 'partner' };
    const stopping = new AbortController().signal;
    const queue = await openQueue({ database: store.database, destination, worker: gone, stopping });
    onTestFinished(() => queue.close());
    await queue.add([7, 9].map((row) => ({ key: keyOf(row), row, request: { params: {}, audio: null, ref: null } })));
    const taken = await queue.take(2);
    expect(taken).toHaveLength(2);
    const unknown = { ...CREATED, status: 'unknown' as const, ids: {}, ms: 500 };
    for (const row of [7, 8]) {
      await log.sending(subjectOf(row), 'none', { wireForm: 'its form' });
      await log.outcome(subjectOf(row), unknown, { wireForm: 'its form' });
    }
    // One that had ended long before sent it first, so that only its intent is known.
    await log.sending(subjectOf(9), 'none');
    const older = `with w as (
        insert into srq.worker (run, holder, timeline, seen_at) values ('older', 'srq work', 1, now() - interval '1 hour')
        returning id
      ), r as (update srq.record set worker = w.id from w where key = $1)
      update srq.state set worker = w.id from w where key = $1`;
    await pair.primary.query(pair.url, older, [keyOf(9)]);
    for (const each of taken) await queue.dispose(each, { is: 'moved', inMs: 0 });
    expect(await queue.take(2)).toHaveLength(2);
    const minuteAgo = "update srq.record set at = at - interval '1 minute'";
    await pair.primary.query(pair.url, minuteAgo);
    await pair.caughtUp();
    pair.replace();
    await expect.poll(() => told.join(), PATIENCE).toMatch(/may lack the last commits/);
    const before = Date.now();
    const person = storeAt(pair.behindOne, 'person');
    expect(await person.resume()).toEqual({ missing: [GONE], doubtful: 0 });
    await person.close();
    const late = await opened('late', pair.behindOne);
    const [held, other, sentFirstByAnother] = await Promise.all([7, 8, 9].map((row) => late.log.read(keyOf(row))));
    expect(held).toMatchObject({ event: 'unknown', wireForm: 'its form', again: false, row: 7 });
    expect(Date.parse(held?.at ?? '')).toBeGreaterThan(before - 10_000);
    // It is the time since its first try.
    expect(held?.ms).toBeGreaterThan(60_000);
    expect(sentFirstByAnother).toMatchObject({
      event: 'unknown',
      message: expect.stringContaining('perhaps once more'),
    });
    expect(sentFirstByAnother?.ms).toBeGreaterThan(60_000);
    expect(Date.parse(other?.at ?? '')).toBeLessThan(before - 50_000);
    await late.log.prefetch([keyOf(7)]);
    expect(late.log.lookup(keyOf(7))).toBe('unknown');
  });

  test('who has died is not waited for where each commit was on the standby', async () => {
    const { log: before, store } = await opened('before', pair.behindOne);
    const dangers = async () => (await store.examine()).dangers.map(({ message }) => message).join(' ');
    expect(await dangers()).toMatch(/fsync off.*If one of them takes over, the last commits can be missing/);
    expect(await store.examine()).toMatchObject({ replication: 'It has 1 standby, which commits do not wait for.' });
    await before.close();
    await pair.synchronize();
    await pair.primary.query(pair.url, 'alter table srq.account set unlogged');
    expect(await dangers()).toMatch(/fsync off.*unlogged, and empty after a crash of the server: srq\.account\.$/);
    expect(await store.examine()).toMatchObject({ replication: 'Each commit waits for a standby (standby).' });
    const replica = storeAt(pair.url.replace(/:\d+\//, `:${pair.standby.port}/`), 'replica');
    await expect(replica.examine()).rejects.toMatchObject({ message: expect.stringContaining('is a standby') });
    await replica.close();
    const { log } = await opened('one', pair.behindOne);
    await log.sending(subjectOf(1), 'none');
    await dies();
    pair.replace();
    let begun = false;
    const beginning = log.sending(subjectOf(2), 'none').finally(() => {
      begun = true;
    });
    const held = 'select 1 from srq.timeline where settled_at is null';
    await expect.poll(() => pair.standby.query(pair.url, held), PATIENCE).toHaveLength(1);
    expect(begun).toBe(false);
    await pair.standby.query(pair.url, "update srq.timeline set since = since - interval '1 minute'");
    expect(await beginning).toBe(true);
  });
});
