import { type Around, learn, type Proposal } from '../doors/learn.ts';

/** Properties of a body that is surely about service requests. */
export const KNOWN = Object.fromEntries(
  ['country', 'lang', 'location', 'fullname', 'phone', 'request_text'].map((name) => [name, { type: 'string' }]),
);

interface Parts {
  /** Of create's body. */
  readonly schema?: object;
  readonly create?: object;
  readonly paths?: object;
  readonly rest?: object;
  readonly around?: Around;
}

/** What is learned of a small description of which only a part is told. */
export function learnParts({
  schema = { properties: KNOWN },
  create = {},
  paths = {},
  rest = {},
  around = {},
}: Parts): Proposal {
  const post = { requestBody: { content: { 'application/json': { schema } } }, responses: {} };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Parts' },
    paths: { '/requests': { post: { ...post, ...create } }, ...paths },
    ...rest,
  };
  return learn(document, {
    ...around,
    operations: { create: 'POST /requests', validate: 'none', ...around.operations },
  });
}
