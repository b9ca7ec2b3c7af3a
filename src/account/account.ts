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
import type { Host } from './host.ts';

/**
 * The state of one account with the service: rate limiter, token, and what is known about the service. It is kept for
 * the next command. If a store is used, it is kept there for all processes of the account; otherwise it is kept in
 * files on this machine.
 */
export interface Account {
  readonly limiter: RateLimiter;
  readonly token: TokenCache;
  /** What was known about validate when this process began. */
  readonly evidence: VisibilityHistory;
  /** What was known about the meaning of answers when this process began. */
  readonly answers: AnswerMemory;
  /** Stores what this process has learned about validate, and resolves to everything that is known. */
  keep(evidence: VisibilityHistory): Promise<VisibilityHistory>;
  /** Stores what this process has learned about answers. */
  remember(answers: AnswerMemory): void;
  /** Stores the request rate that this run has arrived at. */
  keepRate(): void;
  /** Stops the sending of the other processes of the account as well. */
  hold(pauseMs: number): void;
  /** State that all processes of the account share, or null if they share nothing. */
  readonly shared: SharedAccountState | null;
}

export interface AccountOptions {
  readonly destination: Destination;
  readonly clientSecret: string;
  /** The fingerprint of the contract in use. What was learned under another contract is not used. */
  readonly contract: string;
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly refused?: Refused | undefined;
  /** Whether the store and the state shared there are left aside. */
  readonly isAlone?: boolean | undefined;
}

/** Opens the state of an account, in files or in the store. */
export async function openAccount(host: Host, options: AccountOptions): Promise<Account> {
  const isShared = !options.isAlone && (await host.logPlace()).kind === 'store';
  const file = await openLearned(host, options.destination, options.contract);
  return isShared ? shareAccount(host, options, file) : ownAccount(host, options, file);
}

/** Opens an account on this machine alone, without regard to other processes. */
async function ownAccount(host: Host, options: AccountOptions, file: LearnedFile): Promise<Account> {
  const { destination, clientSecret, rate, concurrency, refused = null } = options;
  const { clock } = host;
  const learned = file.read();
  const adaptive = new AdaptiveRate({ rate, concurrency, random: Math.random, learned: learned.pace });
  const permits = new OwnPermits(adaptive, clock, refused);
  const path = tokenPath(await host.paths(), await host.settings());
  return {
    limiter: new RateLimiter(permits, clock, host.halt.signal),
    token: new FileTokenCache(path, destination, secretMark(clientSecret), await host.trust()),
    evidence: learned.evidence ?? NO_VISIBILITY_HISTORY,
    answers: learned.answers ?? NO_MEMORY,
    keep: (evidence) => mergeKnowledge(file, evidenceBy(options.contract), evidence),
    remember: (answers) => void mergeKnowledge(file, answersBy(options.contract), answers),
    keepRate: () => {
      const pace = adaptive.learned();
      if (pace) file.write({ pace });
    },
    // There are no other processes to stop.
    hold: () => {},
    shared: null,
  };
}

/**
 * Opens an account in the store, together with its other processes, and adds what this machine's own runs have learned.
 */
async function shareAccount(host: Host, options: AccountOptions, file: LearnedFile): Promise<Account> {
  const { destination, clientSecret, contract, rate, concurrency, refused } = options;
  const { AccountToken } = await import('../store/postgres/account.ts');
  const { state, id, database } = await openSharedAccount(host, destination);
  const { clock } = host;
  const own = file.read();
  const pacing = { rate, concurrency, learned: own.pace, refused };
  const permits = new AccountPermits({ state, clock, random: Math.random, ...pacing });
  const limiter = new RateLimiter(permits, clock, host.halt.signal);
  host.onClose(() => permits.close());
  const token = await AccountToken.open(database, id, clientSecret);
  const evidence = await mergeKnowledge(state, evidenceBy(contract), own.evidence ?? NO_VISIBILITY_HISTORY);
  const answers = await mergeKnowledge(state, answersBy(contract), own.answers ?? NO_MEMORY);
  let found = answers;
  host.onClose(() => mergeKnowledge(state, answersBy(contract), found).then(() => {}, ignoreStoreError));
  return {
    ...{ limiter, token, evidence, answers, shared: state },
    keep: (more) => mergeKnowledge(state, evidenceBy(contract), more),
    remember: (more) => {
      found = more;
    },
    // The store keeps the rate of the account.
    keepRate: () => {},
    hold: (pauseMs) => permits.hold(pauseMs),
  };
}

/** Opens the state that the processes of an account share in the store. It is closed when the command ends. */
export async function openSharedAccount(host: Host, destination: Destination) {
  const { accountId, openAccountState } = await import('../store/postgres/account.ts');
  const store = await host.postgresStore();
  // The store may not have been migrated yet, because some commands connect before they open the log.
  await store.migrate();
  const { database } = store;
  const id = accountId(destination);
  const state = openAccountState(database, id, host.run, host.halt.signal);
  host.onClose(() => state.close());
  return { state, id, database };
}

/** Opens what this machine's own runs have learned about the service of the profile in use. */
export async function openLearned(host: Host, destination: Destination, contract: string): Promise<LearnedFile> {
  const path = learnedPath(await host.paths(), await host.settings());
  return new LearnedFile(path, destination, contract, await host.trust());
}

/** A record to which every process adds what it has learned under the same contract. */
interface Knowledge<Found> {
  readonly name: string;
  readonly none: Found;
  readonly isKnown: (kept: unknown) => kept is Found;
  readonly merged: (known: Found, own: Found) => Found;
}

/** The knowledge about validate. `contract` is the fingerprint of the contract. */
export const evidenceBy = (contract: string): Knowledge<VisibilityHistory> => ({
  name: `evidence-${contract}`,
  none: NO_VISIBILITY_HISTORY,
  isKnown: (kept): kept is VisibilityHistory => holdsList(kept, 'looks'),
  merged: mergeVisibilityHistories,
});

/** The knowledge about the meaning of answers. `contract` is the fingerprint of the contract. */
export const answersBy = (contract: string): Knowledge<AnswerMemory> => ({
  name: `answers-${contract}`,
  none: NO_MEMORY,
  isKnown: (kept): kept is AnswerMemory => holdsList(kept, 'forms'),
  merged: mergeAnswerMemories,
});

/** Merges what this process knows into the stored knowledge, and resolves to the result. */
export function mergeKnowledge<Found>(state: AccountState, knowledge: Knowledge<Found>, own: Found): Promise<Found> {
  const { name, none, isKnown, merged } = knowledge;
  return state.change(name, (kept) => {
    const keep = merged(isKnown(kept) ? kept : none, own);
    return { keep, result: keep };
  });
}

function holdsList(kept: unknown, list: string): boolean {
  return typeof kept === 'object' && kept !== null && Array.isArray(Reflect.get(kept, list));
}

/** Ignores an unavailable store at the end of a command, because that is reported elsewhere. */
function ignoreStoreError(error: unknown): void {
  if (!(error instanceof SrqError)) throw error;
}
