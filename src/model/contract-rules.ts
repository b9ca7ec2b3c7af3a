import { meaningOf } from './allowed-values.ts';
import type { Alternative, Operation, Parameter } from './contract.ts';
import { describedOperation } from './described-operation.ts';
import { memoize } from './once-per.ts';

/** Length of the longest text that is held against a pattern; longer ones are left to the service. */
export const MAX_FOR_PATTERN = 10_000;

/** No number that a service takes is longer, and reading one takes the square of its length. */
const MAX_NUMBER = 400;

interface ParameterRules {
  /** See {@link wireValue}. */
  readonly wire: (text: string) => string | null;
  readonly pattern: RegExp | null;
}

/** Rows come by the ten thousand: what depends on the parameter alone is made once. */
const rulesOf = memoize(({ field, values, type, pattern }: Parameter): ParameterRules => {
  const meaning = values && meaningOf(field, values);
  const typed = (text: string) => typedText(type, text);
  return {
    wire: meaning ? (text) => meaning(text.trim()) ?? meaning(typed(text) ?? '') : typed,
    pattern: pattern === null ? null : compiled(pattern),
  };
});

/**
 * The text that goes on the wire for what a person wrote: an allowed value by its value, its label or another name of it;
 * an integer digit by digit, without exponent; `true` or `false`. Null: the service's description does not allow it.
 */
export function wireValue(parameter: Parameter, text: string): string | null {
  return rulesOf(parameter).wire(text);
}

/** A constant that the document itself fixes: a request's own value does not count. */
export function isFixed({ constant, values }: Parameter): boolean {
  return constant !== null && values?.length === 1;
}

function typedText(type: Parameter['type'], text: string): string | null {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return BOOLEANS.get(text.trim().toLowerCase()) ?? null;
    case 'integer':
    case 'number':
      return numberText(type, text.trim());
  }
}

const BOOLEANS = new Map([
  ...['true', 'yes', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', '0'].map((word) => [word, 'false'] as const),
]);

/** As JSON writes it: no plus, no leading zeros; `12.0`, as spreadsheets save it, is an integer. */
function numberText(type: 'integer' | 'number', text: string): string | null {
  if (text.length > MAX_NUMBER) return null;
  const [, minus = '', whole = '', fraction = ''] = /^([+-]?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return null;
  const decimals = fraction.replace(/0+$/, '');
  if (type === 'integer' && decimals !== '') return null;
  const digits = decimals === '' ? whole : `${whole}.${decimals}`;
  return minus === '-' && digits !== '0' ? `-${digits}` : digits;
}

/** What is wrong with a value on the wire, as the end of a sentence that names its field; null if nothing is. */
export function boundProblem(parameter: Parameter, wire: string): string | null {
  const { values, type, minLength, maxLength, minimum, maximum } = parameter;
  if (values !== null) return null;
  if (type === 'integer' || type === 'number') {
    if (minimum !== null && Number(wire) < minimum) return `is less than ${minimum}, the least that is allowed`;
    if (maximum !== null && Number(wire) > maximum) return `is more than ${maximum}, the most that is allowed`;
    return null;
  }
  // A code point is one or two units of a text's length: most texts need no counting.
  if (maxLength !== null && wire.length > maxLength && codePoints(wire) > maxLength)
    return `has ${codePoints(wire)} characters; at most ${maxLength} are allowed`;
  if (minLength !== null && wire.length < 2 * minLength && codePoints(wire) < minLength)
    return `has ${codePoints(wire)} characters; at least ${minLength} are needed`;
  const { pattern } = rulesOf(parameter);
  if (!pattern || wire.length > MAX_FOR_PATTERN) return null;
  return pattern.test(wire) ? null : `is not of the form ${pattern.source}`;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function compiled(pattern: string): RegExp | null {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Patterns of other dialects may be none here, or only without u: the service judges itself then.
    }
  }
  return null;
}

/** The ways to meet what is not met; fields by srq's names. */
export type Unmet = readonly (readonly string[])[];

/** What an operation demands and a request does not give. `has`: whether it gives a field. */
export function unmetRequirements(operation: Operation, has: (field: string) => boolean): Unmet[] {
  const gives = orConstant(operation, has);
  const parameters = operation.parameters ?? [];
  const isBegun = (parent: readonly string[]) =>
    parameters.some(({ in: place, path, field }) => place === 'body' && isWithin(path, parent) && gives(field));
  const absent = parameters.filter(
    ({ required, requiredWithin, field }) =>
      !gives(field) && (required || (requiredWithin !== null && isBegun(requiredWithin))),
  );
  const filled = new Set(
    absent.length === 0 ? [] : chosenAlternatives(operation, has).flatMap(({ constants }) => constants.map(pathName)),
  );
  const missing = absent.filter((each) => !filled.has(pathName(each)));
  const open = operation.choices.filter((choice) => !choice.some((each) => isMet(each, gives)));
  return [...missing.map(({ field }) => [[field]]), ...open.map((choice) => choice.map(({ fields }) => fields))];
}

/** The first alternative of each choice that a request meets. */
export function chosenAlternatives(operation: Operation, has: (field: string) => boolean): Alternative[] {
  const gives = orConstant(operation, has);
  return operation.choices.flatMap((choice) => choice.find((each) => isMet(each, gives)) ?? []);
}

/** What is always the same needs no request to give it. */
function orConstant(operation: Operation, has: (field: string) => boolean): (field: string) => boolean {
  const { constants } = describedOperation(operation);
  return constants.size === 0 ? has : (field) => has(field) || constants.has(field);
}

const isWithin = (path: readonly string[], parent: readonly string[]): boolean =>
  path.length > parent.length && parent.every((name, index) => name === path[index]);
const isMet = ({ fields }: Alternative, has: (field: string) => boolean): boolean => fields.every(has);
const pathName = ({ path }: { readonly path: readonly string[] }): string => JSON.stringify(path);

/** Length of the text in which a recording travels; of its bytes if they go as they are. */
export function audioLength({ audioForm }: Parameter, sizeBytes: number, mediaType: string | null): number {
  if (audioForm === 'binary') return sizeBytes;
  return (audioForm === 'data-url' ? dataUrlPrefix(mediaType).length : 0) + 4 * Math.ceil(sizeBytes / 3);
}

export function dataUrlPrefix(mediaType: string | null): string {
  return `data:${mediaType ?? 'application/octet-stream'};base64,`;
}
