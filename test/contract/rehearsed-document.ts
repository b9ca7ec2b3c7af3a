import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowedFor,
  type Contract,
  isRefusal,
  learn,
  type Proposal,
  page,
  type Question,
  unlessRefused,
  withFields,
  withLacking,
} from '../doors/learn.ts';
import { isSame, type Judgement } from './judged-document.ts';

/** What a rehearsal needs of the world: srq as a command, and a sandbox that follows the document. */
export interface Stage {
  /** A folder of its own for this document. */
  readonly folder: string;
  readonly run: (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<Ended>;
  /** Opens a sandbox that follows what is learned of the file with these operations. */
  readonly openSandbox: (file: string, operations: Strings) => Promise<OpenSandbox>;
}

type Strings = Readonly<Record<string, string>>;

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

/**
 * What came of a document that was learned, its page completed by hand, and had a file sent to a sandbox that follows it.
 * `created`: all rows. `said`: all rows, once a person had said that a success means that the request was taken, because
 * the document shows nothing in it that proves so. `unserved`: as was expected, srq says that it cannot. `failed`: anything else.
 */
export interface Rehearsal {
  readonly name: string;
  readonly outcome: 'created' | 'said' | 'unserved' | 'failed';
  readonly why: string | null;
}

const ROWS = 3;
const MAX_ROUNDS = 8;

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
  const answered = answersTo(file, bytes, judgement);
  if (typeof answered === 'string')
    return { name, outcome: unserved === undefined ? 'failed' : 'unserved', why: unserved ?? answered };
  const { operations, values, contract } = answered;
  const sandbox = await openSandbox(document, operations);
  const env = {
    ...{ HOME: folder, SRQ_CONFIG_DIR: join(folder, 'config'), SRQ_STATE_DIR: join(folder, 'state') },
    ...{ SRQ_BASE_URL: sandbox.baseUrl, SRQ_CLIENT_ID: sandbox.clientId, SRQ_CLIENT_SECRET: sandbox.clientSecret },
  };
  try {
    const learned = await run(['contract', 'learn', document, ...flagsOf(operations, values, folder), '--yes'], env);
    if (learned.code !== 0) return { name, outcome: 'failed', why: learned.stderr };
    const whole = withJudged(contract, judgement);
    if (whole !== contract) {
      writeFileSync(join(folder, 'contract.yaml'), page(whole));
      const key = join(folder, 'key');
      writeFileSync(key, 'invented-key\n');
      const learnPage = (...more: string[]) =>
        run(['contract', 'learn', join(folder, 'contract.yaml'), '--yes', ...more], env);
      const first = await learnPage();
      // The page is written without its secrets.
      const secrets = [...first.stderr.matchAll(/--set (\S+)=@FILE/g)].flatMap(([, each]) => [
        '--set',
        `${each}=@${key}`,
      ]);
      const taken = first.code === 0 ? first : await learnPage(...secrets);
      if (taken.code !== 0) return { name, outcome: 'failed', why: taken.stderr };
    }
    const leads = join(folder, 'leads.csv');
    writeFileSync(leads, leadsFor(whole));
    const bulk = ['bulk', leads, '--rate', 'max', '--yes', '--json', '--map', 'category=category'];
    const first = await run(bulk, env);
    const summary = summaryOf(first);
    if (summary?.['created'] === ROWS) return { name, outcome: 'created', why: null };
    const why = `${first.stdout} ${existsSync(join(folder, 'leads.results.csv')) ? readFileSync(join(folder, 'leads.results.csv'), 'utf8') : ''} ${first.stderr}`;
    if (unserved !== undefined && summary?.['invalid'] === ROWS) return { name, outcome: 'unserved', why: unserved };
    // The run stops at answers that prove nothing; a person looks the row up, and says what such an answer means.
    if (summary?.['unknown'] !== 1 || !/srq does not know yet what that means/.test(why))
      return { name, outcome: 'failed', why };
    await run(['contract', 'learn', '--taken-by', 'status'], env);
    await run(['resolve', '--all', '--created'], env);
    const second = summaryOf(await run(bulk, env));
    const isAll = second?.['created'] === ROWS - 1 && second['repeated'] === 1;
    return { name, outcome: isAll ? 'said' : 'failed', why: isAll ? null : why };
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

interface Answers {
  readonly operations: Strings;
  readonly values: Strings;
  readonly contract: Contract;
}

/** Answers the questions of a document one after the other, until the contract can be used. Returns a text if it cannot. */
function answersTo(name: string, bytes: Buffer, judgement: Judgement): Answers | string {
  let operations: Strings = { validate: judgement.validate ?? 'none' };
  let values: Strings = {};
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const proposal = unlessRefused(
      (): Proposal => learn(bytes, { name, operations, values, baseUrl: 'http://127.0.0.1:1' }),
    );
    if (isRefusal(proposal)) return proposal.message;
    const open = proposal.questions.filter(({ unanswered }) => unanswered === undefined);
    if (open.length === 0) return { operations, values, contract: proposal.contract };
    for (const question of open) {
      const [kind, ...rest] = question.name.split(':');
      const about = rest.join(':');
      if (kind === 'fields') values = { ...values, ...judgedFields(judgement) };
      else if (kind === 'operation') operations = { ...operations, [about]: operationFor(about, question, judgement) };
      else values = { ...values, ...valueFor(about, question, judgement) };
    }
  }
  return 'The questions do not end.';
}

function operationFor(role: string, { choices = [] }: Question, { create, token, answers }: Judgement): string {
  if (role === 'create')
    return answers?.['create'] ?? choices.find((each) => create.some((one) => isSame(one, each))) ?? create[0] ?? '';
  return answers?.['token'] ?? token ?? choices[0] ?? '';
}

function valueFor(about: string, { example }: Question, judgement: Judgement): Strings {
  const judged = judgedFields(judgement);
  // An object of which nothing is described is there once a field is in it.
  const inside = Object.entries(judged).filter(([place]) => place.startsWith(`${about}.`));
  if (inside.length > 0) return Object.fromEntries(inside);
  return { [about]: judged[about] ?? judgement.answers?.[about] ?? example ?? 'text' };
}

/** Says which fields go where, as a person does who has read the document. */
function judgedFields({ fields, answers = {} }: Judgement): Strings {
  const judged = Object.entries(fields).flatMap(([place, field]) => {
    const [first = ''] = [field].flat();
    return first === 'ref' ? [] : [[place.replaceAll('[]', '.0'), `{${first}}`] as const];
  });
  const said = Object.entries(answers).flatMap(([place, answer]) => {
    if (answer !== '{fields}') return /^\{\w+\}$/.test(answer) ? [[place, answer] as const] : [];
    return ['fullname', 'email', 'phone', 'request_text'].map((each) => [`${place}.${each}`, `{${each}}`] as const);
  });
  return Object.fromEntries([...judged, ...said]);
}

/** Adds the judged places to the page. */
function withJudged(contract: Contract, judgement: Judgement): Contract {
  const fields = Object.entries(judgedFields(judgement)).map(([place, field]) => [place, field.slice(1, -1)]);
  return withLacking(withFields(contract, Object.fromEntries(fields)));
}

function flagsOf(operations: Strings, values: Strings, folder: string): string[] {
  return [
    ...Object.entries(operations).flatMap(([role, name]) => ['--operation', `${role}=${name}`]),
    ...Object.entries(values).flatMap(([name, value], index) => {
      const key = join(folder, `value-${index}`);
      writeFileSync(key, `${value}\n`);
      return ['--set', value === '' ? `${name}=` : `${name}=@${key}`];
    }),
  ];
}

/** Three leads of invented people, of a market and with a category that the service knows. */
function leadsFor(contract: Contract): string {
  const one = (field: string, usual: string): string => {
    const allowed = allowedFor(contract, field);
    return allowed === null || allowed.includes(usual) ? usual : (allowed[0] ?? usual);
  };
  const takes = (field: string) => Object.values(contract.create.fields).includes(field);
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    ...{ ref: `L-${row}`, country: one('country', 'PT'), lang: one('lang', 'pt') },
    ...{ street: 'Rua de Exemplo 1', postal_code: '1200-109', city: 'Lisboa', region: 'Lisboa' },
    // Who has to be named whole and in parts needs columns for both.
    ...(takes('fullname') && takes('first_name') && { first_name: 'Ana', last_name: 'Exemplo' }),
    ...{ fullname: 'Ana Exemplo', email: `ana${row}@example.com`, phone: '+351912345678' },
    ...{ request_text: `Pintar a sala ${row}`, category: one('category', '1') },
  }));
  const lines = rows.map((row) =>
    Object.values(row)
      .map((text) => `"${text.replaceAll('"', '""')}"`)
      .join(),
  );
  return [Object.keys(rows[0] ?? {}).join(), ...lines, ''].join('\n');
}
