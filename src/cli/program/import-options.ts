import { type Command, Option } from 'commander';
import { FIELD } from '../../model/fields.ts';
import { choice, pair, wholeNumber } from '../option-values.ts';
import { rare } from './option.ts';

export function addRequestOptions(command: Command): Command {
  for (const { option, value, help, isRare } of Object.values(FIELD)) {
    const flag = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(new Option(`--${flag} <${value}>`, help).hideHelp(isRare));
  }
  return command
    .option('--field <name=value>', 'a further parameter (repeatable)', pair('NAME=VALUE', 'first'), [])
    .option('--file <file>', 'JSON object, array or NDJSON of the same names (-: stdin)');
}

export function addSubmitOptions(command: Command): Command {
  return command
    .addOption(rare('--no-validate', 'create without asking for duplicates first'))
    .addOption(choice('--on-duplicate <what>', 'a duplicate', ['skip', 'create']).default('skip'))
    .addOption(rare('--again', 'send even what the log knows as created').default(false));
}

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
