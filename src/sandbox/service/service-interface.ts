import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../../request/operations.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { FreshIdentity, GrantedToken } from './marketplace.ts';
import type { RequestContent } from './request-content.ts';

/** One call as it arrived, its body read to the end. */
export interface ArrivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Endpoint {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
}

/**
 * The marketplace as its partners see it: where its operations are, what they take, how they answer. There are two: the
 * one of the public document, and one that is read from a contract. What is behind them is the same.
 */
export interface ServiceInterface {
  readonly endpoints: readonly Endpoint[];
  /** The operations answer with and without it; `''` if there is none. */
  readonly basePath: string;
  /** Header by which create recognises a repeat; null if it has none. Its value is kept among the parameters. */
  readonly idempotencyHeader: string | null;
  /** The content of a call; an {@link SandboxAnswer} is the refusal of one that cannot be decoded. */
  decode(
    operation: OperationName,
    call: ArrivedCall,
  ): RequestContent | SandboxAnswer | Promise<RequestContent | SandboxAnswer>;
  /** The refusal of parameters that are missing or wrong; null if all is well. */
  refuse(operation: OperationName, content: RequestContent): SandboxAnswer | null;
  /** What validate compares requests by. Create may be told more than validate. */
  likeness(operation: OperationName, content: Pick<RequestContent, 'params' | 'audio' | 'key'>): string;
  granted(token: GrantedToken): SandboxAnswer;
  /** `requestId`: the identifier that the answer names, the first of several. */
  created(fresh: FreshIdentity): { readonly answer: SandboxAnswer; readonly requestId: string };
  /** What create answers for what is known already; null: it takes it again. */
  refuseKnown(): SandboxAnswer | null;
  /** `requestId` is that of the first request with this content; null if there is none. */
  validated(requestId: string | null): SandboxAnswer;
}
