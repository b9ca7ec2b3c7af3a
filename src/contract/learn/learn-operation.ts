import { exampleMobile } from '../../request/lead/example-phone.ts';
import { MARKETS } from '../../request/lead/markets.ts';
import { SrqError } from '../../request/words/errors.ts';
import { nameWords, redactedValue, SECRET, secretTexts } from '../../request/words/names.ts';
import { isObject, listOf, memberOf, objectOf, pointerTo, scalarOf, textOf } from '../documents/json-parts.ts';
import { flatten } from '../schema/flat-schema.ts';
import { validationSchema } from '../schema/validation-schema.ts';
import type { AllowedValue, Alternative, ContractFinding, Json, Operation, Parameter } from '../version-1/contract.ts';
import { boundProblem, wireValue } from '../version-1/contract-rules.ts';
import { OPERATIONS, type RequestOperationName } from '../version-1/operations.ts';
import { errorTextPlaces } from './answer-meaning.ts';
import { type DescribedAnswer, exampleValue } from './answers.ts';
import {
  bodiesOf,
  contentOf,
  type DocumentReading,
  type OpenApiOperation,
  operationsOf,
} from './described-operation.ts';
import { KNOWN_FIELDS, knownFields, type NamedField } from './field-names.ts';
import type { GivenConstants } from './given-constants.ts';
import { allowedValues } from './leaf-parameter.ts';
import type { Findings } from './notebook.ts';
import { bodyProblem, type OperationBody, operationBody, unreadable } from './operation-body.ts';
import { filledPath, IDEMPOTENCY_HEADER, operationParameters, type PlacedParameter } from './operation-parameters.ts';
import { withSaidPlaces } from './said-places.ts';

/**
 * Learns what create and validate have in common: their path, the encoding of their body, and its contents.
 *
 * Throws `SrqError('input')` if the body refers to something outside of the document, or if srq cannot write it.
 */
export function learnOperation(
  reading: DocumentReading,
  role: RequestOperationName,
  operation: OpenApiOperation,
  answers: readonly DescribedAnswer[],
  given: GivenConstants,
  notebook: Findings,
): Operation {
  const body = withSaidPlaces(readableBody(reading, role, operation), given);
  for (const problem of body.problems) notebook.note(problem);
  const own = operationParameters(reading, role, operation, body, given, notebook);
  const parameters = own.parameters.map((each) => withFit(withCategories(reading, each, notebook), notebook));
  if (!reading.described.provesRequired) noteUnfilled(operation, own.parameters, notebook);
  if (role === 'create') noteUnsentFields(operation, parameters, reading, notebook);
  if (role === 'create') parameters.forEach((each) => void findParameter(each, notebook));
  else
    notebook.add(
      'validate.parameters',
      parameters.map(({ parameter }) => parameter.field).join(', '),
      body.where,
      'certain',
      'its body',
    );
  findEncoding(role, body, notebook);
  for (const choice of own.choices) {
    const told = choice.map(({ fields, constants }) => [...fields, ...constants.map(constantText)].join(' + '));
    const why = choice.length > 1 ? 'one of its branches has to hold' : 'always the same';
    notebook.add(`${role}.choices`, told.map((each) => each || 'nothing').join(' or '), body.where, 'certain', why);
  }
  const texts = errorTextPlaces(answers);
  if (texts.pointers.length > 0) {
    notebook.add(`${role}.errorTexts`, texts.pointers.join(', '), texts.where, 'likely', 'their names');
  }
  return {
    method: operation.method === 'put' ? 'PUT' : 'POST',
    path: filledPath(reading, operation, given, notebook),
    encoding: body.encoding,
    contentType: body.contentType,
    parameters: parameters.map(({ parameter }) => parameter),
    choices: own.choices,
    schema: bodySchema(reading, body, notebook),
    success: answers.find(({ status }) => status >= 200 && status < 300)?.sample ?? null,
    refusal: refusalOf(answers)?.sample ?? null,
    errorTexts: texts.pointers,
  };
}

const constantText = ({ path, value }: Alternative['constants'][number]): string =>
  `${path.join('.')} ${secretTexts(path.at(-1) ?? '', value).length > 0 ? SECRET : JSON.stringify(value)}`;

function refusalOf(answers: readonly DescribedAnswer[]): DescribedAnswer | undefined {
  const told = answers.filter(({ status, sample }) => status >= 400 && status < 500 && sample !== null);
  return told.find(({ status }) => status === 422) ?? told.find(({ status }) => status === 400);
}

