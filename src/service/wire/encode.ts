import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Alternative, Contract, Json, Operation, Parameter } from '../../request/contract/contract-1.ts';
import {
  chosenAlternatives,
  dataUrlPrefix,
  describedOperation,
  isFixedByDocument,
  wireValue,
} from '../../request/contract/contract-rules.ts';
import { byOperation, REQUEST_OPERATION_NAMES, type RequestOperationName } from '../../request/contract/operations.ts';
import { AUDIO_PARAMETER } from '../../request/contract/wire.ts';
import { FIELDS } from '../../request/lead/fields.ts';
import { isPart, wholeOf } from '../../request/lead/parts.ts';
import type { ServiceRequest } from '../../request/lead/service-request.ts';
import { maskedContract, maskedRequest } from '../redaction/masked.ts';
import { REDACTED } from '../redaction/redactor.ts';
import { type BodyEntry, bodyEncoder, type EncodedBody, type FilePart } from './body.ts';

/** A request as it is sent. The names of `headers` are in lower case, and the content type is among them. */
export interface EncodedRequest {
  readonly method: 'POST' | 'PUT';
  /** Path below the base URL, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EncodedBody['body'];
}

type Encode = (request: ServiceRequest, audioBase64: string | null) => EncodedRequest;

/**
 * The function that encodes a request for each operation. `audioBase64` is the content of the recording, or null if the
 * request has none.
 */
type Encodes = Readonly<Record<RequestOperationName, Encode>>;

export interface Encoder extends Encodes {
  /**
   * The same functions for display: every value except the market is replaced by `***`, because it may be personal data
   * or a key.
   */
  readonly shown: Encodes;
}

/** Settings of an operation's encoder that its description in the contract does not hold. */
interface RequestHalf {
  /** Names of parameters that are not sent although the operation does not describe them. */
  readonly leftOut: ReadonlySet<string>;
  /**
   * The name of a header that srq sets itself on each call. A parameter with this name is not sent. Null if there is
   * none.
   */
  readonly ownHeader: string | null;
}

/** Builds the encoder of a contract. Everything that does not depend on the request is computed here, once. */
export function makeEncoder(contract: Contract): Encoder {
  const { create, validate } = contract;
  const { fields, byWholeName } = describedOperation(create);
  const halves: Readonly<Record<RequestOperationName, RequestHalf>> = {
    create: { leftOut: NONE, ownHeader: create.idempotency?.header ?? null },
    // If validate has its own description, parameters that only create describes are not sent to validate.
    validate: {
      leftOut: validate.parameters === null ? NONE : new Set([...fields, ...byWholeName.keys()]),
      ownHeader: null,
    },
  };
  const boundary = `srq-${randomUUID()}`;
  const encodes = (of: Contract): Encodes =>
    byOperation<RequestOperationName, Encodes>(REQUEST_OPERATION_NAMES, (name) =>
      operationEncoder(of[name], halves[name], boundary),
    );
  let masked: Encodes | null = null;
  const shown = byOperation<RequestOperationName, Encodes>(
    REQUEST_OPERATION_NAMES,
    (name) => (request, audioBase64) => {
      masked ??= encodes(maskedContract(contract));
      return masked[name](maskedRequest(request), audioBase64 && REDACTED);
    },
  );
  return { ...encodes(contract), shown };
}

const NONE: ReadonlySet<string> = new Set();

/** Matches the headers that srq or the HTTP client sets. A parameter must not replace them. */
const OWN_HEADERS =
  /^(?:authorization|content-(?:type|length|encoding)|accept|host|connection|transfer-encoding|expect)$/i;

function operationEncoder(operation: Operation, { leftOut, ownHeader }: RequestHalf, boundary: string): Encode {
  const { method, path, contentType } = operation;
  const parameters = operation.parameters ?? [];
  const places = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const [inBody, inQuery] = [places('body'), places('query')];
  const inHeader = places('header').filter(
    ({ path: [name = ''] }) => !OWN_HEADERS.test(name) && name.toLowerCase() !== ownHeader?.toLowerCase(),
  );
  const undescribed = undescribedEncoder(operation, leftOut);
  const wholeNames = new Map([...describedOperation(operation).byWholeName].map(([name, field]) => [field, name]));
  const encodeBody = bodyEncoder(operation.encoding, contentType, boundary);
  return (request, audioBase64) => {
    const given = new GivenRequest(request, audioBase64, wholeNames);
    const constants = chosenAlternatives(operation, (field) => given.has(field)).flatMap((each) => each.constants);
    const entries = [...inBody.flatMap((each) => entryOf(each, given)), ...undescribed(given)];
    if (constants.length > 0) setConstants(entries, constants);
    const { contentType: type, body } = encodeBody(entries);
    const query = new URLSearchParams(named(inQuery, given)).toString();
    const headers = named(inHeader, given).map(([name, text]) => [name.toLowerCase(), headerText(text)] as const);
    return {
      method,
      path: query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
      headers: { ...Object.fromEntries(headers), 'content-type': type },
      body,
    };
  };
}

/** Looks up the values of one request by srq's names of the fields. */
class GivenRequest {
  readonly request: ServiceRequest;
  readonly #audioBase64: string | null;
  readonly #wholeNames: ReadonlyMap<string, string>;

