import type { OpenApiOperation } from './described-operation.ts';
import { memberOf, textOf } from './json-parts.ts';
import type { Notebook } from './notebook.ts';
import { IDEMPOTENCY_HEADER, type PlacedParameter } from './operation-parameters.ts';

/** What examples hold and no request carries: a collection does not say whether the service requires it, a person may. */
export function noteUnfilled(
  { name, parameters: beside }: OpenApiOperation,
  known: readonly PlacedParameter[],
  notebook: Notebook,
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
