import type { TellingContext } from '../cli/command.ts';
import type { OptionsOf } from '../cli/table/flags.ts';
import type { SCHEMA } from '../cli/table/options.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Prints schemas. Without `--json`, prints the schema of one command alone, for use with a validator. With `--json`,
 * prints a document with the schemas of one command or of all.
 */
export async function schema(
  context: TellingContext,
  words: readonly string[],
  { input }: OptionsOf<typeof SCHEMA>,
): Promise<number> {
  // The schemas are built only here, because the rest of the program needs only their types.
  const { COMMANDS_WITH_DOCUMENTS, inputSchema, outputSchema } = await import('../request/documents/json-schema.ts');
  const wanted = words.join(' ');
  const under = COMMANDS_WITH_DOCUMENTS.filter((command) => command.startsWith(`${wanted} `));
  const named = COMMANDS_WITH_DOCUMENTS.includes(wanted) ? [wanted] : under;
  const commands = words.length === 0 ? COMMANDS_WITH_DOCUMENTS : named;
  const [one] = commands;
  if (one === undefined) {
    const message = `No command "${wanted}" prints a document.${didYouMean(wanted, COMMANDS_WITH_DOCUMENTS)}`;
    throw new SrqError('arguments.invalid', message, `Those do: ${COMMANDS_WITH_DOCUMENTS.join(', ')}`);
  }
  if (!context.options.json && commands.length > 1) {
    throw new SrqError(
      'arguments.missing',
      `Which schema? There are ${commands.length}.`,
      `Name one: ${commands.join(', ')}`,
    );
  }
  if (input && commands.every((command) => inputSchema(command) === null)) {
    throw new SrqError('arguments.invalid', `srq ${wanted} reads no JSON.`, 'For example: srq schema create --input');
  }
  const schemas = commands.map((command) => ({
    command,
    output: outputSchema(command),
    input: inputSchema(command),
  }));
  const alone = input ? inputSchema(one) : outputSchema(one);
  await context.reporter.result('schema', { schemas }, () => JSON.stringify(alone, null, 2));
  return 0;
}
