/** An HTTP answer as received. `headers` have lower-case names; several of one name are joined by a comma. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most 1 MiB; `complete` is false if it was cut there or by the line. */
  readonly body: string;
  readonly complete: boolean;
  readonly ms: number;
}

/**
 * One call: an answer, or why there is none. `written` is what decides whether the service may have acted: false means
 * that certainly no byte of the request left this process.
 */
export type Exchange =
  | { readonly answer: Answer; readonly error: null; readonly written: true }
  | { readonly answer: null; readonly error: Error; readonly written: boolean; readonly ms: number };
