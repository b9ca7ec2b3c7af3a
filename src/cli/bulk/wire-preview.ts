import { makeEncoder } from '../../api/encode.ts';
import type { Contract } from '../../model/contract.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import { AUDIO_PARAMETER } from '../../model/wire.ts';

/** The body of the first request by the service's own names, as text and without the recording; empty if there is none. */
export function wirePreview({ create, validate, ...rest }: Contract, first: ImportPlan['first']): [string, string][] {
  if (!first) return [];
  const { request } = first;
  // Whatever the encoding, a form can say the same as names and texts.
  const encoder = makeEncoder({ ...rest, validate, create: { ...create, encoding: 'form' } });
  const { body } = encoder.create(request, request.audio ? 'recording' : null);
  const named = (create.parameters ?? []).filter(({ field }) => field === 'audio_file');
  const recordings = request.audio ? [...named.map(({ path }) => path.join('.')), AUDIO_PARAMETER] : [];
  return [...new URLSearchParams(body.toString())]
    .map(([name, value]) => [name.replace(/\[([^\]]*)\]/g, '.$1'), value] as [string, string])
    .filter(([name]) => !recordings.includes(name));
}
