import { JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { duplicateStatement } from '../../request/words/duplicate-words.ts';
import { nameWords } from '../../request/words/names.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  pointerPart,
  pointerTo,
  textOf,
} from '../documents/json-parts.ts';
import { type FlatSchema, flatten, typesOf, valuesOf } from '../schema/flat-schema.ts';
import { type SampleUse, sampleOf } from '../schema/sample-value.ts';
import type { Json, SampleAnswer } from '../version-1/contract.ts';
import {
  bareMediaType,
  contentOf,
  type DocumentReading,
  isJsonType,
  type MediaContent,
  type OpenApiOperation,
} from './described-operation.ts';

/** An answer that a document describes for an operation. */
export interface DescribedAnswer {
  readonly status: number;
  readonly description: string;
  readonly pointer: string;
  readonly headers: readonly string[];
  /** The values that its body can hold, according to the schema, or else to the examples. */
  readonly places: readonly AnswerPlace[];
  readonly source: 'schema' | 'example' | 'nothing';
  /**
   * An example, or one made from the schema. Null if nothing is known about the body, except that a success without a
   * body has a sample with its status.
   */
  readonly sample: SampleAnswer | null;
}

/** A named value in an answer. */
export interface AnswerPlace {
  /** A {@link Pointer} of the contract. */
  readonly pointer: string;
  readonly path: readonly string[];
  readonly words: readonly string[];
  readonly types: readonly string[];
  /** Values that the schema allows or that examples show. */
  readonly values: readonly Json[];
  readonly isEnum: boolean;
  readonly description: string;
}

/** Tells whether an answer is a success. 208 is none, because it usually means a duplicate. */
export const isSuccessAnswer = ({ status }: DescribedAnswer): boolean =>
  status >= 200 && status < 300 && status !== 208;
export const isRefusalAnswer = ({ status }: DescribedAnswer): boolean => status >= 400 && status < 500;

const MAX_DEPTH = 8;
const MAX_PLACES = 1000;
const MAX_DESCRIPTION = 4000;

/**
 * Returns the answers with a status of their own, lowest first. `2XX` counts as 200, and `default` is left out because
 * it says nothing certain.
 */
export function answersOf(reading: DocumentReading, operation: OpenApiOperation): DescribedAnswer[] {
  const responses = objectOf(operation.value['responses']);
  return Object.entries(responses)
    .flatMap(([code, response]) => {
      const status = /^[1-5]\d\d$/.test(code) ? Number(code) : /^[1-5]xx$/i.test(code) ? Number(code[0]) * 100 : null;
      return status === null ? [] : [answerOf(reading, status, code, response, operation)];
    })
    .sort((a, b) => a.status - b.status);
}

function answerOf(
  reading: DocumentReading,
  status: number,
  code: string,
  response: Json,
  operation: OpenApiOperation,
): DescribedAnswer {
  const place = reading.references.follow(response, pointerTo(operation.pointer, 'responses', code));
  const content = contentOf(reading.references, place);
  const media = content.find(({ mediaType }) => isJsonType(mediaType)) ?? content[0];
  const answer = {
    status,
    description: textOf(objectOf(place.value)['description']).slice(0, MAX_DESCRIPTION),
    pointer: place.pointer,
    headers: Object.keys(objectOf(objectOf(place.value)['headers'])),
  };
  if (media === undefined) {
    const isSuccess = status >= 200 && status < 300;
    const sample = isSuccess ? { status, contentType: JSON_CONTENT_TYPE, body: null } : null;
    return { ...answer, places: [], source: 'nothing', sample };
  }
  const { schema } = reading.schemas.expand(media.value['schema'], `${media.pointer}/schema`);
  const examples = examplesOf(reading, media);
  const shown = examples.flatMap((example) => valuePlaces(example, [])).slice(0, MAX_PLACES);
  const fromSchema = schemaPlaces(flatten(schema), [], { left: MAX_PLACES });
  const places = fromSchema.length > 0 ? fromSchema.map((each) => withShown(each, shown)) : joined(shown);
  const body = examples[0] ?? (fromSchema.length > 0 ? sampleOf(schema, OF_AN_ANSWER) : undefined);
  const contentType = isJsonType(media.mediaType)
    ? bareMediaType(media.mediaType).replace(/^.*\*.*$/, JSON_CONTENT_TYPE)
    : bareMediaType(media.mediaType);
  return {
    ...answer,
    places,
    source: fromSchema.length > 0 ? 'schema' : shown.length > 0 ? 'example' : 'nothing',
    sample: body === undefined ? null : { status, contentType, body },
  };
}

