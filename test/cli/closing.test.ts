import { afterEach, expect, test, vi } from 'vitest';
import { Context } from '../../src/cli/context.ts';
import { Interruption } from '../../src/cli/interruption.ts';
import { main } from '../../src/main.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { callSrq } from '../doors/call-srq.ts';

afterEach(() => vi.restoreAllMocks());

const call = (...args: string[]) => callSrq(args, { env: { PATH: '' }, cwd: null });
const closingFails = (error: Error) => vi.spyOn(Context.prototype, 'close').mockRejectedValueOnce(error);

test('an error at the end of a command is reported like any other, beside its result', async () => {
  const whole = await call('markets');
  closingFails(new SrqError('settings.unwritable', 'The state cannot be written.', 'Make room.'));
  expect(await call('markets')).toMatchObject({
    ...{ code: 2, stdout: whole.stdout, stderr: '✗ The state cannot be written.\n  → Make room.\n' },
  });
  closingFails(new Error('no room'));
  const ended = await call('markets');
  expect([ended.code, ended.stdout]).toEqual([1, whole.stdout]);
  expect(ended.stderr).toMatch(/^✗ Error: no room\n {2}→ This is an error in srq\./);
});

test.each([
  [['markets'], '', '✗ srq failed (TypeError).\n  → This is an error in srq. Report it.\n'],
  [
    ['markets', '--json'],
    '{"error":{"code":"fault","reason":"srq.fault","message":"srq failed (TypeError).","hint":"This is an error in srq. Report it."}}\n',
    '',
  ],
])('an error that no command reports is printed without its text: %j', async (args, out, err) => {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => {
    const write = (text: string) => {
      texts[name] += text;
    };
    return { write, on: () => {}, once: () => {} };
  };
  const process = {
    ...{ argv: ['node', 'srq', ...args], stdout: stream('stdout'), stderr: stream('stderr') },
    get versions(): never {
      throw new TypeError('a secret');
    },
  };
  expect(await main(process as never)).toBe(1);
  expect(texts).toEqual({ stdout: out, stderr: err });
});

test('a command that a signal ended has its exit code, whatever went wrong then', async () => {
  const code = vi.spyOn(Interruption.prototype, 'code', 'get').mockReturnValue('terminated');
  vi.spyOn(Context.prototype, 'profiles').mockRejectedValue(new SrqError('settings.unusable', 'No.'));
  expect((await call('profile', 'list')).code).toBe(143);
  code.mockReturnValue(null);
  expect((await call('profile', 'list')).code).toBe(2);
});
