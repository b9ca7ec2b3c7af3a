import type { AnsweredOperation, FormMeaning, KnownAnswers, KnownForm } from '../../request/contract/known-answers.ts';

/** What is known about the answers of a service: what was given, and what this process has added. */
export class Knowledge {
  #known: KnownAnswers;
  readonly #remember: (known: KnownAnswers) => void;

  constructor(known: KnownAnswers, remember: (known: KnownAnswers) => void) {
    this.#known = known;
    this.#remember = remember;
  }

  get known(): KnownAnswers {
    return this.#known;
  }

  forms(of: AnsweredOperation, meaning: FormMeaning): readonly KnownForm[] {
    return this.#known.forms.filter(({ operation, means }) => operation === of && means === meaning);
  }

  /** Keeps what has changed, for the next process as well. */
  change(known: KnownAnswers): void {
    this.#known = known;
    this.#remember(known);
  }

  /** Keeps a count, which the next process may miss. */
  note(known: KnownAnswers): void {
    this.#known = known;
  }
}
