import { z } from 'zod';
import type { Contract, Json } from '../model/contract.ts';
import { SrqError } from '../model/errors.ts';
import { isServicePath } from '../model/service-path.ts';

/** What was parsed as JSON is JSON: walking through it again would only bound its depth by the stack. */
const json = z.custom<Json>(() => true);
const count = z.number().nullable();
const path = z.string().refine(isServicePath, 'is not a path under the base URL');
const basePath = path.regex(/^(?:\/[^/]+)+$/, 'is not a path').or(z.literal(''));
const pointer = z.string().regex(/^(?:\/.*)?$/s, 'is not a JSON pointer');
/** Headers that belong to the call itself. */
const OWN_HEADERS = /^(?:authorization|connection|content-.*|cookie|expect|host|te|transfer-encoding|upgrade)$/i;
const header = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'is not the name of a header')
  .refine((name) => !OWN_HEADERS.test(name), 'is a header that srq sets itself');
const mediaType = z.string().regex(/^[\w.+*-]+\/[\w.+*-]+(?:;[ -~]*)?$/, 'is not a media type');

const parameter = z
  .object({
    field: z.string(),
    in: z.enum(['body', 'header', 'query']),
    path: z.array(z.string()).min(1),
    type: z.enum(['string', 'integer', 'number', 'boolean']),
    isList: z.boolean(),
    required: z.boolean(),
    requiredWithin: z.array(z.string()).nullable(),
    values: z.array(z.object({ value: z.string(), label: z.string().nullable() })).nullable(),
    minLength: count,
    maxLength: count,
    minimum: count,
    maximum: count,
    pattern: z.string().nullable(),
    constant: z.string().nullable(),
    audioForm: z.enum(['base64', 'data-url', 'binary']).nullable(),
  })
  .refine(({ in: place, path: [name] }) => place !== 'header' || header.safeParse(name).success, {
    message: 'is not a header that a contract may name',
  });

const sample = z.object({ status: z.int(), contentType: mediaType, body: json }).nullable();
const operation = {
  method: z.enum(['POST', 'PUT']),
  path,
  encoding: z.enum(['form', 'json', 'multipart']),
  contentType: mediaType,
  parameters: z.array(parameter).nullable(),
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

const contractSchema: z.ZodType<Contract> = z.object({
  version: z.literal(1),
  source: z.object({ files: texts, title: z.string(), kind: z.string(), learnedAt: z.string() }).nullable(),
  create: z.object({
    ...operation,
    identifiers: z.array(z.object({ name: z.string(), pointer })),
    duplicate: verdicts,
    idempotency: z.object({ header, format: z.enum(['uuid', 'text']) }).nullable(),
  }),
  validate: z.object({ ...operation, verdict: verdicts }),
  hasValidate: z.boolean().nullable(),
  token: z.object({
    path,
    auth: z.enum(['body', 'basic']),
    encoding: z.enum(['form', 'json']),
    extra: z.record(z.string(), z.string()),
    tokenPointer: pointer.nullable(),
    lifetimePointer: pointer.nullable(),
    lifetimeSeconds: count,
  }),
  basePath,
  unavailableIsNotActed: z.boolean(),
  servers: z.array(
    z.object({ name: z.string(), url: z.string(), description: z.string(), test: z.boolean().nullable() }),
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

/** Whether parsed JSON means to be a contract, of whatever version, and not a description that one is learned from. */
export function isContractLike(document: unknown): boolean {
  const names = ['version', 'create', 'validate', 'token', 'findings'];
  return typeof document === 'object' && document !== null && names.every((name) => Object.hasOwn(document, name));
}

/**
 * A contract from parsed JSON; members it does not know are left out. `what` names the file in errors, `hint` says what
 * to do. Throws `SrqError('settings')` for anything else, a version that this srq does not know among it.
 */
export function readContract(document: unknown, what: string, hint: string): Contract {
  const { version } = z.object({ version: z.unknown() }).catch({ version: 1 }).parse(document);
  if (typeof version === 'number' && version !== 1) {
    const message = `${what} is a contract of version ${version}; this srq reads version 1.`;
    throw new SrqError('settings', message, `Update srq, or: ${hint}`);
  }
  const parsed = contractSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  const why = `${where} ${issue?.message ?? 'is not as expected'}`.trim();
  throw new SrqError('settings', `${what} is not a contract (${why}).`, hint, parsed.error);
}
