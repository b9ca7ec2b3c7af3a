import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { test } from './helpers/desk.ts';
import { leadsCsv } from './helpers/leads.ts';
import { startProgram } from './helpers/run-srq.ts';
import { statsOf } from './helpers/sandbox-view.ts';

const UNITS = ['docs/ops/srq-import.service', 'docs/ops/srq-import.timer'];
const [SERVICE = '', TIMER = ''] = UNITS.map((path) => readFileSync(path, 'utf8'));
const CRON = readFileSync('docs/ops/srq-import.cron', 'utf8');

/** What the examples have a shell do. */
const COMMANDS: readonly [name: string, command: string][] = [
  ['srq-import.service', /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(SERVICE)?.[1] ?? ''],
  ['srq-import.cron', /^(?:\S+ ){5}srq (cd .*)$/m.exec(CRON)?.[1] ?? ''],
];
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('The examples in docs/ops', () => {
  test.skipIf(!hasSystemd)('are understood by systemd in each of their lines (needs systemd-analyze)', () => {
    // It ends with 0 where it does not know a key; it says so all the same.
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map((path) => resolve(path))], {
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });

  test('consist of sections, settings and comments, and give a run time to end in order', () => {
    for (const line of `${SERVICE}${TIMER}`.split('\n')) expect(line).toMatch(/^(?:#.*|\[\w+\]|[A-Z][A-Za-z]+=.*|)$/);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(SERVICE) ?? [];
    expect(Number(seconds)).toBeGreaterThan(130);
    // V8 writes code into memory.
    expect(SERVICE).not.toContain('MemoryDenyWriteExecute');
  });

  test.for(COMMANDS)('import each file once, however often they start: %s', async ([, command], { desk, sandbox }) => {
    // A live service is asked about, and nobody is there to answer.
    expect(command).toContain(' --yes ');
    desk.use(sandbox);
    mkdirSync(join(desk.folder, 'bin'));
    symlinkSync(inject('srqProgram'), join(desk.folder, 'bin/srq'));
    const PATH = `${join(desk.folder, 'bin')}:${process.env['PATH']}`;
    desk.write('leads.csv', leadsCsv(3));
    const here = command.replace('/var/lib/srq/inbox', desk.work);
    for (const created of [3, 3]) {
      const ended = await startProgram(['sh', '-c', here], { cwd: desk.work, env: { ...desk.env, PATH } }).ended;
      expect(ended).toMatchObject({ code: 0 });
      expect(await statsOf(sandbox)).toMatchObject({ created, doubled: 0 });
    }
  });
});
