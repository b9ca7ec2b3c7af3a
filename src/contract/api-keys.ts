import type { Json } from '../model/contract.ts';
import type { JsonObject } from './described.ts';
import { isObject, listOf, memberOf, objectOf, pointerTo, textOf } from './json-parts.ts';
import type { Placed, References } from './references.ts';

/**
 * The keys that an operation demands beside its token, as parameters: a description names them under `security` alone.
 * Each entry of `security` is one way to be let in; srq's is one with a token, and among those the one with the fewest keys.
 */
export function apiKeyParameters(document: JsonObject, operation: JsonObject, references: References): Placed[] {
  const schemes = objectOf(objectOf(document['components'])['securitySchemes']);
  const ways = listOf(operation['security'] ?? document['security']).map((way) =>
    Object.keys(objectOf(way)).map((name) =>
      references.follow(memberOf(schemes, name), pointerTo('/components/securitySchemes', name)),
    ),
  );
  const [keys] = ways
    .filter((way) => way.some(isToken))
    .map((way) => way.filter(isKey))
    .sort((a, b) => a.length - b.length);
  return (keys ?? []).map((scheme) => {
    const said = objectOf(scheme.value);
    const description = textOf(said['description']) || 'a key beside the token';
    return { ...scheme, value: { ...said, description, required: true } };
  });
}

const typeOf = ({ value }: Placed): string => textOf(memberOf(value, 'type'));

const isToken = (scheme: Placed): boolean =>
  /^(?:oauth2|openIdConnect)$/.test(typeOf(scheme)) || /^bearer$/i.test(textOf(memberOf(scheme.value, 'scheme')));

const isKey = (scheme: Placed): boolean =>
  typeOf(scheme) === 'apiKey' && /^(?:header|query)$/.test(textOf(memberOf(scheme.value, 'in')));

/** Whether two parameters are the same one, said twice. */
export function isSameParameter(one: Json, other: Json): boolean {
  const nameOf = (value: Json): string => textOf(memberOf(value, 'name')).toLowerCase();
  return isObject(one) && isObject(other) && one['in'] === other['in'] && nameOf(one) === nameOf(other);
}
