import { isSecretName } from '../../request/words/names.ts';
import { isObject, type JsonObject, listOf, memberOf, objectOf, scalarOf } from '../documents/json-parts.ts';
import type { Json } from '../version-1/contract.ts';
import { isTooDeep, mergedSchemas, schemaOf } from './postman-body.ts';
import { groupedBy, type Pair, pairNamed, pairsOf } from './postman-format.ts';
import { withoutSecrets } from './postman-secrets.ts';
import { parsed } from './postman-variables.ts';

const MAX_ANSWER = 1 << 18;
const MAX_TEXT = 2000;
const LIMIT_HEADER = /^(?:retry-after|(?:x-)?rate-?limit.*)$/i;
/** Matches names of members that tell the meaning of an answer in one of a few words. */
const VERDICT_NAME = /^(?:.*[_-])?(?:status|state|result|verdict|outcome|decision)$/i;

/** An answer that was saved with a request. */
export interface PostmanAnswer {
  readonly name: string;
  readonly status: number;
  readonly headers: readonly Pair[];
  readonly mediaType: string;
  /** The body, or undefined if there is none or it is too large for an example. */
  readonly body: Json | undefined;
  readonly where: string;
}

/** Returns the saved answers that have a status. */
export function answersOf(item: JsonObject, where: string): PostmanAnswer[] {
  return listOf(item['response']).flatMap((each, index) => {
    const saved = objectOf(each);
    const status = Number(scalarOf(saved['code']) ?? Number.NaN);
    return Number.isInteger(status) && status >= 200 && status < 600
      ? [answerOf(saved, status, `${where}/response/${index}`)]
      : [];
  });
}

function answerOf(saved: JsonObject, status: number, where: string): PostmanAnswer {
  const headers = pairsOf(saved['header'], `${where}/header`).filter(({ name }) => !isSecretName(name));
  const said = (pairNamed(headers, 'content-type')?.value?.split(';')[0] ?? '').trim().toLowerCase();
  const text = scalarOf(saved['body']) ?? '';
  const json = text.length > MAX_ANSWER ? undefined : parsed(text);
  const isJson = json !== undefined && !isTooDeep(json) && (said === '' || /\bjson\b/.test(said));
  const mediaType = said || (isJson ? 'application/json' : 'text/plain');
  const words = text.trim() === '' || text.length > MAX_TEXT ? undefined : text;
  const name = scalarOf(saved['name']) ?? '';
  return { name, status, headers, mediaType, body: isJson ? withoutSecrets(json) : words, where };
}

/** Returns the headers of a saved answer that are about limits, in the form `Retry-After: 30`. */
export function limitsOf({ headers }: PostmanAnswer): string[] {
  return headers.filter(({ name }) => LIMIT_HEADER.test(name)).map(({ name, value }) => `${name}: ${value ?? ''}`);
}

/** Converts the answers of one status to a response of OpenAPI. */
export function responseOf(answers: readonly PostmanAnswer[]): JsonObject {
  const headers = answers.flatMap((each) => each.headers).filter(({ name }) => name.toLowerCase() !== 'content-type');
  const byType = groupedBy(answers, (each) => each.mediaType);
  const content = [...byType].flatMap(([mediaType, some]) => {
    const bodies = some.flatMap(({ body, name }) => (body === undefined ? [] : [{ body, name }]));
    return bodies.length === 0 ? [] : [[mediaType, mediaOf(bodies)] as const];
  });
  return {
    description: [...new Set(answers.map(({ name }) => name))].slice(0, 20).join('; '),
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, { schema: schemaOf(value) }])),
    content: Object.fromEntries(content),
  };
}

function mediaOf(answers: readonly { readonly name: string; readonly body: Json }[]): JsonObject {
  const schema = withWords(
    answers.map(({ body }) => schemaOf(body)).reduce(mergedSchemas),
    answers.map(({ body }) => body),
  );
  const [first] = answers;
  if (answers.length === 1 || first === undefined) return { schema, example: first?.body ?? null };
  const examples = answers.map(({ name, body }, index) => [`${index + 1} ${name}`.trim(), { value: body }] as const);
  return { schema, examples: Object.fromEntries(examples) };
}

/**
 * Adds an `enum` of the observed values if saved answers differ in a word such as `duplicate` and `new`. These are the
 * values that the service has.
 */
function withWords(schema: JsonObject, bodies: readonly Json[]): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const members = Object.entries(properties).map(([name, each]) => {
    const values = bodies.flatMap((body) => (isObject(body) ? (memberOf(body, name) ?? []) : []));
    const words = [...new Set(values)];
    const isVerdict = VERDICT_NAME.test(name) && words.length > 1 && words.every((word) => isWord(word));
    return [name, isVerdict ? { ...objectOf(each), enum: words } : withWords(objectOf(each), values)] as const;
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

const isWord = (value: Json): boolean => typeof value === 'string' && /^[a-z][a-z _-]{0,40}$/i.test(value);
