import { posix } from 'node:path';
import type { Json } from '../../request/contract.ts';
import { SrqError } from '../../request/errors.ts';
import { pointerNames } from '../../request/json-pointer.ts';
import { isObject, type JsonObject, memberOf, pointerPart } from './json-parts.ts';
import { parseDocument, type SourceDocument } from './parse-document.ts';

/** The member of a document that holds the files to which it refers, by their paths within the folder. */
const FILES = 'x-srq-files';
const MAX_FILES = 300;
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Parses a document together with the files of its folder to which it refers. The files become members of the document
 * and the references to them become internal, so that all other code knows of no files. A reference that leads out of
 * the folder, to an address or to a missing file is left unchanged, and is reported if its target is needed.
 *
 * Throws `SrqError('input')` if a file cannot be parsed, or if there are too many files or they are too large.
 */
export function parseWithReferredFiles(document: SourceDocument): JsonObject {
  const root = parseDocument(document);
  const { folder, name } = document;
  if (folder === undefined) return root;
  const files = new Map<string, JsonObject | null>();
  let bytesLeft = MAX_BYTES;

  function fileAt(path: string): JsonObject | null {
    const known = files.get(path);
    if (known !== undefined) return known;
    const bytes = folder?.read(path) ?? null;
    bytesLeft -= bytes?.length ?? 0;
    if (files.size >= MAX_FILES || bytesLeft < 0) throw tooMuch(name);
    const content = bytes === null ? null : parseDocument({ name: path, bytes });
    files.set(path, content);
    return content;
  }

  /** Returns the internal reference that replaces a reference in the file at `path`. */
  function internalReference(reference: string, path: string): string {
    const target = targetOf(reference, path);
    if (target === null) return reference;
    const { file, fragment } = target;
    const content = file === folder?.path ? root : fileAt(file);
    // Files often refer to the components of the main document as if they were part of it.
    const isOfMain = file === path && content !== null && !hasPointer(content, fragment) && hasPointer(root, fragment);
    if (content === null) return reference;
    if (content === root || isOfMain || (fragment !== '' && !fragment.startsWith('/'))) return `#${fragment}`;
    return `#/${FILES}/${pointerPart(file).replaceAll('%', '%25')}${fragment}`;
  }

  function withInternal(value: Json, path: string): Json {
    if (Array.isArray(value)) return value.map((each: Json) => withInternal(each, path));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, each]): [string, Json] => {
      const isReference = name === '$ref' && typeof each === 'string';
      return [name, isReference ? internalReference(each, path) : withInternal(each, path)];
    });
    return Object.fromEntries(members);
  }

  const whole = withInternal(root, folder.path);
  const parts: Record<string, Json> = {};
  // The map grows while it is read, because parts refer to further parts.
  for (const [path, content] of files) if (content !== null) parts[path] = withInternal(content, path);
  return isObject(whole) ? { ...whole, [FILES]: parts } : root;
}

/** Returns the file and the fragment that a relative reference means, or null for an address or an absolute path. */
function targetOf(reference: string, path: string): { file: string; fragment: string } | null {
  const [before = '', fragment = ''] = reference.split(/#(.*)/s);
  if (before === '') return { file: path, fragment };
  const file = decoded(before);
  if (/^[a-z][a-z\d+.-]*:|^[\\/]|\\/i.test(file)) return null;
  const joined = posix.normalize(posix.join(posix.dirname(path), file));
  return joined.startsWith('../') || joined === '..' ? null : { file: joined, fragment };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hasPointer = (document: JsonObject, fragment: string): boolean =>
  !fragment.startsWith('/') ||
  pointerNames(decoded(fragment)).reduce<Json | undefined>((value, name) => memberOf(value, name), document) !==
    undefined;

function tooMuch(name: string): SrqError {
  return new SrqError(
    'document.too-large',
    `${name} refers to more than ${MAX_FILES} files, or to more than ${MAX_BYTES / 1024 / 1024} MB.`,
    'Bundle the description into one file, then: srq contract learn FILE',
  );
}

/**
 * Converts a pointer to the form that people know: the file, unless it is the document itself, and the pointer within
 * it.
 */
export function placeInFiles(pointer: string): string {
  const [, start = '', file = '', ...rest] = pointer.split('/');
  if (start !== FILES || file === '') return pointer;
  const [path = ''] = pointerNames(`/${file}`);
  return [path, `/${rest.join('/')}`].join(' ');
}
