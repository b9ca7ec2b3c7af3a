import { memoize } from '../request/memoize.ts';
import type { ServiceRequest } from '../request/service-request.ts';
import { AUDIO_PARAMETER } from '../request/wire.ts';

/**
 * Lower bounds of the length classes in bytes, powers of four. Texts of one class go through the same fields, forms and
 * indexes.
 */
const CLASS_BOUNDS = [256, 1024, 4096] as const;

interface Likeness {
  readonly kind: string;
  /** Size of the part that may be cut on its way: the text, or the recording in its place. */
  readonly bytes: number;
  readonly letters: number;
}

const likenessOf = memoize(({ params, audio }: ServiceRequest): Likeness => {
  const recording = params[AUDIO_PARAMETER];
  const isRecorded = audio !== null || recording !== undefined;
  const text = (isRecorded ? recording : params['request_text']) ?? '';
  const bytes = audio ? audio.sizeBytes : Buffer.byteLength(text);
  const lengthClass = CLASS_BOUNDS.filter((bound) => bytes >= bound).length;
  // A market that is not a code is foreign text, and is not kept.
  const market = /^[A-Z]{2}$/.exec(params['country'] ?? '')?.[0] ?? '--';
  return { kind: `${market}/${lengthClass}/${isRecorded ? 'audio' : 'text'}`, bytes, letters: text.length };
});

/**
 * Returns the kind of a request: its market, its length class, and whether it is a recording. A service may treat
 * requests of one kind alike, and what validate has shown of one kind says nothing about another.
 */
export function requestKind(request: ServiceRequest): string {
  return likenessOf(request).kind;
}

/**
 * Tells whether anything that cuts or ignores the longer of two requests would do so to the first one, too. Both bytes
 * and letters are compared, because some services count one and some the other.
 */
export function isAtLeastAsLong(request: ServiceRequest, other: ServiceRequest): boolean {
  const [one, two] = [likenessOf(request), likenessOf(other)];
  return one.bytes >= two.bytes && one.letters >= two.letters;
}
