import type { Field } from '../lead/fields.ts';

/**
 * The API's own names, from its document. The client and the sandbox both take them from here, so a mistake would be
 * the same on both sides. `test/request/wire.test.ts` therefore compares this file with the document's tables.
 */
export const PATHS = {
  token: '/oauth/token',
  create: '/v1/request/create',
  validate: '/v1/request/validate',
} as const;

/** The parameters of the reference example, in its order. */
export const DOCUMENTED_PARAMETERS = [
  'country',
  'lang',
  'location',
  'fullname',
  'email',
  'phone',
  'request_text',
] as const satisfies readonly Field[];

/**
 * Names of parameters that the document describes in prose without naming them. They are our assumption until a
 * contract says otherwise.
 */
export const CATEGORY_PARAMETER = 'category';
export const AUDIO_PARAMETER = 'audio';

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const JSON_CONTENT_TYPE = 'application/json';
/** The Accept header of a call whose answer should be JSON. Without the rest, some services answer 406. */
export const ACCEPTED_TYPES = `${JSON_CONTENT_TYPE}, */*;q=0.1`;

/** Matches the headers that srq or the HTTP client sets. No place of a contract may name them. */
export const OWN_HEADERS =
  /^(?:accept(?:-charset|-encoding)?|authorization|connection|content-.*|cookie|expect|host|te|transfer-encoding|upgrade)$/i;

/** The encoding of a request's parameters. The API's document states form, and its example shows JSON. */
export type BodyEncoding = 'form' | 'json';
