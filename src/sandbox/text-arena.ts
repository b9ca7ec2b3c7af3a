const CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * The arena keeps texts outside of the JavaScript heap, where they are found by their place. As ordinary strings,
 * 100,000 requests tripled the memory of the whole process, most of which waited for the garbage collector.
 */
export class TextArena {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  /** Number of chunks that were dropped, all of which came before the first one that is left. */
  #goneChunks = 0;
  #bytes = 0;
  #used = 0;

  /**
   * Creates an arena. With a limit, the oldest texts make room for new ones. A single text may be longer than the
   * limit.
   */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Keeps a text and returns its place. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    const chunk = this.#chunkFor(LENGTH_BYTES + length);
    const place = (this.#goneChunks + this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    chunk.writeUInt32LE(length, this.#used);
    chunk.write(text, this.#used + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + length;
    return place;
  }

  /** Returns the text at a place that `add` returned, or an empty text if it was dropped. */
  read(place: number): string {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES) - this.#goneChunks];
    const offset = place % CHUNK_BYTES;
    if (!chunk) return '';
    const start = offset + LENGTH_BYTES;
    return chunk.toString('utf8', start, start + chunk.readUInt32LE(offset));
  }

  clear(): void {
    this.#goneChunks += this.#chunks.length;
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#used = 0;
  }

  #chunkFor(bytes: number): Buffer {
    const last = this.#chunks.at(-1);
    if (last && this.#used + bytes <= last.length) return last;
    // A longer text fills a chunk of its own, so every text begins within the first megabyte of its chunk.
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#used = 0;
    this.#makeRoom();
    return chunk;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
      this.#goneChunks += 1;
    }
  }
}
