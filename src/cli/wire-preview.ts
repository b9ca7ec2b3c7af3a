import type { Contract } from '../request/contract/contract-1.ts';
import { AUDIO_PARAMETER } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';
import { redactedValue } from '../request/words/names.ts';
import { makeEncoder } from '../service/wire/encode.ts';

/** Returns the parameters of a request as the service names them, without the recording and without secrets. */
export function wirePreview({ create, ...rest }: Contract, request: ServiceRequest): [string, string][] {
  // A form can represent the names and texts of any request, whatever the real encoding is.
  const encoder = makeEncoder({ ...rest, create: { ...create, encoding: 'form' } });
  const { body } = encoder.create(request, request.audio ? 'recording' : null);
  const named = (create.parameters ?? []).filter(({ field }) => field === 'audio_file');
  const recordings = request.audio ? [...named.map(({ path }) => path.join('.')), AUDIO_PARAMETER] : [];
  return [...new URLSearchParams(body.toString())]
    .map(([name, value]) => [name.replace(/\[([^\]]*)\]/g, '.$1'), redactedValue(name, value)] as [string, string])
    .filter(([name]) => !recordings.includes(name));
}
