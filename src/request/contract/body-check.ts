import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { memoize, pointerNames } from '../small.ts';
import { SrqError } from '../words/errors.ts';
import { mustBeOneOf } from './codes.ts';
import { type Call, encodingOf, type Json, type Judge, type Misfit } from './contract.ts';
import { isObject, type JsonObject, memberOf, objectOf } from './json.ts';
import { type PlaceParts, writePlace } from './place.ts';
import { type FoundPlace, placesIn } from './places.ts';

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
  return (tree) => {
    if (validate(tree)) return [];
    const errors = validate.errors ?? [];
    const told = errors.filter(isOnIn(placesOf(schema), tree as Json));
    return misfitsIn(told.length > 0 ? told : errors);
  };
}

const placesOf = memoize((schema: object) => placesIn(schema as JsonObject));

/** Leaves out what only those forms of a choice find wrong that a word of the request rules out. */
function isOnIn(all: readonly FoundPlace[], tree: Json): (error: ErrorObject) => boolean {
  const valueAt = ({ in: where, path }: FoundPlace) => [where, ...path].reduce<Json | undefined>(memberOf, tree);
  const telling = all.filter((each) => each.fixed.size > 1 && [...each.fixed.values()].includes(valueAt(each) ?? null));
  const off = telling.flatMap((each) => [...each.fixed].filter(([, value]) => value !== valueAt(each)));
  if (off.length === 0) return () => true;
  return (error) => {
    const { place, words } = misfitOf(error);
    const isOff = (branch: string) => off.some(([each]) => branch.startsWith(each)) !== (words === NO_PLACE);
    const here = all.filter((each) => `${writePlace(each)}.`.startsWith(`${place}.`));
    const isOn = (each: FoundPlace) =>
      telling.includes(each) ? writePlace(each) !== place : each.branches.length === 0 || !each.branches.every(isOff);
    return here.length === 0 || here.some(isOn);
  };
}

/** Returns what is wrong, once for each place. The errors of the forms of a choice stand before its own, and are joined. */
function misfitsIn(errors: readonly ErrorObject[]): Misfit[] {
  let found: { readonly error: ErrorObject; readonly misfit: Misfit }[] = [];
  for (const error of errors) {
    const isChoice = /^(?:any|one)Of$/.test(error.keyword) && !error.params['passingSchemas'];
    const ways = isChoice ? found.filter((each) => isOfChoice(each.error, error)) : [];
    found = found.filter((each) => !ways.includes(each));
    found.push({ error, misfit: choiceOf(ways.map(({ misfit }) => misfit)) ?? misfitOf(error) });
  }
  return [...new Map(found.map(({ misfit }) => [misfit.place, misfit])).values()];
}

const refers = memoize((forms: object) => JSON.stringify(forms).includes('"$ref"'));

/** Tells whether an error is of a form of a choice. What a form refers to is among the definitions. */
function isOfChoice({ instancePath, schemaPath }: ErrorObject, choice: ErrorObject): boolean {
  const isWithin = `${instancePath}/`.startsWith(`${choice.instancePath}/`);
  const isReferred = schemaPath.startsWith('#/$defs/') && refers(choice.schema as object);
  return isWithin && (isReferred || schemaPath.startsWith(`${choice.schemaPath}/`));
}

/** Joins what is wrong by each form of a value, or returns null if nothing is. Nobody gives a null on purpose. */
function choiceOf(all: readonly Misfit[]): Misfit | null {
  const ways = all.filter(({ words }) => words !== 'must be null');
  const [first] = ways;
  if (first === undefined) return null;
  if (ways.every(({ code }) => code === 'contract.missing')) {
    const others = [...new Set(ways.map(({ place }) => place))].slice(1);
    const unless = others.length === 0 ? '' : ` unless there is ${others.join(' or ')}`;
    return { ...first, words: `is required${unless}`, others };
  }
  const told = ways.map(({ place, words }) => (place === first.place ? words : `${place} ${words}`));
  return { place: first.place, code: 'contract.bound', words: [...new Set(told)].join(' or ') };
}

const NO_PLACE = 'has no place';
/** What is said of some keywords in place of the validator's words. */
const SAYINGS: Readonly<Record<string, (params: ErrorObject['params']) => string>> = {
  type: ({ type }) => `must be ${type === 'boolean' ? 'true or false' : type}`,
  pattern: ({ pattern }) => `must have the form ${pattern}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  enum: ({ allowedValues }) => mustBeOneOf(allowedValues),
  oneOf: () => 'may have only one of several forms',
};

function misfitOf({ keyword, params, instancePath, message = 'is wrong' }: ErrorObject): Misfit {
  const { missingProperty: missing, additionalProperty: additional } = params;
  const place = placeAt([...pointerNames(instancePath), missing ?? additional ?? []].flat());
  if (missing !== undefined) return { place, code: 'contract.missing', words: 'is required' };
  const isUnknown = additional !== undefined || keyword === 'false schema';
  const words = isUnknown ? NO_PLACE : (SAYINGS[keyword]?.(params) ?? message.replace('NOT', 'not'));
  return { place, code: 'contract.bound', words };
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
