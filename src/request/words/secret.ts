/**
 * A secret on its way from where it is kept to the service. Wherever it is shown by mistake, in a message, as JSON or on
 * a console, it is `***`.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the secret itself. Only `service/token/token.ts` asks for it, which writes it into requests. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  /** What `console.log` and `util.inspect` print. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}

const MASK = '***';
