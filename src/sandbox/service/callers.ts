import type { IncomingHttpHeaders } from 'node:http';

/** A call as it arrived, with its body read to the end. */
export interface ArrivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
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
