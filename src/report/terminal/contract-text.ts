import { type Contract, isElsewhere, tokenAddress } from '../../request/contract/contract.ts';
import { type Paint, printable } from '../output.ts';

/** What was learned of an API description, for a person to agree to. */
interface Shown {
  readonly contract: Contract;
  readonly questions: readonly { readonly text: string; readonly answer: string; readonly unanswered?: string }[];
  readonly notes: readonly string[];
  /** The page, or null while it is not known which operations are meant. */
  readonly page: string | null;
  /** Where the secret goes, or null while that is not known. */
  readonly secret: string | null;
}

export function proposalText({ contract, questions, notes, page, secret }: Shown, paint: Paint): string {
  const [name, kind] = [contractName(contract), printable(contract.source?.kind ?? '')];
  // The heading above says what the page's own says, in two lines and an empty one.
  const lines = (page ?? '').trimEnd().split('\n').slice(3);
  const isAside = (line: string) => line.trimStart().startsWith('#');
  return [
    `${paint.bold('Learned from')} ${name}, ${kind}`,
    ...(page === null ? [] : lines.map((line) => `  ${isAside(line) ? paint.dim(printable(line)) : printable(line)}`)),
    ...notes.map((note) => `${paint.yellow('!')} ${printable(note)}`),
    ...(questions.length > 0 ? [paint.bold('Questions that only you can answer')] : []),
    ...questions.flatMap(({ text, answer, unanswered }) => [
      `  ${printable(text)}${unanswered === undefined ? '' : ` Without an answer: ${unanswered}.`}`,
      `    ${paint.dim(printable(answer))}`,
    ]),
    ...(secret === null ? [] : [secret]),
  ].join('\n');
}

/** Returns the name of a contract for people, such as `Lead intake (api.yaml)`. */
export function contractName({ source }: Contract): string {
  return source ? printable(`${source.title} (${source.file})`) : 'the public API';
}

/** Returns a sentence on where the secret is sent. `baseUrl` is that of the profile, or null if it is not known yet. */
export function secretAddressText(contract: Contract, baseUrl: string | null): string {
  const { token } = contract;
  const isKnown = baseUrl !== null || isElsewhere(token);
  const below = token.origin === 'service' ? 'at the host of the base URL' : 'below the base URL';
  const address = isKnown ? tokenAddress(contract, baseUrl ?? '') : `${token.path} ${below}`;
  const other = isElsewhere(token) ? ' The client secret is sent there, to another host than the service.' : '';
  return printable(`Tokens come from ${address}.${other}`);
}
