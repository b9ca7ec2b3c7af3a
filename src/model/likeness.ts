import { oncePer } from './once-per.ts';
import type { ServiceRequest } from './service-request.ts';
import { AUDIO_PARAMETER } from './wire.ts';

/** Bounds of the length classes, powers of four: texts of one class travel through the same fields, forms and indexes. */
const CLASS_BOUNDS = [256, 1024, 4096] as const;

interface Likeness {
  readonly kind: string;
  /** How long the part is that may be cut on its way: the text, or the recording that stands in its place. */
  readonly bytes: number;
  readonly letters: number;
}

const likenessOf = oncePer(({ params, audio }: ServiceRequest): Likeness => {
  const recording = params[AUDIO_PARAMETER];
  const isRecorded = audio !== null || recording !== undefined;
  const text = (isRecorded ? recording : params['request_text']) ?? '';
  const bytes = audio ? audio.sizeBytes : Buffer.byteLength(text);
  const lengthClass = CLASS_BOUNDS.filter((bound) => bytes >= bound).length;
  // A market that is no code is a stranger's text, and is not kept.
  const market = /^[A-Z]{2}$/.exec(params['country'] ?? '')?.[0] ?? '--';
  return { kind: `${market}/${lengthClass}/${isRecorded ? 'audio' : 'text'}`, bytes, letters: text.length };
});

/**
 * What requests have in common that a service may treat alike: market, length class, recording or not. What validate has
 * shown of one kind says nothing of another.
 */
export function kindOf(request: ServiceRequest): string {
  return likenessOf(request).kind;
}

/** Whether whatever cuts or ignores the longer of two requests would do so to the first one, too. Some count bytes, some letters. */
export function isAtLeastAsLong(request: ServiceRequest, other: ServiceRequest): boolean {
  const [one, two] = [likenessOf(request), likenessOf(other)];
  return one.bytes >= two.bytes && one.letters >= two.letters;
}
