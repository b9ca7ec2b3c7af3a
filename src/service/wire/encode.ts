import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { LosslessNumber, stringify } from 'lossless-json';
import { type Entry, type Given, isNumberText, leftOutOf, nested, placed } from '../../request/contract/bindings.ts';
import { addressOf, type Call, type Contract, encodingOf, type Json } from '../../request/contract/contract.ts';
import type { RequestOperationName } from '../../request/contract/operations.ts';
import { ONLY_ELEMENT } from '../../request/contract/place.ts';
import { AUDIO_PARAMETER, OWN_HEADERS } from '../../request/contract/wire.ts';
import { isPart, wholeOf } from '../../request/lead/parts.ts';
import type { ServiceRequest } from '../../request/lead/service-request.ts';

/** A request as it is sent. The names of `headers` are in lower case, and the content type is among them. */
export interface EncodedRequest {
  readonly method: 'POST' | 'PUT';
  /** Path below the base URL, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Returns what may be shown of a value. */
export type Mask = (text: string) => string;

type Encode = (request: ServiceRequest, audioBase64: string | null, mask?: Mask) => EncodedRequest;

/**
 * The function that encodes a request for each operation. `audioBase64` is the content of the recording, or null if the
 * request has none. With a `mask` the values in path and body are replaced by what may be shown of them.
 */
export type Encodes = Readonly<Record<RequestOperationName, Encode>>;

/** Builds the encoder of a contract. */
export function makeEncoder(contract: Contract): Encodes {
  // It is random, so no value contains it.
  const boundary = `srq-${randomUUID()}`;
  const encoderOf = (operation: RequestOperationName): Encode => {
    const call = contract[operation];
    if (call === null) return noValidate;
    const { method, path } = addressOf(call);
    const leavesOut = leftOutOf(contract, operation);
    // No place may name a header that srq sets itself.
    const ownHeader = operation === 'create' ? contract.create.again?.header.toLowerCase() : undefined;
    const isOpen = ([name]: readonly [string, string]) => !OWN_HEADERS.test(name) && name.toLowerCase() !== ownHeader;
    return (request, audioBase64, mask) => {
      const sent = placed(call, givenBy(request, audioBase64, call.audio), leavesOut);
      const entries = mask ? sent.body.map((each) => ({ ...each, value: masked(each.value, mask) })) : sent.body;
      const { contentType: type, body } = encodedBody(call, entries, boundary);
      const shownQuery = sent.query.map(([name, text]): [string, string] => [name, mask?.(text) ?? text]);
      const query = new URLSearchParams(shownQuery).toString();
      const headers = sent.header.filter(isOpen).map(([name, text]) => [name.toLowerCase(), headerText(text)] as const);
      return {
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: { ...Object.fromEntries(headers), 'content-type': type },
        body,
      };
    };
  };
  return { create: encoderOf('create'), validate: encoderOf('validate') };
}

function noValidate(): never {
  throw new TypeError('This service has no validate.');
}

/** Masks a value of a body. The names of an object's members are kept. */
function masked(value: Json | FilePart, mask: Mask): Json {
  if (value === null || isFile(value)) return value && mask('');
  if (typeof value !== 'object') return mask(String(value));
  if (Array.isArray(value)) return value.map((each) => masked(each, mask));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, mask)]));
}

/** Looks up the values of one request by srq's names of the fields. */
function givenBy(request: ServiceRequest, audioBase64: string | null, form: Call['audio']): Given<FilePart> {
  const { params, parts = {}, ref, audio } = request;
  const base64 = audioBase64 ?? params[AUDIO_PARAMETER] ?? null;
  const param = (name: string) => (Object.hasOwn(params, name) ? (params[name] ?? null) : null);
  const text = (field: string): string | null => {
    if (audio && field === 'audio_name') return basename(audio.path);
    if (audio?.mediaType && field === 'audio_type') return audio.mediaType;
    return param(field) ?? (field === 'ref' ? ref : isPart(field) ? (parts[field] ?? null) : null);
  };
  const inParts = new Set(Object.keys(parts).map(wholeOf));
  return {
    text,
    recording: base64 === null ? null : recordingAs(form, base64, text),
    names: Object.keys(params).filter((name) => !inParts.has(name) && name !== AUDIO_PARAMETER),
    // The language may be the usual one of the market, which is left out where the service does not take it.
    isSaid: (field) => field !== 'lang',
  };
}

