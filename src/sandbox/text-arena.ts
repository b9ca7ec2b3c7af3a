const CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

/**
 * Texts kept outside of the JavaScript heap, found again by their place. 100,000 requests as ordinary strings tripled
 * the memory of the whole process, most of it waiting for the garbage collector.
 */
export class TextArena {
  readonly #chunks: Buffer[] = [];
  #used = 0;

  /** Keeps a text and gives its place. */
  add(text: string): number {
    const length = Buffer.byteLength(text);
    const chunk = this.#chunkFor(LENGTH_BYTES + length);
    const place = (this.#chunks.length - 1) * CHUNK_BYTES + this.#used;
    chunk.writeUInt32LE(length, this.#used);
    chunk.write(text, this.#used + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + length;
    return place;
  }

  /** The text at a place that `add` gave; empty once it was cleared away. */
  read(place: number): string {
    const chunk = this.#chunks[Math.floor(place / CHUNK_BYTES)];
    const offset = place % CHUNK_BYTES;
    if (!chunk) return '';
    const start = offset + LENGTH_BYTES;
    return chunk.toString('utf8', start, start + chunk.readUInt32LE(offset));
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#used = 0;
  }

  #chunkFor(bytes: number): Buffer {
    const last = this.#chunks.at(-1);
    if (last && this.#used + bytes <= last.length) return last;
    // A longer text fills a chunk of its own, so whatever the chunk, every text begins within its first megabyte.
    const chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, bytes));
    this.#chunks.push(chunk);
    this.#used = 0;
    return chunk;
  }
}
