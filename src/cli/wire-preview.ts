import type { Contract } from '../request/contract/contract.ts';
import { readPlace } from '../request/contract/place.ts';
import { AUDIO_PARAMETER, FORM_CONTENT_TYPE } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import { isSecretName, SECRET } from '../request/words/names.ts';
import { makeEncoder } from '../service/wire/encode.ts';

/** Returns all that a request says as the service names it, with the headers of its own, without recording and secrets. */
export function wirePreview({ create, ...rest }: Contract, request: ServiceRequest): [string, string][] {
  // A form can represent the names and texts of any request, whatever the real encoding is.
  const encoder = makeEncoder({ ...rest, create: { ...create, as: FORM_CONTENT_TYPE } });
  const { path, headers, body } = encoder.create(request, request.audio ? 'recording' : null);
  const named = Object.keys(create.fields).filter((place) => create.fields[place] === 'audio_file');
  const recordings = request.audio ? [...named.map((place) => readPlace(place).path.join('.')), AUDIO_PARAMETER] : [];
  const textsIn = (query = '') => [...new URLSearchParams(query)];
  return [
    ...textsIn(body.toString()).map(([name, text]) => [name.replace(/\[([^\]]*)\]/g, '.$1'), text] as const),
    ...Object.entries(headers).map(([name, text]) => [`header ${name}`, text] as const),
    ...textsIn(path.split('?')[1]).map(([name, text]) => [`query ${name}`, text] as const),
  ]
    .filter(([name]) => name !== 'header content-type' && !recordings.includes(name))
    .map(([name, text]) => [name, isSecretName(name) ? SECRET : text]);
}
