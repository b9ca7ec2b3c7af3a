import { type Contract, type Operation, type Question, withRequestOperations } from '../request/contract.ts';
import { isSecretName, redactedValue, SECRET } from '../request/names.ts';
import { answerFor } from './learn/given-constants.ts';

/**
 * Returns the contract as it may be shown, with `<secret>` in place of the values that the partner gave under names of
 * secrets.
 */
export function withoutSecretValues(contract: Contract): Contract {
  return withConstants(contract, redactedValue);
}

/** Tells whether the contract contains a secret that the partner gave. */
export function holdsSecrets(contract: Contract): boolean {
  let found = false;
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
  const filled = withConstants(contract, (name, value) => {
    if (value !== SECRET) return value;
    if (Object.hasOwn(given, name)) return given[name] ?? null;
    missing.add(name);
    return null;
  });
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
