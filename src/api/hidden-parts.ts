/** Stands for what may not be shown. */
export const MASKED = '***';

/** The parts of a text that may not be shown. */
export class HiddenParts {
  readonly #text: string;
  readonly #isHidden: Uint8Array;

  constructor(text: string) {
    this.#text = text;
    this.#isHidden = new Uint8Array(text.length);
  }

  hide(start: number, end: number): void {
    this.#isHidden.fill(1, start, end);
  }

  hideFrom(start: number): void {
    this.hide(start, this.#text.length);
  }

  /** The text with `***` for each stretch that is hidden. */
  shown(): string {
    const parts: string[] = [];
    for (let at = 0; at < this.#text.length; ) {
      const hidden = this.#isHidden[at] ?? 0;
      const end = this.#isHidden.indexOf(1 - hidden, at);
      const until = end < 0 ? this.#text.length : end;
      parts.push(hidden === 1 ? MASKED : this.#text.slice(at, until));
      at = until;
    }
    return parts.join('');
  }
}
