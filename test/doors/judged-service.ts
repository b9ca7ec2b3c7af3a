export interface Lead {
  readonly text: string;
  readonly phone: string;
  readonly email?: string;
  readonly category?: string;
}

/** One call as it reaches the service. */
export interface Call {
  readonly operation: 'validate' | 'create';
  readonly params: Readonly<Record<string, string>>;
  /** What the service tells requests apart by: the text and who sent it. */
  readonly content: string;
  readonly atMs: number;
}

/** What comes of a call. Times are virtual. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The service takes the request, so many milliseconds from now. Left out: it does not. */
  readonly takes?: number;
  /** By the service's own books it has this request, or for a reason of its own counts it as one that it has. */
  readonly knows?: boolean;
  /** Where the line is cut: before the first byte is written, before the answer comes, or within its body. */
  readonly cut?: 'unwritten' | 'unanswered' | 'body';
  readonly afterMs?: number;
  /** The process that asks is killed before the answer reaches it. */
  readonly kills?: boolean;
}

/** A service. `has` tells whether a content has taken effect by now; the door keeps these books, so that nobody forges them. */
export interface Service {
  answer(call: Call, has: (content: string) => boolean): Reply;
}

export const contentOf = ({ text, phone }: Lead): string => `${text}\n${phone}`;
