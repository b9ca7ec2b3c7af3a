import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { FIELD } from '../request/lead/fields.ts';
import { TEXT_FORMATS } from '../request/lead/table.ts';
import { SENT_STATUSES } from '../request/log/status.ts';
import { nearest } from '../request/words/did-you-mean.ts';

/**
 * Parsers of option values for commander. Each takes the text and returns the value, or throws `InvalidArgumentError`.
 */

/** Returns the parser for a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  const parse = (text: string) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Give a whole number ${range}.`);
  };
  numberParsers.add(parse);
  return parse;
}

const numberParsers = new WeakSet<object>();

/** Tells whether an option accepts only numbers. */
export function takesNumber({ parseArg }: Option): boolean {
  return parseArg !== undefined && numberParsers.has(parseArg);
}

/** Parses a number above 0, with at most 6 decimals. */
export function positiveNumber(text: string): number {
  const number = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (number > 0) return number;
  throw new InvalidArgumentError('Give a number above 0.');
}

const MAX_SETTLE_SECONDS = 7 * 24 * 60 * 60;

/** Parses the age in seconds at which a request in doubt is settled. */
export function settleSeconds(text: string): number {
  const seconds = positiveNumber(text);
  if (seconds <= MAX_SETTLE_SECONDS) return seconds;
  throw new InvalidArgumentError(`Give at most ${MAX_SETTLE_SECONDS} seconds, which are 7 days.`);
}

numberParsers.add(positiveNumber);
numberParsers.add(settleSeconds);

/**
 * Returns the parser for a repeatable option `NAME=VALUE`, which collects the pairs in order. `what` describes the form
 * in messages. `split` tells at which `=` the text is split, because the name of a column may contain one.
 */
export function pair(what: string, split: 'first' | 'last') {
  return (text: string, before: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] => {
    const at = split === 'first' ? text.indexOf('=') : text.lastIndexOf('=');
    if (at < 1) throw new InvalidArgumentError(`Give it as ${what}.`);
    return [...before, [text.slice(0, at), text.slice(at + 1)] as const];
  };
}

/** Parses `KIND=PROBABILITY`, a fault of the sandbox. The option is repeatable. */
export function faultRate(text: string, before: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const [, kind = '', probability = ''] = /^([\w-]+)=(0|1|0?\.\d+|1\.0+|0\.0+)$/.exec(text) ?? [];
  if (kind === '') throw new InvalidArgumentError('Give it as KIND=PROBABILITY, the probability from 0 to 1: 429=0.1');
  return { ...before, [kind]: Number(probability) };
}

/** Parses a rate: `auto`, `max`, or requests per second. */
export function rate(text: string): 'auto' | 'max' | number {
  return text === 'auto' || text === 'max' ? text : positiveNumber(text);
}

/** Parses `N` rows or `N%` of the rows. */
export function errorBudget(text: string): { count: number; percent: boolean } {
  const [, number = '', percent = ''] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const count = Number(number);
  if (number !== '' && count > 0 && (percent ? count <= 100 : Number.isInteger(count)))
    return { count, percent: percent === '%' };
  throw new InvalidArgumentError('Give a number of rows (50) or a share of them (2%).');
}

/** Creates an option that accepts one of a few values. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser(oneOf(values));
}

/** Creates an argument that accepts one of a few values. */
export function chosenArgument(name: string, description: string, values: readonly string[]): Argument {
  return new Argument(name, description).choices(values).argParser(oneOf(values));
}

function oneOf(values: readonly string[]): (text: string) => string {
  return (text) => {
    if (values.includes(text)) return text;
    const meant = nearest(text, values);
    throw new InvalidArgumentError(`${meant === null ? '' : `Did you mean ${meant}? `}One of: ${values.join(', ')}.`);
  };
}

/** Formats the examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Creates an option that few users need. Only `srq help COMMAND --all` shows it. */
export function rare(flags: string, description: string): Option {
  return new Option(flags, description).hideHelp();
}

/** Adds the flags that describe one request. */
export function addRequestOptions(command: Command): Command {
  for (const { option, value, help, isRare } of Object.values(FIELD)) {
    const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(new Option(`--${flag} <${value}>`, help).hideHelp(isRare));
  }
  return command
    .option('--field <name=value>', 'another parameter (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option('--file <file>', 'JSON object, array or NDJSON of the same names (-: stdin)');
}

/** Adds the flags of commands that create requests. */
export function addSubmitOptions(command: Command): Command {
  return command
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'what to do with a duplicate', ['skip', 'create']).default('skip'))
    .addOption(rare('--again', 'send again what the log says was created').default(false));
}

/** Adds the flags of commands that read a file of requests. */
export function addReadingOptions(command: Command): Command {
  const max = Number.MAX_SAFE_INTEGER;
  return command
    .addOption(choice('--format <format>', 'format of the file (detected)', TEXT_FORMATS).hideHelp())
    .addOption(rare('--encoding <name>', 'encoding of the file (detected)'))
    .addOption(rare('--delimiter <mark>', 'delimiter of a CSV file: , ; TAB | (detected)'))
    .addOption(
      rare('--skip-lines <n>', 'leave out the first N lines of the file').argParser(wholeNumber(0, max)).default(0),
    )
    .addOption(rare('--sheet <name>', 'sheet of a workbook (default: the first)'))
    .option('--map <column=field>', 'use this column as that field; - leaves it out', pair('COLUMN=FIELD', 'last'), [])
    .option('--set <field=value>', "give all rows a value: PT, or '{City} {Zip}'", pair('FIELD=VALUE', 'first'), [])
    .option('--mapping <file>', 'read both from JSON: {"map":{},"set":{}}');
}

/** Adds the flags that select requests of the log. */
export function addLogFilterOptions(command: Command): Command {
  return command
    .option('--since <time>', 'from this time on: 2026-11-21, or 90m, 24h, 7d ago')
    .option('--until <time>', 'before this time, or to the end of this day')
    .addOption(choice('--status <status>', 'only this status', SENT_STATUSES))
    .option('--run <run>', 'only this run: its id, or how the id begins');
}
