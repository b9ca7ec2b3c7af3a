import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LogProcess, logFolder, logProgram } from '../../helpers/log-process.ts';
import { hasStrace, STRACE } from '../../helpers/strace.ts';
import { keyOf } from '../log.ts';

const program = logProgram();
const { directory } = logFolder();

/** Runs `use` with a log process whose system calls are traced. Returns the trace, one call a line. */
async function traced(calls: string, use: (log: LogProcess) => Promise<void>): Promise<string[]> {
  const trace = join(directory, 'trace');
  const under = [...STRACE, '-s', '2000000', '-e', `trace=${calls}`, '-o', trace];
  const log = new LogProcess(program, join(directory, 'made', 'log.ndjson'), { under });
  await log.opened();
  await use(log);
  await log.close();
  return readFileSync(trace, 'utf8').split('\n');
}

/** Position of the line on which each call began and ended; strace splits calls that overlap others. */
function spansOf(trace: readonly string[], call: string) {
  const spans: { begin: number; end: number; text: string }[] = [];
  const open = new Map<string, { begin: number; end: number; text: string }>();
  trace.forEach((line, index) => {
    const [pid = ''] = line.split(' ', 1);
    if (line.includes(`<... ${call} resumed>`)) {
      const span = open.get(pid);
      if (span) span.end = index;
    } else if (line.slice(pid.length).trimStart().startsWith(`${call}(`)) {
      const unfinished = line.endsWith('<unfinished ...>');
      const span = { begin: index, end: unfinished ? Number.POSITIVE_INFINITY : index, text: line };
      spans.push(span);
      if (unfinished) open.set(pid, span);
    }
  });
  return spans;
}

describe.skipIf(!hasStrace)('Group commit, seen from outside (needs strace)', () => {
  const keys = Array.from({ length: 1000 }, (_, row) => keyOf(row));

  test('A thousand requests share few syncs, and none is recorded before its sync', async () => {
    const trace = await traced('write,fdatasync', async (log) => {
      log.tell(...keys.map((key) => `sending ${key} none`));
      expect((await log.hear(1000)).sort()).toEqual(keys.map((key) => `${key} true`).sort());
    });
    const syncs = spansOf(trace, 'fdatasync');
    expect(syncs.length).toBeGreaterThan(0);
    expect(syncs.length).toBeLessThan(50);
    const writes = spansOf(trace, 'write');
    const records = writes.filter(({ text }) => text.includes('event'));
    const said = new Map(writes.map((write) => [/write\(1, "(\w{32}) true/.exec(write.text)?.[1], write]));
    for (const key of keys) {
      const written = records.find(({ text }) => text.includes(key));
      const told = said.get(key);
      expect(written && told, key).toBeTruthy();
      const covered = syncs.some((sync) => sync.begin > (written?.end ?? 0) && sync.end < (told?.begin ?? 0));
      expect(covered, `a sync between write and word of ${key}`).toBe(true);
    }
  });

  test('An outcome is synced before it is reported as recorded, too', async () => {
    const trace = await traced('write,fdatasync', async (log) => {
      log.tell(`outcome ${keyOf(1)} created`);
      expect(await log.hear(1)).toEqual([`${keyOf(1)} created`]);
    });
    const order = trace.filter((line) => /fdatasync.* = 0|write.*created/.test(line));
    expect(order.map((line) => /event|fdatasync|write\(1,/.exec(line)?.[0])).toEqual([
      'event',
      'fdatasync',
      'write(1,',
    ]);
  });

  test('The directory of a new log and the one above it are synced before the log is used', async () => {
    const trace = await traced('openat,mkdir,fsync,write', async (log) => {
      log.tell(`sending ${keyOf(1)} none`);
      await log.hear(1);
    });
    const synced: string[] = [];
    const paths = new Map<string, string>();
    for (const line of trace) {
      const opened = /openat\([^"]*"([^"]*)".* = (\d+)/.exec(line);
      if (opened) paths.set(opened[2] ?? '', opened[1] ?? '');
      const fsync = /fsync\((\d+)/.exec(line);
      if (fsync) synced.push(paths.get(fsync[1] ?? '') ?? '');
      if (line.includes('write(') && line.includes('event')) break;
    }
    expect(synced).toEqual([join(directory, 'made'), directory]);
  });
});
