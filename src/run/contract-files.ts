import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { choiceQuestion } from '../contract/given.ts';
import type { Proposal, Said } from '../contract/propose.ts';
import type { SourceFile } from '../contract/read-document.ts';
import { openPartnerFile, unreadable } from '../input/partner-file.ts';
import { printable } from '../report/output.ts';
import { type Contract, isElsewhere } from '../request/contract/contract.ts';
import { OPERATION_NAMES } from '../request/contract/operations.ts';
import { writePlace } from '../request/contract/place.ts';
import { SrqError } from '../request/words/errors.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** Returns the operations that a person named. */
export function saidOperations(said: readonly (readonly [string, string])[]): Said['operations'] {
  const unknown = said.find(([name]) => !OPERATION_NAMES.some((each) => each === name));
  if (unknown === undefined) return Object.fromEntries(said);
  const hint = "Name one of these: --operation create='POST /path', validate=…, token=…";
  throw new SrqError('operation.unknown', `"${printable(unknown[0])}" is not an operation of the service.`, hint);
}

/** Reads the one file from which a contract is learned, the environment of a Postman collection, and no other. */
export async function readSource(paths: readonly string[], environment?: string) {
  const [path, ...others] = paths;
  if (path === undefined) {
    const example = 'For example: srq contract learn api.yaml';
    throw new SrqError('arguments.missing', 'Which API description? None was given.', example);
  }
  if (others.length > 0) {
    throw new SrqError(
      'arguments.invalid',
      `${paths.length} files were given, and an API description is learned from one.`,
      'If you have both a collection and an OpenAPI file, take the OpenAPI file. To put several files of one API description into one: npx @redocly/cli bundle openapi.yaml -o api.json',
    );
  }
  return {
    file: await readBounded(path),
    environment: environment === undefined ? null : await readBounded(environment),
  };
}

/** Proposes a contract from an API description, or from the page of one (`srq contract show`) that a person has edited. */
export async function proposalFrom(
  { file, environment }: Awaited<ReturnType<typeof readSource>>,
  said: Said,
  known: Contract,
  { baseUrl, nowMs }: { readonly baseUrl: string | null; readonly nowMs: number },
): Promise<Proposal> {
  const { parseFile, readDocument } = await import('../contract/read-document.ts');
  const { isPage, readPage } = await import('../contract/read-page.ts');
  const learnedAt = new Date(nowMs).toISOString();
  if (!isPage(parseFile(file))) {
    const { proposeContract } = await import('../contract/propose.ts');
    return proposeContract(readDocument(file, environment), { said, baseUrl, learnedAt });
  }
  const { contract, missing } = readPage(file.bytes.toString(), file.name, known, said.values);
  const { token } = contract;
  const elsewhere = isElsewhere(token) ? token.origin + token.path : null;
  if (Object.entries(said.operations).some(([name, place]) => name !== 'token' || place !== elsewhere)) {
    throw new SrqError(
      'flags.contradict',
      `${file.name} already names the operations, so --operation is not needed.`,
      'Change them in that file, then: srq contract learn FILE',
    );
  }
  const source = contract.source ?? { file: file.name, title: 'API description', kind: 'page', learnedAt };
  // Whoever wrote the page must not decide alone where the secret goes.
  const agreed = [known.token.origin, baseUrl === null ? undefined : new URL(baseUrl).origin];
  const isNew = elsewhere !== null && !agreed.includes(token.origin) && said.operations.token === undefined;
  const where = isNew ? [[elsewhere, `${elsewhere} for a token, at another host than the service`] as const] : [];
  const asked = where.map((each) =>
    choiceQuestion('token', 'Where does your client secret go?', [each], TOKEN_ADDRESS),
  );
  const secrets = missing.map((name) => ({
    name: `constant:${name}`,
    text: `The page was written without the secret "${name}". What is it?`,
    answer: `--set ${name}=@FILE`,
  }));
  const questions = [...asked, ...secrets];
  const { lackingIn } = await import('../contract/missing.ts');
  const { open, others } = lackingIn(contract.create);
  const lacking = [...open.map(writePlace), ...others].join(', ');
  const isUnchecked = contract.create.schema === null && (contract.source === null || known.create.schema !== null);
  const notes = [
    ...(lacking === '' ? [] : [`The schema demands more, and without it rows are refused: ${lacking}`]),
    ...(isUnchecked ? [UNCHECKED] : []),
  ];
  return { contract: { ...contract, source }, questions, notes };
}

/** The address is not in the answer: who copies it unread would send the secret there. */
const TOKEN_ADDRESS = 'token=ADDRESS';

const UNCHECKED =
  'srq cannot check the rows, because neither the page nor this profile has a schema for this call. Learn the API description first, and then the page.';

async function readBounded(path: string): Promise<SourceFile> {
  const { sizeBytes } = await openPartnerFile(path);
  if (sizeBytes > MAX_BYTES) {
    const hint = 'Name the OpenAPI file or the collection that you were given: srq contract learn FILE';
    throw new SrqError('file.unreadable', `${path} cannot be read (it is larger than 10 MB).`, hint);
  }
  const bytes = await readFile(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  return { name: basename(path), bytes };
}
