import { jsonIn } from '../../request/contract/json.ts';
import { contentKey, type Destination, type ServiceRequest } from '../../request/lead/service-request.ts';
import type { RequestQueue, TakenRequest } from '../../request/log/request-queue.ts';
import { accountId } from './account.ts';
import type { Database, Query } from './database.ts';
import { depth } from './figures.ts';
import { inOneView } from './read-log.ts';

const PURGED_AT_ONCE = 10_000;

interface QueueOptions {
  readonly database: Database;
  readonly destination: Destination;
  /** The id of the process that takes requests, or null for one that only adds and looks. */
  readonly process: (() => number) | null;
  /** Aborted when a store that is away is no longer waited for. */
  readonly giveUp: AbortSignal;
}

/** A queue. `purge` forgets some of the requests that wait to be sent, and returns their number: 0 when none is left. */
export type PostgresQueue = RequestQueue & { purge(): Promise<number> };

/** Opens the queue of an account: the rows of `srq.waiting`, which stand beside the rows of the log under the same keys. */
export function openQueue({ database, destination, process, giveUp }: QueueOptions): PostgresQueue {
  const account = accountId(destination);
  const ask: Query = (...asked) => database.retryWhileAway(() => database.query(...asked), giveUp);
  return {
    add: async (requests) => {
      const rows = requests.map(({ key, row, request }) => ({ key, row, request: JSON.stringify(request) }));
      return (await ask(ADD, [account, JSON.stringify(rows)])).length;
    },
    take: async (count, hand) => {
      const text = `select ${KEY}, "row", request, is_over as "isOver" from srq.take($1, $2, $3, $4)`;
      const rows = await ask<TakenRow>(text, [account, process?.(), count, hand]);
      return rows.map((row) => {
        const request = requestIn(row.request);
        return { ...row, request, isSpoilt: request.audio !== null || contentKey(request, destination) !== row.key };
      });
    },
    giveBack: async (keys, isTried) => {
      await ask(isTried ? LATER : BACK, [keys, process?.()]);
    },
    drop: async (keys) => void (await ask('delete from srq.waiting where key = any($1)', [keys])),
    depth: () => database.retryWhileAway(() => depth(database.query, account), giveUp),
    isEmpty: async () => (await ask('select 1 from srq.waiting where account = $1 limit 1', [account])).length === 0,
    purge: async () => (await ask(PURGE, [account, PURGED_AT_ONCE])).length,
  };
}

/** Yields the requests of an account that wait, or only those with a reference, as of the moment when reading begins. */
export async function* readWaiting(database: Database, destination: Destination, ref?: string) {
  type Waiting = Pick<TakenRow, 'key' | 'request'>;
  const text = `select ${KEY}, request from srq.waiting where account = '${accountId(destination)}'`;
  const rows =
    ref === undefined
      ? inOneView<Waiting>(database, text)
      : await database.query<Waiting>(`${text} and strpos(request, $1) > 0`, [JSON.stringify(ref)]);
  for await (const { key, request } of rows) {
    const waits = { key, ref: requestIn(request).ref };
    if (ref === undefined || waits.ref === ref) yield waits;
  }
}

/** Queues the rows that do not wait yet, in their order, and returns one for each of those. */
const ADD = `insert into srq.waiting (key, account, "row", request)
  select i.key, $1, i."row", i.request
  from srq.keep_durable(), json_to_recordset($2) as i (key uuid, "row" integer, request text)
  on conflict do nothing returning 1`;

/** A request that has failed is free already, and waits. It does not count as tried when the reason was not its own. */
const BACK = `update srq.waiting set process = null, tries = case when process is null then greatest(tries - 1, 0) else tries end,
    due = case when process is null then clock_timestamp() else due end
  where key = any($1) and (process is null or process = $2)`;
const LATER = `update srq.waiting set process = null, tries = tries + 1, due = srq.due_again(tries)
  where key = any($1) and process = $2`;

/**
 * What a worker that is gone may have sent waits with the others until the next one takes it, and is not forgotten. The state
 * is a scalar subquery, which the server looks up by key for each row; it might answer a join by reading all states.
 */
const PURGE = `delete from srq.waiting where key in (
    select w.key from srq.waiting w where w.account = $1 and w.process is null and coalesce(
      (select s.state from srq.request s where s.key = w.key), 'none'
    ) not in ('sending', 'unknown', 'parked') limit $2 for update skip locked
  ) returning 1`;

const KEY = "replace(key::text, '-', '') as key";

interface TakenRow extends Omit<TakenRequest, 'request' | 'isSpoilt'> {
  readonly request: string;
}

const NO_REQUEST: ServiceRequest = { params: {}, audio: null, ref: null };

/** Another program may have written to the table. What is no request has another key than its row, and is not sent. */
function requestIn(text: string): ServiceRequest {
  const request = jsonIn(text) as unknown as Partial<ServiceRequest> | null | undefined;
  return request?.params ? (request as ServiceRequest) : NO_REQUEST;
}
