import type { ServiceRequest } from '../model/service-request.ts';
import { AUDIO_PARAMETER, type BodyEncoding, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../model/wire.ts';

export interface EncodedBody {
  readonly contentType: string;
  readonly body: string;
}

/** A request as it goes on the wire. `audioBase64` is the recording's content, if the request has one. */
export function encodeBody(request: ServiceRequest, audioBase64: string | null, encoding: BodyEncoding): EncodedBody {
  const params = audioBase64 === null ? request.params : { ...request.params, [AUDIO_PARAMETER]: audioBase64 };
  return encoding === 'json'
    ? { contentType: JSON_CONTENT_TYPE, body: JSON.stringify(params) }
    : { contentType: FORM_CONTENT_TYPE, body: new URLSearchParams(params).toString() };
}