function recordingAs(form: Call['audio'], base64: string, text: (field: string) => string | null): string | FilePart {
  if (form === 'base64' || base64.startsWith('data:')) return base64;
  const mediaType = text('audio_type') ?? 'application/octet-stream';
  if (form === 'data-url') return `data:${mediaType};base64,${base64}`;
  return { fileName: text('audio_name') ?? 'audio', mediaType, bytes: Buffer.from(base64, 'base64') };
}

/** Percent-encodes a header value unless it consists of printable ASCII, because a header can hold nothing else. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

/** A recording that is sent as its own part of a multipart body, without base64. */
interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

type BodyEntry = Entry<FilePart>;

/** Writes values as the body of a call. For a multipart body, the boundary is added to the media type of the contract. */
function encodedBody(call: Call, entries: readonly BodyEntry[], boundary: string) {
  const contentType = call.as;
  const encoding = encodingOf(call);
  if (encoding === 'json') return { contentType, body: stringify(nested(entries, jsonValue)) ?? '{}' };
  if (encoding === 'multipart') {
    const written = [...entries.flatMap((each) => parts(each, boundary)), Buffer.from(`--${boundary}--\r\n`)];
    return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(written) };
  }
  const texts = entries.flatMap(({ path, value }) => formTexts(path, value));
  return { contentType, body: new URLSearchParams(texts).toString() };
}

/**
 * Returns the name of a nested value in a form: `['a', 'b']` gives `a[b]`. A list is written by repeating its name, so the
 * only element of a list has the list's own.
 */
function formName(path: readonly string[]): string {
  const names = path.length > 1 && path.at(-1) === ONLY_ELEMENT ? path.slice(0, -1) : path;
  return names.reduce((name, part) => `${name}[${part}]`);
}

/**
 * Returns the texts of a value with their names. Forms have no other values, so objects and lists are flattened, and null
 * is left out.
 */
function formTexts(path: readonly string[], value: Json | FilePart): [name: string, text: string][] {
  if (value === null) return [];
  if (isFile(value)) return [[formName(path), value.bytes.toString('base64')]];
  if (Array.isArray(value)) return value.flatMap((each) => formTexts(path, each));
  if (typeof value !== 'object') return [[formName(path), String(value)]];
  return Object.entries(value).flatMap(([name, inner]) => formTexts([...path, name], inner));
}

/**
 * Returns the JSON value of an entry. Numbers keep all their digits, because an identifier may have more digits than a
 * double can hold.
 */
function jsonValue({ value, type }: BodyEntry): unknown {
  if (isFile(value)) return value.bytes.toString('base64');
  if (typeof value !== 'string') return value;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return isNumberText(value, type) ? new LosslessNumber(value) : value;
}

function parts({ path, value }: BodyEntry, boundary: string): Buffer[] {
  const head = (name: string, more: string) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${more}\r\n\r\n`);
  const end = Buffer.from('\r\n');
  if (!isFile(value)) return formTexts(path, value).flatMap(([name, text]) => [head(name, ''), Buffer.from(text), end]);
  const more = `; filename="${quoted(value.fileName)}"\r\ncontent-type: ${value.mediaType}`;
  return [head(formName(path), more), value.bytes, end];
}

/** Escapes a name for a Content-Disposition header, as browsers do for forms. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function isFile(value: Json | FilePart): value is FilePart {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}
