import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DescriptionFolder } from '../../contract/documents/parse-document.ts';
import {
  type Contract,
  type Json,
  type Operation,
  type Parameter,
  type Proposal,
  withRequestOperations,
} from '../../contract/version-1/contract.ts';
import { isContractLike, readContract } from '../../contract/version-1/contract-schema.ts';
import { printable } from '../../report/output.ts';
import { OPERATION_NAMES, type OperationName, REQUEST_OPERATION_NAMES } from '../../request/contract/operations.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';

/** A file that describes the service's interface. */
interface DocumentFile {
  /** The file name without its folder. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The folder to which the file's references may lead, if a person named one. */
  readonly folder?: DescriptionFolder;
}

/** The user's answers to what the documents leave open. */
export interface Answers {
  readonly constants: Readonly<Record<string, string>>;
  readonly operations: Readonly<Partial<Record<OperationName, string>>>;
}

/** Returns the operations that a person named. Throws `SrqError('usage')` for a name that no operation has. */
export function saidOperations(said: readonly (readonly [string, string])[]): Answers['operations'] {
  const unknown = said.find(([name]) => !OPERATION_NAMES.some((each) => each === name));
  if (unknown === undefined) return Object.fromEntries(said);
  const hint = "Name one of these: --operation create='POST /path', validate=…, token=…";
  throw new SrqError('operation.unknown', `"${printable(unknown[0])}" is not an operation of the service.`, hint);
}

/** The documents from which a contract is learned. */
export interface DocumentSet {
  readonly documents: readonly DocumentFile[];
  /** The environment file of a client tool, such as Postman. */
  readonly environment: DocumentFile | null;
}

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Reads these files. One of the paths may be a folder, to whose files the documents in it may refer. If no file of the
 * folder is named, its only top-level description is used. No other file is read.
 *
 * Throws `SrqError('input')` for anything but regular files of at most `MAX_BYTES`.
 */
export async function readDocuments(paths: readonly string[], environment?: string): Promise<DocumentSet> {
  const { files, within } = await withFolder(paths);
  const documents: DocumentFile[] = [];
  for (const path of files) {
    const folder = within(path);
    const document = await readDocument(path);
    documents.push(folder === null ? document : { ...document, folder });
  }
  return { documents, environment: environment === undefined ? null : await readDocument(environment) };
}

interface FilesAndFolder {
  readonly files: readonly string[];
  /** Returns the folder for the references of a file if the file is within the named folder, or null. */
  readonly within: (path: string) => DescriptionFolder | null;
}

/** Splits the named paths into files and a folder, and finds the folder's document if no file of it is named. */
async function withFolder(paths: readonly string[]): Promise<FilesAndFolder> {
  const isFolder = await Promise.all(paths.map(isFolderAt));
  const [path, another] = paths.filter((_, index) => isFolder[index]);
  if (path === undefined) return { files: paths, within: () => null };
  if (another !== undefined) {
    const hint = 'Name the one that holds all files of the description: srq contract learn FILE FOLDER';
    throw new SrqError('flags.contradict', 'Several folders were named.', hint);
  }
  const { openFolder } = await import('./description-folder.ts');
  const { within, mainDocument } = openFolder(path);
  const files = paths.filter((_, index) => !isFolder[index]);
  return { files: files.some((each) => within(each) !== null) ? files : [mainDocument(), ...files], within };
}

const isFolderAt = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Proposes a contract from documents, or from a file that is a contract itself. `baseUrl` is where the contract will be
 * used, if known. Throws `SrqError` if the documents cannot be used.
 */
export async function propose(
  { documents, environment }: DocumentSet,
  answers: Answers,
  baseUrl: string | null,
  nowMs: number,
): Promise<Proposal> {
  const learnedAt = new Date(nowMs).toISOString();
  const [only] = documents;
  const parsed = documents.length === 1 && only ? await contractIn(only) : null;
  if (parsed === null || !only) {
    const { learnContract } = await import('../../contract/learn.ts');
    return learnContract(documents, { ...answers, environment, baseUrl, learnedAt });
  }
  const given = readContract(parsed, only.name, 'Write one with: srq contract show --json > contract.json');
  const { contract, questions, notes } = await givenProposal(given, answers);
  const { files = [only.name], title = 'What the public document says', kind = 'contract' } = contract.source ?? {};
  const unused = environment === null ? [] : [(await import('../../contract/learn.ts')).UNUSED_ENVIRONMENT];
  return {
    questions,
    notes: [...notes, ...unused],
    contract: { ...contract, source: { files, title, kind, learnedAt } },
  };
}

/** Parses a contract file as written by `srq contract show --json`. Returns null for any other file. */
async function contractIn({ bytes }: DocumentFile): Promise<unknown> {
  const { documentText } = await import('../../contract/documents/document-text.ts');
  try {
    const parsed: unknown = JSON.parse(documentText(bytes) ?? '');
    return isContractLike(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

async function readDocument(path: string): Promise<DocumentFile> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw unusable(path, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
    if (found.size > MAX_BYTES) throw unusable(path, 'it is larger than 10 MB');
    return { name: basename(path), bytes: await readBounded(path) };
  } catch (error) {
    throw error instanceof SrqError ? error : unusable(path, systemCode(error) || String(error), error);
  }
}

/** Reads a file up to a maximum size, even if it grows meanwhile. */
async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= MAX_BYTES; ) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(1 << 16));
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    throw unusable(path, 'it is larger than 10 MB');
  } finally {
    await file.close();
  }
}

function unusable(path: string, why: string, cause?: unknown): SrqError {
  const hint = 'Name the OpenAPI description or the collection that you were given: srq contract learn FILE';
  return new SrqError('file.unreadable', `${path} cannot be read (${why}).`, hint, cause);
}

/**
 * Proposes a contract that was given as a file, with what a person said of it. Patterns that could take very long to
 * match are removed, and missing secrets are asked for.
 *
 * Throws `SrqError('input')` if the contract cannot follow what was said.
 */
export async function givenProposal(given: Contract, answers: Answers): Promise<Proposal> {
  const notes = new Set<string>();
  const { isCheapPattern } = await import('../../contract/schema/pattern-cost.ts');
  const withCheapPattern = (parameter: Parameter): Parameter => {
    if (parameter.pattern === null || isCheapPattern(parameter.pattern)) return parameter;
    notes.add(`The pattern of ${parameter.field} is left to the service: it is no pattern, or could take for ever`);
    return { ...parameter, pattern: null };
  };
  const cheap = withRequestOperations(given, ({ parameters }) => ({
    parameters: parameters?.map(withCheapPattern) ?? null,
  }));
  const { withSaid } = await import('../../contract/said-contract.ts');
  const { withGivenSecrets } = await import('../../contract/contract-secrets.ts');
  const { contract, questions } = withGivenSecrets(withSaid(cheap, answers), answers.constants);
  const schemas = new Map<Operation, Json>();
  for (const name of REQUEST_OPERATION_NAMES) schemas.set(contract[name], await checkedSchema(contract[name]));
  return {
    contract: withRequestOperations(contract, (operation) => ({ schema: schemas.get(operation) ?? null })),
    questions,
    notes: [...notes],
  };
}

async function checkedSchema({ schema }: Operation): Promise<Json> {
  const { validationSchema } = await import('../../contract/schema/validation-schema.ts');
  return typeof schema === 'object' && schema !== null && !isList(schema) ? validationSchema(schema) : null;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
