import type { Encoding } from '../../request/contract/contract.ts';
import type { OperationName } from '../../request/contract/operations.ts';
import type { FaultKind } from '../service/faults.ts';
import type { ReceivedAudio } from '../service/interface.ts';
import type { ToldVerdict } from '../service/routes.ts';

/** A request as it arrived, with its result. It contains no secret and no token. */
export interface ReceivedRequest {
  /** Sequence number in the order of arrival, from 1. */
  readonly number: number;
  readonly operation: OperationName;
  /** Time in ISO 8601, UTC. */
  readonly receivedAt: string;
  /** Encoding of the body, or null if it could not be decoded. */
  readonly encoding: Encoding | null;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /**
   * The identity of the content, by which duplicates are recognised. Null for tokens and for bodies that were not
   * decoded.
   */
  readonly key: string | null;
  /** HTTP status of the answer, or null if the connection was cut instead. */
  readonly status: number | null;
  readonly fault: FaultKind | null;
  /**
   * The new identifier of a create that was acted on, whether its answer arrived or not. For a duplicate, the
   * identifier under which it was created.
   */
  readonly requestId: string | null;
  /** The verdict that validate gave on the content. Null for other operations, refusals, and answers that were lost. */
  readonly verdict: ToldVerdict | null;
  /** Time from arrival to the end of the answer. Null until then, or if the client left before. */
  readonly answerMs: number | null;
}

/** The facts that are known when a request has arrived and its answer is decided. */
export type Arrival = Omit<ReceivedRequest, 'number' | 'answerMs'>;
