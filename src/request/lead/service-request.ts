import { hash } from 'node:crypto';
import { AUDIO_PARAMETER } from '../contract/wire.ts';
import type { Parts } from './parts.ts';

/** A row as read and mapped: its texts by field name. Names outside `FIELDS` are extra parameters of the request. */
export interface Draft {
  readonly row: number;
  readonly fields: Readonly<Record<string, string>>;
  /** The parts of the location and of the name, if columns hold them. They are sent as they are or within their field. */
  readonly parts?: Parts;
}

/**
 * A recording that is sent in place of text. It is identified by its digest, and its content is read only while its
 * request is in flight.
 */
export interface AudioFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  /** The media type by the name. */
  readonly mediaType: string;
  /** Reads its content as base64. Rejects with `SrqError('input')` if the file has changed since it was described. */
  base64(): Promise<string>;
}

/** Finds and describes the recording that a row names. Rejects with `SrqError('input')` if it cannot be used. */
export type DescribeAudio = (path: string) => Promise<AudioFile>;

/**
 * A request that passed the local checks. `params` holds what will be sent, by the API's names, without the recording.
 */
export interface ServiceRequest {
  readonly params: Readonly<Record<string, string>>;
  /**
   * The parts for which the service has places of their own. `params` holds the fields that they belong to as a whole, so
   * no contract changes a key.
   */
  readonly parts?: Parts;
  readonly audio: AudioFile | null;
  /** The caller's own reference. It is kept in the log, and is part of the request only if it is also a parameter. */
  readonly ref: string | null;
}

/** The destination of a request. The same content sent to another service or for another partner is another request. */
export interface Destination {
  readonly baseUrl: string;
  readonly clientId: string;
}

/**
 * Version of the {@link contentKey} algorithm, which every log notes. Another algorithm would make every lead ever sent
 * look new. It needs a new number here, a migration of the store, and a way to find what was sent under this one.
 */
export const KEY_RECIPE = 1;

/**
 * Returns the content key, by which two requests are the same: 128 bits of SHA-256 over destination and parameters, as
 * 32 hex digits. The caller's reference is left out, so sorting, splitting or renaming a file changes no key.
 *
 * The canonical form is a JSON array `[baseUrl, clientId, [name, value], …]` with names in code-unit order and audio as
 * `sha256:<hex>`. A recording replaces the text in the key: whether the text is sent with it depends on the contract,
 * and no contract changes a key.
 */
export function contentKey({ params, audio }: ServiceRequest, destination: Destination): string {
  const isRecorded = audio !== null || params[AUDIO_PARAMETER] !== undefined;
  const pairs = Object.entries(params).filter(([name]) => !(isRecorded && name === 'request_text'));
  if (audio) pairs.push([AUDIO_PARAMETER, `sha256:${audio.sha256}`]);
  pairs.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return digestOf([destination.baseUrl, destination.clientId, ...pairs]);
}

/**
 * Returns the key of a deliberate second send of the same content, derived from the occasion that it belongs to, such as
 * a run. It has the same form as a content key.
 */
export function repetitionKey(key: string, occasion: string): string {
  return digestOf([key, occasion]);
}

export function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}

/** Returns digests of what names the customer of a request: the e-mail address and the telephone number. */
export function customersOf({ params }: Pick<ServiceRequest, 'params'>): string[] {
  const named = [params['email']?.trim().toLowerCase(), params['phone']?.replace(/\D/g, '')];
  return named.flatMap((each) => (each ? [hash('sha256', each, 'base64').slice(0, 16)] : []));
}