function readableBody(
  reading: DocumentReading,
  role: RequestOperationName,
  operation: OpenApiOperation,
): OperationBody {
  const body = operationBody(reading, operation);
  const outside = body?.unresolved[0] ?? bodyProblem(reading, operation);
  const without = OPERATIONS[role].presence === null ? '' : ` Do without: --operation ${role}=none`;
  if (outside !== null) throw unreadable(`The body of ${operation.name}`, outside, without);
  if (body !== null) return body;
  if (bodiesOf(reading, operation).length === 0) {
    const hint = `Ask for a description or a collection that shows it, or name another one: --operation "${role}=POST /path".${without}`;
    throw new SrqError(
      'operation.unusable',
      `The document does not show what the body of ${operation.name} holds.`,
      hint,
    );
  }
  throw new SrqError(
    'operation.unusable',
    `${operation.name} takes no body that srq can write.`,
    `srq writes forms, JSON and multipart/form-data. Name another operation: --operation "${role}=POST /path".${without}`,
  );
}

/**
 * Returns the schema of the body. If the document does not say what is required, as in a collection, the schema would
 * refuse nothing, and the result is null.
 */
function bodySchema({ described }: DocumentReading, body: OperationBody, notebook: Findings): Json {
  if (!described.provesRequired) return null;
  const schema = validationSchema(body.schema);
  if (schema === null)
    notebook.note(`${body.where} is too large for the sandbox to check against; it checks the parameters alone`);
  return schema;
}

/** Notes the usual fields of rows that a described body lacks. They are not sent. */
function noteUnsentFields(
  { name }: OpenApiOperation,
  parameters: readonly PlacedParameter[],
  { described }: DocumentReading,
  notebook: Findings,
): void {
  const known = knownFields(parameters.map(({ parameter }) => parameter.field));
  const withoutPlace = [...KNOWN_FIELDS].filter((field) => !known.has(field));
  if (!described.provesRequired || withoutPlace.length === 0 || withoutPlace.length === KNOWN_FIELDS.size) return;
  notebook.note(`${name} has no place for ${withoutPlace.join(', ')}, which no request holds then.`);
}

function findEncoding(role: string, body: OperationBody, notebook: Findings): void {
  const others = body.otherTypes.length > 0 ? `preferred to ${body.otherTypes.join(', ')}` : 'the only one offered';
  notebook.add(`${role}.encoding`, `${body.encoding} (${body.contentType})`, body.where, 'certain', others);
}

/** Adds values to a category that has none of its own, from an operation that lists the categories. */
function withCategories(reading: DocumentReading, placed: PlacedParameter, notebook: Findings): PlacedParameter {
  const { parameter } = placed;
  if (parameter.field !== 'category' || parameter.values !== null) return placed;
  const isInteger = parameter.type === 'integer';
  const list = listedCategories(reading, isInteger);
  if (list === null) return isInteger && placed.named ? asGuess(placed, placed.named) : placed;
  const told = list.values.map(({ value, label }) => (label === null ? value : `${value} (${label})`)).join(', ');
  // Create and validate would add the same finding.
  if (!notebook.findings.some(({ setting }) => setting === 'category.values')) {
    notebook.add('category.values', told, list.where, 'likely', `listed by ${list.operation}`);
  }
  return { ...placed, parameter: { ...parameter, values: list.values } };
}

function asGuess(placed: PlacedParameter, named: NamedField): PlacedParameter {
  const why = 'the document does not say which number stands for which category';
  return { ...placed, named: { ...named, confidence: 'weak', why } };
}

/** Marks a field as a guess if the document allows none of the values that srq would write into it. */
function withFit(placed: PlacedParameter, notebook: Findings): PlacedParameter {
  const { parameter, named } = placed;
  const unfit = named === undefined ? null : unfitForMarkets(parameter);
  if (named === undefined || unfit === null) return placed;
  const why = `none of srq's ${unfit} is as the document demands`;
  notebook.note(`${parameter.path.join('.')}: ${why}, so no request with a ${parameter.field} would be sent.`);
  return { ...placed, named: { ...named, confidence: 'weak', why } };
}

function findParameter({ parameter, named, where }: PlacedParameter, notebook: Findings): void {
  const certain: Pick<ContractFinding, 'confidence' | 'why'> = {
    confidence: 'certain',
    why: 'travels under its own name',
  };
  const { confidence, why } = named ?? certain;
  notebook.add(parameter.field, described(parameter), where, confidence, why);
}

