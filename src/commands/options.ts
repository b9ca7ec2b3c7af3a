import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../request/did-you-mean.ts';
import { FIELD } from '../request/fields.ts';

/** Parsers of option values, for commander: each takes the text and returns the value or says what is wrong with it. */

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

export function positiveNumber(text: string): number {
  const number = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (number > 0) return number;
  throw new InvalidArgumentError('Give a number above 0.');
}

const MAX_SETTLE_SECONDS = 7 * 24 * 60 * 60;

/** How long to wait before a doubt is settled, in seconds. */
export function settleSeconds(text: string): number {
  const seconds = positiveNumber(text);
  if (seconds <= MAX_SETTLE_SECONDS) return seconds;
  throw new InvalidArgumentError(`Give at most ${MAX_SETTLE_SECONDS} seconds, which are 7 days.`);
}

/** `NAME=VALUE`, repeatable: gathers the pairs in their order. The last `=` of a column's name belongs to the name. */
export function pair(what: string, split: 'first' | 'last') {
  return (text: string, before: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] => {
    const at = split === 'first' ? text.indexOf('=') : text.lastIndexOf('=');
    if (at < 1) throw new InvalidArgumentError(`Give it as ${what}.`);
    return [...before, [text.slice(0, at), text.slice(at + 1)] as const];
  };
}

/** `KIND=PROBABILITY` of the sandbox's faults, repeatable. */
export function faultRate(text: string, before: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const [, kind = '', probability = ''] = /^([\w-]+)=(0|1|0?\.\d+|1\.0+|0\.0+)$/.exec(text) ?? [];
  if (kind === '') throw new InvalidArgumentError('Give it as KIND=PROBABILITY, the probability from 0 to 1: 429=0.1');
  return { ...before, [kind]: Number(probability) };
}

export function rate(text: string): 'auto' | 'max' | number {
  return text === 'auto' || text === 'max' ? text : positiveNumber(text);
}

/** `N` rows or `N%` of them. */
export function errorBudget(text: string): { count: number; percent: boolean } {
  const [, number = '', percent = ''] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const count = Number(number);
  if (number !== '' && count > 0 && (percent ? count <= 100 : Number.isInteger(count)))
    return { count, percent: percent === '%' };
  throw new InvalidArgumentError('Give a number of rows (50) or a share of them (2%).');
}

/** An option with one of a few values. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser(oneOf(values));
}

/** The same for an argument. */
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

/** The examples that end a command's help. */
export function examples(...lines: readonly string[]): string {
  return ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  ${line}`)].join('\n');
}

/** An option that few need: only `srq help COMMAND --all` shows it. */
export function rare(flags: string, description: string): Option {
  return new Option(flags, description).hideHelp();
}

/** The flags of the commands that take one request. */
export function addRequestOptions(command: Command): Command {
  for (const { option, value, help, isRare } of Object.values(FIELD)) {
    const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(new Option(`--${flag} <${value}>`, help).hideHelp(isRare));
  }
  return command
    .option('--field <name=value>', 'a further parameter (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option('--file <file>', 'JSON object, array or NDJSON of the same names (-: stdin)');
}

/** The flags of the commands that create. */
export function addSubmitOptions(command: Command): Command {
  return command
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'a duplicate', ['skip', 'create']).default('skip'))
    .addOption(rare('--again', 'send even what the log knows as created').default(false));
}

/** The flags of the commands that read a file of requests. */
export function addReadingOptions(command: Command): Command {
  const most = Number.MAX_SAFE_INTEGER;
  return command
    .addOption(choice('--format <format>', 'format of the file (detected)', ['csv', 'json', 'ndjson']).hideHelp())
    .addOption(rare('--encoding <name>', 'encoding of the file (detected)'))
    .addOption(rare('--delimiter <mark>', 'delimiter of a CSV file: , ; TAB | (detected)'))
    .addOption(rare('--skip-lines <n>', 'leave out the first lines').argParser(wholeNumber(0, most)).default(0))
    .addOption(rare('--sheet <name>', 'sheet of a workbook (the first)'))
    .option('--map <column=field>', 'this column is that field; - leaves it out', pair('COLUMN=FIELD', 'last'), [])
    .option('--set <field=value>', "for all rows: a constant, or '{City} {Zip}'", pair('FIELD=VALUE', 'first'), [])
    .option('--mapping <file>', 'the same as JSON: {"map":{},"set":{}}')
    .addOption(rare('--save-mapping <file>', 'write the mapping that is used'));
}
