import { type BodyEncoding, PATHS } from '../model/wire.ts';
import { jsonAnswer, rawJson } from './answer.ts';
import { refuseParameters } from './check-parameters.ts';
import { OPERATIONS, type Operation } from './operation.ts';
import { decodeContent } from './request-content.ts';
import type { ServiceInterface } from './service-interface.ts';

const ACCEPTED: Readonly<Record<Operation, readonly BodyEncoding[]>> = {
  token: ['form'],
  create: ['form', 'json'],
  validate: ['form', 'json'],
};

/** The interface of the public document; where that shows nothing, what such services mostly do. */
export const DOCUMENTED_INTERFACE: ServiceInterface = {
  endpoints: OPERATIONS.map((operation) => ({ operation, method: 'POST', path: PATHS[operation] })),
  basePath: '',
  idempotencyHeader: null,
  decode: (operation, { headers, body }) => decodeContent(headers['content-type'], body, ACCEPTED[operation]),
  refuse: (operation, content) => (operation === 'token' ? null : refuseParameters(content)),
  likeness: (_operation, content) => content.key,
  granted: ({ accessToken, expiresInSeconds }) =>
    jsonAnswer(200, { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds }),
  created: ({ requestId, sequence }) => {
    const reference = `SR-${String(sequence).padStart(8, '0')}`;
    return {
      answer: rawJson(201, `{"request_id":${requestId},"reference":"${reference}","status":"received"}`),
      requestId,
    };
  },
  refuseKnown: () => null,
  validated: (requestId) =>
    rawJson(200, requestId === null ? '{"duplicate":false}' : `{"duplicate":true,"request_id":${requestId}}`),
};
