import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Destination } from '../request/lead/service-request.ts';
import { SrqError } from '../request/words/errors.ts';
import { normalBaseUrl } from '../settings/base-url.ts';
import { profileNamed } from '../settings/paths.ts';
import type { MarketplaceOptions } from './api.ts';

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
  caFile: z.optional(text),
  certFile: z.optional(text),
  keyFile: z.optional(text),
  keyPassphrase: z.optional(text),
  signal: z.optional(z.instanceof(AbortSignal)),
  onWarning: z.optional(z.custom<(message: string) => void>((value) => typeof value === 'function')),
}) satisfies z.ZodMiniType<MarketplaceOptions>;

/** The options in force, with defaults filled in. */
export interface LibrarySettings extends MarketplaceOptions, Destination {
  readonly profile: string;
  readonly encoding: 'form' | 'json';
  readonly rate: 'auto' | 'max' | number;
  readonly concurrency: number;
}

const CONCURRENCY = 16;

/** Checks the options. Throws `SrqError('usage')` or `SrqError('settings')` if they cannot be used. */
export function settingsOf(options: MarketplaceOptions): LibrarySettings {
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
export function unusable(issue: z.core.$ZodIssue | undefined, whole: string): SrqError {
  const names = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
  const which = names.length === 0 ? whole : `The option ${names.join('.')}`;
  const why = issue?.code === 'unrecognized_keys' ? 'does not exist' : 'is missing or of a wrong kind';
  return new SrqError('arguments.invalid', `${which} ${why}.`, 'See docs/library.md.');
}
