import { createHash } from 'node:crypto';
import type { Encoding } from '../../request/contract/contract.ts';

/** The size and digest of a received recording. The recording itself is not kept. */
export interface ReceivedAudio {
  readonly bytes: number;
  /** SHA-256 of the decoded bytes, in hex. */
  readonly sha256: string;
}

/** The decoded parameters of one request. The audio parameter is not in `params`. */
export interface RequestContent {
  readonly encoding: Encoding;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /** The recording itself, which is kept nowhere but in the body. */
  readonly recording: Buffer | null;
  /** The identity by which duplicates are recognised, as 32 hex digits. */
  readonly key: string;
  /** Problems of single parameters found while decoding, by name. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Returns the size and the digest of a recording. */
export function receivedAudio(content: Buffer): ReceivedAudio {
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/**
 * Returns the identity of a request: a hash of all parameters in any order, in Unicode form C, without outer white
 * space and with uniform line ends.
 */
export function identityOf(params: Iterable<readonly [string, string]>, audio: ReceivedAudio | null): string {
  const pairs = [...params]
    .map(([name, value]) => [name, value.normalize('NFC').replaceAll('\r\n', '\n').trim()] as const)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = JSON.stringify([pairs, audio?.sha256 ?? null]);
  // `digest('hex').slice()` is not used, because a slice keeps the whole text alive, and there may be 100,000 of these.
  return createHash('sha256').update(canonical).digest().toString('hex', 0, 16);
}
