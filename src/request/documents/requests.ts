import * as z from 'zod/mini';
import { FIELDS, type Field } from '../fields.ts';
import { count, identifiers, nullableText, problem, reasonOfRow, status, text } from './shapes.ts';

/** The result of one request, as `srq create` prints it. */
export const created = z.object({
  status,
  ids: identifiers,
  row: count,
  ref: nullableText,
  key: nullableText,
  http: z.nullable(z.int()),
  message: nullableText,
  reason: reasonOfRow,
  /** The id of the run, as the records of the log have it. */
  run: text,
  /** The findings of the local checks on a request that is invalid. */
  problems: z.optional(z.array(problem)),
});

/** What validate says of one request, as `srq validate` prints it. */
export const validated = z.object({
  verdict: z.enum(['clear', 'duplicate', 'unknown']),
  http: z.nullable(z.int()),
  ids: identifiers,
  key: nullableText,
  message: nullableText,
  reason: reasonOfRow,
  run: text,
  problems: z.optional(z.array(problem)),
});

const value = z.union([text, z.number(), z.boolean(), z.null()]);

const fields = Object.fromEntries(FIELDS.map((field) => [field, z.optional(value)])) as Record<
  Field,
  z.ZodMiniOptional<typeof value>
>;

/** A request in the file of `--file`. Further members are sent under their own names. */
export const request = z.looseObject(fields);
