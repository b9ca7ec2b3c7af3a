import type { Contract, Operation, Parameter } from '../../request/contract.ts';
import {
  audioLength,
  boundProblem,
  describedOperation,
  isFixedByDocument,
  type UnmetRequirement,
  unmetRequirements,
  wireValue,
} from '../../request/contract-rules.ts';
import { nearest } from '../../request/did-you-mean.ts';
import { isField } from '../../request/fields.ts';
import type { RequestOperationName } from '../../request/operations.ts';
import type { AudioFile } from '../../request/service-request.ts';
import { AUDIO_PARAMETER } from '../../request/wire.ts';
import type { FieldFinding } from './check-texts.ts';

/**
 * Maximum length of a value quoted in a message. More would show more personal data than is needed to find the cell.
 */
const SHOWN_LETTERS = 40;
const SHOWN_VALUES = 8;

/** The contents of a request that are checked against the contract. */
export interface GivenTexts {
  /** Texts by field name, as srq names the fields. */
  readonly texts: Readonly<Record<string, string>>;
  readonly hasRecording: boolean;
  /** Fields that srq has filled itself. If one is optional and not allowed, it is left out. */
  readonly filled: ReadonlySet<string>;
}

/**
 * Checks a request against the contract of the service, for all operations it is meant for. Returns the findings
 * without duplicates.
 */
export function contractFindings(
  contract: Contract,
  operations: readonly RequestOperationName[],
  given: GivenTexts,
): FieldFinding[] {
  const described = operations.filter((name) => contract[name].parameters !== null);
  if (described.length === 0) return [];
  const findings = described.flatMap((name) => operationFindings(contract, name, given));
  // A finding of both operations is reported once.
  const byText = new Map(findings.map((finding) => [`${finding.field} ${finding.message}`, finding]));
  return [...byText.values()];
}

function operationFindings(contract: Contract, name: RequestOperationName, given: GivenTexts): FieldFinding[] {
  const operation = contract[name];
  const { hasRecording, filled } = given;
  const texts = byField(operation, given.texts);
  const isRecorded = hasRecording || texts[AUDIO_PARAMETER] !== undefined;
  // Use own properties only, because a contract may have a parameter named `constructor`.
  const isGiven = (field: string) => Object.hasOwn(texts, field);
  const has = (field: string) => isGiven(field) || (isRecorded && /^audio_(?:file|type|name)$/.test(field));
  const unmet = unmetRequirements(operation, has).map(unmetFinding);
  const wrong = (operation.parameters ?? []).flatMap((parameter) => {
    const { field, required } = parameter;
    const isLeftOut = !isGiven(field) || isFixedByDocument(parameter) || (filled.has(field) && !required);
    return isLeftOut ? [] : valueFindings(parameter, texts[field] ?? '');
  });
  // Only create must have a parameter for every field. Validate gets the fields that it has parameters for.
  return [
    ...unmet,
    ...wrong,
    ...(name === 'create' ? unmappedFieldFindings(operation, { texts, filled }, isRecorded) : []),
  ];
}

/** Replaces whole parameter names, such as `utm.source`, by the names of their fields. */
function byField(operation: Operation, texts: GivenTexts['texts']): GivenTexts['texts'] {
  const { byWholeName } = describedOperation(operation);
  if (byWholeName.size === 0 || !Object.keys(texts).some((name) => byWholeName.has(name))) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [byWholeName.get(name) ?? name, text]));
}

function unmetFinding(alternatives: UnmetRequirement): FieldFinding {
  const [[field = ''] = []] = alternatives;
  const ways = alternatives.map((fields) => fields.join(' and ')).join(', or ');
  const message =
    alternatives.length === 1
      ? `There is no ${ways}; the service's description says that it is required.${sourceHint(field)}`
      : `There is none of these: ${ways}; the service's description says that one is required.`;
  return { severity: 'error', field, message };
}

/** Tells how to give a parameter that srq does not know, because no column name is recognised as such a parameter. */
function sourceHint(field: string): string {
  const isKnown = isField(field) || field.startsWith('audio_');
  return isKnown ? '' : ` In a file: --map COLUMN=${field}, or --set '${field}={Column}'.`;
}

