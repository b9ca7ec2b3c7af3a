import type { Json, Parameter } from '../model/contract.ts';
import { boundProblem, wireValue } from '../model/contract-rules.ts';
import { SrqError } from '../model/errors.ts';

/**
 * What goes on the wire for a value that a person gave. Throws `SrqError('input')` for one that the document does not
 * allow; the value, which may be a key, is not repeated.
 */
export function constantValue(parameter: Parameter, format: string, text: string): string {
  const name = parameter.path.join('.');
  refusePlaceholder(name, text, `If each row gives it: srq contract learn FILE --set ${name}=`);
  const wire = wireValue(parameter, text);
  if (wire === null) throw notAllowed(name, `is not ${allowedText(parameter)}`);
  const problem = boundProblem(parameter, wire) ?? formatProblem(format, wire);
  if (problem !== null) throw notAllowed(name, problem);
  return wire;
}

/** The same for a list, given as JSON. Null: it is no list. */
export function constantList(parameter: Parameter, format: string, text: string): Json | null {
  if (!text.trim().startsWith('[')) return null;
  const name = parameter.path.join('.');
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw notAllowed(name, 'begins like a list, and is not JSON');
  }
  return (Array.isArray(given) ? given : [given]).map((each) => {
    if (typeof each === 'object') throw notAllowed(name, 'is not a list of single values');
    const wire = constantValue(parameter, format, String(each));
    return parameter.type === 'string' ? wire : (JSON.parse(wire) as Json);
  });
}

/** Throws `SrqError('input')` for a value that names a column: it would be sent as it stands. */
export function refusePlaceholder(name: string, text: string, hint: string): void {
  const [placeholder] = /\{[^{}":,]+\}/.exec(text) ?? [];
  if (placeholder === undefined) return;
  const message = `The value of "${name}" is the same in every request: "${placeholder}" would be sent as it stands.`;
  throw new SrqError('input', message, hint);
}

function allowedText({ values, type }: Parameter): string {
  if (values === null) return type === 'boolean' ? 'true or false' : `of type ${type}`;
  const names = values.slice(0, 8).map(({ value }) => value);
  return `one of ${names.join(', ')}${values.length > names.length ? ', …' : ''}`;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

function formatProblem(format: string, wire: string): string | null {
  const form = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return form === undefined || form.test(wire) ? null : `is not of the format ${format}`;
}

function notAllowed(name: string, problem: string): SrqError {
  return new SrqError(
    'input',
    `The value given for "${name}" ${problem}, as the document demands.`,
    `Give one that fits: --set ${name}=VALUE`,
  );
}
