const CHUNK_BITS = 12;
const CHUNK_NUMBERS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_NUMBERS - 1;

/**
 * A growing array of numbers, 8 bytes each. It consists of chunks, so that growing copies nothing. Numbers never set
 * are 0.
 */
export class NumberColumn {
  readonly #chunks: Float64Array[] = [];

  at(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & CHUNK_MASK] ?? 0;
  }

  set(index: number, number: number): void {
    while (this.#chunks.length <= index >>> CHUNK_BITS) this.#chunks.push(new Float64Array(CHUNK_NUMBERS));
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    if (chunk) chunk[index & CHUNK_MASK] = number;
  }
}