function valueFindings(parameter: Parameter, text: string): FieldFinding[] {
  const { field } = parameter;
  if (field === 'audio_file') return [];
  const wire = wireValue(parameter, text);
  if (wire === null) return [{ severity: 'error', field, message: notAllowed(parameter, text) }];
  const problem = boundProblem(parameter, wire);
  return problem === null
    ? []
    : [{ severity: 'error', field, message: `${field} ${problem}, the service's description says.` }];
}

function notAllowed({ field, values, type }: Parameter, text: string): string {
  const shown = `${field} "${text.slice(0, SHOWN_LETTERS)}"`;
  if (values === null)
    return `${shown} is no ${type === 'boolean' ? 'true or false' : type}, as the service's description says it must be.`;
  const names = values.map(({ value, label }) => label ?? value);
  const more = names.length > SHOWN_VALUES ? `, … (${names.length} in all)` : '';
  const similar =
    nearest(text, names) ??
    nearest(
      text,
      values.map(({ value }) => value),
    );
  const hint = similar === null ? '' : ` Did you mean ${similar}?`;
  return `${shown} is none of the values that the service's description says are allowed: ${names.slice(0, SHOWN_VALUES).join(', ')}${more}.${hint}`;
}

/**
 * Finds fields for which the contract has no parameter. Fields of srq itself are left out with a warning; a parameter
 * that the user asked for by name is an error.
 */
function unmappedFieldFindings(
  operation: Operation,
  { texts, filled }: Pick<GivenTexts, 'texts' | 'filled'>,
  isRecorded: boolean,
): FieldFinding[] {
  const { others, fields: described, byWholeName } = describedOperation(operation);
  const names = [...described, ...byWholeName.keys()];
  const given = [...Object.keys(texts), ...(isRecorded ? ['audio_file'] : [])];
  const homeless = given.filter(
    (field) => !described.has(field) && !filled.has(field) && field !== AUDIO_PARAMETER && field !== 'ref',
  );
  return homeless.flatMap((field): FieldFinding[] => {
    const error = { severity: 'error', field, message: noPlaceFor(field, names) } as const;
    if (isField(field)) {
      const message = `${field} is left out: the service's description has no place for it.`;
      if (others.takesOwn) return [];
      return [field === 'audio_file' ? error : { severity: 'warning', field, message }];
    }
    const parent = field.slice(0, field.lastIndexOf('.') + 1);
    const isInside = parent !== '' && names.some((name) => name.startsWith(parent));
    return others.closed || isInside ? [error] : [];
  });
}

function noPlaceFor(field: string, described: readonly string[]): string {
  const similar = nearest(field, described);
  return `The service's description has no place for ${field}.${similar === null ? '' : ` Did you mean ${similar}?`}`;
}

/** Checks a recording against the contract by its size and media type, before it is read. */
export function audioFindings(
  contract: Contract,
  operations: readonly RequestOperationName[],
  { sizeBytes, mediaType }: Pick<AudioFile, 'sizeBytes' | 'mediaType'>,
): FieldFinding[] {
  for (const name of operations) {
    for (const parameter of contract[name].parameters ?? []) {
      const message = audioProblem(parameter, sizeBytes, mediaType);
      if (message !== null) return [{ severity: 'error', field: 'audio_file', message }];
    }
  }
  return [];
}

function audioProblem(parameter: Parameter, sizeBytes: number, mediaType: string | null): string | null {
  const { field, maxLength, values, required } = parameter;
  if (field === 'audio_file' && maxLength !== null) {
    const length = audioLength(parameter, sizeBytes, mediaType);
    if (length <= maxLength) return null;
    return `The recording is too long: ${length} characters as it is sent, where the service's description allows ${maxLength}. Shorten it, or save it in a compressed form.`;
  }
  if (field !== 'audio_type' || isFixedByDocument(parameter)) return null;
  if (mediaType === null)
    return required ? 'The recording is of no kind that srq knows, and the service must be told.' : null;
  if (wireValue(parameter, mediaType) !== null) return null;
  const allowed = (values ?? []).map(({ value }) => value).slice(0, SHOWN_VALUES);
  return `The recording is ${mediaType}; the service's description allows ${allowed.join(', ')}.`;
}
