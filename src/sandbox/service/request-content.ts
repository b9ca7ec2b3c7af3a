import { createHash } from 'node:crypto';
import type { ContractEncoding } from '../../request/contract/contract-1.ts';
import {
  AUDIO_PARAMETER,
  type BodyEncoding,
  FORM_CONTENT_TYPE,
  JSON_CONTENT_TYPE,
} from '../../request/contract/wire.ts';
import { refusal, type SandboxAnswer } from '../messages/answer.ts';

/** The size and digest of a received recording. The recording itself is not kept. */
export interface ReceivedAudio {
  readonly bytes: number;
  /** SHA-256 of the decoded bytes, in hex. */
  readonly sha256: string;
}

/** The decoded parameters of one request. The audio parameter is not in `params`. */
export interface RequestContent {
  readonly encoding: ContractEncoding;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /** The recording itself, which is kept nowhere but in the body. */
  readonly recording: Buffer | null;
  /** The identity by which duplicates are recognised, as 32 hex digits. */
  readonly key: string;
  /** Problems of single parameters found while decoding, by name. */
  readonly problems: Readonly<Record<string, string>>;
}

const ENCODINGS: Readonly<Record<string, BodyEncoding>> = { [FORM_CONTENT_TYPE]: 'form', [JSON_CONTENT_TYPE]: 'json' };

/** Decodes a body by its content type. An {@link SandboxAnswer} as the result is the refusal (400, 415). */
export function decodeContent(
  contentType: string | undefined,
  body: Buffer,
  accepted: readonly BodyEncoding[],
): RequestContent | SandboxAnswer {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const encoding = Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined;
  if (encoding === undefined || !accepted.includes(encoding)) {
    const names = accepted.map((each) => (each === 'form' ? FORM_CONTENT_TYPE : JSON_CONTENT_TYPE)).join(' or ');
    return refusal(415, 'unsupported_media_type', `Send ${names}; this came as ${type || 'no content type'}.`);
  }
  const pairs = encoding === 'form' ? formPairs(body) : jsonPairs(body);
  return 'status' in pairs ? pairs : contentOf(encoding, pairs);
}

type Pairs = readonly (readonly [name: string, value: unknown])[];

const formPairs = (body: Buffer): Pairs => [...new URLSearchParams(body.toString('utf8'))];

function jsonPairs(body: Buffer): Pairs | SandboxAnswer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
    return refusal(400, 'invalid_request', 'The JSON body must be one object of parameters.');
  } catch {
    return refusal(400, 'invalid_request', 'The body is not JSON.');
  }
}

function contentOf(encoding: BodyEncoding, pairs: Pairs): RequestContent {
  const params = new Map<string, string>();
  const problems = new Map<string, string>();
  let recording: Buffer | null = null;
  for (const [name, value] of pairs) {
    if (params.has(name)) problems.set(name, 'is given more than once');
    if (typeof value !== 'string') {
      problems.set(name, 'must be a string');
      params.set(name, JSON.stringify(value));
    } else if (name === AUDIO_PARAMETER && value !== '') {
      recording = Buffer.from(value, 'base64');
      if (recording.toString('base64') !== value) problems.set(name, 'is not base64');
    } else {
      params.set(name, value);
    }
  }
  const audio = recording && receivedAudio(recording);
  const key = identityOf(params, audio);
  return {
    encoding,
    params: Object.fromEntries(params),
    audio,
    recording,
    key,
    problems: Object.fromEntries(problems),
  };
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
