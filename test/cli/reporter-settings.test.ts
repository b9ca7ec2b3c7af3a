import { afterEach, describe, expect, test, vi } from 'vitest';
import type { GlobalOptions } from '../../src/cli/command.ts';
import type { ReporterOptions } from '../../src/report/reporter.ts';
import { contextOf } from '../helpers/command-context.ts';

const made: [kind: string, options: ReporterOptions][] = [];

vi.mock('../../src/report/terminal/reporters.ts', () => {
  const reporter = (kind: string) =>
    class {
      constructor(options: ReporterOptions) {
        made.push([kind, options]);
      }
    };
  return { HumanReporter: reporter('for people'), JsonReporter: reporter('for programs') };
});

afterEach(() => {
  made.length = 0;
});

interface Terminal {
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly columns?: number;
}
const NO_TERMINAL: Terminal = { stdout: false, stderr: false };
const TERMINAL: Terminal = { stdout: true, stderr: true, columns: 80 };

/** With what settings a command tells of itself. */
async function settingsOf(options: GlobalOptions, env: Record<string, string>, { columns, ...isTerminal }: Terminal) {
  const { context } = contextOf({ options, env: { TERM: 'xterm', ...env } });
  for (const name of ['stdout', 'stderr'] as const)
    Object.assign(context.process[name], { isTTY: isTerminal[name], columns });
  expect(await context.reporter()).toBe(await context.reporter());
  const [[kind, settings] = []] = made;
  if (settings === undefined || made.length !== 1) throw new Error('One reporter was expected.');
  return { kind, context, ...settings };
}

describe('What a command says', () => {
  test.each<[GlobalOptions, Record<string, string>, Terminal, [stdout: boolean, stderr: boolean]]>([
    [{}, {}, TERMINAL, [true, true]],
    [{}, {}, NO_TERMINAL, [false, false]],
    [{}, {}, { ...TERMINAL, stdout: false }, [false, true]],
    [{}, {}, { ...TERMINAL, stderr: false }, [true, false]],
    [{ color: true }, {}, NO_TERMINAL, [false, false]],
    [{ color: false }, {}, TERMINAL, [false, false]],
    [{}, { NO_COLOR: '1' }, TERMINAL, [false, false]],
    [{}, { NO_COLOR: '' }, TERMINAL, [true, true]],
    [{}, { TERM: 'dumb' }, TERMINAL, [false, false]],
    [{}, { TERM: 'dumb', FORCE_COLOR: '1' }, TERMINAL, [true, true]],
    [{}, { FORCE_COLOR: '1' }, NO_TERMINAL, [true, true]],
    [{}, { FORCE_COLOR: '0' }, NO_TERMINAL, [false, false]],
    [{}, { FORCE_COLOR: 'false' }, NO_TERMINAL, [false, false]],
    [{}, { FORCE_COLOR: '0' }, TERMINAL, [true, true]],
    [{}, { FORCE_COLOR: '1', NO_COLOR: '1' }, TERMINAL, [false, false]],
    [{ color: false }, { FORCE_COLOR: '1' }, TERMINAL, [false, false]],
  ])('with %j, %j and %j has colours: %j', async (options, env, terminal, [stdout, stderr]) => {
    expect((await settingsOf(options, env, terminal)).colour).toEqual({ stdout, stderr });
  });

  test.each<[Record<string, string>, Terminal, boolean]>([
    [{}, TERMINAL, true],
    [{}, NO_TERMINAL, false],
    [{}, { ...TERMINAL, stderr: false }, false],
    [{}, { ...TERMINAL, stdout: false }, true],
    [{}, { ...TERMINAL, columns: 0 }, false],
    [{ CI: 'true' }, TERMINAL, false],
    [{ CI: '' }, TERMINAL, true],
    [{ TERM: 'dumb' }, TERMINAL, false],
  ])('with %j and %j is redrawn: %j', async (env, terminal, redraw) => {
    expect((await settingsOf({}, env, terminal)).redraw).toBe(redraw);
  });

  test.each<[GlobalOptions, Record<string, string>, string, Partial<ReporterOptions>]>([
    [{}, {}, 'for people', { quiet: false, ascii: false, messageTimeMs: null }],
    [{ json: true }, {}, 'for programs', { quiet: false, messageTimeMs: null }],
    [{ json: false }, {}, 'for people', {}],
    [{ quiet: true }, {}, 'for people', { quiet: true }],
    [{ logFormat: 'json' }, {}, 'for people', { messageTimeMs: expect.any(Function) as never }],
    [{ logFormat: 'text' }, {}, 'for people', { messageTimeMs: null }],
    [{}, { LC_ALL: 'C' }, 'for people', { ascii: true }],
    [{}, { LC_ALL: 'pt_PT.UTF-8' }, 'for people', { ascii: false }],
  ])('with %j and %j is %s', async (options, env, kind, expected) => {
    const settings = await settingsOf(options, env, NO_TERMINAL);
    expect(settings.kind).toBe(kind);
    expect(settings).toMatchObject(expected);
    expect(settings.run).toBe(settings.context.run);
    expect(settings.messageTimeMs === null || Math.abs(settings.messageTimeMs() - Date.now()) < 60_000).toBe(true);
    expect(settings.monotonicMs()).toBeLessThanOrEqual(performance.now());
  });
});
