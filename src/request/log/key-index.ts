const CHUNK_BITS = 12;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ENTRIES - 1;
const WORDS = 4;
const KEY_BYTES = 16;
const FIRST_SLOTS = 1024;

/**
 * Holds millions of content keys in little memory. An entry takes 16 bytes for its key and 4 bytes for each slot. The
 * slots are 53 to 80 % full, so an entry takes at most 23.5 bytes. Entries are numbered from 0 in the order of
 * insertion and are never removed.
 *
 * Keys are SHA-256 output, so their own bits are spread evenly and serve as the hash.
 */
export class KeyIndex {
  /** The number of an entry plus one, or 0, at the place that follows from its key. */
  #slots = new Uint32Array(FIRST_SLOTS);
  readonly #keys: Uint32Array<ArrayBuffer>[] = [];
  #size = 0;
  readonly #probe = new Uint32Array(WORDS);
  readonly #probeBytes = Buffer.from(this.#probe.buffer);

  /** Returns an index of this shape whose memory is still to be filled. */
  static ofShape({ size, slots }: KeyIndex['shape']): KeyIndex {
    const index = new KeyIndex();
    index.#size = size;
    index.#slots = new Uint32Array(slots);
    for (let entry = 0; entry < size; entry += CHUNK_ENTRIES) index.#addChunk();
    return index;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of entries and of slots, from which its memory follows. */
  get shape() {
    return { size: this.#size, slots: this.#slots.length };
  }

  /** The memory of the index, for copying it to another one of the same shape. */
  get memory(): readonly Uint32Array<ArrayBuffer>[] {
    return [...this.#keys, this.#slots];
  }

  /** Returns the number of the entry, or -1 if there is none. `key` is 32 hex digits. */
  find(key: string): number {
    if (this.#size === 0) return -1;
    this.#load(key);
    return (this.#slots[this.#slot()] ?? 0) - 1;
  }

  /** Returns the number of the entry. A key that is not in the index yet is added. */
  findOrAdd(key: string): number {
    this.#load(key);
    const slot = this.#slot();
    const present = this.#slots[slot] ?? 0;
    if (present > 0) return present - 1;
    const entry = this.#append();
    this.#slots[slot] = entry + 1;
    if (this.#size > this.#slots.length * 0.8) this.#slots = this.#grown(this.#slots);
    return entry;
  }

  /** Adds an entry that holds a number instead of a key, so that {@link find} never returns it. */
  addNumber(number: number): number {
    this.#probe[0] = number;
    return this.#append();
  }

  /** Returns the number of an entry that `addNumber` added. */
  numberAt(entry: number): number {
    return this.#word(entry, 0);
  }

  keyAt(entry: number): string {
    const chunk = this.#keys[entry >>> CHUNK_BITS];
    if (!chunk) return '';
    return Buffer.from(chunk.buffer, (entry & CHUNK_MASK) * KEY_BYTES, KEY_BYTES).toString('hex');
  }

  #load(key: string): void {
    this.#probeBytes.write(key, 'hex');
  }

  #word(entry: number, word: number): number {
    return this.#keys[entry >>> CHUNK_BITS]?.[(entry & CHUNK_MASK) * WORDS + word] ?? 0;
  }

  /** Returns the slot that holds the probed key, or the empty slot where it belongs. */
  #slot(): number {
    const slots = this.#slots;
    let slot = (this.#probe[0] ?? 0) % slots.length;
    for (;;) {
      const entry = (slots[slot] ?? 0) - 1;
      if (entry < 0 || this.#matches(entry)) return slot;
      slot = slot + 1 === slots.length ? 0 : slot + 1;
    }
  }

  #matches(entry: number): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (this.#word(entry, word) !== this.#probe[word]) return false;
    }
    return true;
  }

  #append(): number {
    const entry = this.#size++;
    if ((entry & CHUNK_MASK) === 0) this.#addChunk();
    this.#keys[entry >>> CHUNK_BITS]?.set(this.#probe, (entry & CHUNK_MASK) * WORDS);
    return entry;
  }

  #addChunk(): void {
    this.#keys.push(new Uint32Array(CHUNK_ENTRIES * WORDS));
  }

  #grown(old: Uint32Array): Uint32Array<ArrayBuffer> {
    const slots = new Uint32Array(Math.ceil(old.length * 1.5));
    for (const taken of old) {
      if (taken === 0) continue;
      let slot = this.#word(taken - 1, 0) % slots.length;
      while ((slots[slot] ?? 0) > 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
      slots[slot] = taken;
    }
    return slots;
  }
}
