import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { COMMANDS_WITH_DOCUMENTS, type JsonSchema, outputSchema } from '../../src/request/documents/json-schema.ts';
import type { Ended } from '../helpers/ended.ts';

/** Commands that print one document a line. */
const LISTING = ['log', 'export'];

const ajv = new Ajv2020({ allErrors: true });
const validators = new Map<string, ValidateFunction>();

/**
 * Throws if the output of a command with `--json` does not match `srq schema`, or has members that the schema does not
 * name. The output of a command that was killed is not checked, because it may be incomplete.
 */
export function requireDocuments(args: readonly string[], { code, signal, stdout }: Ended): void {
  if (!args.includes('--json') || args.includes('--help') || code === null || signal !== null || stdout === '') return;
  const command = commandIn(args);
  const texts = LISTING.some((word) => args.includes(word)) ? stdout.trim().split('\n') : [stdout];
  for (const text of texts) {
    const document = parsed(text);
    if (document !== undefined) requireDocument(command, document);
  }
}

/** Parses JSON. Returns undefined for other text, because the tests check that themselves. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function requireDocument(command: string, document: unknown): void {
  const schema = outputSchema(command);
  const alternatives = schema['anyOf'] as JsonSchema[];
  const validate = validatorOf(command, { anyOf: alternatives });
  if (validate(document)) return;
  // Of several alternatives, the one that matches best gives the error message.
  const tries = alternatives.map((each, at) => {
    const one = validatorOf(`${command} ${at}`, each);
    one(document);
    return one.errors ?? [];
  });
  const [nearest = []] = tries.sort((a, b) => a.length - b.length);
  const says = nearest.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(
    `srq ${command} prints what its schema does not allow: ${says.join('; ')}\n${JSON.stringify(document)}`,
  );
}

function validatorOf(name: string, schema: JsonSchema): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  const made = ajv.compile(closed(schema) as JsonSchema);
  validators.set(name, made);
  return made;
}

/**
 * Returns the schema without permission for further members. A later version may add members, but the tests must notice
 * it.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inside, additionalProperties: false }
    : inside;
}

/** Returns the command that the words name. Like the program, it uses the first words that are names. */
function commandIn(args: readonly string[]): string {
  const names = new Set(COMMANDS_WITH_DOCUMENTS.map((name) => name.split(' ')[0]));
  const at = args.findIndex((word) => names.has(word));
  const [first = '', second = ''] = args.slice(at);
  const both = `${first} ${second}`;
  if (at < 0) return 'help';
  if (COMMANDS_WITH_DOCUMENTS.includes(both)) return both;
  return COMMANDS_WITH_DOCUMENTS.find((name) => name === first || name.startsWith(`${first} `)) ?? first;
}
