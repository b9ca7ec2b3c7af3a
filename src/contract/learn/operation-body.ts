import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type JsonObject, pointerTo } from '../documents/json-parts.ts';
import type { ContractEncoding } from '../version-1/contract.ts';
import { type Assignment, assignFields } from './assign-fields.ts';
import { type BodyLeaves, bodyLeaves, type Leaf, withElements } from './body-leaves.ts';
import {
  bareMediaType,
  bodiesOf,
  type DocumentReading,
  isJsonType,
  type MediaContent,
  type OpenApiOperation,
} from './described-operation.ts';

/** The body of an operation in the encoding that srq chooses. */
export interface OperationBody extends BodyLeaves {
  readonly encoding: ContractEncoding;
  readonly contentType: string;
  readonly schema: JsonObject;
  readonly where: string;
  readonly unresolved: readonly string[];
  readonly problems: readonly string[];
  readonly assignment: Assignment;
  /** The other media types that are offered. */
  readonly otherTypes: readonly string[];
}

/**
 * Encodings in order of preference. Form is first, because the public document names it as what the endpoints expect.
 */
const PREFERENCE: readonly ContractEncoding[] = ['form', 'json', 'multipart'];

/** Reads the body of an operation. Returns null if srq could write none of its bodies. */
export function operationBody(
  reading: DocumentReading,
  operation: OpenApiOperation,
  maxNodes?: number,
): OperationBody | null {
  const bodies = bodiesOf(reading, operation);
  const offered = bodies.flatMap((body) => {
    const encoding = encodingOf(body);
    return encoding === null ? [] : [{ encoding, body }];
  });
  offered.sort((a, b) => PREFERENCE.indexOf(a.encoding) - PREFERENCE.indexOf(b.encoding));
  const [best] = offered;
  if (best === undefined) return null;
  const { body, encoding } = best;
  const { schema, unresolved, problems } = reading.schemas.expand(
    body.value['schema'],
    `${body.pointer}/schema`,
    maxNodes,
  );
  const { leaves, choices } = bodyLeaves(schema, reading.schemas);
  const assignment = assignFields(withElements(leaves));
  const isAny = bareMediaType(body.mediaType).includes('*');
  return {
    encoding,
    contentType: encoding === 'form' ? FORM_CONTENT_TYPE : isAny ? JSON_CONTENT_TYPE : bareMediaType(body.mediaType),
    schema,
    leaves: usedLeaves(leaves, assignment),
    choices,
    where: body.pointer,
    unresolved,
    problems,
    assignment,
    otherTypes: bodies.map(({ mediaType }) => mediaType).filter((each) => each !== body.mediaType),
  };
}

/** Replaces each list by the places within its only element, if a request fills any of them. */
export function usedLeaves(leaves: readonly Leaf[], assignment: Assignment): readonly Leaf[] {
  return leaves.flatMap((leaf) => {
    const within = withElements(leaf.elements);
    const isUsed = within.some((each) => assignment.fields.has(each) || assignment.doubts.has(each));
    return isUsed ? usedLeaves(leaf.elements, assignment) : [leaf];
  });
}

function encodingOf({ mediaType }: MediaContent): ContractEncoding | null {
  const bare = bareMediaType(mediaType);
  if (bare === FORM_CONTENT_TYPE) return 'form';
  if (bare === 'multipart/form-data') return 'multipart';
  return isJsonType(bare) ? 'json' : null;
}

/** Returns the reason why a body cannot be found, or null if it can. */
export function bodyProblem({ references }: DocumentReading, { value, pointer }: OpenApiOperation): string | null {
  return references.follow(value['requestBody'], pointerTo(pointer, 'requestBody')).problem;
}

/**
 * Returns the error for a part that is outside of the document. `otherwise` is a sentence on an alternative, or empty.
 */
export function unreadable(what: string, problem: string, otherwise = ''): SrqError {
  return new SrqError(
    'document.unreadable',
    `${what} cannot be read: ${problem}.`,
    `srq opens nothing but what it is given. If the description has several files, name their folder, too: srq contract learn FILE FOLDER${otherwise}`,
  );
}
