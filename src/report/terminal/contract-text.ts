import { type Contract, isElsewhere, tokenAddress } from '../../request/contract/contract.ts';
import { printable } from '../output.ts';

/** Returns the name of a contract for people, such as `Lead intake (api.yaml)`. */
export function contractName({ source }: Contract): string {
  return source ? printable(`${source.title} (${source.file})`) : 'what the public document says';
}

/**
 * Returns a sentence on where and how the secret is sent. `baseUrl` is that of the profile, or null if it is not known
 * yet.
 */
export function secretAddressText(contract: Contract, baseUrl: string | null): string {
  const { auth = { kind: 'bearer' }, token } = contract;
  if (auth.kind !== 'bearer') {
    const place = auth.kind === 'basic' ? 'as HTTP Basic, with the client id' : `in ${placeText(auth)}`;
    const what = auth.kind === 'basic' ? 'client secret' : 'key';
    return printable(
      `The ${what} goes with each request to ${baseUrl ?? 'the base URL'}, ${place}. No token is asked for.`,
    );
  }
  const isKnown = baseUrl !== null || isElsewhere(token);
  const below = token.origin === 'service' ? 'at the host of the base URL' : 'below the base URL';
  const address = isKnown ? tokenAddress(contract, baseUrl ?? '') : `${token.path} ${below}`;
  const other = isElsewhere(token) ? ', another host than that of the service,' : '';
  return printable(`The client secret goes to ${address}${other} for a token.`);
}

/** Returns the place of a key: `the header X-Api-Key`. */
export const placeText = ({ in: place, name }: { readonly in: string; readonly name: string }): string =>
  `the ${place === 'query' ? 'query parameter' : 'header'} ${name}`;
