import type { AllowedValue, Json } from '../model/contract.ts';
import { nameWords } from '../model/name-words.ts';
import { contentOf, type DocumentReading, type OpenApiOperation, operationsOf } from './described-operation.ts';
import { flatten } from './flat-schema.ts';
import { isObject, listOf, objectOf, pointerTo, scalarOf, textOf } from './json-parts.ts';
import { allowedValues } from './leaf-parameter.ts';

/** The categories that another operation lists. */
interface CategoryList {
  readonly values: readonly AllowedValue[];
  readonly where: string;
  /** `GET /categories`. */
  readonly operation: string;
}

const CATEGORY_WORDS = /^(?:categ\w*|services?|professions?|trades?)$/;
const VALUE_NAMES = ['id', 'code', 'key', 'slug', 'value', 'category_id', 'categoryId'];
const LABEL_NAMES = ['name', 'label', 'title', 'description', 'text'];
const MAX_TRIED = 20;
/** More would make each message about a wrong one useless, and the contract large. */
const MAX_VALUES = 5000;

/** The list in the examples, else in an `enum`, of an operation that reads categories; null if there is none. */
export function listedCategories(reading: DocumentReading, isInteger: boolean): CategoryList | null {
  const lists = operationsOf(reading).filter(({ method, path, id }) => {
    return method === 'get' && [...nameWords(path), ...nameWords(id)].some((word) => CATEGORY_WORDS.test(word));
  });
  for (const operation of lists.slice(0, MAX_TRIED)) {
    const values = listIn(reading, operation, isInteger);
    if (values.length > 1) {
      return { values: values.slice(0, MAX_VALUES), where: operation.pointer, operation: operation.name };
    }
  }
  return null;
}

function listIn(reading: DocumentReading, operation: OpenApiOperation, isInteger: boolean): readonly AllowedValue[] {
  const { references, schemas } = reading;
  const response = references.follow(
    objectOf(operation.value['responses'])['200'],
    pointerTo(operation.pointer, 'responses', '200'),
  );
  for (const { value, pointer } of contentOf(response)) {
    const { schema } = schemas.expand(value['schema'], `${pointer}/schema`);
    const several = Object.values(objectOf(value['examples'])).map((each) => references.follow(each, pointer).value);
    const shown = several.map((each) => objectOf(each)['value']);
    const examples = [value['example'], ...shown, schema['example'], listOf(schema['examples'])[0]];
    for (const example of examples) {
      const values = valuesIn(example ?? null, isInteger);
      if (values.length > 0) return values;
    }
    const items = flatten(objectOf(schema['items']));
    const members = VALUE_NAMES.map((name) => flatten(items.properties.get(name) ?? {}).keywords);
    const told = [items.keywords, ...members].map(allowedValues).find((each) => each !== null);
    if (told) return told;
  }
  return [];
}

/** A list of scalars, or of objects with a value and a label; also one level deep (`data`). */
function valuesIn(example: Json, isInteger: boolean): AllowedValue[] {
  const lists = [example, ...Object.values(isObject(example) ? example : {})].filter((each) => Array.isArray(each));
  const found = lists.map((list) => listOf(list).flatMap((each) => valueIn(each, isInteger)));
  return found.find((values) => values.length > 0) ?? [];
}

function valueIn(element: Json, isInteger: boolean): AllowedValue[] {
  const fits = (value: Json | undefined): boolean => (isInteger ? Number.isInteger(value) : typeof value === 'string');
  if (!isObject(element)) return fits(element) ? [{ value: String(element), label: null }] : [];
  const name = VALUE_NAMES.find((each) => fits(element[each])) ?? LABEL_NAMES.find((each) => fits(element[each]));
  const value = name === undefined ? null : scalarOf(element[name]);
  if (value === null) return [];
  const label = LABEL_NAMES.map((each) => textOf(element[each])).find((text) => text !== '' && text !== value);
  return [{ value, label: label ?? null }];
}
