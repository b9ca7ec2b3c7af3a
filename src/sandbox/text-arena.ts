const CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * Texts kept outside of the JavaScript heap, found again by their place. 100,000 requests as ordinary strings tripled
 * the memory of the whole process, most of it waiting for the garbage collector.
 */
export class TextArena {
  readonly #mostBytes: number;
  readonly #chunks: Buffer[] = [];
  /** Chunks that are gone; the first that is left comes after them. */
  #goneChunks = 0;
  #bytes = 0;
  #used = 0;

  /** With a bound, the oldest texts make room for new ones. One text alone may be longer than the bound. */
  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes;
  }

  /** Keeps a text and gives its place. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    const chunk = this.#chunkFor(LENGTH_BYTES + length);
    const place = (this.#goneChunks + this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    chunk.writeUInt32LE(length, this.#used);
    chunk.write(text, this.#used + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + length;
    return place;
  }

  /** The text at a place that `add` gave; empty once it is gone. */
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
    // A longer text fills a chunk of its own, so whatever the chunk, every text begins within its first megabyte.
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#used = 0;
    this.#makeRoom();
    return chunk;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#mostBytes && this.#chunks.length > 1) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
      this.#goneChunks += 1;
    }
  }
}
