import {
  type KnownAnswers,
  knownAnswersSchema,
  mergeKnownAnswers,
  NOTHING_KNOWN,
} from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import { expected } from '../request/words/errors.ts';
import { Pace } from '../service/pacing/pace.ts';
import type { ChosenRate } from '../service/pacing/permits.ts';
import { RateLimiter, type Refused } from '../service/pacing/rate-limiter.ts';
import { type Credentials, secretMark, tokenKey } from '../service/token/token.ts';
import { fileTokenCache, learnedFile } from '../settings/account-files.ts';
import type { PostgresAccountState } from '../store/postgres/account.ts';
import type { LogKeeper, LogPlace, Program } from './program.ts';

/**
 * The state of one account with the service: rate limiter, token, and what is known about the service. It is kept for
 * the next command: the rate in a file of this machine, and the others there or, if a store is used, in the store for all
 * processes of the account.
 */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** What an account needs of the program that uses it. */
export interface Host extends Pick<Program, 'clock' | 'halt' | 'stateFiles' | 'trust' | 'onClose'> {
  readonly log: Pick<LogKeeper, 'postgresStore'> & { place(): Promise<Pick<LogPlace, 'kind'>> };
}

export interface AccountOptions extends Omit<Credentials, 'clientId'> {
  readonly destination: Destination;
  /** The fingerprint of the contract in use. What was learned under another contract is not used. */
  readonly contract: string;
  readonly rate: ChosenRate;
  readonly concurrency: number;
  readonly refused?: Refused | undefined;
  /** Whether the store and the state shared there are left aside, for commands that must work without it. */
  readonly isAlone?: boolean | undefined;
}

/**
 * Opens the state of an account: in files of this machine, without regard to other processes, or in the store together with
 * its other processes, to which this machine adds what its own runs have learned.
 */
export async function openAccount(host: Host, options: AccountOptions) {
  const { destination, contract, rate, concurrency, refused = null } = options;
  const file = await openLearned(host, destination, contract);
  const learned = file.read();
  const own = learned.answers ?? NOTHING_KNOWN;
  const pace = new Pace({ rate, concurrency, random: Math.random, learned: learned.pace });
  const limiter = new RateLimiter(pace, host.clock, refused);
  /** Stores the request rate that this run has arrived at. */
  const keepRate = () => {
    const reached = pace.learned();
    if (reached) file.write({ pace: reached });
  };
  if (options.isAlone || (await host.log.place()).kind === 'file') {
    const path = (await host.stateFiles()).token;
    return {
      ...{ limiter, keepRate },
      /** What was known about the meaning of answers when this process began. */
      answers: own,
      token: fileTokenCache(path, destination, secretMark(options), await host.trust()),
      /** Stores what this process has learned about answers. */
      remember: (answers: KnownAnswers) => void file.add(answers),
    };
  }
  const { openAccountToken } = await import('../store/postgres/account.ts');
  const { state, id } = await openSharedAccount(host, destination);
  const token = await openAccountToken(state, id, tokenKey(options, id));
  let found = await addAnswers(state, contract, own);
  const answers = found;
  host.onClose(async () => {
    // If the store is away at the end of a command, that is reported elsewhere.
    await addAnswers(state, contract, found).catch(expected);
  });
  return {
    ...{ limiter, keepRate, token, answers },
    remember: (more: KnownAnswers) => {
      found = more;
    },
  };
}

/** Opens the state that the processes of an account share in the store. It is closed when the command ends. */
export async function openSharedAccount(host: Host, destination: Destination) {
  const { accountId, openAccountState } = await import('../store/postgres/account.ts');
  const store = await host.log.postgresStore();
  // The store may not have been migrated yet, because some commands connect before they open the log.
  await store.migrate();
  const id = accountId(destination);
  const state = openAccountState(store.database, id, host.halt.signal);
  host.onClose(() => state.close());
  return { state, id };
}

/** Opens what this machine's own runs have learned about the service of the profile in use. */
export async function openLearned(host: Host, destination: Destination, contract: string) {
  const path = (await host.stateFiles()).learned;
  return learnedFile(path, destination, contract, await host.trust());
}

/**
 * Adds what this process knows about the answers of a service to what the store has, and resolves to the result. `contract`
 * is the fingerprint of the contract.
 */
export function addAnswers(state: PostgresAccountState, contract: string, own: KnownAnswers): Promise<KnownAnswers> {
  return state.change(`answers-${contract}`, (kept) => {
    const keep = mergeKnownAnswers(knownAnswersSchema.safeParse(kept).data ?? NOTHING_KNOWN, own);
    return { keep, result: keep };
  });
}
