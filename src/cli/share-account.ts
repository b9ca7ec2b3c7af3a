import type { Rate } from '../api/account-pace.ts';
import { AccountTurnstile } from '../api/account-turnstile.ts';
import type { LearnedPace } from '../api/pace.ts';
import type { Refused } from '../api/turnstile.ts';
import { type AnswerMemory, NO_MEMORY } from '../model/answer-memory.ts';
import { type Evidence, NO_EVIDENCE } from '../model/evidence.ts';
import type { SharedAccount, TokenCache } from '../model/ports.ts';
import type { Destination } from '../model/service-request.ts';
import { type SharedKnowledge, sharedAnswers, sharedEvidence } from '../pipeline/shared-knowledge.ts';
import type { Context } from './context.ts';

/** The part of a connection that all processes of an account share by a store. */
export interface SharedConnection {
  readonly account: SharedAccount;
  readonly turnstile: AccountTurnstile;
  readonly token: TokenCache;
  readonly evidence: SharedKnowledge<Evidence>;
  readonly answers: SharedKnowledge<AnswerMemory>;
  /** What validate had shown to all of them when this process joined. */
  readonly known: Evidence;
  /** What its answers had been found to mean. */
  readonly memory: AnswerMemory;
}

interface Pacing {
  readonly rate: Rate;
  readonly concurrency: number;
  readonly learned: LearnedPace | null;
  readonly refused: Refused | undefined;
}

/** What this machine's own runs found out, and the fingerprint of the contract by which they did. */
interface OwnKnowledge {
  readonly evidence: Evidence | null;
  readonly answers: AnswerMemory | null;
  readonly contract: string;
}

/** What the processes of an account keep together in the store in force, until the command ends. */
export async function joinAccount(context: Context, destination: Destination) {
  const { accountId, openAccount } = await import('../postgres/shared-account.ts');
  const store = await context.postgresStore();
  // Some connect before they open the log.
  await store.migrate();
  const { database } = store;
  const id = accountId(destination);
  const account = openAccount(database, id, context.run, context.interruption.halt.signal);
  context.onClose(() => account.close());
  return { account, id, database };
}

/** Joins the other processes of the account, in the store in force. */
export async function shareAccount(
  context: Context,
  destination: Destination,
  clientSecret: string,
  own: OwnKnowledge,
  pacing: Pacing,
): Promise<SharedConnection> {
  const { AccountToken } = await import('../postgres/account-token.ts');
  const { account, id, database } = await joinAccount(context, destination);
  const { clock } = context;
  const { signal: stopping } = context.interruption.halt;
  const turnstile = new AccountTurnstile({ account, clock, stopping, random: Math.random, ...pacing });
  context.onClose(() => turnstile.close());
  const token = await AccountToken.open(database, id, clientSecret);
  const evidence = sharedEvidence(account, own.contract);
  const known = await evidence.exchange(own.evidence ?? NO_EVIDENCE);
  const answers = sharedAnswers(account, own.contract);
  const memory = await answers.exchange(own.answers ?? NO_MEMORY);
  return { account, turnstile, token, evidence, known, answers, memory };
}
