import { describe, expect, test } from 'vitest';
import { callSrq } from '../doors/call-srq.ts';

const call = (args: readonly string[], env: Record<string, string> = {}) => callSrq(args, { env, cwd: null });

describe('The help', () => {
  test('The help on errors lists the kinds with their exit codes, the codes, and the codes of rows', async () => {
    const { stdout, stderr } = await call(['help', 'errors']);
    expect(stdout).toMatch(/^auth {14} {2}4 {2}not logged in/m);
    expect(stdout).not.toMatch(/^ok /m);
    expect(stdout).toMatch(/ended by SIGTERM\n\n\S/);
    expect(stdout).toMatch(/^auth\.missing +4 {2}auth$/m);
    expect(stdout).toMatch(/^phone\.too-short \(error of a row\)\n {2}The phone number is too short/m);
    expect(stderr).toContain('error.reason');
    const { errors, reasons, findings } = JSON.parse((await call(['help', 'errors', '--json'])).stdout);
    expect(errors).toContainEqual({ code: 'auth', exitCode: 4, meaning: expect.any(String) });
    expect(reasons).toContainEqual({ reason: 'auth.missing', code: 'auth', exitCode: 4 });
    expect(findings).toContainEqual(expect.objectContaining({ code: 'phone.too-short', severity: 'error' }));
  });
});

describe('What a command prints', () => {
  test.each<[Record<string, string>, string[], boolean]>([
    [{ FORCE_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, [], true],
    [{ FORCE_COLOR: 'true' }, [], true],
    [{}, [], false],
    [{ FORCE_COLOR: '' }, [], false],
    [{ FORCE_COLOR: '0' }, [], false],
    [{ FORCE_COLOR: 'false' }, [], false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('What a command prints with %j and %j has colours in a pipe: %j', async (env, args, isColoured) => {
    const { stdout } = await call(['help', 'errors', ...args], env);
    expect(stdout.includes('\u001b[')).toBe(isColoured);
  });
});

describe('The schema', () => {
  test('The schema of one command is printed alone, and the schemas of all as one document', async () => {
    const { code, stdout } = await call(['schema', 'markets']);
    expect([code, Array.isArray(JSON.parse(stdout).anyOf)]).toEqual([0, true]);
    const { schemas } = JSON.parse((await call(['schema', '--json'])).stdout);
    expect(schemas.length).toBeGreaterThan(20);
    const one = JSON.parse((await call(['schema', 'markets', '--json'])).stdout).schemas;
    expect(one).toEqual([{ command: 'markets', output: JSON.parse(stdout) }]);
  });
});
