import { LearnedStore } from '../config/learned-store.ts';
import { type AnswerMemory, NO_MEMORY } from '../model/answer-memory.ts';
import { contractFingerprint } from '../model/contract-fingerprint.ts';
import { sharedAnswers } from '../pipeline/shared-knowledge.ts';
import { destinationOf } from './connect.ts';
import type { Context } from './context.ts';
import { joinAccount } from './share-account.ts';
import { learnedPath } from './state-paths.ts';

/** What is known of the answers of the profile's service, on this machine or in the store. */
export interface AnswerKnowledge {
  readonly known: AnswerMemory;
  add(found: AnswerMemory): Promise<void>;
}

export async function openAnswerKnowledge(context: Context): Promise<AnswerKnowledge> {
  const settings = await context.settings();
  const destination = destinationOf(settings);
  const fingerprint = contractFingerprint(await context.contract(destination.baseUrl));
  if ((await context.logPlace()).kind === 'store') {
    const shared = sharedAnswers((await joinAccount(context, destination)).account, fingerprint);
    return { known: await shared.exchange(NO_MEMORY), add: async (found) => void (await shared.exchange(found)) };
  }
  const path = learnedPath(await context.paths(), settings);
  const store = new LearnedStore(path, destination, fingerprint, await context.trust());
  return { known: store.read().answers ?? NO_MEMORY, add: async (answers) => store.add({ answers }) };
}
