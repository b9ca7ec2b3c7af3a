import type { Operation, Parameter } from './contract.ts';
import { isField } from './fields.ts';
import { memoize } from './once-per.ts';

/** What an operation's description comes to, whatever the request. */
export interface DescribedOperation {
  /** It says which fields are required; a collection of examples cannot. */
  readonly saysRequired: boolean;
  /** The text is required even beside a recording. */
  readonly needsText: boolean;
  /** The fields that it knows, by srq's names. */
  readonly fields: ReadonlySet<string>;
  /** The fields by their whole names, `utm.source`, where those are others: a person may say these, too. */
  readonly byWholeName: ReadonlyMap<string, string>;
  /** Those of them that are always the same. */
  readonly constants: ReadonlySet<string>;
  /** Those whose length it bounds. */
  readonly bounded: ReadonlySet<string>;
  /** The one country of all requests. */
  readonly country: string | null;
  /** Where fields go that it does not know. */
  readonly others: OtherFields;
}

interface OtherFields {
  /** The place of most others, from the top of the body. */
  readonly parent: readonly string[];
  /** The description says that it takes nothing else there. */
  readonly closed: boolean;
  /** srq's own fields may be among them: the description names none, or only examples of a body are known. */
  readonly takesOwn: boolean;
}

/** Rows come by the ten thousand: it is worked out once. */
export const describedOperation = memoize(describe);

function describe(operation: Operation): DescribedOperation {
  const { choices } = operation;
  const parameters = operation.parameters ?? [];
  const fieldsWhere = (holds: (parameter: (typeof parameters)[number]) => boolean) =>
    new Set(parameters.filter(holds).map(({ field }) => field));
  return {
    saysRequired: choices.length > 0 || parameters.some(({ required, constant }) => required && constant === null),
    needsText: parameters.some(({ field, required }) => field === 'request_text' && required),
    fields: fieldsWhere(() => true),
    byWholeName: byWholeName(parameters),
    constants: fieldsWhere(({ constant }) => constant !== null),
    bounded: fieldsWhere(({ maxLength, values }) => maxLength !== null || values !== null),
    country: parameters.find(({ field }) => field === 'country')?.constant ?? null,
    others: placeOfOthers(operation),
  };
}

function byWholeName(parameters: readonly Parameter[]): ReadonlyMap<string, string> {
  const nested = parameters.filter(({ in: place, path }) => place === 'body' && path.length > 1);
  const named = nested.map(({ path, field }) => [path.join('.'), field] as const);
  return new Map(named.filter(([name]) => parameters.every(({ field }) => field !== name)));
}

function placeOfOthers({ parameters, schema }: Operation): OtherFields {
  const counts = new Map<string, number>();
  for (const { in: place, path, constant } of parameters ?? []) {
    if (place !== 'body' || constant !== null) continue;
    const parent = JSON.stringify(path.slice(0, -1));
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const parent: readonly string[] = most ? JSON.parse(most[0]) : [];
  let place: unknown = schema;
  for (const name of parent) place = member(member(place, 'properties'), name);
  const closed = member(place, 'additionalProperties') === false;
  const namesOwn = (parameters ?? []).some(({ field }) => isField(field));
  return { parent, closed, takesOwn: !closed && (schema === null || !namesOwn) };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
