import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { SENT_STATUSES } from '../request/log/status.ts';
import { SrqError } from '../request/words/errors.ts';
import { normalBaseUrl } from '../settings/base-url.ts';
import { profileNamed } from '../settings/paths.ts';
import type { CallOptions, CreateOptions, ImportOptions, LogFilter, Marketplace, MarketplaceOptions } from './api.ts';

const text = z.string().check(z.minLength(1));
const secret = z.union([
  text,
  z.custom<Exclude<MarketplaceOptions['clientSecret'], string>>((value) => typeof value === 'function'),
]);
const positive = z.number().check(z.positive());

/** Validates the options, because a program without types may pass anything. */
const optionsSchema = z.strictObject({
  baseUrl: text,
  clientId: text,
  clientSecret: secret,
  stateFolder: text,
  profile: z.optional(text),
  store: z.optional(text),
  storePassword: z.optional(secret),
  freshStore: z.optional(z.boolean()),
  contractFile: z.optional(text),
  encoding: z.optional(z.enum(['form', 'json'])),
  defaults: z.optional(z.record(z.string(), z.nullish(z.string()))),
  rate: z.optional(z.union([z.enum(['auto', 'max']), positive])),
  concurrency: z.optional(z.int().check(z.positive())),
  timeoutMs: z.optional(positive),
  audioFolder: z.optional(text),
  proxy: z.optional(text),
  signal: z.optional(z.instanceof(AbortSignal)),
  onWarning: z.optional(z.custom<(message: string) => void>((value) => typeof value === 'function')),
}) satisfies z.ZodMiniType<MarketplaceOptions>;

/** The options in force, with defaults filled in. */
export type LibrarySettings = ReturnType<typeof settingsOf>;

const CONCURRENCY = 16;

/** Checks the options. Throws `SrqError('usage')` or `SrqError('settings')` if they cannot be used. */
export function settingsOf(options: MarketplaceOptions) {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw unusable(parsed.error.issues[0], 'The options of openMarketplace');
  return {
    ...options,
    defaults: { ...options.defaults },
    baseUrl: normalBaseUrl(options.baseUrl),
    stateFolder: resolve(options.stateFolder),
    profile: profileNamed(options.profile ?? 'default'),
    encoding: options.encoding ?? 'form',
    rate: options.rate ?? 'auto',
    concurrency: options.concurrency ?? CONCURRENCY,
  };
}

/**
 * Returns the error for an invalid option, or for all that was given (`whole`) if no option is to blame. It does not
 * quote the value, which may be the secret.
 */
function unusable(issue: z.core.$ZodIssue | undefined, whole: string): SrqError {
  const names = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
  const which = names.length === 0 ? whole : `The option ${names.join('.')}`;
  const why = issue?.code === 'unrecognized_keys' ? 'does not exist' : 'is missing or of a wrong kind';
  return new SrqError('arguments.invalid', `${which} ${why}.`, 'See docs/library.md.');
}

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

const importSchema = z.strictObject({
  ...create,
  name: z.optional(text),
  maxErrors: z.optional(z.union([z.int().check(z.positive()), share])),
  inDoubt: z.optional(z.enum(['park', 'validate'])),
  settleMs: z.optional(z.number().check(z.positive())),
  onResult: z.optional(z.custom<ImportOptions['onResult']>((value) => typeof value === 'function')),
});
/** A text can be iterated as well, but its letters are no rows. */
const rowsSchema = z.custom<Parameters<Marketplace['importRows']>[0]>(
  (value) => typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value),
);
const keysSchema = z.custom<Parameters<Marketplace['resolve']>[0]>((value) =>
  [value].flat().every((key) => typeof key === 'string'),
);
/** An empty identifier would be told as one that the service gave. */
const wordSchema = z.union([
  z.enum(['not-created', 'created']),
  z.strictObject({ created: z.string().check(z.regex(/\S/)) }),
]);
const filterSchema = z.strictObject({
  since: z.optional(z.date()),
  ref: z.optional(z.string()),
  id: z.optional(z.string()),
  status: z.optional(z.enum(SENT_STATUSES)),
  run: z.optional(z.string()),
}) satisfies z.ZodMiniType<LogFilter>;

/** What a program gives to a method, and what that is called. */
const GIVEN = {
  call: [z.strictObject(call) satisfies z.ZodMiniType<CallOptions>, 'The options of the call'],
  create: [z.strictObject(create) satisfies z.ZodMiniType<CreateOptions>, 'The options of create'],
  importRows: [importSchema, 'The options of importRows'],
  rows: [rowsSchema, 'The argument rows of importRows'],
  log: [filterSchema, 'The filter of log'],
  keys: [keysSchema, 'The argument keys of resolve'],
  word: [wordSchema, 'The word of resolve'],
} as const;

/**
 * Checks what a program gives to a method, because one without types may pass anything: a mistyped word would note a
 * request as created that never was, and any text for `again` would send it a second time. Throws `SrqError('usage')`.
 */
export function requireFit(what: keyof typeof GIVEN, given: unknown): void {
  const [schema, whole] = GIVEN[what];
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw unusable(parsed.error.issues[0], whole);
}
