import type { IncomingHttpHeaders } from 'node:http';
import type { OperationName } from '../../request/contract/operations.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import type { FreshIdentity, GrantedToken } from './marketplace.ts';
import type { RequestContent } from './request-content.ts';

/** A call as it arrived, with its body read to the end. */
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

/** The authentication of callers that send the same credentials with each call. */
export interface FixedCallers {
  /** The header or query parameter of the key, which is never kept, or null for HTTP Basic. */
  readonly keyName: string | null;
  /** What a call must contain. The refusal of a call without it quotes this text. */
  readonly demand: string;
  /** Tells whether a call comes from the partner with these credentials. */
  isPartner(call: Pick<ArrivedCall, 'headers' | 'query'>, partner: PartnerCredentials): boolean;
}

/** The partner's credentials. The identifier is a number, as in the API's example. */
export interface PartnerCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The marketplace as its partners see it: where its operations are, what they accept, how they answer. */
export interface ServiceInterface {
  readonly endpoints: readonly Endpoint[];
  /**
   * The header by which create recognises a repetition, or null if there is none. Its value is kept among the
   * parameters.
   */
  readonly idempotencyHeader: string | null;
  /** How callers authenticate without tokens, or null if they use tokens. */
  readonly callers: FixedCallers | null;
  /** Decodes the content of a call. An {@link SandboxAnswer} is the refusal of one that cannot be decoded. */
  decode(
    operation: OperationName,
    call: ArrivedCall,
  ): RequestContent | SandboxAnswer | Promise<RequestContent | SandboxAnswer>;
  /** Returns the refusal of parameters that are missing or wrong, or null if there are none. */
  refuse(operation: OperationName, content: RequestContent): SandboxAnswer | null;
  /** Returns the value by which validate compares requests. Create may be given more than validate. */
  likeness(operation: OperationName, content: Pick<RequestContent, 'params' | 'audio' | 'key'>): string;
  granted(token: GrantedToken): SandboxAnswer;
  /** Builds the answer to a create. `requestId` is the identifier in the answer, the first one if there are several. */
  created(fresh: FreshIdentity): { readonly answer: SandboxAnswer; readonly requestId: string };
  /** Returns the answer of create to a request that is already known, or null if create accepts it again. */
  refuseKnown(): SandboxAnswer | null;
  /**
   * Builds the answer of validate. `requestId` is that of the first request with this content, or null if there is
   * none.
   */
  validated(requestId: string | null): SandboxAnswer;
}
