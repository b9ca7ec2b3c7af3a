import { LearnedStore } from '../config/learned-store.ts';
import { type AnswerMemory, mergedMemory, NO_MEMORY } from '../model/answer-memory.ts';
import { contractFingerprint } from '../model/contract-fingerprint.ts';
import { sharedAnswers } from '../pipeline/shared-knowledge.ts';
import { destinationOf } from './connect.ts';
import type { Context } from './context.ts';
import { learnedPath } from './state-paths.ts';

/** Adds to what is known of the answers of the profile's service, on this machine or in the store, and returns all of it. */
export async function exchangeAnswers(context: Context, found: AnswerMemory): Promise<AnswerMemory> {
  const settings = await context.settings();
  const destination = destinationOf(settings);
  const fingerprint = contractFingerprint(await context.contract(destination.baseUrl));
  if ((await context.logPlace()).kind === 'store') {
    const { accountId, openAccount } = await import('../postgres/shared-account.ts');
    const store = await context.postgresStore();
    await store.migrate();
    const { signal } = context.interruption.halt;
    const account = openAccount(store.database, accountId(destination), context.run, signal);
    context.onClose(() => account.close());
    return sharedAnswers(account, fingerprint).exchange(found);
  }
  const path = learnedPath(await context.paths(), settings);
  const store = new LearnedStore(path, destination, fingerprint, await context.trust());
  const answers = mergedMemory(store.read().answers ?? NO_MEMORY, found);
  if (found !== NO_MEMORY) store.write({ answers });
  return answers;
}
