import { LosslessNumber, stringify } from 'lossless-json';
import { type Entry, isNumberText, nested } from '../../request/contract/bindings.ts';
import type { Encoding, Json } from '../../request/contract/contract.ts';
import { ONLY_ELEMENT } from '../../request/contract/place.ts';

/** A recording that is sent as its own part of a multipart body, without base64. */
export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

type BodyEntry = Entry<FilePart>;

export interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/**
 * Returns a function that writes values as a body. `contentType` is the media type that the contract names. For a
 * multipart body, the boundary is added to it. The boundary is random, so no value contains it.
 */
export function bodyEncoder(
  encoding: Encoding,
  contentType: string,
  boundary: string,
): (entries: readonly BodyEntry[]) => EncodedBody {
  switch (encoding) {
    case 'json':
      return (entries) => ({ contentType, body: stringify(nested(entries, jsonValue)) ?? '{}' });
    case 'form':
      return (entries) => ({ contentType, body: formText(entries) });
    case 'multipart':
      return (entries) => ({
        contentType: `multipart/form-data; boundary=${boundary}`,
        body: Buffer.concat([...entries.flatMap((each) => parts(each, boundary)), Buffer.from(`--${boundary}--\r\n`)]),
      });
  }
}

/**
 * Returns the name of a nested value in a form: `['a', 'b']` gives `a[b]`. A list is written by repeating its name, so the
 * only element of a list has the list's own.
 */
function formName(path: readonly string[]): string {
  const names = path.length > 1 && path.at(-1) === ONLY_ELEMENT ? path.slice(0, -1) : path;
  return names.reduce((name, part) => `${name}[${part}]`);
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