  /** `wholeNames` maps fields to their full names (`utm.source`), under which a request may give them as well. */
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

function entryOf(parameter: Parameter, given: GivenRequest): BodyEntry[] {
  const { path, type, isList } = parameter;
  const value = parameter.field === 'audio_file' ? recording(parameter, given) : textOf(parameter, given);
  return value === null ? [] : [{ path, value, type, isList }];
}

function textOf(parameter: Parameter, given: GivenRequest): string | null {
  const { constant, field } = parameter;
  const text = isFixedByDocument(parameter) ? null : given.text(field);
  if (text === null) return constant;
  // The local checks have reported values of the user that are not allowed. A value that srq has filled in itself, and
  // that is not allowed, is sent only if the parameter is required.
  return wireValue(parameter, text) ?? (parameter.required ? text : constant);
}

function recording({ audioForm }: Parameter, given: GivenRequest): string | FilePart | null {
  const base64 = given.text('audio_file');
  if (base64 === null) return null;
  const mediaType = given.text('audio_type');
  const isDataUrl = audioForm === 'data-url' && !base64.startsWith('data:');
  if (audioForm !== 'binary') return isDataUrl ? dataUrlPrefix(mediaType) + base64 : base64;
  return {
    fileName: given.text('audio_name') ?? 'audio',
    mediaType: mediaType ?? 'application/octet-stream',
    bytes: Buffer.from(base64, 'base64'),
  };
}

/**
 * Adds the constants of the alternatives that the request meets. A constant replaces the value that the request gives
 * for the same path. If the constant is an empty object, it is added only if the request puts nothing into that object.
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

/**
 * Encodes the parameters that an operation does not describe. They are sent under their own names, in the object that
 * holds most of the described ones.
 */
function undescribedEncoder(operation: Operation, leftOut: ReadonlySet<string>): (given: GivenRequest) => BodyEntry[] {
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
    const entries = names.map((name) => undescribedEntry(parent, name, params[name] ?? ''));
    const recorded = audioIsDescribed || !audio ? null : given.text('audio_file');
    return recorded === null ? entries : [...entries, undescribedEntry(parent, AUDIO_PARAMETER, recorded)];
  };
}

function undescribedEntry(parent: readonly string[], name: string, value: string): BodyEntry {
  return { path: [...parent, name], value, type: 'string', isList: false };
}

function named(parameters: readonly Parameter[], given: GivenRequest): [string, string][] {
  return parameters.flatMap((each) => {
    const text = textOf(each, given);
    return text === null ? [] : [[each.path[0] ?? '', text] as [string, string]];
  });
}

/** Percent-encodes a header value unless it consists of printable ASCII, because a header can hold nothing else. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text);
}
