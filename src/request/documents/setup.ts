import * as z from 'zod/mini';
import { contractSchema } from '../contract/contract-schema.ts';
import { errorReason, failure, nullableText, nullableTime, text } from './shapes.ts';

const kind = z.enum(['live', 'test']);
const account = { baseUrl: text, clientId: text, kind };
const source = contractSchema.shape.source;

export const SETUP = {
  /** The profile that a login has stored. */
  login: z.object({
    profile: text,
    ...account,
    expiresAt: nullableTime,
    config: text,
    contract: source,
    tokenAddress: text,
  }),
  logout: z.object({ profile: text, removed: z.boolean(), log: text }),
  /** The settings in force, and where each comes from. */
  status: z.object({
    profile: text,
    baseUrl: nullableText,
    clientId: nullableText,
    secret: z.enum(['stored', 'env', 'command', 'missing']),
    token: z.object({ state: z.enum(['none', 'expired', 'valid']), expiresAt: nullableTime }),
    paths: z.object({ config: text, state: text, log: text }),
    kind,
    encoding: z.enum(['form', 'json', 'multipart']),
    contract: source,
    tokenAddress: nullableText,
    sources: z.object({ profile: text, baseUrl: nullableText, clientId: nullableText }),
  }),
  'profile list': z.object({
    profiles: z.array(z.object({ name: text, current: z.boolean(), ...account })),
  }),
  'profile use': z.object({ profile: text, ...account }),
  /** The result of `doctor`, which checks step by step everything that is needed to send a request. */
  doctor: z.object({
    ok: z.boolean(),
    steps: z.array(
      z.object({
        /** The steps in their order. `create` runs only if it is asked for, and `store` only if there is one. */
        name: z.enum(['settings', 'store', 'dns', 'tcp', 'tls', 'clock', 'token', 'validate', 'create']),
        result: z.enum(['ok', 'warn', 'fail', 'skip']),
        ms: z.number(),
        message: text,
        hint: nullableText,
        reason: z.nullable(errorReason),
      }),
    ),
    error: z.optional(failure),
  }),
} as const;

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

export const CONTRACTS = {
  /** What was learned from the partner's documents. */
  'contract learn': z.object({
    profile: text,
    stored: z.boolean(),
    file: text,
    contract: contractSchema,
    questions: z.array(question),
    notes: z.array(text),
    tokenAddress: nullableText,
  }),
  /** The result of saying what success answers mean. */
  'contract learn --taken-by': z.object({ profile: text, said: z.enum(['taken', 'refused']), forms: z.array(text) }),
  /** The contract in force. */
  'contract show': contractSchema,
  'contract forget': z.object({ profile: text, forgotten: z.boolean() }),
  /** The addresses and credentials of a running sandbox. */
  sandbox: z.object({ baseUrl: text, clientId: text, clientSecret: text, contract: source }),
} as const;
