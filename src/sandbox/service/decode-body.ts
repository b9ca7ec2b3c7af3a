import type { IncomingHttpHeaders } from 'node:http';
import { isLosslessNumber, parse } from 'lossless-json';
import { nested } from '../../request/contract/bindings.ts';
import { encodingOf, type Json } from '../../request/contract/contract.ts';
import { refusal, type SandboxAnswer } from '../messages/answer.ts';

/** A call as it arrived, with its body read to the end. */
export interface ArrivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/** Decodes a body of one of these media types. An {@link SandboxAnswer} is the refusal (400, 415). */
export async function decodeBody(call: ArrivedCall, accepted: readonly string[]) {
  const type = mediaTypeOf(call.headers['content-type']);
  const as = accepted.find((each) => mediaTypeOf(each) === type);
  if (as === undefined) {
    const wanted = accepted.map(mediaTypeOf).join(' or ');
    return refusal(415, 'unsupported_media_type', `Send ${wanted}; this came as ${type || 'no content type'}.`);
  }
  const encoding = encodingOf({ as });
  if (encoding === 'json') {
    const tree = treeOfJson(call.body);
    return tree ? { ...tree, as, encoding } : refusal(400, 'invalid_request', 'The body is not JSON.');
  }
  const pairs = encoding === 'form' ? [...new URLSearchParams(call.body.toString('utf8'))] : await partsOf(call);
  if (!pairs) return refusal(400, 'invalid_request', 'The body is not multipart/form-data.');
  return { ...treeOfPairs(pairs), as, encoding };
}

function mediaTypeOf(contentType = ''): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Returns the parts of a form, or null if the body does not match its content type. */
async function partsOf({ headers, body }: ArrivedCall): Promise<readonly FormPair[] | null> {
  const response = new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } });
  const form = await response.formData().catch(() => null);
  if (!form) return null;
  return Promise.all(
    [...form].map(async ([name, value]): Promise<FormPair> => {
      return [name, typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())];
    }),
  );
}

/** A value of a body with its path from the top. A list's elements are named by their indexes: `0`, `1`, … */
export interface BodyValue {
  readonly path: readonly string[];
  readonly text: string;
  /** The content of a file in multipart, or null. */
  readonly file: Buffer | null;
}

type FormPair = readonly [name: string, value: string | Buffer];

/** Maximum depth. Real requests are not deeper, and a name with more parts is taken literally. */
const MAX_DEPTH = 32;

/** Matches numbers that JavaScript may round, because its numbers hold 15 arbitrary digits. */
const MAY_LOSE_DIGITS = /\d{16}/;

/**
 * Parses JSON: the body as a schema sees it, and its values as they were written. Returns null if it is not JSON or too deep.
 */
function treeOfJson(body: Buffer) {
  const text = body.toString('utf8');
  try {
    const value: Json = JSON.parse(text);
    return { body: value, leaves: [...leavesOf(MAY_LOSE_DIGITS.test(text) ? parse(text) : value, [])] };
  } catch {
    return null;
  }
}

function* leavesOf(value: unknown, path: readonly string[]): Generator<BodyValue> {
  if (value === null || value === undefined) return;
  if (typeof value !== 'object' || isLosslessNumber(value)) {
    yield { path, text: String(value), file: null };
  } else if (path.length >= MAX_DEPTH) {
    throw new RangeError('A body may not be deeper.');
  } else {
    for (const [name, member] of Object.entries(value)) yield* leavesOf(member, [...path, name]);
  }
}

/**
 * Builds the tree of a form. `a[b]=1` becomes `{a: {b: "1"}}`, and `a[]=1` or a name that occurs twice makes a list.
 * A file becomes the text of its bytes, so that its length is theirs.
 */
function treeOfPairs(pairs: readonly FormPair[]) {
  const counts = new Map<string, number>();
  for (const [name] of pairs) counts.set(name, (counts.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  const leaves = pairs.map(([name, value]): BodyValue => {
    const named = pathParts(name);
    const path = named.filter((part, place) => part !== '' || place < named.length - 1);
    const isListed = path.length < named.length || (counts.get(name) ?? 0) > 1;
    const at = seen.get(name) ?? 0;
    seen.set(name, at + 1);
    const [file, text] = typeof value === 'string' ? [null, value] : [value, value.toString('latin1')];
    return { path: isListed ? [...path, String(at)] : path, text, file };
  });
  const entries = leaves.map(({ path, text }) => ({ path, value: text, type: 'string' as const }));
  return { body: nested(entries, ({ value }) => value) as Json, leaves };
}

/** Splits a name: `a[b][]` becomes `['a', 'b', '']`. */
function pathParts(name: string): readonly string[] {
  const isNested = /^[^[\]]+(?:\[[^[\]]*\])+$/.test(name);
  const parts = isNested ? name.slice(0, -1).split(/\]?\[/) : [name];
  return parts.length > MAX_DEPTH ? [name] : parts;
}
