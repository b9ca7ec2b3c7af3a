import type { JsonObject } from './described.ts';
import { isObject, listOf, objectOf, scalarOf } from './json-parts.ts';
import { answersOf, type PostmanAnswer } from './postman-answers.ts';
import { type Authorization, authorizationOf } from './postman-auth.ts';
import { type Body, bodyOf } from './postman-body.ts';
import { type Pair, type PostmanEntry, pairsOf } from './postman-format.ts';
import { type Address, addressOf } from './postman-url.ts';
import type { Variables } from './postman-variables.ts';

/** Headers that the connection or the client tool sets by itself, or that are said elsewhere. */
const OWN_HEADERS = new Set(
  (
    'content-type content-length accept accept-encoding authorization user-agent host connection cache-control cookie ' +
    'postman-token'
  ).split(' '),
);

/** One request of the collection, read. */
export interface ReadRequest {
  readonly entry: PostmanEntry;
  readonly method: string;
  readonly address: Address;
  readonly authorization: Authorization;
  readonly parameters: readonly (Pair & { readonly in: 'header' | 'query' | 'path' })[];
  /** A text: why it cannot be read. */
  readonly body: Body | string | null;
  readonly answers: readonly PostmanAnswer[];
}

export function readRequest(entry: PostmanEntry, variables: Variables): ReadRequest {
  const where = `${entry.where}/request`;
  const given = entry.item['request'];
  const request: JsonObject = isObject(given) ? given : { url: given ?? '' };
  const address = addressOf(request['url'], `${where}/url`, variables);
  const headers = pairsOf(request['header'], `${where}/header`);
  const named = headers.filter(({ name }) => !OWN_HEADERS.has(name.toLowerCase()));
  const inPath = address.pathParameters.map((name) => ({
    ...{ name, value: null, isDisabled: false, description: '', type: '', in: 'path' as const },
    where: `${where}/url`,
  }));
  return {
    entry,
    method: (scalarOf(request['method']) ?? 'GET').toLowerCase(),
    address,
    authorization: authorizationOf(entry, headers, variables),
    parameters: [
      ...named.map((each) => ({ ...each, in: 'header' as const })),
      ...address.query.map((each) => ({ ...each, in: 'query' as const })),
      ...inPath,
    ],
    body: bodyOf(request, where, variables) ?? savedBody(entry, variables),
    answers: answersOf(entry.item, entry.where),
  };
}

/** Some collections show the body in the saved answers alone: the one that was taken. */
function savedBody({ item, where }: PostmanEntry, variables: Variables): Body | null {
  const saved = listOf(item['response']);
  for (const [index, each] of saved.entries()) {
    const answer = objectOf(each);
    if (!/^2\d\d$/.test(scalarOf(answer['code']) ?? '')) continue;
    const body = bodyOf(objectOf(answer['originalRequest']), `${where}/response/${index}/originalRequest`, variables);
    if (body !== null && typeof body !== 'string') return body;
  }
  return null;
}
