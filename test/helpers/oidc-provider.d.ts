/** The parts of oidc-provider that the tests use. Its own types are a separate package. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface StoredToken {
    readonly isValid: boolean;
    destroy(): Promise<void>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly ClientCredentials: { find(token: string): Promise<StoredToken | undefined> };
    callback(): RequestListener;
    on(event: string, listener: () => void): this;
  }
}
