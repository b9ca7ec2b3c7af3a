import type { Call, Contract, Json } from '../request/contract/contract.ts';
import { readPlace } from '../request/contract/place.ts';
import { isSecretName, SECRET, secretTexts } from '../request/words/names.ts';

/** Tells whether a contract holds a secret that the partner gave. */
export const holdsSecrets = (contract: Contract): boolean =>
  JSON.stringify(withoutSecretValues(contract)) !== JSON.stringify(contract);

/** Returns the contract as it may be shown. `<secret>` stands for the values under names of secrets. */
export function withoutSecretValues(contract: Contract): Contract {
  const { create, validate, token, auth } = contract;
  const key = auth?.kind === 'apiKey' && auth.value !== null ? { auth: { ...auth, value: SECRET } } : {};
  const extra = Object.entries(token.extra).map(([name, value]) => [name, isSecretName(name) ? SECRET : value]);
  return {
    ...contract,
    create: { ...create, ...shown(create) },
    validate: validate && { ...validate, ...shown(validate) },
    token: { ...token, extra: Object.fromEntries(extra) },
    ...key,
  };
}

function shown({ always, when }: Call): Pick<Call, 'always' | 'when'> {
  const values = (given: Call['always']) =>
    Object.fromEntries(
      Object.entries(given).map(([place, value]): [string, Json] => [place, isSecret(place, value) ? SECRET : value]),
    );
  return {
    always: values(always),
    when: Object.fromEntries(Object.entries(when).map(([field, given]) => [field, values(given)])),
  };
}

function isSecret(place: string, value: Json): boolean {
  const name = readPlace(place).path.at(-1) ?? '';
  return isSecretName(name) || secretTexts(name, value).length > 0;
}
