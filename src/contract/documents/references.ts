import { pointerNames } from '../../request/small.ts';
import type { Json } from '../version-1/contract.ts';
import { isObject, type JsonObject, listOf, memberOf, percentDecoded, pointerTo, textOf } from './json-parts.ts';

/**
 * A value with its place. If `problem` is set, a reference on the way to it could not be followed, and the value is
 * empty.
 */
export interface Placed {
  readonly value: Json;
  readonly pointer: string;
  readonly problem: string | null;
}

/** Resolves references within the document. No file and no address is ever opened. */
export interface References {
  /** Returns the value itself, or the target of its `$ref`, followed repeatedly. */
  follow(value: Json | undefined, pointer: string): Placed;
  /** Returns the elements of a list, each followed. It is empty if the value is no list. */
  followAll(list: Json | undefined, pointer: string): Placed[];
  /** Returns a member of the resolved value. */
  step(from: Placed, ...names: readonly string[]): Placed;
}

const MAX_CHAIN = 100;

export function createReferences(document: JsonObject): References {
  let anchors: ReadonlyMap<string, string> | null = null;

  function follow(value: Json | undefined, pointer: string): Placed {
    const visited = new Set<string>();
    let at: Placed = { value: value ?? {}, pointer, problem: null };
    for (;;) {
      const reference = isObject(at.value) ? at.value['$ref'] : undefined;
      if (typeof reference !== 'string') return at;
      if (visited.has(reference)) return failed(at, 'refers to itself alone');
      if (visited.size === MAX_CHAIN) return failed(at, `goes through more than ${MAX_CHAIN} references`);
      visited.add(reference);
      const target = targetOf(reference);
      if (target === null) return failed(at, `refers to "${reference.slice(0, 200)}", outside of the document`);
      const found = valueAt(document, target);
      if (found === undefined) return failed(at, `refers to "${reference.slice(0, 200)}", which is not there`);
      at = { value: found, pointer: target, problem: null };
    }
  }

  /** Returns the pointer that a reference means, or null if it does not point into this document. */
  function targetOf(reference: string): string | null {
    if (!reference.startsWith('#')) return null;
    const fragment = percentDecoded(reference.slice(1));
    if (fragment === '' || fragment.startsWith('/')) return fragment;
    anchors ??= anchorsOf(document);
    return anchors.get(fragment) ?? `/${fragment}`;
  }

  return {
    follow,
    followAll: (list, pointer) => listOf(list).map((each, index) => follow(each, pointerTo(pointer, String(index)))),
    step(from, ...names) {
      let at = follow(from.value, from.pointer);
      for (const name of names) {
        if (at.problem !== null) return at;
        at = follow(memberOf(at.value, name), pointerTo(at.pointer, name));
      }
      return at;
    },
  };
}

const failed = (at: Placed, what: string): Placed => ({
  value: {},
  pointer: at.pointer,
  problem: `${at.pointer} ${what}`,
});

function valueAt(document: JsonObject, pointer: string): Json | undefined {
  return pointerNames(pointer).reduce<Json | undefined>((value, name) => memberOf(value, name), document);
}

function anchorsOf(document: JsonObject): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  visit(document, '');
  return found;

  function visit(value: Json, pointer: string): void {
    if (Array.isArray(value)) {
      for (const [index, each] of listOf(value).entries()) visit(each, `${pointer}/${index}`);
    } else if (isObject(value)) {
      for (const keyword of ['$anchor', '$dynamicAnchor']) {
        const name = textOf(value[keyword]);
        if (name !== '' && !found.has(name)) found.set(name, pointer);
      }
      for (const [name, each] of Object.entries(value)) visit(each, pointerTo(pointer, name));
    }
  }
}
