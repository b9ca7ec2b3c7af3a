/** The text that is shown in place of a hidden part. */
export const REDACTED = '***';

/** Marks the parts of a text that may not be shown. */
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

  /** Returns the text with `***` in place of each hidden stretch. */
  render(): string {
    const parts: string[] = [];
    for (let at = 0; at < this.#text.length; ) {
      const hidden = this.#isHidden[at] ?? 0;
      const end = this.#isHidden.indexOf(1 - hidden, at);
      const until = end < 0 ? this.#text.length : end;
      parts.push(hidden === 1 ? REDACTED : this.#text.slice(at, until));
      at = until;
    }
    return parts.join('');
  }
}
