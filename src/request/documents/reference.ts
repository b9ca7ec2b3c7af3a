import * as z from 'zod/mini';
import { count, nullableText, text } from './shapes.ts';

/** What is said of arguments and options alike. The name of an option is the long one, with its dashes. */
const described = {
  name: text,
  isRequired: z.boolean(),
  isRepeatable: z.boolean(),
  choices: z.nullable(z.array(text)),
  description: text,
};

const option = z.object({
  ...described,
  short: nullableText,
  /** The name of its value, or null for a flag without one. */
  value: nullableText,
  type: z.enum(['flag', 'text', 'number', 'choice']),
  /** Whether it can be given without its value. */
  isValueOptional: z.boolean(),
  default: z.union([text, z.number(), z.boolean(), z.null()]),
  /** The environment variable that has the same effect, or null. */
  environment: nullableText,
  isRare: z.boolean(),
});

export const REFERENCE = {
  template: z.object({
    format: z.enum(['csv', 'json']),
    market: text,
    output: nullableText,
    content: text,
  }),
  markets: z.object({
    markets: z.array(z.object({ code: text, name: text, callingCode: text, languages: z.array(text) })),
  }),
  completion: z.object({ shell: text, script: text }),
  /** Every command with its options, for programs. */
  help: z.object({
    version: text,
    commands: z.array(
      z.object({
        /** The words by which the command is called: `contract learn`. */
        name: text,
        description: text,
        arguments: z.array(z.object(described)),
        options: z.array(option),
        /**
         * `creates` means that requests may be created. `asks` means that the service is called and nothing is created.
         */
        sends: z.enum(['creates', 'asks', 'nothing']),
      }),
    ),
    globalOptions: z.array(option),
  }),
  'help exit-codes': z.object({ exitCodes: z.array(z.object({ code: count, meaning: text })) }),
  /** The kinds of errors with their exit codes, the codes of errors, and the codes of findings. */
  'help errors': z.object({
    errors: z.array(z.object({ code: text, exitCode: count, meaning: text })),
    reasons: z.array(z.object({ reason: text, code: text, exitCode: count })),
    findings: z.array(z.object({ code: text, severity: z.enum(['error', 'warning']), message: text })),
  }),
  /** The schemas of documents, by the command that prints them. */
  schema: z.object({
    schemas: z.array(z.object({ command: text, output: z.record(text, z.unknown()) })),
  }),
} as const;