function lengthText({ minLength, maxLength }: Parameter): string[] {
  if (minLength === null) return maxLength === null ? [] : [`at most ${maxLength} characters`];
  return [maxLength === null ? `at least ${minLength} characters` : `${minLength} to ${maxLength} characters`];
}

function described(parameter: Parameter): string {
  return [
    parameter.path.join('.'),
    ...(parameter.in === 'body' ? [] : [`in the ${parameter.in}`]),
    ...(parameter.required ? ['required'] : []),
    ...(parameter.type === 'string' ? [] : [parameter.type]),
    ...(parameter.isList ? ['as a list'] : []),
    ...(parameter.audioForm === null ? [] : [parameter.audioForm]),
    ...lengthText(parameter),
    ...(parameter.constant === null
      ? []
      : [`always ${redactedValue(parameter.path.at(-1) ?? '', parameter.constant)}`]),
    ...(parameter.values === null || parameter.constant !== null
      ? []
      : [`one of ${parameter.values.map(({ value, label }) => (label ? `${value} (${label})` : value)).join(', ')}`]),
  ].join(', ');
}

/** The values that srq writes into these fields, for all markets. */
const WRITTEN: Readonly<Record<string, { readonly what: string; readonly texts: () => readonly string[] }>> = {
  country: { what: 'markets', texts: () => MARKETS.map(({ code }) => code) },
  lang: { what: 'languages', texts: () => MARKETS.flatMap(({ languages }) => languages) },
  phone: { what: 'numbers (+351912345678)', texts: () => MARKETS.map((each) => exampleMobile(each).international) },
};

/**
 * Returns what srq would write into a parameter whose description allows none of it, or null if there is no problem.
 */
function unfitForMarkets(parameter: Parameter): string | null {
  const { field, values, pattern, minLength, maxLength, constant, type } = parameter;
  const isFree = values === null && pattern === null && minLength === null && maxLength === null && type === 'string';
  const written = Object.hasOwn(WRITTEN, field) ? WRITTEN[field] : undefined;
  if (written === undefined || isFree || constant !== null) return null;
  const fits = (text: string): boolean => {
    const wire = wireValue(parameter, text);
    return wire !== null && boundProblem(parameter, wire) === null;
  };
  return written.texts().some(fits) ? null : written.what;
}

/**
 * Notes parameters of examples that no request fills. A collection does not tell whether the service requires them, but
 * a person may know.
 */
function noteUnfilled(
  { name, parameters: beside }: OpenApiOperation,
  known: readonly PlacedParameter[],
  notebook: Findings,
): void {
  const inBody = known.filter(({ parameter, named }) => named === undefined && parameter.constant === null);
  const names = [
    ...inBody.map(({ parameter }) => parameter.path.at(-1) ?? ''),
    ...beside
      .filter(({ value }) => /^(?:header|query)$/.test(textOf(memberOf(value, 'in'))))
      .map(({ value }) => textOf(memberOf(value, 'name')))
      .filter((each) => !IDEMPOTENCY_HEADER.test(each) && !known.some(({ parameter }) => parameter.path[0] === each)),
  ];
  const [first] = names;
  if (first === undefined) return;
  notebook.note(
    `The examples of ${name} also hold ${names.join(', ')}. A collection does not say what is required. ` +
      `What the service always demands is given so: --set ${first}=VALUE; what each row gives needs no more than a column.`,
  );
}

/** The categories that another operation lists. */
interface CategoryList {
  readonly values: readonly AllowedValue[];
  readonly where: string;
  /** Name of the operation: `GET /categories`. */
  readonly operation: string;
}

const CATEGORY_WORDS = /^(?:categ\w*|services?|professions?|trades?)$/;
const VALUE_NAMES = ['id', 'code', 'key', 'slug', 'value', 'category_id', 'categoryId'];
const LABEL_NAMES = ['name', 'label', 'title', 'description', 'text'];
const MAX_TRIED = 20;
/** Maximum number of categories. More would make each message about a wrong one useless, and the contract large. */
const MAX_VALUES = 5000;

/**
 * Returns the list in the examples, or else in an `enum`, of an operation that reads categories. Returns null if there
 * is none.
 */
function listedCategories(reading: DocumentReading, isInteger: boolean): CategoryList | null {
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
  for (const { value, pointer } of contentOf(references, response)) {
    const { schema } = schemas.expand(value['schema'], `${pointer}/schema`);
    const several = Object.values(objectOf(value['examples'])).map((each) => references.follow(each, pointer).value);
    const shown = several.map(exampleValue);
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

/**
 * Reads a list of scalars, or a list of objects with a value and a label. The list may be nested one level deep
 * (`data`).
 */
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
