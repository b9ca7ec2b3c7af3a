import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { memoize, pointerNames } from '../small.ts';
import { SrqError } from '../words/errors.ts';
import { type Call, encodingOf, type Judge, type Misfit } from './contract.ts';
import { isObject, type JsonObject, memberOf, objectOf } from './json.ts';
import { type PlaceParts, writePlace } from './place.ts';

export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Formats that are checked. All others are ignored. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uuid: UUID,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  // Those of the public document's own schema.
  'language code': /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i,
  'international telephone number': /^\+[0-9][0-9 ().-]{4,24}$/,
};

/** The compiled checks of a schema, made when they are first needed. */
const ofForms = memoize((schema: JsonObject) => compiled(schema, true));
const ofJson = memoize((schema: JsonObject) => compiled(schema, false));

/** Returns the judge of a call's requests. Throws `SrqError('input')` if its schema cannot be used. */
export function judgeFor(call: Pick<Call, 'schema' | 'as'>): Judge {
  const { schema } = call;
  if (!isObject(schema)) return () => [];
  return encodingOf(call) === 'json' ? ofJson(schema) : ofForms(schema);
}

function compiled(schema: JsonObject, isForm: boolean): Judge {
  const { body = true, header = true, query = true } = objectOf(schema['properties']);
  const $defs = objectOf(schema['$defs']);
  // A form has one text where the schema may want a list. Headers and query parameters are texts.
  const judgeBody = checkOf({ properties: { body }, required: ['body'], $defs }, isForm && 'array');
  const judgeOthers = checkOf({ properties: { header, query }, $defs }, true);
  return (tree) => [
    ...judgeBody({ body: tree.body }),
    ...judgeOthers({ header: { ...tree.header }, query: { ...tree.query } }),
  ];
}

function checkOf(schema: JsonObject, coerceTypes: boolean | 'array'): (tree: object) => readonly Misfit[] {
  const ajv = new Ajv2020({
    strict: false,
    code: { regExp: Object.assign(checked, { code: 'checked' }) },
    allErrors: true,
    coerceTypes,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    verbose: true,
    logger: false,
    formats: FORMATS,
  });
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    const hint = 'Correct it in the API description, then: srq contract learn FILE';
    throw new SrqError('document.bad-schema', 'The schema of the API description cannot be used.', hint, error);
  }
  // What one form of a choice refers to is among the definitions of the whole schema.
  const validatorOf = memoize((form: object) => ajv.compile({ $defs: memberOf(schema, '$defs'), ...form }));
  return (tree) => {
    if (validate(tree)) return [];
    const misfits = misfitsIn(validate.errors ?? [], [], validatorOf);
    // A problem that lists the allowed values need not name their type.
    const isListed = (place: string) =>
      misfits.some((each) => each.place === place && each.code === 'contract.not-allowed');
    return misfits.filter(
      ({ place, code }, at) =>
        misfits.findIndex((each) => each.place === place && each.code === code) === at &&
        !(code === 'contract.type' && isListed(place)),
    );
  };
}

/**
 * Returns what is wrong. The errors of the alternatives of an `anyOf` or `oneOf` stand before its own; the alternative
 * that fits best tells.
 */
function misfitsIn(
  errors: readonly ErrorObject[],
  base: readonly string[],
  validatorOf: (form: object) => ValidateFunction,
): Misfit[] {
  const found: Misfit[] = [];
  for (let at = errors.length - 1; at >= 0; at -= 1) {
    const error = errors[at] as ErrorObject;
    const path = [...base, ...pointerNames(error.instancePath)];
    const isChoice = (error.keyword === 'anyOf' || error.keyword === 'oneOf') && !error.params['passingSchemas'];
    if (!isChoice) found.unshift(misfitOf(error, path));
    else {
      const forms = (error.schema as readonly (object | boolean)[]).flatMap((form) => {
        if (typeof form === 'boolean') return [];
        const validate = validatorOf(form);
        validate(error.data);
        return [validate.errors ?? []];
      });
      at -= forms.reduce((count, each) => count + each.length, 0);
      found.unshift(...choiceOf(forms.map((each) => misfitsIn(each, path, validatorOf))));
    }
  }
  return found;
}

