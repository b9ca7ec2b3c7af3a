/** Holds the characters of a text as code points, each with the offsets of the source text that it stands for. */
export class Characters {
  readonly #codes: Int32Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;

  /** Creates an empty list with room for `capacity` characters. */
  constructor(capacity: number) {
    this.#codes = new Int32Array(capacity);
    this.#starts = new Int32Array(capacity);
    this.#ends = new Int32Array(capacity);
  }

  /** Splits a text into its code points. A lone surrogate stays a character of its own. */
  static of(text: string): Characters {
    const characters = new Characters(text.length);
    for (let at = 0; at < text.length; ) {
      const code = text.codePointAt(at) ?? 0;
      const end = at + (code > 0xffff ? 2 : 1);
      characters.push(code, at, end);
      at = end;
    }
    return characters;
  }

  get length(): number {
    return this.#length;
  }

  includes(code: number): boolean {
    return this.#codes.includes(code);
  }

  /** Returns the code point at an index, or -1 if there is none. */
  code(at: number): number {
    return at >= 0 && at < this.#length ? (this.#codes[at] ?? -1) : -1;
  }

  start(at: number): number {
    return this.#starts[at] ?? 0;
  }

  end(at: number): number {
    return this.#ends[at] ?? 0;
  }

  push(code: number, start: number, end: number): void {
    this.#codes[this.#length] = code;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  change(at: number, code: number): void {
    this.#codes[at] = code;
  }

  /** Returns the code point counted from the end, where 1 is the last character, or -1 if there is none. */
  fromEnd(places: number): number {
    return this.code(this.#length - places);
  }

  /** Replaces the last `count` characters by one, which stands for the source text of all of them. */
  joinLast(count: number, code: number): void {
    const end = this.end(this.#length - 1);
    this.#length -= count;
    this.push(code, this.start(this.#length), end);
  }
}
