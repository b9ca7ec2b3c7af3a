import { hash } from 'node:crypto';
import { AUDIO_PARAMETER } from './wire.ts';

/** One row as read and mapped: text by field name. Names outside `FIELDS` are extra parameters of the request. */
export interface Draft {
  readonly row: number;
  readonly fields: Readonly<Record<string, string>>;
  /** The postal code alone, where a column holds it; it goes on the wire as part of the location. */
  readonly postalCode?: string;
}

/** A recording that goes in place of text: known by its digest, read only while its request is in flight. */
export interface AudioFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 of the file, hex. */
  readonly sha256: string;
  /** By its first bytes, else by its name; null if neither tells. */
  readonly mediaType: string | null;
}

/** A request that passed the local checks. `params` hold what will be sent, by the API's names, without the audio. */
export interface ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly audio: AudioFile | null;
  /** The caller's own reference. Kept in the log; part of the request only when it is also a parameter. */
  readonly ref: string | null;
}

/** Where a request goes: the same content sent to another service or for another partner is another request. */
export interface Destination {
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * The version of {@link contentKey}'s recipe, which every log notes. Another one makes every lead new that was ever sent: it
 * needs a number of its own here, a migration of the store, and a way to find what was sent by this one.
 */
export const KEY_RECIPE = 1;

/**
 * What makes two requests the same one: 128 bits of SHA-256 over destination and parameters, as 32 hex digits.
 * The caller's reference is left out, so sorting, splitting or renaming a file changes no key. Canonical form: a JSON
 * array `[baseUrl, clientId, [name, value], …]`, names in code-unit order, audio as `sha256:<hex>`. A recording stands in
 * place of a text: whether the text goes along is the contract's matter, and no contract changes a key.
 */
export function contentKey(request: ServiceRequest, destination: Destination): string {
  const isRecorded = request.audio !== null || request.params[AUDIO_PARAMETER] !== undefined;
  const pairs = Object.entries(request.params).filter(([name]) => !(isRecorded && name === 'request_text'));
  if (request.audio) pairs.push([AUDIO_PARAMETER, `sha256:${request.audio.sha256}`]);
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf([destination.baseUrl, destination.clientId, ...pairs]);
}

/** Names a deliberate second send of the same content, by the run that it belongs to; of the same form as its key. */
export function repetitionKey(key: string, run: string): string {
  return digestOf([key, run]);
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}
