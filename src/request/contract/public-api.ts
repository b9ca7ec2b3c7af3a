import { MARKETS } from '../lead/markets.ts';
import { type Contract, type CreateCall, type Json, shortDigestOf, USUAL_CALL } from './contract.ts';
import {
  AUDIO_PARAMETER,
  type BodyEncoding,
  CATEGORY_PARAMETER,
  DOCUMENTED_PARAMETERS,
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
  PATHS,
} from './wire.ts';

const DOCUMENTED = { form: documentedAs('form'), json: documentedAs('json') };

/** The public document as a page like any other. It does not say what a request must hold, so it has no schemas. */
export const DOCUMENTED_CONTRACT: Contract = DOCUMENTED.form;

/** Returns the documented contract for a partner who was told which encoding to use. */
export const documentedContract = (encoding: BodyEncoding): Contract => DOCUMENTED[encoding];

function documentedAs(encoding: BodyEncoding): Contract {
  const call = {
    as: encoding === 'form' ? FORM_CONTENT_TYPE : JSON_CONTENT_TYPE,
    fields: {
      ...Object.fromEntries([...DOCUMENTED_PARAMETERS, CATEGORY_PARAMETER].map((name) => [name, name])),
      [AUDIO_PARAMETER]: 'audio_file',
    },
    ...USUAL_CALL,
  };
  return {
    version: 2,
    source: null,
    create: { ...call, call: `POST ${PATHS.create}`, identifiers: [], again: null },
    validate: { ...call, call: `POST ${PATHS.validate}` },
    token: { path: PATHS.token, auth: 'body', encoding: 'form', extra: {}, answer: null },
    servers: [],
    guesses: [],
  };
}

/**
 * Returns a hash of how a contract has creates written, as 16 hex digits, or null if that is how the public document has
 * them written, in any of its encodings. A reading of answers is no part of it, and neither is what a request must hold.
 */
export function wireFormOf({ create }: Pick<Contract, 'create'>): string | null {
  const form = formOf(create);
  return Object.values(DOCUMENTED).some((each) => formOf(each.create) === form) ? null : form;
}

function formOf({ call, as, fields, always, when, codes, audio, again }: CreateCall): string {
  const key = again && `${again.header.toLowerCase()} ${again.uuid}`;
  return shortDigestOf([call, as, fields, always, when, codes, audio, key]);
}

const given = (...required: string[]): Json => ({ required });
const without = (name: string, required: string): Json => ({ properties: { [name]: false }, required: [required] });

/**
 * What the sandbox demands of a request to the public document's service: the least that is a request. These are a
 * market, a way to reach the customer, and a text or a recording.
 */
export const DOCUMENTED_SCHEMA: Json = {
  type: 'object',
  properties: {
    body: {
      type: 'object',
      properties: {
        country: { enum: MARKETS.map(({ code }) => code) },
        lang: { type: 'string', format: 'language code' },
        email: { type: 'string', format: 'email' },
        phone: { type: 'string', format: 'international telephone number' },
        request_text: { type: 'string', minLength: 1 },
      },
      additionalProperties: { type: 'string' },
      allOf: [
        given('country'),
        { anyOf: [given('email'), given('phone')] },
        { anyOf: [without(AUDIO_PARAMETER, 'request_text'), without('request_text', AUDIO_PARAMETER)] },
      ],
    },
  },
  required: ['body'],
};
