import type { Alternative, Json, Operation, Parameter } from '../model/contract.ts';

interface Node {
  readonly properties: Record<string, Node | Json>;
  readonly required: Set<string>;
}

/** The schema of what goes in one place (body, head, query), made of its parameters and the choices between them. */
export function parametersSchema(parameters: readonly Parameter[], choices: Operation['choices']): Json {
  const root = newNode();
  for (const parameter of parameters) plant(root, parameter.path, leafSchema(parameter), parameter.required);
  return {
    ...nodeSchema(root),
    allOf: choices.map((group) => ({ anyOf: group.map((alternative) => alternativeSchema(alternative, parameters)) })),
  };
}

function leafSchema(parameter: Parameter): Json {
  const { type, values, isList, required } = parameter;
  const { minLength, maxLength, minimum, maximum, pattern } = parameter;
  const known = Object.entries({ minLength, maxLength, minimum, maximum, pattern }).filter(
    ([, bound]) => bound !== null,
  );
  const single = {
    type,
    ...Object.fromEntries(known),
    ...(values && { enum: values.map(({ value }) => typedValue(value, type)) }),
  };
  return isList ? { type: 'array', items: single, minItems: required ? 1 : 0 } : single;
}

function typedValue(text: string, type: Parameter['type']): Json {
  if (type === 'string') return text;
  return type === 'boolean' ? text === 'true' : Number(text);
}

function alternativeSchema({ fields, constants }: Alternative, parameters: readonly Parameter[]): Json {
  const root = newNode();
  for (const { field, path } of parameters) if (fields.includes(field)) plant(root, path, {}, true);
  for (const { path, value } of constants) plant(root, path, { const: value }, true);
  return nodeSchema(root);
}

const newNode = (): Node => ({ properties: {}, required: new Set() });
const isNode = (value: Node | Json | undefined): value is Node =>
  typeof value === 'object' && value !== null && 'required' in value && value.required instanceof Set;

function plant(root: Node, path: readonly string[], schema: Json, required: boolean): void {
  let node = root;
  for (const name of path.slice(0, -1)) {
    const there = node.properties[name];
    const next = isNode(there) ? there : newNode();
    node.properties[name] = next;
    if (required) node.required.add(name);
    node = next;
  }
  const last = path.at(-1) ?? '';
  node.properties[last] = schema;
  if (required) node.required.add(last);
}

function nodeSchema({ properties, required }: Node): { readonly [keyword: string]: Json } {
  const members = Object.entries(properties).map(
    ([name, value]) => [name, isNode(value) ? nodeSchema(value) : value] as const,
  );
  return { type: 'object', properties: Object.fromEntries(members), required: [...required] };
}
