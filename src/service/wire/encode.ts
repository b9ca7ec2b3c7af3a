import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { LosslessNumber, stringify } from 'lossless-json';
import {
  type Alternative,
  type Contract,
  type ContractEncoding,
  type Json,
  ONLY_ELEMENT,
  type Operation,
  type Parameter,
} from '../../request/contract.ts';
import {
  chosenAlternatives,
  dataUrlPrefix,
  describedOperation,
  isFixedByDocument,
  wireValue,
} from '../../request/contract-rules.ts';
import { FIELDS } from '../../request/fields.ts';
import { byOperation, REQUEST_OPERATION_NAMES, type RequestOperationName } from '../../request/operations.ts';
import { isPart, wholeOf } from '../../request/parts.ts';
import type { ServiceRequest } from '../../request/service-request.ts';
import { AUDIO_PARAMETER } from '../../request/wire.ts';
import { REDACTED } from '../redaction/redactor.ts';

/** A request as it goes on the wire; `headers` have lower-case names, content type included. */
export interface EncodedRequest {
  readonly method: 'POST' | 'PUT';
  /** Path below the base URL, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EncodedBody['body'];
}

type Encode = (request: ServiceRequest, audioBase64: string | null) => EncodedRequest;

/** How each operation writes a request. `audioBase64`: the recording's content, if the request has one. */
type Encodes = Readonly<Record<RequestOperationName, Encode>>;

export interface Encoder extends Encodes {
  /** The same with `***` for everything that may tell of a person, or be a key: all but the market. */
  readonly shown: Encodes;
}

/** What the way of a request knows beside what its operation describes. */
interface RequestHalf {
  /** Parameters that it does not carry though it does not describe them. */
  readonly leftOut: ReadonlySet<string>;
  /** The header that is set for each call, whatever the request gives. */
  readonly ownHeader: string | null;
}

/** The encoder does everything that does not depend on the request here, once. */
export function makeEncoder(contract: Contract): Encoder {
  const { create, validate } = contract;
  const { fields, byWholeName } = describedOperation(create);
  const halves: Readonly<Record<RequestOperationName, RequestHalf>> = {
    create: { leftOut: NONE, ownHeader: create.idempotency?.header ?? null },
    // What only create has a name for is left out of a validate that has its own names.
    validate: {
      leftOut: validate.parameters === null ? NONE : new Set([...fields, ...byWholeName.keys()]),
      ownHeader: null,
    },
  };
  const boundary = `srq-${randomUUID()}`;
  const encodes = (shown: Shown): Encodes =>
    byOperation<RequestOperationName, Encodes>(REQUEST_OPERATION_NAMES, (name) =>
      operationEncoder(contract[name], halves[name], boundary, shown),
    );
  return { ...encodes(asItIs), shown: encodes(masked) };
}

/** A value as it goes into the message. */
type Shown = (field: string | null, text: string) => string;
const asItIs: Shown = (_, text) => text;
const masked: Shown = (field, text) => (field === 'country' ? text : REDACTED);

const NONE: ReadonlySet<string> = new Set();

/** Set by srq itself, or by the way the message travels. */
const OWN_HEADERS =
  /^(?:authorization|content-(?:type|length|encoding)|accept|host|connection|transfer-encoding|expect)$/i;

function operationEncoder(
  operation: Operation,
  { leftOut, ownHeader }: RequestHalf,
  boundary: string,
  shown: Shown,
): Encode {
  const { method, path, contentType } = operation;
  const parameters = operation.parameters ?? [];
  const places = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const [inBody, inQuery] = [places('body'), places('query')];
  const inHeader = places('header').filter(
    ({ path: [name = ''] }) => !OWN_HEADERS.test(name) && name.toLowerCase() !== ownHeader?.toLowerCase(),
  );
  const undescribed = undescribedEncoder(operation, leftOut, shown);
  const wholeNames = new Map([...describedOperation(operation).byWholeName].map(([name, field]) => [field, name]));
  const encodeBody = bodyEncoder(operation.encoding, contentType, boundary);
  return (request, audioBase64) => {
    const given = new GivenRequest(request, audioBase64, wholeNames);
    const constants = chosenAlternatives(operation, (field) => given.has(field)).flatMap((each) => each.constants);
    const entries = [...inBody.flatMap((each) => entryOf(each, given, shown)), ...undescribed(given)];
    if (constants.length > 0) setConstants(entries, constants);
    const { contentType: type, body } = encodeBody(entries);
    const query = new URLSearchParams(named(inQuery, given, shown)).toString();
    const headers = named(inHeader, given, shown).map(
      ([name, text]) => [name.toLowerCase(), headerText(text)] as const,
    );
    return {
      method,
      path: query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
      headers: { ...Object.fromEntries(headers), 'content-type': type },
      body,
    };
  };
}

/** What a request gives, by srq's names of it. */
class GivenRequest {
  readonly request: ServiceRequest;
  readonly #audioBase64: string | null;
  readonly #wholeNames: ReadonlyMap<string, string>;

