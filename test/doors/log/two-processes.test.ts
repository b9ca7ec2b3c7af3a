import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LogProcess, logFolder, logProgram } from '../../helpers/log-process.ts';
import { keyOf } from '../log.ts';

const program = logProgram();
const { directory, path } = logFolder();

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

test('two processes that add 2,000 records each to one log at the same time lose none and tear none', async () => {
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
