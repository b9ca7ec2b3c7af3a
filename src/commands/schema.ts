import type { Context } from '../cli/context.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Prints schemas. Without `--json`, prints the schema of one command alone, for use with a validator. With `--json`,
 * prints a document with the schemas of one command or of all.
 */
export async function schema(context: Context, words: readonly string[]): Promise<number> {
  // The schemas are built only here, because the rest of the program needs only their types.
  const { COMMANDS_WITH_DOCUMENTS, outputSchema } = await import('../request/documents/json-schema.ts');
  const wanted = words.join(' ');
  if (words.length > 0 && !COMMANDS_WITH_DOCUMENTS.includes(wanted)) {
    const message = `No command "${wanted}" prints a document.${didYouMean(wanted, COMMANDS_WITH_DOCUMENTS)}`;
    throw new SrqError('arguments.invalid', message, `Those do: ${COMMANDS_WITH_DOCUMENTS.join(', ')}`);
  }
  if (words.length === 0 && !context.options.json) {
    throw new SrqError(
      'arguments.missing',
      `Which schema? There are ${COMMANDS_WITH_DOCUMENTS.length}.`,
      `Name one: ${COMMANDS_WITH_DOCUMENTS.join(', ')}`,
    );
  }
  const commands = words.length === 0 ? COMMANDS_WITH_DOCUMENTS : [wanted];
  const schemas = commands.map((command) => ({ command, output: outputSchema(command) }));
  await context.reporter.result('schema', { schemas }, () => JSON.stringify(outputSchema(wanted), null, 2));
  return 0;
}
