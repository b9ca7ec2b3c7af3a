import type { Json } from '../../request/contract.ts';
import { isSecretName } from '../../request/names.ts';
import { type JsonObject, objectOf, pointerPart } from '../documents/json-parts.ts';
import { mergedSchemas } from './example-schema.ts';
import { responseOf } from './postman-answers.ts';
import type { Body } from './postman-body.ts';
import { descriptionOf, groupedBy } from './postman-format.ts';
import type { ReadRequest } from './postman-request.ts';
import { isUnknown, type Variables } from './postman-variables.ts';

/** Maximum number of examples of one operation. More of them teach nothing new. */
const MAX_EXAMPLES = 20;
/**
 * An operation of OpenAPI. `places` gives the place of each of its parts in the collection, by pointers that begin at
 * the operation.
 */
export interface PostmanOperation {
  readonly operation: JsonObject;
  readonly places: ReadonlyMap<string, string>;
}

/** Combines all requests with one method and path to one operation. The first request names it. */
export function describeOperation(
  requests: readonly [ReadRequest, ...ReadRequest[]],
  operationId: string,
  variables: Variables,
): PostmanOperation {
  const [{ entry, authorization }] = requests;
  const places = new Map([['', `${entry.where}/request`]]);
  const parameters = parametersOf(requests, variables, places);
  const content = contentOf(requests, places);
  const responses = responsesOf(requests, places);
  return {
    operation: {
      operationId,
      summary: entry.name,
      description: descriptionOf(objectOf(entry.item['request'])['description'] ?? entry.item['description']),
      ...(entry.folder === '' ? {} : { tags: [entry.folder] }),
      parameters,
      ...(content === null ? {} : { requestBody: { content } }),
      responses,
      security: authorization.length === 0 ? [] : [Object.fromEntries(authorization.map(({ name }) => [name, []]))],
    },
    places,
  };
}

function parametersOf(
  requests: readonly ReadRequest[],
  variables: Variables,
  places: Map<string, string>,
): JsonObject[] {
  const known = new Map<string, JsonObject>();
  for (const { parameters } of requests) {
    for (const each of parameters) {
      const name = variables.fill(each.name);
      const key = `${each.in} ${name.toLowerCase()}`;
      if (known.has(key) || isSecretName(name)) continue;
      places.set(`/parameters/${known.size}`, each.where);
      known.set(key, parameterOf(name, each, variables));
    }
  }
  return [...known.values()];
}

function parameterOf(name: string, pair: ReadRequest['parameters'][number], variables: Variables): JsonObject {
  const value = variables.fill(pair.value ?? '');
  const isMadeUp = /^\{\{\$(?:guid|randomUUID)\}\}$/.test((pair.value ?? '').trim());
  return {
    name,
    in: pair.in,
    ...(pair.in === 'path' ? { required: true } : {}),
    ...(pair.description === '' ? {} : { description: pair.description }),
    schema: {
      type: 'string',
      ...(isMadeUp ? { format: 'uuid' } : {}),
      ...(value === '' || isUnknown(value) ? {} : { example: value }),
    },
  };
}

function contentOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject | null {
  const byType = new Map<string, { schema: JsonObject; examples: Json[] }>();
  for (const { body } of requests) {
    if (body === null || typeof body === 'string') continue;
    const known = byType.get(body.mediaType);
    const examples = [...(known?.examples ?? []), ...(body.example === undefined ? [] : [body.example])];
    const schema = known === undefined ? body.schema : mergedSchemas(known.schema, body.schema);
    byType.set(body.mediaType, { schema, examples: examples.slice(0, MAX_EXAMPLES) });
    addBodyPlaces(body, places);
  }
  if (byType.size === 0) return null;
  const content = [...byType].map(([mediaType, { schema, examples }]) => {
    return [mediaType, { schema, ...(examples[0] === undefined ? {} : { example: examples[0] }) }] as const;
  });
  return Object.fromEntries(content);
}

function addBodyPlaces(body: Body, places: Map<string, string>): void {
  const media = `/requestBody/content/${pointerPart(body.mediaType)}`;
  const entries = [...body.parts].map(([name, at]) => [`${media}/schema/properties/${pointerPart(name)}`, at] as const);
  for (const [pointer, at] of [['/requestBody', body.where] as const, [media, body.where] as const, ...entries]) {
    if (!places.has(pointer)) places.set(pointer, at);
  }
}

function responsesOf(requests: readonly ReadRequest[], places: Map<string, string>): JsonObject {
  const byStatus = groupedBy(
    requests.flatMap((each) => each.answers),
    ({ status }) => String(status),
  );
  const responses = [...byStatus].map(([status, answers]) => {
    places.set(`/responses/${status}`, answers[0].where);
    return [status, responseOf(answers.slice(0, MAX_EXAMPLES))] as const;
  });
  return Object.fromEntries(responses);
}
