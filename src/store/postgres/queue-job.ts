import type PgBoss from 'pg-boss';
import type { ServiceRequest } from '../../request/lead/service-request.ts';
import type { QueuedRequest, TakenRequest } from '../../request/log/request-queue.ts';

/** The data of a job. The request is text within JSON, because PostgreSQL's own JSON cannot hold NUL. */
interface JobData {
  readonly row: number;
  readonly request: string;
}

/** Returns the job of a request, which waits for `inMs` milliseconds before it may be taken. */
export function jobOf({ key, row, request }: QueuedRequest, name: string, inMs: number): PgBoss.JobInsert<JobData> {
  const data = { row, request: JSON.stringify(request) };
  return { id: key, name, data, ...(inMs > 0 ? { startAfter: `${Math.ceil(inMs)} milliseconds` } : {}) };
}

/** A job as it is taken. */
export interface TakenJob {
  readonly id: string;
  readonly data: unknown;
  readonly retry_count: number;
  readonly retry_limit: number;
  readonly isOld: boolean;
}

/** Returns the request of a job that a worker has taken. */
export function takenOf({
  id,
  data,
  retry_count: tried,
  retry_limit: limit,
  isOld: hasExpired,
}: TakenJob): TakenRequest {
  const read = readData(data);
  const { row, request } = read ?? { row: rowOf(data), request: NO_REQUEST };
  return { key: keyOf(id), row, request, mayTryAgain: tried < limit, hasExpired, isUnreadable: read === null };
}

const NO_REQUEST: ServiceRequest = { params: {}, audio: null, ref: null };

/**
 * Returns what the data of a job says, or null if that is not what srq writes. Other programs may have written to the
 * table, and one job must not stop the others.
 */
function readData(data: unknown): Pick<TakenRequest, 'row' | 'request'> | null {
  if (!isObject(data) || !isInteger(data['row'])) return null;
  const { request: text } = data;
  const request = typeof text === 'string' ? parsedRequest(text) : null;
  return request && { row: data['row'], request };
}

function parsedRequest(text: string): ServiceRequest | null {
  try {
    const request: unknown = JSON.parse(text);
    return isRequest(request) ? request : null;
  } catch {
    return null;
  }
}

function isRequest(value: unknown): value is ServiceRequest {
  if (!isObject(value)) return false;
  const { params, parts = {}, audio, ref } = value;
  return holdsTexts(params) && holdsTexts(parts) && audio === null && (ref === null || typeof ref === 'string');
}

const holdsTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

/** Returns the number of the row in the data of a job that cannot be read otherwise, or 0. */
const rowOf = (data: unknown): number => (isObject(data) && isInteger(data['row']) ? data['row'] : 0);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The log keeps the numbers of rows and of processes as PostgreSQL's integers. */
const isInteger = (value: unknown): value is number => typeof value === 'number' && (value | 0) === value;

/** Returns the key of a request from the id of its job. */
export const keyOf = (id: string): string => id.replaceAll('-', '');
