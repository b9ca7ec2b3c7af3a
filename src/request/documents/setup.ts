import * as z from 'zod/mini';
import { contractSchema } from '../contract/contract-schema.ts';
import { count, errorReason, failure, nullableText, nullableTime, seconds, text } from './shapes.ts';

const kind = z.enum(['live', 'test']);
const secret = z.enum(['stored', 'env', 'command', 'contract', 'missing']);
const auth = z.enum(['bearer', 'basic', 'apiKey']);
const source = contractSchema.shape.source;

/** The profile that a login has stored. */
export const loggedIn = z.object({
  profile: text,
  baseUrl: text,
  clientId: text,
  kind,
  expiresAt: nullableTime,
  config: text,
  contract: source,
  auth,
  tokenAddress: nullableText,
  proven: z.boolean(),
  inForce: nullableText,
});

export const loggedOut = z.object({ profile: text, removed: z.boolean(), log: text, inForce: nullableText });

const origin = z.nullable(text);

/** The settings in force, and where each comes from. */
export const settings = z.object({
  profile: text,
  baseUrl: nullableText,
  clientId: nullableText,
  secret,
  token: z.object({ state: z.enum(['none', 'expired', 'valid']), expiresAt: nullableTime }),
  paths: z.object({ config: text, state: text, log: text }),
  kind,
  encoding: z.enum(['form', 'json', 'multipart']),
  contract: source,
  auth,
  tokenAddress: nullableText,
  sources: z.object({ profile: text, baseUrl: origin, clientId: origin }),
});

export const profiles = z.object({
  profiles: z.array(z.object({ name: text, current: z.boolean(), baseUrl: text, clientId: text, kind })),
});
export const profileUsed = z.object({ profile: text, kind, baseUrl: text, clientId: text });

/** The steps of `doctor` in their order. `create` runs only if it is asked for, and `store` only if there is one. */
const stepName = z.enum([
  ...(['settings', 'store', 'proxy', 'dns', 'tcp', 'tls', 'clock'] as const),
  ...(['token', 'validate', 'log', 'create'] as const),
]);

/** The result of `doctor`, which checks step by step everything that is needed to send a request. */
export const diagnosis = z.object({
  ok: z.boolean(),
  steps: z.array(
    z.object({
      name: stepName,
      result: z.enum(['ok', 'warn', 'fail', 'skip']),
      ms: z.number(),
      message: text,
      hint: nullableText,
      reason: z.nullable(errorReason),
    }),
  ),
  error: z.optional(failure),
});

/**
 * `missing` are the processes that nobody waits for any longer: command, process and machine of each. `doubtful` is the
 * number of queued rows that are unknown now, because one of these processes may have sent them.
 */
export const resumed = z.object({ store: text, missing: z.array(text), doubtful: count });
/** What a store has learned from a log in a file. */
export const takenOver = z.object({
  store: text,
  log: text,
  requests: count,
  imported: count,
  known: count,
  seconds,
});
export const movedOut = z.object({ store: text, output: text, requests: count });
export const migrated = z.object({ store: text, migrated: z.array(text) });

/** What only a person can say. The answer is given as `OPTION KEY=VALUE`. */
const question = z.object({
  name: text,
  text,
  answer: text,
  option: text,
  key: text,
  choices: z.optional(z.array(text)),
  example: z.optional(text),
  unanswered: z.optional(text),
});

/** What was learned from the partner's documents. */
export const learned = z.object({
  profile: text,
  stored: z.boolean(),
  file: text,
  contract: contractSchema,
  questions: z.array(question),
  notes: z.array(text),
  auth,
  tokenAddress: nullableText,
});

/** The result of saying what success answers mean. */
export const answersLearned = z.object({ profile: text, said: z.enum(['taken', 'refused']), forms: z.array(text) });

/** The contract in force. */
export const contractShown = contractSchema;
export const contractForgotten = z.object({ profile: text, forgotten: z.boolean() });

/** What the sandbox of the demo counted, and where the log and the page of its run are. */
export const demo = z.object({ received: count, twice: count, folder: text, page: text });

/** The addresses and credentials of a running sandbox. */
export const sandboxStarted = z.object({ baseUrl: text, clientId: text, clientSecret: text, contract: source });
