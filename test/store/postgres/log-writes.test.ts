import { describe, expect, test } from 'vitest';
import type { LoggedState } from '../../../src/request/log/status.ts';
import type { Clock } from '../../../src/request/ports.ts';
import { PostgresLog } from '../../../src/store/postgres/postgres-log.ts';
import { CREATED, keyOf, subjectOf } from '../../doors/log.ts';
import { type Asked, scriptedDatabase } from '../../helpers/scripted-database.ts';
import { VirtualClock } from '../../helpers/virtual-clock.ts';

const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** The parameters of `srq.append`, in their order. */
const PARAMETERS = [
  ...['worker', 'since', 'keys', 'entries', 'events', 'seen', 'next', 'nextLicensed', 'rows', 'refs', 'markets'],
  ...['ids', 'http', 'ms', 'messages', 'raws', 'by', 'again'],
] as const;
type Appended = Readonly<Record<(typeof PARAMETERS)[number], readonly unknown[]>>;

/** A server on which the process has the number 17, and that records what it is told to. */
async function logOf() {
  const clock = new VirtualClock();
  const refused = new Map<unknown, LoggedState>();
  const scene = { isAway: false, losesAnswers: 0, newestId: 0, pauseMs: 100, refused };
  const appended: Appended[] = [];
  const underWay: { readonly key: string; readonly worker: number }[] = [];
  const living = new Set<number>();
  const answer = ({ text, values }: Asked): object[] => {
    if (scene.isAway) throw away();
    if (text.startsWith('insert into srq.worker')) return [{ id: 17 }];
    if (text.includes('update srq.worker set seen_at')) return [{ now_ms: 5_000_000, newest_id: scene.newestId }];
    if (text.includes('r.event = ') && text.includes('s.worker')) {
      return underWay.filter(({ key }) => (values[0] as string[]).includes(key));
    }
    if (text.includes('pg_postmaster_start_time')) {
      return (values[2] as number[]).filter((id) => living.has(id)).map((id) => ({ id }));
    }
    if (!text.includes('srq.append')) return [];
    const now = Object.fromEntries(PARAMETERS.map((name, at) => [name, values[at]])) as unknown as Appended;
    appended.push(now);
    if (scene.losesAnswers > 0) {
      scene.losesAnswers -= 1;
      throw away();
    }
    return now.keys.map((key, at) => {
      const state = refused.get(key);
      if (state) return { key, recorded: false, state, record: '1' };
      scene.newestId += 1;
      return { key, recorded: true, state: now.next[at], record: String(scene.newestId) };
    });
  };
  const database = scriptedDatabase(answer, {
    retryWhileAway: async (work, stop) => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (stop.aborted) throw error;
          await clock.sleep(scene.pauseMs, stop);
        }
      }
    },
  });
  const stopping = new AbortController();
  const functions: Clock = {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const options = { run: 'run', holder: 'holder', clock: functions, warn: () => {}, stopping: stopping.signal };
  const log = await PostgresLog.open(database, options);
  return { log, clock, scene, appended, underWay, living, database, stopping };
}

describe('Records of a process', () => {
  test('are written a thousand at a time, and those of one request one after the other', async () => {
    const { log, appended } = await logOf();
    const asked = Array.from({ length: 2_500 }, (_, row) => log.sending(subjectOf(row), 'none'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
    expect(appended.map(({ keys }) => keys.length)).toEqual([1_000, 1_000, 500]);
    appended.length = 0;
    await Promise.all([log.sending(subjectOf(1), 'sending'), log.outcome(subjectOf(1), CREATED)]);
    expect(appended.map(({ events }) => events)).toEqual([['sending'], ['created']]);
  });

  test('whose answer was lost are looked for behind what was known when they were first sent', async () => {
    const { log, scene, clock, appended } = await logOf();
    await log.sending(subjectOf(1), 'none');
    scene.losesAnswers = 3;
    const sent = log.sending(subjectOf(2), 'none');
    log.worker.records.sawId(50);
    expect(await clock.until(sent)).toBe(true);
    expect(appended.map(({ since }) => since)).toEqual([null, null, 50, 50, 50]);
    await log.sending(subjectOf(3), 'none');
    expect(appended.at(-1)?.since).toBeNull();
  });

  test('are not sent while others cannot see that the process lives', async () => {
    const { log, database, clock, scene, appended } = await logOf();
    scene.isAway = true;
    database.sessions[0]?.cut();
    const sent = log.sending(subjectOf(1), 'none');
    await clock.until(clock.sleep(150));
    expect(database.asked.some(({ text }) => text.includes('srq.append'))).toBe(false);
    scene.isAway = false;
    expect(await clock.until(sent)).toBe(true);
    expect(appended).toHaveLength(1);
  });
});

describe('The end of a log', () => {
  test.each([
    ['the run was told to end', 'stop'],
    ['the log was closed', 'close'],
  ] as const)('while the store is away is waited for five seconds after %s', async (_, how) => {
    const { log, scene, clock, stopping } = await logOf();
    scene.isAway = true;
    await clock.until(clock.sleep(60_000));
    const ends: string[] = [];
    const followed = (name: string, promise: Promise<unknown>) =>
      promise
        .catch(() => {})
        .then(() => {
          ends.push(name);
        });
    const both = [
      followed('write', log.outcome(subjectOf(1), CREATED)),
      followed('look', log.prefetch([keyOf(2)])),
      followed('ask', log.mayBeUnderWay(keyOf(3))),
    ];
    await clock.until(clock.sleep(10_000));
    if (how === 'stop') stopping.abort();
    else both.push(log.close());
    await clock.until(clock.sleep(4_999));
    expect(ends).toEqual([]);
    await clock.until(clock.sleep(1));
    await clock.until(Promise.all(both));
    expect(ends.sort()).toEqual(['ask', 'look', 'write']);
    expect(clock.monotonicMs()).toBe(75_000);
  });
});
