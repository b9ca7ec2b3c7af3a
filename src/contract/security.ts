import { SrqError } from '../request/words/errors.ts';
import { type ApiOperation, bodyOf, follow, Reach } from './document.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from './json.ts';
import { type FoundPlace, placesOf } from './places.ts';
import type { ApiDescription } from './read-document.ts';

/** A security scheme, by what srq can do with it. */
export interface Scheme {
  readonly kind: 'token' | 'basic' | 'key' | 'other';
  readonly words: string;
  readonly name: string;
  readonly value: JsonObject;
}

/** Schemes that go together. */
export type Way = readonly Scheme[];

/** Returns the ways by which an operation lets callers in, or each scheme of the description if none is said. */
export function waysOf({ root, file }: ApiDescription, operation: ApiOperation | undefined): readonly Way[] {
  const schemes = objectOf(objectOf(root['components'])['securitySchemes']);
  const scheme = (name: string): Scheme => {
    const value = objectOf(follow(root, Object.hasOwn(schemes, name) ? schemes[name] : undefined, file));
    return { name, value, ...kindOfScheme(value) };
  };
  const general = listOf(root['security']);
  const said = operation?.value['security'] ?? (general.length > 0 ? general : undefined);
  if (said === undefined) return Object.keys(schemes).map((name) => [scheme(name)]);
  // A client certificate is set by srq login --cert, beside any scheme.
  return listOf(said).map((way) =>
    Object.keys(objectOf(way))
      .map(scheme)
      .filter(({ value }) => value['type'] !== 'mutualTLS'),
  );
}

/** What of a way is not a key decides, because keys may go beside it. */
export const kindOfWay = (way: Way): Scheme['kind'] => way.find(({ kind }) => kind !== 'key')?.kind ?? 'key';

function kindOfScheme(value: JsonObject): Pick<Scheme, 'kind' | 'words'> {
  const scheme = textOf(value['scheme']).toLowerCase();
  const [place, name] = [textOf(value['in']), textOf(value['name'])];
  switch (value['type']) {
    case 'http':
      if (scheme === 'basic') return { kind: 'basic', words: 'HTTP Basic' };
      if (scheme === 'bearer') return { kind: 'token', words: 'a bearer token' };
      return { kind: 'other', words: `the HTTP scheme "${scheme.slice(0, 50)}"` };
    case 'apiKey': {
      const isKey = /^(?:header|query)$/.test(place) && name !== '';
      return { kind: isKey ? 'key' : 'other', words: `a key in the ${place} ${name}` };
    }
    case 'oauth2':
      return clientFlow(value) === null
        ? { kind: 'other', words: 'OAuth 2.0 for a person with a browser' }
        : { kind: 'token', words: 'client credentials' };
    default:
      return { kind: 'other', words: 'an authorization for a person, or one that the description does not explain' };
  }
}

/** Returns what a scheme says of client credentials. */
export function clientFlow(scheme: JsonObject): JsonObject | null {
  const flow = objectOf(scheme['flows'])['clientCredentials'];
  return isObject(flow) ? flow : null;
}

/** Returns the scopes that the operations demand, or those of the flow if they name none. */
export function scopesOf(description: ApiDescription, used: readonly ApiOperation[]): Record<string, string> {
  const { name, value } = waysOf(description, used[0])
    .flat()
    .find((each) => clientFlow(each.value) !== null) ?? { name: '', value: {} };
  const offered = Object.keys(objectOf(clientFlow(value)?.['scopes']));
  const ways = used.flatMap((each) => listOf(each.value['security'] ?? description.root['security']));
  const demanded = ways.flatMap((way) => listOf(objectOf(way)[name]).map(textOf));
  const asked = offered.filter((each) => demanded.includes(each));
  const scope = (asked.length > 0 ? asked : offered).join(' ');
  return scope === '' ? {} : { scope };
}

/** Returns the places of an operation's body, or none if it cannot be read. */
export function bodyPlaces(description: ApiDescription, operation: ApiOperation): FoundPlace[] {
  try {
    const reach = new Reach(description);
    return placesOf(reach.of(bodyOf(description, operation)?.schema), reach.defs);
  } catch (error) {
    if (error instanceof SrqError) return [];
    throw error;
  }
}
