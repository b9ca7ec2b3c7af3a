import { LosslessNumber, stringify } from 'lossless-json';
import { type ContractEncoding, type Json, ONLY_ELEMENT, type Parameter } from '../../request/contract/contract-1.ts';

/** A recording that is sent as its own part of a multipart body, without base64. */
export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** One value of a body. `path` holds the member names from the top of the body. */
export interface BodyEntry {
  readonly path: readonly string[];
  readonly value: Json | FilePart;
  /** The JSON type as which a text is written. */
  readonly type: Parameter['type'];
  readonly isList: boolean;
}

export interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/**
 * Returns a function that writes values as a body. `contentType` is the media type that the contract names. For a
 * multipart body, the boundary is added to it. The boundary is random, so no value contains it.
 */
export function bodyEncoder(
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

/** Returns the name of a nested value in a form: `['a', 'b']` gives `a[b]`. */
function formName(path: readonly string[]): string {
  return path.reduce((name, part) => `${name}[${part}]`);
}

function formText(entries: readonly BodyEntry[]): string {
  const form = new URLSearchParams();
  for (const { path, value } of entries) eachText(path, value, (at, text) => form.append(formName(at), text));
  return form.toString();
}

/**
 * Calls `tell` for each text of a value. Forms have no other values, so objects and lists are flattened, and null is
 * left out.
 */
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

/**
 * Replaces each object that stands for a list with one element by that list. Such an object has {@link ONLY_ELEMENT} as
 * its only member.
 */
function withLists(branch: Branch): object {
  const members = Object.entries(branch);
  for (const [name, value] of members) if (isBranch(value)) branch[name] = withLists(value);
  const [[name, element] = []] = members;
  return name === ONLY_ELEMENT && members.length === 1 ? [branch[name] ?? element] : branch;
}

/** An object of the body while it is built. It has no prototype, so that a parameter can be called `__proto__`. */
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

/**
 * Converts a text to its JSON value. Numbers keep all their digits, because an identifier may have more digits than a
 * double can hold.
 */
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

/** Escapes a name for a Content-Disposition header, as browsers do for forms. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function isFile(value: Json | FilePart): value is FilePart {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}