/** Returns the examples of a media type, then that of its schema. */
function examplesOf({ references }: DocumentReading, { value, pointer }: MediaContent): Json[] {
  const several = Object.entries(objectOf(value['examples'])).map(([name, each]) =>
    exampleValue(references.follow(each, pointerTo(pointer, 'examples', name)).value),
  );
  const schema = objectOf(references.follow(value['schema'], `${pointer}/schema`).value);
  const own = [value['example'], ...several, schema['example'], listOf(schema['examples'])[0]];
  return own.flatMap((each) => (each === undefined ? [] : [each]));
}

/** Returns the value of an example. Since OpenAPI 3.2 an example may have it separately from its serialised form. */
export const exampleValue = (example: Json): Json | undefined =>
  objectOf(example)['dataValue'] ?? objectOf(example)['value'];

function schemaPlaces(flat: FlatSchema, path: readonly string[], budget: { left: number }): AnswerPlace[] {
  if (path.length > MAX_DEPTH || budget.left <= 0) return [];
  const alternatives = flat.branches.flatMap((list) => list.map((each) => schemaPlaces(flatten(each), path, budget)));
  const inside = [...flat.properties].flatMap(([name, schema]) => {
    budget.left -= 1;
    const inner = flatten(schema);
    return [placeOf([...path, name], inner.keywords), ...schemaPlaces(inner, [...path, name], budget)];
  });
  const { items, additionalProperties } = flat.keywords;
  const elements = [items, additionalProperties].filter(isObject).flatMap((each) => {
    const inner = flatten(each);
    const isScalar = inner.properties.size === 0 && typesOf(inner.keywords).includes('string');
    return [
      ...(isScalar ? [placeOf([...path, '*'], inner.keywords)] : []),
      ...schemaPlaces(inner, [...path, '*'], budget),
    ];
  });
  return distinct([...inside, ...alternatives.flat(), ...elements]);
}

function placeOf(path: readonly string[], keywords: JsonObject): AnswerPlace {
  const values = valuesOf(keywords);
  const examples = [keywords['example'], ...listOf(keywords['examples']), keywords['default']];
  return {
    ...placed(path),
    types: typesOf(keywords),
    values: values.length > 0 ? values : examples.filter((each) => each !== undefined),
    isEnum: values.length > 0,
    description: textOf(keywords['description']),
  };
}

const placed = (path: readonly string[]): Pick<AnswerPlace, 'pointer' | 'path' | 'words'> => ({
  pointer: path.map((name) => `/${pointerPart(name)}`).join(''),
  path,
  words: nameWords(path.findLast((name) => name !== '*') ?? ''),
});

function valuePlaces(value: Json, path: readonly string[]): AnswerPlace[] {
  if (path.length > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((each: Json) => valuePlaces(each, [...path, '*']));
  if (!isObject(value)) return path.at(-1) === '*' ? [shownPlace(path, value)] : [];
  return Object.entries(value)
    .slice(0, MAX_PLACES)
    .flatMap(([name, each]) => [shownPlace([...path, name], each), ...valuePlaces(each, [...path, name])]);
}

function shownPlace(path: readonly string[], value: Json): AnswerPlace {
  const type =
    value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  return { ...placed(path), types: [type], values: [value], isEnum: false, description: '' };
}

function withShown(place: AnswerPlace, shown: readonly AnswerPlace[]): AnswerPlace {
  if (place.isEnum) return place;
  const seen = shown.filter(({ pointer }) => pointer === place.pointer).flatMap(({ values }) => values);
  return { ...place, values: [...new Set([...place.values, ...seen])] };
}

/** Merges the values of equal places. */
function joined(places: readonly AnswerPlace[]): AnswerPlace[] {
  return distinct(places).map((place) => withShown(place, places));
}

function distinct(places: readonly AnswerPlace[]): AnswerPlace[] {
  return [...new Map(places.toReversed().map((each) => [each.pointer, each])).values()].toReversed();
}

const OF_FAILURE = /\b(?:errors?|fail\w*|invalid|reject\w*|refus\w*|denied|declin\w*|not|bad|expired|cancel\w*)\b/i;

/** Tells whether a value of an `enum` may occur in a success. Its first value may be one of a refusal. */
const isOfSuccess = (value: Json): boolean =>
  typeof value !== 'string' || (!OF_FAILURE.test(value.replaceAll('_', ' ')) && duplicateStatement(value) !== 'yes');

/** Samples of answers have all members, because they show where everything is. */
const OF_AN_ANSWER: SampleUse = { fits: isOfSuccess, isMinimal: false };
