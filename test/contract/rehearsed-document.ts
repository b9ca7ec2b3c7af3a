import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LearnContractOptions, learnContract } from '../../src/contract/learn.ts';
import type { Contract, Proposal, Question } from '../../src/contract/version-1/contract.ts';
import { boundProblem, wireValue } from '../../src/contract/version-1/contract-rules.ts';
import type { OperationName } from '../../src/request/contract/operations.ts';
import { exampleMobile } from '../../src/request/lead/example-phone.ts';
import { MARKETS, type Market } from '../../src/request/lead/markets.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { isSecretName } from '../../src/request/words/names.ts';
import { isSame, type Judgement } from './judged-document.ts';
import { learnOptions } from './learn-options.ts';

/** What a rehearsal needs of the world: srq as a command, and a sandbox that follows the document. */
export interface Stage {
  /** A folder of its own for this document. */
  readonly folder: string;
  readonly run: (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<Ended>;
  /** Opens `srq sandbox --contract FILE --operation …`. */
  readonly openSandbox: (file: string, operations: Operations) => Promise<OpenSandbox>;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface OpenSandbox {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void> | void;
}

type Operations = LearnContractOptions['operations'];

/**
 * What came of a document that was learned, rehearsed in a sandbox that follows it, and had a file sent there. `created`:
 * all rows. `said`: all rows, once a person had said that a success means that the request was taken, because
 * the document shows nothing in it that proves so. `unserved`: as was expected, srq says that it cannot. `failed`: anything else.
 */
export interface Rehearsal {
  readonly name: string;
  readonly outcome: 'created' | 'said' | 'unserved' | 'failed';
  readonly why: string | null;
}

interface Answers {
  readonly operations: Operations;
  readonly constants: Readonly<Record<string, string>>;
  /** What `srq bulk --set` gives for parameters that differ from row to row. */
  readonly perRow: Readonly<Record<string, string>>;
}

const ROWS = 3;
const MAX_ROUNDS = 12;

/** Learns a document as a person would who has read it, and sends a file to a sandbox that follows the document. */
export async function rehearse(
  file: string,
  bytes: Buffer,
  judgement: Judgement,
  { folder, run, openSandbox }: Stage,
): Promise<Rehearsal> {
  const { name, unserved } = judgement;
  mkdirSync(folder, { recursive: true });
  const document = join(folder, file);
  writeFileSync(document, bytes);
  const answered = answersTo({ name: file, bytes }, judgement);
  if (answered instanceof SrqError) {
    return { name, outcome: unserved === undefined ? 'failed' : 'unserved', why: unserved ?? answered.message };
  }
  const { answers, contract } = answered;
  const sandbox = await openSandbox(document, answers.operations);
  const { baseUrl, clientId, clientSecret } = sandbox;
  const env = {
    ...{ HOME: folder, SRQ_CONFIG_DIR: join(folder, 'config'), SRQ_STATE_DIR: join(folder, 'state') },
    ...{ SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret },
  };
  try {
    const learned = await run(['contract', 'learn', document, ...flagsOf(answers, folder), '--yes'], env);
    if (learned.code !== 0) return { name, outcome: 'failed', why: learned.stderr };
    const leads = join(folder, 'leads.csv');
    writeFileSync(leads, leadsFor(contract));
    const perRow = Object.entries(answers.perRow).flatMap(([parameter, value]) => ['--set', `${parameter}=${value}`]);
    const bulk = ['bulk', leads, '--rate', 'max', '--yes', '--json', '--map', 'category=category', ...perRow];
    const first = await run(bulk, env);
    if (summaryOf(first)?.['created'] === ROWS) return { name, outcome: 'created', why: null };
    const why = outcomeOf(first, join(folder, 'leads.results.csv'));
    if (unserved !== undefined && summaryOf(first)?.['invalid'] === ROWS)
      return { name, outcome: 'unserved', why: unserved };
    // The run stops at answers that prove nothing; a person looks the row up, and says what such an answer means.
    const isUnproven = summaryOf(first)?.['unknown'] === 1 && /nothing shows yet what that means/.test(why);
    if (!isUnproven || contract.create.identifiers.length > 0) return { name, outcome: 'failed', why };
    await run(['contract', 'learn', '--taken-by', 'status'], env);
    await run(['resolve', '--all', '--created'], env);
    const second = await run(bulk, env);
    const isAll = summaryOf(second)?.['created'] === ROWS - 1 && summaryOf(second)?.['repeated'] === 1;
    return { name, outcome: isAll ? 'said' : 'failed', why: isAll ? null : outcomeOf(second, '') };
  } finally {
    await sandbox.close();
  }
}

function summaryOf({ stdout }: Ended): Record<string, unknown> | null {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

/** Returns what came of the rows, and why. */
function outcomeOf(bulk: Ended, results: string): string {
  const { created, invalid, rejected, failed, unknown } = summaryOf(bulk) ?? {};
  const counts = JSON.stringify({ created, invalid, rejected, failed, unknown });
  const rows = existsSync(results) ? readFileSync(results, 'utf8').split('\n').slice(1, 2).join() : '';
  const findings = bulk.stderr.split('\n').filter((line) => /✗|error|Error/.test(line));
  return `bulk: ${counts} ${rows} ${findings.join(' ')} ${summaryOf(bulk) === null || bulk.code === 2 ? bulk.stdout + bulk.stderr : ''}`;
}

/** Answers the questions of a document one after the other, until the contract can be used. */
function answersTo(
  document: { readonly name: string; readonly bytes: Buffer },
  judgement: Judgement,
): { readonly answers: Answers; readonly contract: Contract } | SrqError {
  const operations: Operations = judgement.validate === null ? { validate: 'none' } : {};
  // Which place takes a field is said at once, whatever is asked.
  const places = Object.entries(judgement.answers ?? {}).filter(([, answer]) => isInBraces(answer));
  let answers: Answers = { operations, constants: Object.fromEntries(places), perRow: {} };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const proposal = proposed(document, answers);
    if (proposal instanceof SrqError) {
      // The create that srq would take cannot be read: a person names another one.
      if (answers.operations.create !== undefined || judgement.create[0] === undefined) return proposal;
      answers = { ...answers, operations: { ...operations, create: judgement.create[0] } };
      continue;
    }
    const open = proposal.questions.filter(({ unanswered }) => unanswered === undefined);
    if (open.length === 0) return { answers, contract: proposal.contract };
    // What is asked of the body is that of the create which is known.
    const roles = open.filter(({ name }) => name.startsWith('operation:'));
    for (const question of roles.length > 0 ? roles : open) answers = withAnswer(answers, question, judgement);
  }
  return new SrqError('srq.fault', 'The questions do not end.');
}

function proposed(
  document: { readonly name: string; readonly bytes: Buffer },
  { operations, constants }: Answers,
): Proposal | SrqError {
  try {
    return learnContract([document], learnOptions({ operations, constants, baseUrl: 'http://127.0.0.1:1' }));
  } catch (error) {
    if (error instanceof SrqError) return error;
    throw error;
  }
}

function withAnswer(answers: Answers, question: Question, judgement: Judgement): Answers {
  const [kind, ...rest] = question.name.split(':');
  const about = rest.join(':');
  if (kind === 'operation') {
    const operations = { ...answers.operations, [about]: operationFor(about as OperationName, question, judgement) };
    return { ...answers, operations };
  }
  const value =
    judgement.answers?.[about] ??
    fieldFor(about, judgement) ??
    question.example ??
    (isSecretName(about) ? 'invented-key' : 'text');
  const isOfRow = question.answer.endsWith('=') && !isInBraces(value);
  return {
    ...answers,
    constants: { ...answers.constants, [about]: isOfRow ? '' : value },
    perRow: isOfRow ? { ...answers.perRow, [about]: value } : answers.perRow,
  };
}

const isInBraces = (answer: string): boolean => /^\{\w+\}$/.test(answer);

/** Returns the field that belongs into the place of a question, as the judgement says, in braces. */
function fieldFor(about: string, { fields }: Judgement): string | null {
  const plain = (place: string) => place.replace(/\[\]|\.0(?=\.|$)/g, '');
  const [, field] = Object.entries(fields).find(([place]) => plain(place) === plain(about)) ?? [];
  const [first] = [field ?? []].flat();
  return first === undefined ? null : `{${first}}`;
}

function operationFor(role: OperationName, { choices = [] }: Question, judgement: Judgement): string {
  if (role === 'create') {
    const { create, answers } = judgement;
    return answers?.['create'] ?? choices.find((each) => create.some((one) => isSame(one, each))) ?? create[0] ?? '';
  }
  return role === 'token' ? (judgement.answers?.['token'] ?? judgement.token ?? 'none') : 'none';
}

function flagsOf({ operations, constants }: Answers, folder: string): string[] {
  return [
    ...Object.entries(operations).flatMap(([role, name]) => ['--operation', `${role}=${name}`]),
    ...Object.entries(constants).flatMap(([name, value], index) => {
      if (!isSecretName(name)) return ['--set', `${name}=${value}`];
      const key = join(folder, `key-${index}`);
      writeFileSync(key, `${value}\n`);
      return ['--set', `${name}=@${key}`];
    }),
  ];
}

/** Three leads of invented people, of a market and with a category that the service knows. */
function leadsFor({ create }: Contract): string {
  const wanted = new Map((create.parameters ?? []).map((each) => [each.field, each]));
  const isTaken = (field: string, text: string): boolean => {
    const parameter = wanted.get(field);
    if (parameter === undefined || parameter.constant !== null) return true;
    const wire = wireValue(parameter, text);
    return wire !== null && boundProblem(parameter, wire) === null;
  };
  const fits = ({ code, postalCode }: Market) =>
    isTaken('country', code) && isTaken('postal_code', postalCode?.[0] ?? '');
  const market = MARKETS.find(fits) ?? MARKETS.find(({ code }) => isTaken('country', code)) ?? PORTUGAL;
  const lang = market.languages.find((each) => isTaken('lang', each)) ?? market.languages[0] ?? 'pt';
  const place = `${market.postalCode?.[0] ?? ''} ${market.town}`.trim();
  const category = wanted.get('category')?.values?.[0];
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    ref: `L-${row}`,
    country: market.code,
    lang,
    ...(wanted.has('street')
      ? { street: 'Rua de Exemplo 1', postal_code: market.postalCode?.[0] ?? '', city: market.town }
      : { location: place }),
    fullname: 'Ana Exemplo',
    email: `ana${row}@example.com`,
    phone: exampleMobile(market).international,
    request_text: `Pintar a sala ${row}`,
    category: category?.value ?? (wanted.get('category')?.type === 'integer' ? '1' : 'plumbing'),
    ...(wanted.has('region') && { region: market.town }),
  }));
  const lines = rows.map((row) =>
    Object.values(row)
      .map((text) => `"${text.replaceAll('"', '""')}"`)
      .join(),
  );
  return [Object.keys(rows[0] ?? {}).join(), ...lines, ''].join('\n');
}

const [PORTUGAL] = MARKETS as readonly [Market];
