import type { Contract, Parameter } from '../model/contract.ts';
import { FIELDS } from '../model/fields.ts';

/** What the user calls the parameter that an error names: srq's field, with the column it came from; null: unknown. */
export type ParameterNames = (named: string) => string | null;

/** Where an error may say that a parameter is, before its own place: FastAPI, JSON pointers. */
const CARRIERS = /^(?:body|query|headers?|params?|request|#)$/i;

/**
 * Reads names as services write them in errors: `requestText`, `data.attributes.phone`, `data[phone]`,
 * `/data/attributes/phone`, `#/phone`, `body.phone`. The whole path counts before its last part. `columnOf`: the user's own
 * name of a field.
 */
export function parameterNames(
  { create, validate }: Pick<Contract, 'create' | 'validate'>,
  columnOf: (field: string) => string | null,
): ParameterNames {
  const parameters = [...(create.parameters ?? []), ...(validate.parameters ?? [])];
  const byPath = new Map<string, string>();
  const byName = new Map<string, string>(FIELDS.map((field) => [folded(field), field]));
  for (const { path, field } of [...parameters].reverse()) {
    byPath.set(path.map(folded).join('.'), field);
    byName.set(folded(path.at(-1) ?? ''), field);
  }
  return (named) => {
    const parts = partsOf(named);
    const field = byPath.get(parts.join('.')) ?? byName.get(parts.at(-1) ?? '');
    if (field === undefined) return null;
    const column = columnOf(field);
    return column === null ? field : `${field} (column "${column}")`;
  };
}

function partsOf(named: string): string[] {
  const parts = named.split(/[./[\]]+/).filter((part) => part !== '' && !/^\d+$/.test(part));
  const from = parts.findIndex((part) => !CARRIERS.test(part));
  return parts.slice(Math.max(from, 0)).map(folded);
}

/** `requestText` and `request_text` are one name. */
function folded(name: Parameter['field']): string {
  return name.toLowerCase().replace(/[^\p{L}\d]+/gu, '');
}
