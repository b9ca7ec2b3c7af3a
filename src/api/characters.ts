/** The characters of a text as code points, each with the part of the source that stands for it. */
export class Characters {
  readonly #codes: Int32Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #length = 0;

  /** `most`: how many there will be at most. */
  constructor(most: number) {
    this.#codes = new Int32Array(most);
    this.#starts = new Int32Array(most);
    this.#ends = new Int32Array(most);
  }

  /** Half a surrogate pair stays half a pair. */
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

  /** -1 where there is none. */
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

  /** The character so many places before the end, 1 for the last; -1 where there is none. */
  fromEnd(places: number): number {
    return this.code(this.#length - places);
  }

  /** One character takes the place of the last few. */
  joinLast(count: number, code: number): void {
    const end = this.end(this.#length - 1);
    this.#length -= count;
    this.push(code, this.start(this.#length), end);
  }
}
