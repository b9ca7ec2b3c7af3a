import { listOf, memberOf, objectOf, pointerTo, textOf } from '../documents/json-parts.ts';
import type { Placed } from '../documents/references.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';

export interface SecurityScheme {
  readonly name: string;
  /** The kind of scheme. `other` means that srq does not support it. */
  readonly kind: 'clientCredentials' | 'bearer' | 'basic' | 'apiKey' | 'other';
  /** The name for people: `an API key in the header X-Api-Key`. */
  readonly words: string;
  readonly placed: Placed;
}

/** A combination of schemes, all of which a call must satisfy. An empty one lets everybody in. */
export type SecurityWay = readonly SecurityScheme[];

/** The combinations of schemes that an operation accepts. A call needs to satisfy only one of them. */
export interface SecurityWays {
  readonly ways: readonly SecurityWay[];
  /** Whether the document states them for the operation. Otherwise it only lists schemes. */
  readonly isStated: boolean;
}

/**
 * Returns the combinations of schemes that an operation accepts, or those of the service if the operation is not known.
 */
export function securityWays(reading: DocumentReading, operation: OpenApiOperation | null): SecurityWays {
  const { document } = reading.described;
  // Some tools write an empty list for the whole document although it has schemes. Such a list says nothing.
  const general = listOf(document['security']);
  const said = operation?.value['security'] ?? (general.length > 0 ? general : undefined);
  if (said === undefined) return { ways: allSchemes(reading).map((scheme) => [scheme]), isStated: false };
  const ways = listOf(said).map((way) => withoutCertificate(Object.keys(objectOf(way)).map(schemeIn(reading))));
  return { ways, isStated: true };
}

export function allSchemes(reading: DocumentReading): SecurityScheme[] {
  return Object.keys(schemesOf(reading)).map(schemeIn(reading));
}

const schemesOf = ({ described }: DocumentReading) =>
  objectOf(objectOf(described.document['components'])['securitySchemes']);

/**
 * Removes client certificates from a combination. They are not part of the contract, because `srq login --cert` sets
 * them in addition to any scheme.
 */
function withoutCertificate(way: SecurityWay): SecurityWay {
  const others = way.filter(({ placed }) => memberOf(placed.value, 'type') !== 'mutualTLS');
  return others.length > 0 ? others : way;
}

const schemeIn = (reading: DocumentReading) => {
  const schemes = schemesOf(reading);
  return (name: string): SecurityScheme => {
    const pointer = pointerTo('/components/securitySchemes', name);
    const placed = reading.references.follow(memberOf(schemes, name), pointer);
    return { name, placed, ...kindOf(placed) };
  };
};

const KEY_PLACE = /^(?:header|query)$/;

function kindOf({ value }: Placed): Pick<SecurityScheme, 'kind' | 'words'> {
  const said = objectOf(value);
  const other = (words: string) => ({ kind: 'other' as const, words });
  switch (said['type']) {
    case 'http':
      return httpKind(textOf(said['scheme']));
    case 'apiKey': {
      const [place, name] = [textOf(said['in']), textOf(said['name'])];
      const words = `an API key in the ${place} ${name}`;
      return KEY_PLACE.test(place) && name !== '' ? { kind: 'apiKey', words } : other(words);
    }
    case 'oauth2': {
      const flows = Object.keys(objectOf(said['flows']));
      if (flows.includes('clientCredentials')) return { kind: 'clientCredentials', words: 'client credentials' };
      return other(
        flows.map((flow) => textOf(memberOf(FLOW_WORDS, flow)) || flow).join(' or ') || 'OAuth 2.0 without a flow',
      );
    }
    case 'openIdConnect':
      return other('OpenID Connect, by which a person signs in with a browser');
    case 'mutualTLS':
      return other('a client certificate alone');
    default:
      return other('an authorization that the document does not describe');
  }
}

function httpKind(scheme: string): Pick<SecurityScheme, 'kind' | 'words'> {
  if (/^basic$/i.test(scheme)) return { kind: 'basic', words: 'HTTP Basic' };
  if (/^bearer$/i.test(scheme)) return { kind: 'bearer', words: 'a bearer token' };
  return { kind: 'other', words: `the HTTP scheme "${scheme.slice(0, 50)}"` };
}

const FLOW_WORDS: Readonly<Record<string, string>> = {
  authorizationCode: 'an authorization code, for which a person signs in with a browser',
  implicit: 'the implicit flow, for which a person signs in with a browser',
  password: "a person's own user name and password",
  deviceAuthorization: 'a device code, which a person confirms with a browser',
};

/** The client credentials flow of a scheme, by which srq gets its tokens. */
export interface ClientCredentialsFlow {
  readonly scheme: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly pointer: string;
}

export function clientCredentialsFlows(schemes: readonly SecurityScheme[]): ClientCredentialsFlow[] {
  return schemes
    .filter(({ kind }) => kind === 'clientCredentials')
    .map(({ name, placed }) => {
      const flow = memberOf(memberOf(placed.value, 'flows'), 'clientCredentials');
      return {
        scheme: name,
        tokenUrl: textOf(memberOf(flow, 'tokenUrl')).trim(),
        scopes: Object.keys(objectOf(memberOf(flow, 'scopes'))),
        pointer: pointerTo(placed.pointer, 'flows', 'clientCredentials'),
      };
    });
}
