import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { Contract, Json } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import { isServicePath } from '../model/service-path.ts';

/** The schema of any JSON value. It does not check a parsed value again, which would only bound its depth by the stack. */
const json = z.custom<Json>(() => true);
const count = z.nullable(z.number());
const path = z.string().check(z.refine(isServicePath, 'is not a path under the base URL'));
const basePath = z.union([path.check(z.regex(/^(?:\/[^/]+)+$/, 'is not a path')), z.literal('')]);
const pointer = z.string().check(z.regex(/^(?:\/.*)?$/s, 'is not a JSON pointer'));
/** The pattern of headers that srq sets itself, so that a contract must not name them. */
const OWN_HEADERS = /^(?:authorization|connection|content-.*|cookie|expect|host|te|transfer-encoding|upgrade)$/i;
const header = z.string().check(
  z.regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is not the name of a header'),
  z.refine((name) => !OWN_HEADERS.test(name), 'is a header that srq sets itself'),
);
const mediaType = z.string().check(z.regex(/^[\w.+*-]+\/[\w.+*-]+(?:;[ -~]*)?$/, 'is not a media type'));

const parameter = z
  .object({
    field: z.string(),
    in: z.enum(['body', 'header', 'query']),
    path: z.array(z.string()).check(z.minLength(1)),
    type: z.enum(['string', 'integer', 'number', 'boolean']),
    isList: z.boolean(),
    required: z.boolean(),
    requiredWithin: z.nullable(z.array(z.string())),
    values: z.nullable(z.array(z.object({ value: z.string(), label: z.nullable(z.string()) }))),
    minLength: count,
    maxLength: count,
    minimum: count,
    maximum: count,
    pattern: z.nullable(z.string()),
    constant: z.nullable(z.string()),
    audioForm: z.nullable(z.enum(['base64', 'data-url', 'binary'])),
  })
  .check(
    z.refine(
      ({ in: place, path: [name] }) => place !== 'header' || header.safeParse(name).success,
      'is not a header that a contract may name',
    ),
  );

const sample = z.nullable(z.object({ status: z.int(), contentType: mediaType, body: json }));
const operation = {
  method: z.enum(['POST', 'PUT']),
  path,
  encoding: z.enum(['form', 'json', 'multipart']),
  contentType: mediaType,
  parameters: z.nullable(z.array(parameter)),
  choices: z.array(
    z.array(
      z.object({
        fields: z.array(z.string()),
        constants: z.array(z.object({ path: z.array(z.string()), value: json })),
      }),
    ),
  ),
  schema: json,
  success: sample,
  refusal: sample,
  errorTexts: z.array(pointer),
};

const texts = z.array(z.string());
const verdicts = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('status'), status: z.int(), verdict: z.enum(['clear', 'duplicate']) }),
    z.object({ kind: z.literal('value'), pointer, duplicate: texts, clear: texts }),
    z.object({ kind: z.literal('list'), pointer }),
  ]),
);

const contractSchema: z.ZodMiniType<Contract> = z.object({
  version: z.literal(1),
  source: z.nullable(z.object({ files: texts, title: z.string(), kind: z.string(), learnedAt: z.string() })),
  create: z.object({
    ...operation,
    identifiers: z.array(z.object({ name: z.string(), pointer })),
    duplicate: verdicts,
    idempotency: z.nullable(
      z.object({
        header,
        format: z.enum(['uuid', 'text']),
        // Contracts that an older srq stored do not have this member.
        windowSeconds: z._default(z.nullable(z.number().check(z.nonnegative())), null),
      }),
    ),
  }),
  validate: z.object({ ...operation, verdict: verdicts }),
  hasValidate: z.nullable(z.boolean()),
  token: z.object({
    path,
    auth: z.enum(['body', 'basic']),
    encoding: z.enum(['form', 'json']),
    extra: z.record(z.string(), z.string()),
    tokenPointer: z.nullable(pointer),
    lifetimePointer: z.nullable(pointer),
    lifetimeSeconds: count,
  }),
  basePath,
  unavailableIsNotActed: z.boolean(),
  servers: z.array(
    z.object({ name: z.string(), url: z.string(), description: z.string(), test: z.nullable(z.boolean()) }),
  ),
  findings: z.array(
    z.object({
      setting: z.string(),
      value: z.string(),
      where: z.string(),
      confidence: z.enum(['certain', 'likely', 'weak']),
      why: z.string(),
    }),
  ),
});

/**
 * Returns true if parsed JSON looks like a contract of any version, and not like a document that a contract is learned
 * from.
 */
export function isContractLike(document: unknown): boolean {
  const names = ['version', 'create', 'validate', 'token', 'findings'];
  return typeof document === 'object' && document !== null && names.every((name) => Object.hasOwn(document, name));
}

/**
 * Reads a contract from parsed JSON and leaves out unknown members. `what` names the file in errors, and `hint` says
 * what to do. Throws `SrqError('settings')` if it is not a contract, or is one of a version that this srq does not
 * know.
 */
export function readContract(document: unknown, what: string, hint: string): Contract {
  const { version } = z.catch(z.object({ version: z.unknown() }), { version: 1 }).parse(document);
  if (typeof version === 'number' && version !== 1) {
    const message = `${what} is a contract of version ${version}; this srq reads version 1.`;
    throw new SrqError('settings', message, `Update srq, or: ${hint}`);
  }
  const parsed = contractSchema.safeParse(document, { error: en().localeError });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const why = `${where} ${issue?.message ?? 'is not as expected'}`.trim();
  throw new SrqError('settings', `${what} is not a contract (${why}).`, hint, parsed.error);
}
