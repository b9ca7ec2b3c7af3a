import type { Reporter } from '../report/reporter.ts';
import type { Clock } from '../request/ports.ts';
import type { TellingContext } from './command.ts';

interface Surroundings extends Pick<TellingContext, 'process' | 'options'> {
  readonly clock: Clock;
}

/** Makes the reporter that the flags, the environment and the terminal ask for. */
export async function makeReporter(context: Surroundings): Promise<Reporter> {
  const { process, options, clock } = context;
  const { HumanReporter, JsonReporter } = await import('../report/terminal/reporters.ts');
  const { columnsOf, isAsciiLocale } = await import('../report/output.ts');
  const { stdout, stderr, env } = process;
  const dumb = env['TERM'] === 'dumb';
  const isForced = !['', '0', 'false'].includes(env['FORCE_COLOR'] ?? '');
  const coloured = (stream: NodeJS.WriteStream) =>
    options.color !== false && !env['NO_COLOR'] && (isForced || (Boolean(stream.isTTY) && !dumb));
  const settings = {
    stdout,
    stderr,
    quiet: options.quiet === true,
    colour: { stdout: coloured(stdout), stderr: coloured(stderr) },
    ascii: isAsciiLocale(env),
    // Some terminals do not report their width (0 columns, as under `script` or in some containers). They cannot be
    // redrawn, because the spinner's library would clear infinitely many lines.
    redraw: columnsOf(stderr) !== null && !dumb && !env['CI'],
    monotonicMs: clock.monotonicMs,
  };
  return options.json ? new JsonReporter(settings) : new HumanReporter(settings);
}
