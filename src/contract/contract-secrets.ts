import { type Contract, type Operation, ownKey, type Question, withRequestOperations } from '../request/contract.ts';
import { isSecretName, redactedValue, SECRET } from '../request/names.ts';
import { answerFor } from './learn/given-constants.ts';

/**
 * Returns the contract in a form that may be shown. `<secret>` replaces the values that the partner gave under names of
 * secrets.
 */
export function withoutSecretValues(contract: Contract): Contract {
  const { auth } = contract;
  const shown = withConstants(contract, redactedValue);
  return auth?.kind === 'apiKey' && auth.value !== null ? { ...shown, auth: { ...auth, value: SECRET } } : shown;
}

/** Tells whether the contract contains a secret that the partner gave. */
export function holdsSecrets(contract: Contract): boolean {
  let found = ownKey(contract) !== null;
  withConstants(contract, (name, value) => {
    found ||= isSecretName(name);
    return value;
  });
  return found;
}

/** Restores the secrets of a contract that was shown, from the given values. The missing ones become questions. */
export function withGivenSecrets(
  contract: Contract,
  given: Readonly<Record<string, string>>,
): { readonly contract: Contract; readonly questions: readonly Question[] } {
  const missing = new Set<string>();
  const restored = (name: string, value: string | null): string | null => {
    if (value !== SECRET) return value;
    if (Object.hasOwn(given, name)) return given[name] ?? null;
    missing.add(name);
    return null;
  };
  const { auth, ...rest } = withConstants(contract, restored);
  const key = auth?.kind === 'apiKey' ? { ...auth, value: restored(auth.name, auth.value) } : auth;
  const filled = key === undefined ? rest : { ...rest, auth: key };
  const questions = [...missing].map((name) => ({
    name: `constant:${name}`,
    text: `The contract was written down without the secret "${name}". What is it?`,
    answer: answerFor(name),
  }));
  return { contract: filled, questions };
}

function withConstants(contract: Contract, change: (name: string, value: string) => string | null): Contract {
  const { token } = contract;
  const changed = (parameters: Operation['parameters']) =>
    parameters?.map((each) =>
      each.constant === null ? each : { ...each, constant: change(each.path.at(-1) ?? '', each.constant) },
    ) ?? null;
  const extra = Object.entries(token.extra).flatMap(([name, value]) => {
    const now = change(name, value);
    return now === null ? [] : [[name, now] as const];
  });
  const requests = withRequestOperations(contract, ({ parameters }) => ({ parameters: changed(parameters) }));
  return { ...requests, token: { ...token, extra: Object.fromEntries(extra) } };
}