  /** `wholeNames`: of fields that may be given by these, too. */
  constructor(request: ServiceRequest, audioBase64: string | null, wholeNames: ReadonlyMap<string, string>) {
    this.request = request;
    this.#audioBase64 = audioBase64;
    this.#wholeNames = wholeNames;
  }

  has(field: string): boolean {
    return this.text(field) !== null;
  }

  text(field: string): string | null {
    const { params, ref, audio } = this.request;
    switch (field) {
      case 'audio_file':
        return this.#audioBase64 ?? params[AUDIO_PARAMETER] ?? null;
      case 'audio_type':
        return audio?.mediaType ?? params[field] ?? null;
      case 'audio_name':
        return audio ? basename(audio.path) : (params[field] ?? null);
      case 'ref':
        return params[field] ?? ref;
      default:
        return this.#param(field) ?? this.#param(this.#wholeNames.get(field) ?? field) ?? this.#part(field);
    }
  }

  #part(name: string): string | null {
    return isPart(name) ? (this.request.parts?.[name] ?? null) : null;
  }

  #param(name: string): string | null {
    const { params } = this.request;
    return Object.hasOwn(params, name) ? (params[name] ?? null) : null;
  }
}

function entryOf(parameter: Parameter, given: GivenRequest, shown: Shown): BodyEntry[] {
  const { path, type, isList } = parameter;
  const value = parameter.field === 'audio_file' ? recording(parameter, given, shown) : textOf(parameter, given, shown);
  return value === null ? [] : [{ path, value, type, isList }];
}

function textOf(parameter: Parameter, given: GivenRequest, shown: Shown): string | null {
  const text = givenText(parameter, given);
  return text === null ? null : shown(parameter.field, text);
}

function givenText(parameter: Parameter, given: GivenRequest): string | null {
  const { constant, field } = parameter;
  const text = isFixedByDocument(parameter) ? null : given.text(field);
  if (text === null) return constant;
  // What a request gave and is not allowed has been told before. What srq has filled in itself goes only where it may.
  return wireValue(parameter, text) ?? (parameter.required ? text : constant);
}

function recording({ audioForm }: Parameter, given: GivenRequest, shown: Shown): string | FilePart | null {
  const base64 = given.text('audio_file');
  if (base64 === null) return null;
  const mediaType = given.text('audio_type');
  const isDataUrl = audioForm === 'data-url' && !base64.startsWith('data:');
  if (audioForm !== 'binary' || shown === masked)
    return shown('audio_file', isDataUrl ? dataUrlPrefix(mediaType) + base64 : base64);
  return {
    fileName: given.text('audio_name') ?? 'audio',
    mediaType: mediaType ?? 'application/octet-stream',
    bytes: Buffer.from(base64, 'base64'),
  };
}

/**
 * What goes with the way that the request has chosen counts more than what it says of it. An empty object is for what the
 * request leaves empty.
 */
function setConstants(entries: BodyEntry[], constants: Alternative['constants']): void {
  for (const { path, value } of constants) {
    if (isEmpty(value) && entries.some((each) => isWithin(each.path, path))) continue;
    const name = JSON.stringify(path);
    const at = entries.findIndex((each) => JSON.stringify(each.path) === name);
    entries.splice(at < 0 ? entries.length : at, at < 0 ? 0 : 1, { path, value, type: 'string', isList: false });
  }
}

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0 && !Array.isArray(value);

const isWithin = (path: readonly string[], parent: readonly string[]): boolean =>
  path.length > parent.length && parent.every((name, at) => path[at] === name);

/** The parameters that an operation does not describe, under their own names beside the others. */
function undescribedEncoder(
  operation: Operation,
  leftOut: ReadonlySet<string>,
  shown: Shown,
): (given: GivenRequest) => BodyEntry[] {
  const { fields, byWholeName, others } = describedOperation(operation);
  const { parent, takesOwn } = others;
  const described = new Set([...fields, ...byWholeName.keys(), ...leftOut]);
  const skipped = new Set([...described, ...(takesOwn ? [] : FIELDS)]);
  const audioIsDescribed = skipped.has('audio_file');
  return (given) => {
    const { params, parts = {}, audio } = given.request;
    const inParts = new Set(Object.keys(parts).map(wholeOf));
    const goesElsewhere = (name: string) =>
      inParts.has(name) || (name === AUDIO_PARAMETER && (audioIsDescribed || audio !== null));
    const names = Object.keys(params).filter((name) => !skipped.has(name) && !goesElsewhere(name));
    const entries = names.map((name) => undescribedEntry(parent, name, shown(name, params[name] ?? '')));
    const recorded = audioIsDescribed || !audio ? null : given.text('audio_file');
    return recorded === null
      ? entries
      : [...entries, undescribedEntry(parent, AUDIO_PARAMETER, shown(AUDIO_PARAMETER, recorded))];
  };
}

