import type { Call, Contract } from '../request/contract/contract.ts';
import { readPlace } from '../request/contract/place.ts';
import { isSecretName, SECRET, secretTexts } from '../request/words/names.ts';

/** Tells whether a contract holds a secret that the partner gave. */
export const holdsSecrets = (contract: Contract): boolean =>
  JSON.stringify(withoutSecretValues(contract)) !== JSON.stringify(contract);

/** Returns the contract as it may be shown. `<secret>` stands for the values under names of secrets. */
export function withoutSecretValues(contract: Contract): Contract {
  const { create, validate, token } = contract;
  return {
    ...contract,
    create: { ...create, ...shownCall(create) },
    validate: validate && { ...validate, ...shownCall(validate) },
    token: { ...token, extra: shown(token.extra) },
  };
}

const shownCall = ({ always, when }: Call): Pick<Call, 'always' | 'when'> => ({
  always: shown(always),
  when: Object.fromEntries(Object.entries(when).map(([field, values]) => [field, shown(values)])),
});

/** Replaces the values at places that have the name of a secret, or whose values have members of such a name. */
function shown<Value>(values: Readonly<Record<string, Value>>): Record<string, Value | typeof SECRET> {
  const entries = Object.entries(values).map(([place, value]) => {
    const name = readPlace(place).path.at(-1) ?? '';
    return [place, isSecretName(name) || secretTexts(name, value).length > 0 ? SECRET : value] as const;
  });
  return Object.fromEntries(entries);
}
