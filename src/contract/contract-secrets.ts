import { SrqError } from '../request/words/errors.ts';
import { isSecretName, redactedValue, SECRET, secretTexts } from '../request/words/names.ts';
import { answerFor } from './learn/given-constants.ts';
import {
  type Alternative,
  type Contract,
  type Json,
  type Operation,
  ownKey,
  type Question,
  withRequestOperations,
} from './version-1/contract.ts';

/**
 * Returns the contract in a form that may be shown. `<secret>` replaces the values that the partner gave under names of
 * secrets.
 */
export function withoutSecretValues(contract: Contract): Contract {
  const { auth } = contract;
  const shown = withConstants(contract, redactedValue, (name, value) => (isSecretJson(name, value) ? SECRET : value));
  return auth?.kind === 'apiKey' && auth.value !== null ? { ...shown, auth: { ...auth, value: SECRET } } : shown;
}

/** Tells whether the contract contains a secret that the partner gave. */
export function holdsSecrets(contract: Contract): boolean {
  let found = ownKey(contract) !== null;
  const seen =
    <Value>(isSecret: (name: string, value: Value) => boolean) =>
    (name: string, value: Value): Value => {
      found ||= isSecret(name, value);
      return value;
    };
  withConstants(contract, seen(isSecretName), seen(isSecretJson));
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
  const restoredJson = (name: string, value: Json): Json =>
    value === SECRET ? jsonOf(name, restored(name, value)) : value;
  const { auth, ...rest } = withConstants(contract, restored, restoredJson);
  const key = auth?.kind === 'apiKey' ? { ...auth, value: restored(auth.name, auth.value) } : auth;
  const filled = key === undefined ? rest : { ...rest, auth: key };
  const questions = [...missing].map((name) => ({
    name: `constant:${name}`,
    text: `The contract was written down without the secret "${name}". What is it?`,
    answer: answerFor(name),
  }));
  return { contract: filled, questions };
}

/** Tells whether an object or a list holds a secret. A single value in its place is the document's own. */
const isSecretJson = (name: string, value: Json): boolean =>
  typeof value === 'object' && secretTexts(name, value).length > 0;

/** Throws `SrqError('input')`, without repeating the text, if it is not JSON. */
function jsonOf(name: string, text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    const message = `"${name}" is not a single value, and what was given for it is not JSON.`;
    throw new SrqError('parameter.not-allowed', message, `Give it as JSON: ${answerFor(name)}`);
  }
}

/** Changes the constants of a contract: the texts of parameters, and the JSON of objects and lists. */
function withConstants(
  contract: Contract,
  change: (name: string, value: string) => string | null,
  changeJson: (name: string, value: Json) => Json,
): Contract {
  const { token } = contract;
  const changed = (parameters: Operation['parameters']) =>
    parameters?.map((each) =>
      each.constant === null ? each : { ...each, constant: change(each.path.at(-1) ?? '', each.constant) },
    ) ?? null;
  const extra = Object.entries(token.extra).flatMap(([name, value]) => {
    const now = change(name, value);
    return now === null ? [] : [[name, now] as const];
  });
  const chosen = ({ fields, constants }: Alternative): Alternative => ({
    fields,
    constants: constants.map(({ path, value }) => ({ path, value: changeJson(path.at(-1) ?? '', value) })),
  });
  const requests = withRequestOperations(contract, ({ parameters, choices }) => ({
    parameters: changed(parameters),
    choices: choices.map((choice) => choice.map(chosen)),
  }));
  return { ...requests, token: { ...token, extra: Object.fromEntries(extra) } };
}
