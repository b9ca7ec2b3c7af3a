import {
  type AnsweredOperation,
  type FormMeaning,
  type KnownAnswers,
  type KnownForm,
  withIdentifiers,
} from '../../request/contract/known-answers.ts';
import { type Form, matches } from './form.ts';

/** What is known about the answers of a service: what was given, and what this process has added. */
export class Knowledge {
  /** What is known, maybe without the last identifiers. Setting it keeps nothing for the next process. */
  known: KnownAnswers;
  readonly #remember: (known: KnownAnswers) => void;
  /** The identifiers that `known` lacks. They are added all at once, as each would take time for all of them. */
  readonly #added: { readonly digest: string; readonly key: string }[] = [];

  constructor(known: KnownAnswers, remember: (known: KnownAnswers) => void) {
    this.known = known;
    this.#remember = remember;
  }

  /** All that is known. */
  get whole(): KnownAnswers {
    this.known = withIdentifiers(this.known, this.#added.splice(0));
    return this.known;
  }

  forms(of: AnsweredOperation, meaning: FormMeaning): readonly KnownForm[] {
    return this.known.forms.filter(({ operation, means }) => operation === of && means === meaning);
  }

  /** Returns what is known of answers like this one, by which requests were taken, unless a person alone has said so. */
  takenLike(form: Form): KnownForm | undefined {
    return this.forms('create', 'taken').find((each) => each.by !== 'person' && matches(each, form));
  }

  /** Keeps what has changed, for the next process as well. */
  change(known: KnownAnswers): void {
    this.known = known;
    this.keep();
  }

  /** Keeps all for the next process. */
  keep(): void {
    this.#remember(this.whole);
  }

  /** Adds who has an identifier. */
  addIdentifier(digest: string, key: string): void {
    this.#added.push({ digest, key });
  }
}
