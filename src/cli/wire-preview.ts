import type { Contract } from '../request/contract/contract.ts';
import { readPlace } from '../request/contract/place.ts';
import { AUDIO_PARAMETER, FORM_CONTENT_TYPE } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import { isSecretName, SECRET } from '../request/words/names.ts';
import { makeEncoder } from '../service/wire/encode.ts';

/** Returns the parameters of a request as the service names them, without the recording and without secrets. */
export function wirePreview({ create, ...rest }: Contract, request: ServiceRequest): [string, string][] {
  // A form can represent the names and texts of any request, whatever the real encoding is.
  const encoder = makeEncoder({ ...rest, create: { ...create, as: FORM_CONTENT_TYPE } });
  const { body } = encoder.create(request, request.audio ? 'recording' : null);
  const named = Object.keys(create.fields).filter((place) => create.fields[place] === 'audio_file');
  const recordings = request.audio ? [...named.map((place) => readPlace(place).path.join('.')), AUDIO_PARAMETER] : [];
  return [...new URLSearchParams(body.toString())]
    .map(([name, value]): [string, string] => [
      name.replace(/\[([^\]]*)\]/g, '.$1'),
      isSecretName(name) ? SECRET : value,
    ])
    .filter(([name]) => !recordings.includes(name));
}
