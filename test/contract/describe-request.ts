import { learnContract } from '../../src/contract/learn.ts';
import type { Contract, Parameter, Proposal } from '../../src/contract/version-1/contract.ts';
import { learnOptions } from './learn-options.ts';

type Options = Parameters<typeof learnOptions>[0];

/** Properties of a body that is surely about service requests. */
export const KNOWN = Object.fromEntries(
  ['country', 'lang', 'location', 'fullname', 'phone', 'request_text'].map((name) => [name, { type: 'string' }]),
);

interface Parts {
  /** Of create's body. */
  readonly schema?: object;
  readonly create?: object;
  readonly createAnswers?: object;
  readonly validateAnswers?: object;
  readonly paths?: object;
  readonly rest?: object;
  readonly options?: Options;
}

/** What is learned from a small description of which only a part is told. */
export function learnParts(parts: Parts): Proposal {
  const { schema = { properties: KNOWN }, create = {}, createAnswers = {}, validateAnswers = {}, paths = {} } = parts;
  const operation = (body: object, responses: object) => ({
    requestBody: { content: { 'application/json': { schema: body } } },
    responses,
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Parts' },
    paths: {
      '/requests': { post: { ...operation(schema, createAnswers), ...create } },
      '/requests/validate': { post: operation({ properties: KNOWN }, validateAnswers) },
      ...paths,
    },
    ...parts.rest,
  };
  return learnContract(
    [{ name: 'api.json', bytes: Buffer.from(JSON.stringify(document)) }],
    learnOptions(parts.options),
  );
}

interface Branch {
  readonly members: Map<string, Branch>;
  isRequired: boolean;
}

/** The schema of a body with texts at these places. An element of a list is called `0`, and `!` marks what is required. */
function schemaOf({ members }: Branch): object {
  if (members.size === 0) return { type: 'string' };
  const element = members.get('0');
  if (element !== undefined) return { type: 'array', items: schemaOf(element) };
  const required = [...members].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return { properties: Object.fromEntries([...members].map(([name, each]) => [name, schemaOf(each)])), required };
}

/** What is learned of a create whose body has texts at these places: `customer.name`, `phones.0.number!`. */
export function learnLeads(paths: readonly string[], options: Options = {}): Proposal {
  const root: Branch = { members: new Map(), isRequired: false };
  for (const path of paths) {
    let branch = root;
    for (const name of path.replace('!', '').split('.')) {
      const next: Branch = branch.members.get(name) ?? { members: new Map(), isRequired: false };
      branch.members.set(name, next);
      branch = next;
    }
    branch.isRequired = path.endsWith('!');
  }
  const operations = { create: 'POST /requests', validate: 'none' };
  return learnParts({ schema: schemaOf(root), options: { operations, ...options } });
}

export function parameterOf({ contract }: { readonly contract: Contract }, field: string): Parameter | undefined {
  return contract.create.parameters?.find((each) => each.field === field);
}

/** An answer with a JSON body of these properties. */
export const answer = (properties: object, description = 'An answer') => ({
  description,
  content: { 'application/json': { schema: { type: 'object', properties } } },
});
