const CHUNK_BITS = 12;
const CHUNK_NUMBERS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_NUMBERS - 1;

/** Numbers by their place, 8 bytes each, in pieces: growing copies nothing. What was never set is 0. */
export class NumberColumn {
  readonly #chunks: Float64Array[] = [];

  at(place: number): number {
    return this.#chunks[place >>> CHUNK_BITS]?.[place & CHUNK_MASK] ?? 0;
  }

  set(place: number, number: number): void {
    while (this.#chunks.length <= place >>> CHUNK_BITS) this.#chunks.push(new Float64Array(CHUNK_NUMBERS));
    const chunk = this.#chunks[place >>> CHUNK_BITS];
    if (chunk) chunk[place & CHUNK_MASK] = number;
  }
}
