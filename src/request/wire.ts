import type { Field } from './fields.ts';

/**
 * The API's own words, from its document. The client and the sandbox both take them from here, so a wrong guess would be
 * wrong on both sides: `test/request/wire.test.ts` holds this file against the document's tables.
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

/** Described in prose without a name; these two names are our assumption until a contract says otherwise. */
export const CATEGORY_PARAMETER = 'category';
export const AUDIO_PARAMETER = 'audio';

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const JSON_CONTENT_TYPE = 'application/json';

/** How a request's parameters travel. The API states form; its example shows JSON. */
export type BodyEncoding = 'form' | 'json';
