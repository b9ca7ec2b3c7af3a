import { createHash } from 'node:crypto';
import { LosslessNumber } from 'lossless-json';
import type { Draft } from './pointer.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const ENDS_IN_DIGITS = /^(.*?)(\d+)$/s;
const LEAST_OF_20_DIGITS = 10n ** 19n;

/**
 * An identifier like the sample, another one for each `sequence`: a number stays a number, with 20 digits where the sample
 * has more than JavaScript can hold; a UUID stays one; a text keeps what stands before its last digits. Without a sample,
 * a number.
 */
export function freshValue(sample: Draft | undefined, sequence: number): Draft {
  if (typeof sample === 'string') return freshText(sample, sequence);
  const number = typeof sample === 'number' ? Math.trunc(sample) + sequence : sequence;
  return Number.isSafeInteger(number) ? number : new LosslessNumber(String(LEAST_OF_20_DIGITS + BigInt(sequence)));
}

function freshText(sample: string, sequence: number): string {
  if (UUID.test(sample)) return uuidOf(sequence);
  const [, before = '', digits = ''] = ENDS_IN_DIGITS.exec(sample) ?? [];
  if (digits === '') return `${sample || 'SR'}-${sequence}`;
  return before + String(BigInt(digits) + BigInt(sequence)).padStart(digits.length, '0');
}

/** In the form of version 8 (RFC 9562): made by a rule of our own, so that the same sequence gives the same one. */
function uuidOf(sequence: number): string {
  const hex = createHash('sha256').update(`srq sandbox ${sequence}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
