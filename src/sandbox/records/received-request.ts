import type { ContractEncoding } from '../../request/contract.ts';
import type { OperationName } from '../../request/operations.ts';
import type { FaultKind } from '../service/faults.ts';
import type { ReceivedAudio } from '../service/request-content.ts';

/** One request as it arrived and what became of it. Holds no secret and no token. */
export interface ReceivedRequest {
  /** 1, 2, 3 … in the order of arrival. */
  readonly number: number;
  readonly operation: OperationName;
  /** ISO 8601, UTC. */
  readonly receivedAt: string;
  /** Null where the body could not be decoded. */
  readonly encoding: ContractEncoding | null;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /** The identity of the content, by which duplicates are recognised; null for tokens and what was not decoded. */
  readonly key: string | null;
  /** HTTP status of the answer; null if the connection was cut instead. */
  readonly status: number | null;
  /** The fault that struck. */
  readonly fault: FaultKind | null;
  /** The new identifier of a create that was acted on, arrived or not; for a duplicate, the one it was created under. */
  readonly requestId: string | null;
  /** From arrival to the end of the answer; null until then, or if the client left before it. */
  readonly answerMs: number | null;
}

/** What is known when a request has arrived and its answer is decided. */
export type Arrival = Omit<ReceivedRequest, 'number' | 'receivedAt' | 'answerMs'> & { readonly receivedAtMs: number };

export type KeptContent = Pick<ReceivedRequest, 'encoding' | 'params' | 'audio' | 'key'>;
