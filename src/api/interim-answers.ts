/** A status line begins like this if the answer is an interim one; 101 ends HTTP on a connection and is none. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const EXAMPLE = 'HTTP/1.1 100 ';
/** Where the status stands, and how that of an interim answer begins. */
const STATUS_AT = 9;
const ONE = 0x31;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/**
 * Takes interim answers (100 Continue, 103 Early Hints) out of what a service sends. RFC 9110, 15.2: a client must be able to
 * read them before an answer even if it asked for none; undici ends the connection at a 100. Of anything else no byte is
 * changed.
 */
export class InterimAnswers {
  #state: 'begin' | 'interim' | 'final' = 'final';
  /** Bytes of a status line that may still become either, or the last ones of an interim answer. */
  #held: Buffer = NOTHING;

  /** A request is being written: the next bytes begin its answer. */
  expectAnswer(): void {
    this.#state = 'begin';
    this.#held = NOTHING;
  }

  /** What is left of these bytes; null: nothing so far. */
  pass(chunk: Buffer): Buffer | null {
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

/** Bytes that are too few to say are completed as an interim answer would be. */
function mayBeInterim(bytes: Buffer): boolean {
  // Nearly every answer is seen off here: this is done for each of them.
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== ONE) return false;
  const begin = bytes.toString('latin1', 0, EXAMPLE.length);
  return INTERIM.test(begin + EXAMPLE.slice(begin.length));
}