function undescribedEntry(parent: readonly string[], name: string, value: string): BodyEntry {
  return { path: [...parent, name], value, type: 'string', isList: false };
}

function named(parameters: readonly Parameter[], given: GivenRequest, shown: Shown): [string, string][] {
  return parameters.flatMap((each) => {
    const text = textOf(each, given, shown);
    return text === null ? [] : [[each.path[0] ?? '', text] as [string, string]];
  });
}

/** A head holds visible ASCII; the rest is percent-encoded. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}

/** A recording that goes as a part of its own, as it is. */
interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** One value on its way. `path`: names from the top of the body. */
interface BodyEntry {
  readonly path: readonly string[];
  readonly value: Json | FilePart;
  /** How JSON writes a text. */
  readonly type: Parameter['type'];
  readonly isList: boolean;
}

interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/**
 * Puts the values into a body. `contentType`: what the service calls it; a body of several parts has the boundary in it, which
 * stands nowhere in the values.
 */
function bodyEncoder(
  encoding: ContractEncoding,
  contentType: string,
  boundary: string,
): (entries: readonly BodyEntry[]) => EncodedBody {
  switch (encoding) {
    case 'json':
      return (entries) => ({ contentType, body: stringify(nested(entries)) ?? '{}' });
    case 'form':
      return (entries) => ({ contentType, body: formText(entries) });
    case 'multipart':
      return (entries) => ({
        contentType: `multipart/form-data; boundary=${boundary}`,
        body: Buffer.concat([...entries.flatMap((each) => parts(each, boundary)), Buffer.from(`--${boundary}--\r\n`)]),
      });
  }
}

/** `['a', 'b']` is `a[b]`, as forms write it. */
function formName(path: readonly string[]): string {
  return path.reduce((name, part) => `${name}[${part}]`);
}

function formText(entries: readonly BodyEntry[]): string {
  const form = new URLSearchParams();
  for (const { path, value } of entries) eachText(path, value, (at, text) => form.append(formName(at), text));
  return form.toString();
}

/** What forms can say: texts under names. */
function eachText(
  path: readonly string[],
  value: Json | FilePart,
  tell: (path: readonly string[], text: string) => void,
): void {
  if (isFile(value)) tell(path, value.bytes.toString('base64'));
  else if (Array.isArray(value)) for (const each of value) eachText(path, each, tell);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) eachText([...path, name], inner, tell);
  } else if (value !== null) tell(path, String(value));
}

function nested(entries: readonly BodyEntry[]): object {
  const top: Branch = Object.create(null);
  for (const { path, value, type, isList } of entries) {
    const branch = path.slice(0, -1).reduce(branchUnder, top);
    const scalar = isFile(value)
      ? value.bytes.toString('base64')
      : typeof value === 'string'
        ? typed(value, type)
        : value;
    branch[path.at(-1) ?? ''] = isList ? [scalar] : scalar;
  }
  return withLists(top);
}

/** Makes lists of the objects that hold the only element of one. */
function withLists(branch: Branch): object {
  const members = Object.entries(branch);
  for (const [name, value] of members) if (isBranch(value)) branch[name] = withLists(value);
  const [[name, element] = []] = members;
  return name === ONLY_ELEMENT && members.length === 1 ? [branch[name] ?? element] : branch;
}

/** Without a prototype, so that a parameter may be called `__proto__`. */
interface Branch {
  [name: string]: unknown;
}

function branchUnder(branch: Branch, name: string): Branch {
  const found = branch[name];
  if (isBranch(found)) return found;
  const made: Branch = Object.create(null);
  branch[name] = made;
  return made;
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Numbers keep their digits: an identifier has more than a binary number can hold. */
function typed(text: string, type: Parameter['type']): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return (type === 'integer' || type === 'number') && NUMBER.test(text) ? new LosslessNumber(text) : text;
}

function parts({ path, value }: BodyEntry, boundary: string): Buffer[] {
  if (!isFile(value)) {
    const texts: Buffer[] = [];
    eachText(path, value, (at, text) => {
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(formName(at))}"\r\n\r\n`;
      texts.push(Buffer.from(`${head}${text}\r\n`));
    });
    return texts;
  }
  const disposition = `form-data; name="${quoted(formName(path))}"; filename="${quoted(value.fileName)}"`;
  const head = `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${value.mediaType}\r\n\r\n`;
  return [Buffer.from(head), value.bytes, Buffer.from('\r\n')];
}

/** As browsers write names in a head. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function isFile(value: Json | FilePart): value is FilePart {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}
