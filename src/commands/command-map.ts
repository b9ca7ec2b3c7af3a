import type { Context } from '../cli/context.ts';
import { longName, placeholder, within } from '../cli/table/commands.ts';
import type { Flags } from '../cli/table/flags.ts';
import { EVERYWHERE } from '../cli/table/options.ts';
import type { CommandRow } from '../cli/table/row.ts';
import type { DocumentOf } from '../request/documents/types.ts';

/** Prints what a program needs to call srq: the command that the words name, and those below it. */
export async function commandMap(context: Context, words: readonly string[]): Promise<number> {
  // Only shells call the one that begins with underscores.
  const commands = within(words)
    .filter(([name, { run }]) => run && !name.startsWith('__'))
    .map(mapped);
  const document = { version: context.version, commands, globalOptions: mappedFlags(EVERYWHERE) };
  await context.reporter.result('help', document, () => JSON.stringify(document, null, 2));
  return 0;
}

function mapped([name, { about, args = [], flags = {}, sends }]: readonly [string, CommandRow]) {
  const mappedArgs = args.map(({ name, about = '', choices = null }) => {
    const { bare, isOptional, isRepeatable } = placeholder(name);
    return { name: bare, isRequired: !isOptional, isRepeatable, choices, description: about };
  });
  return {
    name,
    description: about,
    arguments: mappedArgs,
    options: mappedFlags(flags),
    sends: sends ?? ('nothing' as const),
  };
}

function mappedFlags(flags: Flags) {
  return Object.entries(flags).map(([key, flag]): DocumentOf<'help'>['globalOptions'][number] => {
    const { about, value, short = null, choices = null, initial } = flag;
    const { bare, isOptional } = placeholder(value ?? '');
    return {
      name: longName(key, flag),
      short,
      value: bare === '' ? null : bare,
      type: value === undefined ? 'flag' : choices ? 'choice' : flag.isNumber ? 'number' : 'text',
      isValueOptional: isOptional,
      isRequired: flag.isRequired === true,
      isRepeatable: typeof initial === 'object',
      choices,
      default: ['string', 'number', 'boolean'].includes(typeof initial) ? (initial as string | number | boolean) : null,
      environment: /\((SRQ_\w+|NO_COLOR)\)/.exec(about)?.[1] ?? null,
      isRare: flag.isRare === true || flags === EVERYWHERE,
      description: about,
    };
  });
}
