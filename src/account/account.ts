import {
  type KnownAnswers,
  knownAnswersSchema,
  mergeKnownAnswers,
  NOTHING_KNOWN,
} from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { SharedAccountState, TokenCache } from '../request/ports.ts';
import { expected } from '../request/words/errors.ts';
import { Pace } from '../service/pacing/pace.ts';
import type { ChosenRate } from '../service/pacing/permits.ts';
import { RateLimiter, type Refused } from '../service/pacing/rate-limiter.ts';
import { type Credentials, secretMark, tokenKey } from '../service/token/token.ts';
import { FileTokenCache, LearnedFile } from '../settings/account-files.ts';
import type { Host } from './host.ts';

/**
 * The state of one account with the service: rate limiter, token, and what is known about the service. It is kept for
 * the next command. If a store is used, it is kept there for all processes of the account; otherwise it is kept in
 * files on this machine.
 */
export interface Account {
  readonly limiter: RateLimiter;
  readonly token: TokenCache;
  /** What was known about the meaning of answers when this process began. */
  readonly answers: KnownAnswers;
  /** Stores what this process has learned about answers. */
  remember(answers: KnownAnswers): void;
  /** Stores the request rate that this run has arrived at. */
  keepRate(): void;
  /** Stops the sending of the other processes of the account as well. */
  hold(pauseMs: number): void;
  /** State that all processes of the account share, or null if they share nothing. */
  readonly shared: SharedAccountState | null;
}

export interface AccountOptions extends Omit<Credentials, 'clientId'> {
  readonly destination: Destination;
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
  const { destination, rate, concurrency, refused = null } = options;
  const { clock } = host;
  const learned = file.read();
  const adaptive = new Pace({ rate, concurrency, random: Math.random, learned: learned.pace });
  const path = (await host.stateFiles()).token;
  return {
    limiter: new RateLimiter(adaptive, clock, host.halt.signal, refused),
    token: new FileTokenCache(path, destination, secretMark(options), await host.trust()),
    answers: learned.answers ?? NOTHING_KNOWN,
    remember: (answers) => void file.add(answers),
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
  const { destination, contract, rate, concurrency, refused = null } = options;
  const { SharedPace } = await import('../service/pacing/shared-pace.ts');
  const { openAccountToken } = await import('../store/postgres/account.ts');
  const { state, id } = await openSharedAccount(host, destination);
  const { clock } = host;
  const own = file.read();
  const permits = new SharedPace({ state, clock, random: Math.random, rate, concurrency, learned: own.pace });
  const limiter = new RateLimiter(permits, clock, host.halt.signal, refused);
  host.onClose(() => permits.close());
  const token = await openAccountToken(state, id, tokenKey(options, id));
  const answers = await addAnswers(state, contract, own.answers ?? NOTHING_KNOWN);
  let found = answers;
  // If the store is away at the end of a command, that is reported elsewhere.
  host.onClose(() =>
    addAnswers(state, contract, found).then(
      () => {},
      (error) => void expected(error),
    ),
  );
  return {
    ...{ limiter, token, answers, shared: state },
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
  const id = accountId(destination);
  const state = openAccountState(store.database, id, host.run, host.halt.signal);
  host.onClose(() => state.close());
  return { state, id };
}

/** Opens what this machine's own runs have learned about the service of the profile in use. */
export async function openLearned(host: Host, destination: Destination, contract: string): Promise<LearnedFile> {
  const path = (await host.stateFiles()).learned;
  return new LearnedFile(path, destination, contract, await host.trust());
}

/**
 * Adds what this process knows about the answers of a service to what the store has, and resolves to the result. `contract`
 * is the fingerprint of the contract.
 */
export function addAnswers(state: SharedAccountState, contract: string, own: KnownAnswers): Promise<KnownAnswers> {
  return state.change(`answers-${contract}`, (kept) => {
    const keep = mergeKnownAnswers(knownAnswersSchema.safeParse(kept).data ?? NOTHING_KNOWN, own);
    return { keep, result: keep };
  });
}
