import type { Command } from 'commander';
import type { RunCommand } from '../../cli/command.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import type { HealthOptions } from '../health.ts';
import {
  addReadingOptions,
  addSubmitOptions,
  choice,
  errorBudget,
  examples,
  rare,
  rate,
  settleSeconds,
  wholeNumber,
} from '../options.ts';
import type { PlanOptions } from './agreement.ts';
import type { ResultsOption } from './results-place.ts';

/** The flags of `bulk`, as commander parses them. */
export interface BulkOptions extends PlanOptions, SubmitOptions, HealthOptions {
  /** The rate. It is adaptive by default, and the sandbox inside this process is not rate limited. */
  readonly rate?: 'auto' | 'max' | number;
  readonly concurrency: number;
  readonly maxErrors?: { readonly count: number; readonly percent: boolean };
  /** Age in seconds that a request in doubt must have before validate is asked about it. */
  readonly settle?: number;
  readonly inDoubt: 'park' | 'validate';
  readonly results?: ResultsOption;
  /** File to which the report is written. */
  readonly report?: string;
  readonly includeInput?: boolean;
  /** File to which the events of the run are written, or `-` for standard output. */
  readonly events?: string;
  /** Shell command that gets the end of the run on its standard input. */
  readonly onEnd?: string;
  /** Whether the inbox of the sandbox in this process stays open after the run. */
  readonly keep?: boolean;
}

export function addBulk(program: Command, run: RunCommand): void {
  const most = Number.MAX_SAFE_INTEGER;
  const bulk = program
    .command('bulk <files...>')
    .description('import files of leads (-: stdin); try it with --sandbox');
  addReadingOptions(bulk)
    .option('--dry-run', 'read, map, check; send nothing')
    .option('--limit <n>', 'only the first N rows', wholeNumber(1, most))
    .addOption(rare('--skip <n>', 'leave out the first N rows').argParser(wholeNumber(0, most)).default(0))
    .option('--strict', 'warnings make a row invalid');
  addSubmitOptions(bulk)
    .option('--rate <rate>', 'requests a second: auto (the default), max, a number', rate)
    .addOption(rare('--concurrency <n>', 'most requests at the same time').argParser(wholeNumber(1, 1000)).default(16))
    .option('--max-errors <n>', 'stop after so many refused rows: 50, or 2%', errorBudget)
    .addOption(
      rare('--settle <seconds>', 'wait before asking validate about an unknown outcome (60 or 240)').argParser(
        settleSeconds,
      ),
    )
    .addOption(
      choice('--in-doubt <what>', 'rows with an unknown outcome', ['park', 'validate']).default('validate').hideHelp(),
    )
    .option('--results <file>', 'write every row with its outcome there (-: stdout)')
    .addOption(rare('--no-results', 'write no results file'))
    .option('--report <file>', 'write the run as a page with charts (.html)')
    .addOption(rare('--include-input', 'with --report: show the input, which is personal data'))
    .addOption(rare('--events <file>', 'write what happens there, one JSON object a line (-: stdout)'))
    .addOption(rare('--on-end <command>', 'run this command at the end, with the summary as JSON on its stdin'))
    .addOption(
      rare('--health-port <port>', 'answer /livez, /healthz and /metrics there').argParser(wholeNumber(1, 65_535)),
    )
    .addOption(rare('--health-host <address>', 'where to listen').default('127.0.0.1'))
    .addOption(rare('--keep', 'with --sandbox: keep its inbox open until Ctrl-C'))
    .option('--accept-likely', 'use columns that are only likely without asking')
    .addOption(rare('--plan <id>', 'send nothing but the plan of --dry-run --json with this planId'))
    .option('-y, --yes', 'do not ask to confirm the plan and the columns')
    .addHelpText(
      'after',
      examples('srq bulk leads.csv --sandbox', "srq bulk leads.csv --map 'Telefon 2=phone' --set country=PT --dry-run"),
    )
    .action(run(async () => (await import('./run.ts')).bulk));
}
