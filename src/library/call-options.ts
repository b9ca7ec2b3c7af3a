import * as z from 'zod/mini';
import { SENT_STATUSES } from '../request/log/status.ts';
import type { CallOptions, CreateOptions, ImportOptions, LogFilter, Marketplace, Word } from './api.ts';
import { unusable } from './settings.ts';

type Rows = Parameters<Marketplace['importRows']>[0];
type Keys = Parameters<Marketplace['resolve']>[0];

const text = z.string().check(z.minLength(1));
const call = { signal: z.optional(z.instanceof(AbortSignal)) };
const create = {
  ...call,
  validate: z.optional(z.boolean()),
  onDuplicate: z.optional(z.enum(['skip', 'create'])),
  again: z.optional(z.boolean()),
};
/** A share of the rows, written as for `--max-errors`. */
const share = z.string().check(
  z.regex(/^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/),
  z.refine((value) => !/^[0.]+%$/.test(value)),
);

const callSchema = z.strictObject(call) satisfies z.ZodMiniType<CallOptions>;
const createSchema = z.strictObject(create) satisfies z.ZodMiniType<CreateOptions>;
const importSchema = z.strictObject({
  ...create,
  name: z.optional(text),
  strict: z.optional(z.boolean()),
  maxErrors: z.optional(z.union([z.int().check(z.positive()), share])),
  inDoubt: z.optional(z.enum(['park', 'validate'])),
  settleMs: z.optional(z.number().check(z.positive())),
  onResult: z.optional(z.custom<ImportOptions['onResult']>((value) => typeof value === 'function')),
});
/** A text can be iterated as well, but its letters are no rows. */
const rowsSchema = z.custom<Rows>(
  (value) => typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value),
);
const keysSchema = z.custom<Keys>((value) => [value].flat().every((key) => typeof key === 'string'));
/** An empty identifier would be told as one that the service gave. */
const wordSchema = z.union([
  z.enum(['not-created', 'created']),
  z.strictObject({ created: z.string().check(z.regex(/\S/)) }),
]);
const filterSchema = z.strictObject({
  since: z.optional(z.date()),
  until: z.optional(z.date()),
  ref: z.optional(z.string()),
  id: z.optional(z.string()),
  status: z.optional(z.enum(SENT_STATUSES)),
  run: z.optional(z.string()),
}) satisfies z.ZodMiniType<LogFilter>;

/**
 * Check what a program gives to a method, because one without types may pass anything: a mistyped word would note a
 * request as created that never was, and any text for `again` would send it a second time. They throw
 * `SrqError('usage')`.
 */
export const requireCallOptions = (given: CallOptions): void =>
  requireFit(callSchema, given, 'The options of the call');
export const requireCreateOptions = (given: CreateOptions): void =>
  requireFit(createSchema, given, 'The options of create');
export const requireImportOptions = (given: ImportOptions): void =>
  requireFit(importSchema, given, 'The options of importRows');
export const requireRows = (given: Rows): void => requireFit(rowsSchema, given, 'The argument rows of importRows');
export const requireLogFilter = (given: LogFilter): void => requireFit(filterSchema, given, 'The filter of log');
export const requireKeys = (given: Keys): void => requireFit(keysSchema, given, 'The argument keys of resolve');
export const requireWord = (given: Word): void => requireFit(wordSchema, given, 'The word of resolve');

function requireFit(schema: z.ZodMiniType, given: unknown, whole: string): void {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw unusable(parsed.error.issues[0], whole);
}
