import { afterEach, describe, expect, test, vi } from 'vitest';
import { Context } from '../../src/cli/context.ts';
import { Interruption } from '../../src/cli/interruption.ts';
import { main } from '../../src/main.ts';
import { SrqError } from '../../src/request/errors.ts';
import { callSrq } from '../helpers/call-srq.ts';
import { contextOf } from '../helpers/command-context.ts';

afterEach(() => vi.restoreAllMocks());

const call = (...args: string[]) => callSrq(args, { env: { PATH: '' }, cwd: null });
const closingFails = (error: Error) => vi.spyOn(Context.prototype, 'close').mockRejectedValueOnce(error);

test('signals are handled no longer once a command has ended, whatever failed at its end', async () => {
  const { context } = contextOf();
  const stopped = vi.spyOn(context.interruption, 'stop');
  const ran: string[] = [];
  context.onClose(async () => void ran.push('the hook of --on-end'));
  context.onClose(() => Promise.reject(new Error('no room')));
  await expect(context.close()).rejects.toThrow('no room');
  expect(ran).toEqual(['the hook of --on-end']);
  expect(stopped).toHaveBeenCalledOnce();
});

test('an error at the end of a command is reported like any other, beside its result', async () => {
  const whole = await call('markets');
  closingFails(new SrqError('log.unwritable', 'The log cannot be written.', 'Make room.'));
  expect(await call('markets')).toMatchObject({
    ...{ code: 9, stdout: whole.stdout, stderr: '✗ The log cannot be written.\n  → Make room.\n' },
  });
  closingFails(new Error('no room'));
  const ended = await call('markets');
  expect([ended.code, ended.stdout]).toEqual([1, whole.stdout]);
  expect(ended.stderr).toMatch(/^✗ Error: no room\n {2}→ This is an error in srq\./);
});

test('standard output has one document also where the end of a command fails', async () => {
  const whole = await call('markets', '--json');
  closingFails(new SrqError('log.unwritable', 'The log cannot be written.', 'Make room.'));
  expect(await call('markets', '--json')).toMatchObject({
    ...{ code: 9, stdout: whole.stdout, stderr: '! The log cannot be written. Make room.\n' },
  });
});

test('the exit code of a command that failed stays where it counts first', async () => {
  closingFails(new SrqError('service.failed', 'The service is away.'));
  const ended = await call('resolve', '--created', '--not-created');
  expect([ended.code, ended.stderr]).toEqual([
    5,
    expect.stringMatching(/^✗ Choose one[^✗]*✗ The service is away\.\n$/),
  ]);
});

test.each([
  [['markets'], '', '✗ srq failed (TypeError).\n  → This is an error in srq. Report it.\n'],
  [
    ['markets', '--json'],
    '{"error":{"code":"fault","reason":"srq.fault","message":"srq failed (TypeError).","hint":"This is an error in srq. Report it."}}\n',
    '',
  ],
])('an error that no command reports is told without its text, which may hold a secret: %j', async (args, out, err) => {
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

describe('A fault', () => {
  const CUT = 200;

  test.each([
    ['as long as may be', 'x'.repeat(CUT - 'Error: '.length), ''],
    ['longer', 'x'.repeat(CUT - 'Error: '.length), 'xx'],
  ])('whose text is %s is told by its beginning', async (_, shown, cut) => {
    closingFails(new Error(shown + cut));
    const { code, stderr } = await call('markets');
    expect([code, stderr.split('\n')[0]]).toEqual([1, `✗ Error: ${shown}${cut === '' ? '' : '…'}`]);
    expect(stderr).toContain(
      '  → This is an error in srq. Run it with --verbose to see where it happened, and report it.',
    );
  });

  test('that is no error is told as it is', async () => {
    closingFails('no error' as never);
    expect((await call('markets')).stderr).toMatch(/^✗ no error\n/);
  });

  test('is shown with its place if that is wanted, at the end of a command and before', async () => {
    const fault = Object.assign(new TypeError('out of order'), { stack: 'TypeError: out of order\n    at here' });
    closingFails(fault);
    expect((await call('markets')).stderr).not.toContain('at here');
    closingFails(fault);
    expect((await call('markets', '--verbose')).stderr).toMatch(/^✗ TypeError: out of order\n[\s\S]*\n {4}at here\n$/);
    closingFails(new SrqError('log.unwritable', 'The log cannot be written.'));
    expect((await call('markets', '--verbose')).stderr).toBe('✗ The log cannot be written.\n');
    vi.spyOn(Context.prototype, 'profiles').mockRejectedValueOnce(fault);
    const early = await call('profile', 'list', '--verbose');
    expect([early.code, early.stdout]).toEqual([1, '']);
    expect(early.stderr).toMatch(/^✗ TypeError: out of order\n[\s\S]*\n {4}at here\n$/);
  });
});

test('an error of a command is told with the flags that chose its profile, and its exit code is that of its kind', async () => {
  vi.spyOn(Context.prototype, 'profiles').mockRejectedValue(
    new SrqError('auth.missing', 'No.', 'Log in with: srq login'),
  );
  const words = ['profile', 'list', '--profile', 'shop'];
  expect(await call(...words)).toMatchObject({
    ...{ code: 4, stdout: '', stderr: '✗ No.\n  → Log in with: srq login --profile shop\n' },
  });
  expect(JSON.parse((await call(...words, '--json')).stdout)).toMatchObject({
    error: { code: 'auth', reason: 'auth.missing', message: 'No.', hint: 'Log in with: srq login --profile shop' },
  });
});

test('a command that a signal ended has its exit code, whatever went wrong then', async () => {
  const code = vi.spyOn(Interruption.prototype, 'code', 'get').mockReturnValue('terminated');
  vi.spyOn(Context.prototype, 'profiles').mockRejectedValue(new SrqError('auth.missing', 'No.'));
  expect((await call('profile', 'list')).code).toBe(143);
  code.mockReturnValue(null);
  expect((await call('profile', 'list')).code).toBe(4);
});
