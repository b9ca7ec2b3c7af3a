import { type JsonObject, listOf, scalarOf, textOf } from '../documents/json-parts.ts';
import { labelsOf, typesOf, valuesOf } from '../schema/flat-schema.ts';
import type { AllowedValue, Json, Parameter } from '../version-1/contract.ts';
import type { Leaf } from './body-leaves.ts';

/** Converts a place in a body to a parameter as its schema describes it, without regard to constants. */
export function leafParameter(
  { path, keywords, shape, required, requiredWithin }: Leaf,
  field: string,
  place: Parameter['in'],
  isMultipart: boolean,
): Parameter {
  const bound = (name: string) => numberOf(keywords[name]);
  const step = (name: string, by: number) => (bound(name) === null ? null : Number(keywords[name]) + by);
  const type = wireType(keywords);
  const isCompanion = field === 'audio_type' || field === 'audio_name';
  return {
    field,
    in: place,
    path,
    type,
    isList: shape === 'list',
    required: required && !isCompanion,
    requiredWithin: isCompanion ? null : requiredWithin,
    values: allowedValues(keywords),
    minLength: bound('minLength'),
    maxLength: bound('maxLength'),
    minimum: bound('minimum') ?? (type === 'integer' ? step('exclusiveMinimum', 1) : null),
    maximum: bound('maximum') ?? (type === 'integer' ? step('exclusiveMaximum', -1) : null),
    pattern: textOf(keywords['pattern']) || null,
    constant: null,
    audioForm: field === 'audio_file' ? audioForm(keywords, isMultipart) : null,
  };
}

const numberOf = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

/** Returns the type on the wire. It is text wherever text is allowed, because a text can express anything. */
function wireType(keywords: JsonObject): Parameter['type'] {
  const said = typesOf(keywords).filter((type) => type !== 'null');
  const types = said.length > 0 ? said : [...new Set(valuesOf(keywords).map((value) => typeof value))];
  if (types.length === 0 || types.includes('string')) return 'string';
  if (types.includes('number'))
    return said.length > 0 || !valuesOf(keywords).every(Number.isInteger) ? 'number' : 'integer';
  return types.includes('integer') ? 'integer' : types.includes('boolean') ? 'boolean' : 'string';
}

/** Returns the allowed values with their labels, or null if any value is allowed. */
export function allowedValues(keywords: JsonObject): AllowedValue[] | null {
  const labels = labelsOf(keywords);
  const values = valuesOf(keywords).flatMap((each, index): AllowedValue[] => {
    const value = scalarOf(each);
    return value === null ? [] : [{ value, label: labels[index] ?? null }];
  });
  return values.length > 0 ? values : null;
}

/**
 * Returns the encoding of a recording. A binary part is possible only in multipart. A data URL is recognised by the
 * description, the pattern or an example.
 */
function audioForm(keywords: JsonObject, isMultipart: boolean): Parameter['audioForm'] {
  const format = textOf(keywords['format']);
  if (isMultipart && format === 'binary') return 'binary';
  const examples = [keywords['example'], ...listOf(keywords['examples'])].map(textOf);
  const told = [textOf(keywords['description']), textOf(keywords['pattern']), ...examples];
  return told.some((text) => /data:(?:[\w(\\[<{*]|audio)|data[- ]ur[il]/i.test(text)) ? 'data-url' : 'base64';
}
