import { readdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LogProcess, logFolder, logProgram } from '../../helpers/log-process.ts';
import { hasStrace, STRACE, STRACE_WITH_SIGNALS } from '../../helpers/strace.ts';
import { keyOf, openLog, readAll, subjectOf } from '../log.ts';

const program = logProgram();
const { directory, path } = logFolder();

const LAST = 6;
const rows = Array.from({ length: LAST }, (_, index) => index + 1);
const positions = (call: string, faults: readonly string[]) =>
  faults.flatMap((fault) => rows.map((k) => [call, fault, k] as const));
const strace = (call: string, injection: string) => [
  ...(injection.startsWith('signal') ? STRACE_WITH_SIGNALS : STRACE),
  ...['-o', '/dev/null', '-P', path],
  ...['-e', `trace=${call}`, '-e', `inject=${call}:${injection}`],
];
const tornFiles = () => readdirSync(directory).filter((name) => name.includes('.torn-'));

/** Sends one row after the other. Returns what was said of each. */
async function sendOneByOne(log: LogProcess): Promise<string[]> {
  const said: string[] = [];
  for (const row of rows) {
    log.tell(`sending ${keyOf(row)} none`);
    said.push(...(await log.hear(1)));
  }
  return said;
}

/** What was said to be recorded is there, and the log can be used again. */
async function expectToGoOn(said: readonly string[]): Promise<void> {
  const log = await openLog(path);
  for (const line of said) {
    const [key = '', word] = line.split(' ');
    if (word === 'true') expect(log.lookup(key)).toBe('sending');
  }
  expect(await log.sending(subjectOf(99), 'none')).toBe(true);
  await log.close();
  expect((await readAll(path)).map(({ key }) => key)).toContain(keyOf(99));
}

describe.skipIf(!hasStrace)('One system call that fails (needs strace)', () => {
  test.each([...positions('write', ['ENOSPC']), ...positions('fdatasync', ['EIO'])])(
    'If %s answers %s at call %i, nothing is recorded from then on, and the next run goes on',
    async (call, error, k) => {
      const log = new LogProcess(program, path, { under: strace(call, `error=${error}:when=${k}`) });
      await log.opened();
      const said = await sendOneByOne(log);
      expect(said.slice(0, k - 1)).toEqual(rows.slice(0, k - 1).map((row) => `${keyOf(row)} true`));
      for (const line of said.slice(k - 1)) expect(line).toMatch(/^\w{32} log The log .* cannot be written/);
      log.tell(`outcome ${keyOf(1)} created`);
      expect((await log.hear(1))[0]).toContain(' log ');
      await log.close();
      // What was refused after the first failure was not even tried.
      expect(await readAll(path)).toHaveLength(call === 'write' ? k - 1 : k);
      await expectToGoOn(said);
    },
  );

  test.each([...positions('write', ['SIGKILL']), ...positions('fdatasync', ['SIGKILL'])])(
    'If %s answers %s at call %i, what was reported as recorded is there',
    async (call, signal, k) => {
      const log = new LogProcess(program, path, { under: strace(call, `signal=${signal}:when=${k}`) });
      await log.opened();
      const said = await sendOneByOne(log);
      expect(await log.ended).toBe(signal);
      expect(said).toEqual(rows.slice(0, k - 1).map((row) => `${keyOf(row)} true`));
      await expectToGoOn(said);
    },
  );
});

describe.skipIf(process.platform === 'win32')('A disk that takes only part of a write', () => {
  // The shell's limit on a file's size makes the kernel do what a full disk does: a short write, then an error.
  const limited = ['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh'];
  const manyRows = Array.from({ length: 100 }, (_, index) => index + 1);
  const manyCommands = manyRows.map((row) => `sending ${keyOf(row)} none`);

  test('A write that the disk took in part is not recorded, nor anything after it, and the next run cuts it', async () => {
    const log = new LogProcess(program, path, { under: limited });
    await log.opened();
    log.tell(...manyCommands);
    for (const line of await log.hear(100)) expect(line).toContain(' log The log');
    log.tell(`sending ${keyOf(101)} none`);
    expect((await log.hear(1))[0]).toContain(' log The log');
    await log.close();
    expect(statSync(path).size % 4096).toBe(0);
    expect(statSync(path).size).toBeGreaterThan(0);
    await expectToGoOn([]);
    expect(tornFiles()).toHaveLength(1);
  });

  test('A log cannot be opened while the disk is full, which is reported as a failure of the log', async () => {
    const log = new LogProcess(program, path, { exclusive: true, under: ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'] });
    expect((await log.hear(1))[0]).toMatch(/^refused log The lock file .* cannot be written/);
    await log.ended;
  });

  test.skipIf(!hasStrace)(
    'A process that is killed after a short write leaves a torn line that another one cuts and goes on',
    async () => {
      const other = new LogProcess(program, path);
      await other.opened();
      other.tell(`sending ${keyOf(200)} none`);
      await other.hear(1);
      const killed = new LogProcess(program, path, {
        under: [...limited, ...strace('write', 'signal=SIGKILL:when=2')],
      });
      await killed.opened();
      killed.tell(...manyCommands);
      expect(await killed.ended).toBe('SIGKILL');
      expect(statSync(path).size % 4096).toBe(0);
      other.tell(`sending ${keyOf(201)} none`, `outcome ${keyOf(200)} created`);
      expect(await other.hear(2)).toEqual([`${keyOf(201)} true`, `${keyOf(200)} created`]);
      await other.close();
      expect(tornFiles()).toHaveLength(1);
      const told = (await readAll(path)).map(({ key }) => key);
      expect(told.slice(-2)).toEqual([keyOf(201), keyOf(200)]);
      expect(told.slice(0, -2)).toEqual(manyRows.slice(0, told.length - 2).map(keyOf));
      await expectToGoOn([]);
    },
  );
});
