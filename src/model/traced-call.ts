/** One call to the service as it may be shown to anyone: secrets and what was sent about people are masked in all of it. */
export interface TracedCall {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ms: number;
  /** Null: there was none, for the reason in `failure`. */
  readonly answer: TracedAnswer | null;
  readonly failure: string | null;
}

interface TracedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
