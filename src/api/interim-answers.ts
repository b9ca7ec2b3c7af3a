/**
 * Matches the beginning of the status line of an interim answer. 101 is not one, because it ends HTTP on the
 * connection.
 */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const EXAMPLE = 'HTTP/1.1 100 ';
/** Offset of the status code in the status line. */
const STATUS_AT = 9;
/** First byte of the status code of an interim answer, the digit `1`. */
const INTERIM_CLASS = 0x31;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/**
 * Removes interim answers (100 Continue, 103 Early Hints) from the bytes that a service sends. RFC 9110, section 15.2,
 * requires a client to be able to read them before the answer even if it did not ask for them, but undici ends the
 * connection at a 100. No other byte is changed.
 */
export class InterimAnswerFilter {
  #state: 'begin' | 'interim' | 'final' = 'final';
  /**
   * Bytes that are held back: a part of a status line that may still be that of an interim or a final answer, or the
   * end of an interim answer.
   */
  #held: Buffer = NOTHING;

  /** Notes that a request is being written, so that the next bytes begin its answer. */
  expectAnswer(): void {
    this.#state = 'begin';
    this.#held = NOTHING;
  }

  /** Returns the bytes that are left without interim answers, or null if there are none so far. */
  filter(chunk: Buffer): Buffer | null {
    if (this.#state === 'final') return chunk;
    let bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      if (this.#state === 'interim') {
        const end = bytes.indexOf(HEAD_END);
        if (end < 0) return this.#hold(bytes.subarray(1 - HEAD_END.length));
        bytes = bytes.subarray(end + HEAD_END.length);
        this.#state = 'begin';
      }
      if (!mayBeInterim(bytes)) {
        this.#state = 'final';
        this.#held = NOTHING;
        return bytes;
      }
      if (bytes.length < EXAMPLE.length) return this.#hold(bytes);
      this.#state = 'interim';
    }
  }

  #hold(bytes: Buffer): null {
    this.#held = bytes;
    return null;
  }
}

/**
 * Tells whether the bytes begin an interim answer. If there are too few of them to tell, they are completed as an
 * interim answer would be.
 */
function mayBeInterim(bytes: Buffer): boolean {
  // This check runs for every answer, and nearly all answers end here.
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== INTERIM_CLASS) return false;
  const begin = bytes.toString('latin1', 0, EXAMPLE.length);
  return INTERIM.test(begin + EXAMPLE.slice(begin.length));
}