/** Returns what is wrong with a value that may be of several forms, each with what is wrong by it. */
function choiceOf(ways: readonly Misfit[][]): Misfit[] {
  if (ways.every((way) => way.length > 0 && way.every(({ code }) => code === 'contract.missing'))) {
    const [first, ...more] = ways.map((way) => way.map(({ place }) => place));
    if (more.length === 0) return ways[0] ?? [];
    const words = `is required unless there is ${more.map((way) => way.join(' and ')).join(', or ')}`;
    return [{ place: first?.[0] ?? '', code: 'contract.none-of', words, ways: [first ?? [], ...more] }];
  }
  // A form whose constants and types are met, and which lacks nothing but values, is the one that was meant.
  const cost = (way: readonly Misfit[]) =>
    way.reduce((sum, { code }) => sum + (code === 'contract.missing' || code === 'contract.bound' ? 1 : 10), 0);
  return [...ways].sort((a, b) => cost(a) - cost(b))[0] ?? [];
}

/** What an error of the validator says, by its keyword, and the name of the member that it is about, if that is another. */
const SAYINGS: Readonly<Record<string, (params: ErrorObject['params']) => readonly [Misfit['code'], string, string?]>> =
  {
    required: ({ missingProperty }) => ['contract.missing', 'is required', missingProperty],
    additionalProperties: ({ additionalProperty }) => ['contract.no-place', 'is no parameter', additionalProperty],
    'false schema': () => ['contract.no-place', 'is no parameter'],
    enum: ({ allowedValues }) => ['contract.not-allowed', `must be one of ${allowedValues.join(', ')}`],
    const: ({ allowedValue }) => ['contract.not-allowed', `must be ${JSON.stringify(allowedValue)}`],
    type: ({ type }) => ['contract.type', String(type)],
    oneOf: () => ['contract.bound', 'is of several forms, of which only one is allowed'],
  };

function misfitOf({ keyword, params, message = 'is wrong' }: ErrorObject, path: readonly string[]): Misfit {
  const [code, words, member] = SAYINGS[keyword]?.(params) ?? ['contract.bound', message];
  return { place: placeAt(member === undefined ? path : [...path, member]), code, words };
}

/** Writes the place of a value of the tree: its first name says where it is. */
function placeAt([where, ...path]: readonly string[]): string {
  return writePlace({ in: where === 'header' || where === 'query' ? where : 'body', path } satisfies PlaceParts);
}

/** The form of a pattern for the compiler, which distinguishes patterns by their texts. */
function checked(pattern: string) {
  const plain = plainPattern(pattern);
  return { test: (text: string): boolean => plain?.test(text) ?? true, toString: () => pattern };
}

/** Matches what stands for one sign of a text: a class, or an escaped sign. */
const ONE_SIGN = /\\[dDwWsS+.*?()[\]{}|/^$\\-]|\[\^?(?:\\.|[^\]\\[])+\]/g;
const PLAIN = /^\^(?:[^\\[\](){}|*+?^$](?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?)*\$?$/;
/** Number of ways in which the bounded repetitions of a plain pattern may share a text. */
const MAX_WAYS = 1_000;

/**
 * Returns a pattern that plainly takes little time: it begins at the start of the text, has no groups and no alternatives,
 * and at most one repetition without end. Nearly all patterns of descriptions are of this kind; others could keep a run
 * waiting for years, so that they are left to the service.
 */
function plainPattern(pattern: string): RegExp | null {
  const bare = pattern.replace(ONE_SIGN, 'x');
  if (!PLAIN.test(bare)) return null;
  const ways = [...bare.matchAll(/[*+?]|\{(\d+),(\d*)\}/g)].map(([sign, least, most]) =>
    sign === '?' ? 2 : most ? Number(most) - Number(least) + 1 : Number.POSITIVE_INFINITY,
  );
  const bounded = ways.filter(Number.isFinite);
  if (ways.length > bounded.length + 1 || bounded.reduce((all, each) => all * each, 1) > MAX_WAYS) return null;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return null;
  }
}
