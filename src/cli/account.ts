import { type AnswerMemory, mergeAnswerMemories, NO_MEMORY } from '../request/answer-memory.ts';
import { SrqError } from '../request/errors.ts';
import type { AccountState, SharedAccountState, TokenCache } from '../request/ports.ts';
import type { Destination } from '../request/service-request.ts';
import { mergeVisibilityHistories, NO_VISIBILITY_HISTORY, type VisibilityHistory } from '../request/visibility.ts';
import { AccountPermits } from '../service/pacing/account-permits.ts';
import { AdaptiveRate, type ChosenRate } from '../service/pacing/adaptive-rate.ts';
import { OwnPermits, RateLimiter, type Refused } from '../service/pacing/rate-limiter.ts';
import { FileTokenCache, LearnedFile, secretMark } from '../settings/account-files.ts';
import { learnedPath, tokenPath } from '../settings/paths.ts';
import type { Context } from './context.ts';

/**
 * How fast an account may be asked, with which token, and what is known of its service: kept for the next command in files of
 * this machine's, or in the store in force for all processes that send for the account.
 */
export interface Account {
  readonly limiter: RateLimiter;
  readonly token: TokenCache;
  /** What validate had shown when this process began. */
  readonly evidence: VisibilityHistory;
  /** What answers had been found to mean then. */
  readonly answers: AnswerMemory;
  /** Adds what this process has found out about validate so far, and resolves to all that is known. */
  keep(evidence: VisibilityHistory): Promise<VisibilityHistory>;
  /** Adds what this process has found out about answers so far. */
  remember(answers: AnswerMemory): void;
  /** Keeps what this run found out about how fast the service may be asked. */
  keepRate(): void;
  /** Holds the other processes of the account back, too. */
  hold(pauseMs: number): void;
  /** What all processes of the account change together; null where they share nothing. */
  readonly shared: SharedAccountState | null;
}

export interface AccountOptions {
  readonly destination: Destination;
  readonly clientSecret: string;
  /** The fingerprint of the contract in force: what was found out by another one is not believed. */
  readonly contract: string;
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly refused?: Refused | undefined;
  /** Leaves the store alone, and what the processes of the account share there. */
  readonly isAlone?: boolean | undefined;
}

export async function openAccount(context: Context, options: AccountOptions): Promise<Account> {
  const isShared = !options.isAlone && (await context.logPlace()).kind === 'store';
  const file = await openLearned(context, options.destination, options.contract);
  return isShared ? shareAccount(context, options, file) : ownAccount(context, options, file);
}

/** An account of which nobody else is thought of: no other process waits for this one. */
async function ownAccount(context: Context, options: AccountOptions, file: LearnedFile): Promise<Account> {
  const { destination, clientSecret, rate, concurrency, refused = null } = options;
  const { clock } = context;
  const learned = file.read();
  const adaptive = new AdaptiveRate({ rate, concurrency, random: Math.random, learned: learned.pace });
  const permits = new OwnPermits(adaptive, clock, refused);
  const path = tokenPath(await context.paths(), await context.settings());
  return {
    limiter: new RateLimiter(permits, clock, context.interruption.halt.signal),
    token: new FileTokenCache(path, destination, secretMark(clientSecret), await context.trust()),
    evidence: learned.evidence ?? NO_VISIBILITY_HISTORY,
    answers: learned.answers ?? NO_MEMORY,
    keep: (evidence) => exchange(file, evidenceBy(options.contract), evidence),
    remember: (answers) => void exchange(file, answersBy(options.contract), answers),
    keepRate: () => {
      const pace = adaptive.learned();
      if (pace) file.write({ pace });
    },
    // Whoever holds back waits by itself.
    hold: () => {},
    shared: null,
  };
}

/** Joins the other processes of the account in the store in force, and tells them what this machine's own runs found out. */
async function shareAccount(context: Context, options: AccountOptions, file: LearnedFile): Promise<Account> {
  const { destination, clientSecret, contract, rate, concurrency, refused } = options;
  const { AccountToken } = await import('../store/postgres/account.ts');
  const { state, id, database } = await joinAccount(context, destination);
  const { clock } = context;
  const own = file.read();
  const pacing = { rate, concurrency, learned: own.pace, refused };
  const permits = new AccountPermits({ state, clock, random: Math.random, ...pacing });
  const limiter = new RateLimiter(permits, clock, context.interruption.halt.signal);
  context.onClose(() => permits.close());
  const token = await AccountToken.open(database, id, clientSecret);
  const evidence = await exchange(state, evidenceBy(contract), own.evidence ?? NO_VISIBILITY_HISTORY);
  const answers = await exchange(state, answersBy(contract), own.answers ?? NO_MEMORY);
  let found = answers;
  context.onClose(() => exchange(state, answersBy(contract), found).then(() => {}, unlessLog));
  return {
    ...{ limiter, token, evidence, answers, shared: state },
    keep: (more) => exchange(state, evidenceBy(contract), more),
    remember: (more) => {
      found = more;
    },
    // The account's rate lies in the store.
    keepRate: () => {},
    hold: (pauseMs) => permits.hold(pauseMs),
  };
}

/** What the processes of an account keep together in the store in force, until the command ends. */
export async function joinAccount(context: Context, destination: Destination) {
  const { accountId, openAccountState } = await import('../store/postgres/account.ts');
  const store = await context.postgresStore();
  // Some connect before they open the log.
  await store.migrate();
  const { database } = store;
  const id = accountId(destination);
  const state = openAccountState(database, id, context.run, context.interruption.halt.signal);
  context.onClose(() => state.close());
  return { state, id, database };
}

/** What this machine's own runs found out about the service of the profile in force. */
export async function openLearned(context: Context, destination: Destination, contract: string): Promise<LearnedFile> {
  const path = learnedPath(await context.paths(), await context.settings());
  return new LearnedFile(path, destination, contract, await context.trust());
}

/** A record to which every process adds what it has found out by the same contract. */
interface Knowledge<Found> {
  readonly name: string;
  readonly none: Found;
  readonly isKnown: (kept: unknown) => kept is Found;
  readonly merged: (known: Found, own: Found) => Found;
}

/** What validate has shown. `contract`: its fingerprint. */
export const evidenceBy = (contract: string): Knowledge<VisibilityHistory> => ({
  name: `evidence-${contract}`,
  none: NO_VISIBILITY_HISTORY,
  isKnown: (kept): kept is VisibilityHistory => holdsList(kept, 'looks'),
  merged: mergeVisibilityHistories,
});

/** What the service's answers mean. */
export const answersBy = (contract: string): Knowledge<AnswerMemory> => ({
  name: `answers-${contract}`,
  none: NO_MEMORY,
  isKnown: (kept): kept is AnswerMemory => holdsList(kept, 'forms'),
  merged: mergeAnswerMemories,
});

/** Adds what this process knows, and resolves to what all know. */
export function exchange<Found>(state: AccountState, knowledge: Knowledge<Found>, own: Found): Promise<Found> {
  const { name, none, isKnown, merged } = knowledge;
  return state.change(name, (kept) => {
    const keep = merged(isKnown(kept) ? kept : none, own);
    return { keep, result: keep };
  });
}

function holdsList(kept: unknown, list: string): boolean {
  return typeof kept === 'object' && kept !== null && Array.isArray(Reflect.get(kept, list));
}

/** A store that is away when a command ends is told about elsewhere. */
function unlessLog(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
}
