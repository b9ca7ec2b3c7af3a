const CHUNK_BITS = 12;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ENTRIES - 1;
const WORDS = 4;

/**
 * Millions of content keys in little memory: each entry is 16 bytes of key, an 8-byte number of the owner's choosing, and
 * 4 bytes a slot at 53–80 % load: at most 31.5 bytes. Entries are numbered from 0 in the order of insertion and are never removed.
 *
 * Keys are SHA-256 output, so their own bits spread well and serve as the hash.
 */
export class KeyIndex {
  #slots = new Uint32Array(1024);
  readonly #keys: Uint32Array[] = [];
  readonly #values: Float64Array[] = [];
  #size = 0;
  readonly #probe = new Uint32Array(WORDS);

  get size(): number {
    return this.#size;
  }

  /** The entry's number, or -1. `key` is 32 hex digits. */
  find(key: string): number {
    this.#load(key);
    return (this.#slots[this.#slotOf()] ?? 0) - 1;
  }

  /** The entry's number; the key is added with `value` if it is not there yet. */
  findOrAdd(key: string, value: number): number {
    this.#load(key);
    const slot = this.#slotOf();
    const present = this.#slots[slot] ?? 0;
    if (present > 0) return present - 1;
    const entry = this.#append(value);
    this.#slots[slot] = entry + 1;
    if (this.#size > this.#slots.length * 0.8) this.#grow();
    return entry;
  }

  valueAt(entry: number): number {
    return this.#values[entry >>> CHUNK_BITS]?.[entry & CHUNK_MASK] ?? 0;
  }

  setValue(entry: number, value: number): void {
    const chunk = this.#values[entry >>> CHUNK_BITS];
    if (chunk) chunk[entry & CHUNK_MASK] = value;
  }

  keyAt(entry: number): string {
    let key = '';
    for (let word = 0; word < WORDS; word++) key += this.#word(entry, word).toString(16).padStart(8, '0');
    return key;
  }

  #load(key: string): void {
    for (let word = 0; word < WORDS; word++) {
      this.#probe[word] = Number.parseInt(key.slice(word * 8, word * 8 + 8), 16);
    }
  }

  #word(entry: number, word: number): number {
    return this.#keys[entry >>> CHUNK_BITS]?.[(entry & CHUNK_MASK) * WORDS + word] ?? 0;
  }

  /** The slot that holds the probed key, or the empty one where it belongs. */
  #slotOf(): number {
    let slot = (this.#probe[0] ?? 0) % this.#slots.length;
    for (;;) {
      const entry = (this.#slots[slot] ?? 0) - 1;
      if (entry < 0 || this.#matches(entry)) return slot;
      slot = slot + 1 === this.#slots.length ? 0 : slot + 1;
    }
  }

  #matches(entry: number): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (this.#word(entry, word) !== this.#probe[word]) return false;
    }
    return true;
  }

  #append(value: number): number {
    const entry = this.#size++;
    if ((entry & CHUNK_MASK) === 0) {
      this.#keys.push(new Uint32Array(CHUNK_ENTRIES * WORDS));
      this.#values.push(new Float64Array(CHUNK_ENTRIES));
    }
    this.#keys[entry >>> CHUNK_BITS]?.set(this.#probe, (entry & CHUNK_MASK) * WORDS);
    this.setValue(entry, value);
    return entry;
  }

  #grow(): void {
    const slots = new Uint32Array(Math.ceil(this.#slots.length * 1.5));
    for (let entry = 0; entry < this.#size; entry++) {
      let slot = this.#word(entry, 0) % slots.length;
      while ((slots[slot] ?? 0) > 0) slot = slot + 1 === slots.length ? 0 : slot + 1;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}
