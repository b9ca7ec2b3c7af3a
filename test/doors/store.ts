/*
 * The door to the store in PostgreSQL: its connections, the state of an account, the queue and its workers. The log in it is behind
 * log.ts. What has a name here may be moved and put together anew in src without a test that has to follow.
 */

import { openAccountState, openAccountToken } from '../../src/store/postgres/account.ts';
import type { Database } from '../../src/store/postgres/database.ts';

/** Opens the token of an account as a process of its own does. */
export const AccountToken = {
  open: (database: Database, account: string, key: Buffer) =>
    openAccountToken(openAccountState(database, account, new AbortController().signal), account, key),
};

export { systemClock } from '../../src/account/system-clock.ts';
export { runWorker } from '../../src/delivery/consume.ts';
export { contentKey } from '../../src/request/lead/service-request.ts';
export { SrqError } from '../../src/request/words/errors.ts';
export { Secret } from '../../src/request/words/secret.ts';
export { tokenKey } from '../../src/service/token/token.ts';
export { accountId, openAccountState, type PostgresAccountState } from '../../src/store/postgres/account.ts';
export { type Database, type DatabaseOptions, openDatabase } from '../../src/store/postgres/database.ts';
export { examineStore } from '../../src/store/postgres/examine-store.ts';
export { isTransient, storeError } from '../../src/store/postgres/failures.ts';
export { workingProcesses } from '../../src/store/postgres/figures.ts';
export { openQueue, type PostgresQueue } from '../../src/store/postgres/queue.ts';
export { storeAddress } from '../../src/store/postgres/store-url.ts';
export { type Store, storeAt } from './log.ts';
