import * as z from 'zod/mini';
import { DOCUMENTS, failed } from './documents.ts';
import { type DocumentName, SCHEMA_VERSION } from './types.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const NAMES = Object.keys(DOCUMENTS) as readonly DocumentName[];

/** Returns the command that prints a document. The entry `bulk --dry-run` is a document of `bulk`. */
const commandOf = (name: DocumentName): string => name.replace(/ --.*/, '');

/** The commands that print documents. */
export const COMMANDS_WITH_DOCUMENTS: readonly string[] = [...new Set(NAMES.map(commandOf))];

export function documentsOf(command: string): readonly DocumentName[] {
  return NAMES.filter((name) => commandOf(name) === command);
}

/**
 * Returns the JSON Schema of what a command prints with `--json`: one of its documents, an array of them if several
 * requests may be meant, or an error. A later version of srq may add members.
 */
export function outputSchema(command: string): JsonSchema {
  if (command === EVENTS)
    return { $schema: DIALECT, title: 'srq bulk --events, srq work --events', anyOf: shapesOf(DOCUMENTS.events) };
  const names = documentsOf(command);
  const documents = names.flatMap((name) => shapesOf(DOCUMENTS[name]));
  // These read a request or an array of them.
  const takesMany = command === 'validate' || command === 'create';
  const arrays = takesMany ? [{ type: 'array', items: { anyOf: documents } }] : [];
  return { $schema: DIALECT, title: `srq ${command} --json`, anyOf: [...documents, ...arrays, ...shapesOf(failed)] };
}

/** The name of the lines that `--events` prints. They are not a document of a command. */
const EVENTS: DocumentName = 'events';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const OPTIONS = {
  unrepresentable: 'any',
  override: ({ jsonSchema }: { readonly jsonSchema: { additionalProperties?: unknown } }) => {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  },
} as const;

/** Returns the shapes of a document, each with the version that all documents carry. */
function shapesOf(schema: z.ZodMiniType): JsonSchema[] {
  const { $schema: _, ...whole } = z.toJSONSchema(schema, OPTIONS);
  return ((whole.anyOf ?? [whole]) as readonly JsonSchema[]).map((shape) => {
    const { properties, required } = shape as { properties: object; required: readonly string[] };
    return {
      ...shape,
      properties: { schemaVersion: { const: SCHEMA_VERSION }, ...properties },
      required: ['schemaVersion', ...required],
    };
  });
}
