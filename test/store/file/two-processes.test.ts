import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildLogProgram, LogProcess, type LogProgram } from '../../helpers/log-process.ts';
import { keyOf, openLog, readAll } from '../../helpers/log-subjects.ts';

let program: LogProgram;
let directory: string;
let path: string;
beforeAll(async () => {
  program = await buildLogProgram();
});
afterAll(() => program.remove());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'srq-log-'));
  path = join(directory, 'log.ndjson');
});
afterEach(async () => {
  await LogProcess.endAll();
  rmSync(directory, { recursive: true });
});

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

async function twoProcesses(): Promise<readonly [LogProcess, LogProcess]> {
  const both = [new LogProcess(program, path, { exclusive: true }), new LogProcess(program, path)] as const;
  for (const each of both) await each.opened();
  return both;
}

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

test('two processes that add 2,000 records each at the same time lose none and tear none', async () => {
  const both = await twoProcesses();
  const told = await Promise.all(
    both.map((each, which) => {
      const commands = numbers(which * 10_000, 1000).flatMap((row) => [
        `sending ${keyOf(row)} none`,
        `outcome ${keyOf(row)} created`,
      ]);
      return tellBitByBit(each, commands, 40);
    }),
  );
  for (const said of told) expect(said.filter((line) => /^\w{32} (true|created)$/.test(line))).toHaveLength(2000);
  for (const each of both) await each.close();
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  const records = lines.map((line) => JSON.parse(line));
  const eventsByKey = new Map<string, string[]>();
  for (const { key, event } of records) eventsByKey.set(key, [...(eventsByKey.get(key) ?? []), event]);
  for (const row of [...numbers(0, 1000), ...numbers(10_000, 1000)]) {
    expect(eventsByKey.get(keyOf(row)), `row ${row}`).toEqual(['sending', 'created']);
  }
  expect(records).toHaveLength(4000);
  // They did take turns: a run of one process's lines ends long before that process does.
  const turns = records.filter(({ run }, index) => run !== records[index - 1]?.run).length;
  expect(turns).toBeGreaterThan(2);
  expect(readdirSync(directory).filter((name) => name.includes('torn'))).toEqual([]);
});

/** Lets two processes ask for the same requests, from both ends. Tells how many each has got. */
async function raceFor(rows: readonly number[]): Promise<[number, number]> {
  const commands = rows.map((row) => `sending ${keyOf(row)} none`);
  const [first, second] = await twoProcesses();
  const [said, saidToo] = await Promise.all([
    tellBitByBit(first, commands, 10),
    tellBitByBit(second, [...commands].reverse(), 10),
  ]);
  const winners = (lines: string[]) => lines.filter((line) => line.endsWith(' true')).map((line) => line.slice(0, 32));
  expect([...winners(said), ...winners(saidToo)].sort()).toEqual(rows.map(keyOf).sort());
  for (const each of [first, second]) await each.close();
  return [winners(said).length, winners(saidToo).length];
}

test('of two processes that race for 500 requests, one gets each, three times', async () => {
  const all: number[] = [];
  // On a busy machine one of them may have got all before the other begins. That is no race, and another one is run.
  for (let races = 0; races < 3; ) {
    expect(all.length, 'requests of races, most of them with one process alone').toBeLessThan(20_000);
    const rows = numbers(1000 + all.length, 500);
    all.push(...rows);
    const [won, wonToo] = await raceFor(rows);
    if (won > 0 && wonToo > 0) races += 1;
  }
  expect(await readAll(path)).toHaveLength(all.length);
  const log = await openLog(path);
  expect(all.every((row) => log.lookup(keyOf(row)) === 'sending')).toBe(true);
  await log.close();
});
