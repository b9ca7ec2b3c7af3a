import { hash } from 'node:crypto';
import {
  type AnsweredOperation,
  type FormMeaning,
  isFamiliar,
  type KnownAnswers,
  type KnownForm,
  withIdentifiers,
  withShared,
} from '../../request/contract/known-answers.ts';
import { RecentMap } from '../../request/small.ts';
import { type Form, type Identifier, LOCATION, matches, uniqueValues } from './form.ts';

/** Number of the last identifiers that are remembered, to notice one that two requests get. */
const IDENTIFIED = 10_000;
/** The first identifiers are stored at once for the next process, and then one of so many, each with all before it. */
const KEPT_FIRST = 3;
const KEPT_EVERY = 1_000;

/**
 * What is known about the answers of a service: what was given, and what this process has added. It knows which request was
 * given which identifier, too. An identifier belongs to one content.
 */
export class Knowledge {
  /** What is known, maybe without the last identifiers. Setting it keeps nothing for the next process. */
  known: KnownAnswers;
  /** The places where the API description says that requests are named. */
  readonly documentedPlaces: readonly string[];
  /** Number of creates of each customer that are known to have been sent, by a digest. */
  readonly creates = new Map<string, number>();
  readonly #remember: (known: KnownAnswers) => void;
  /** The identifiers that `known` lacks. They are added all at once, as each would take time for all of them. */
  readonly #added: { readonly digest: string; readonly key: string }[] = [];
  readonly #identified = new RecentMap<string>(IDENTIFIED);
  readonly #claimed = new RecentMap<string>(IDENTIFIED);
  readonly #values = new RecentMap<string>(IDENTIFIED);
  #registered = 0;

  constructor(known: KnownAnswers, documentedPlaces: readonly string[], remember: (known: KnownAnswers) => void) {
    this.known = known;
    this.documentedPlaces = documentedPlaces;
    this.#remember = remember;
    for (const { digest, key } of known.identifiers) this.#identified.set(digest, key);
  }

  /** All that is known. */
  get whole(): KnownAnswers {
    this.known = withIdentifiers(this.known, this.#added.splice(0));
    return this.known;
  }

  /** Whether it is known how the service answers when it has taken a request. */
  get isFamiliar(): boolean {
    return isFamiliar(this.known);
  }

  forms(of: AnsweredOperation, meaning: FormMeaning): readonly KnownForm[] {
    return this.known.forms.filter(({ operation, means }) => operation === of && means === meaning);
  }

  /**
   * Returns what is known of answers like this one, by which requests were taken, unless a person alone has said so. Once a
   * person has explained another 201 of the service, its 201 alone shows nothing: some answer it to all requests.
   */
  takenLike(form: Form): KnownForm | undefined {
    const isExplained = this.known.forms.some(({ operation, by, status }) => {
      return operation === 'create' && by === 'person' && status === 201;
    });
    const isShown = ({ by }: KnownForm) => by !== 'person' && !(by === 'status' && isExplained);
    return this.forms('create', 'taken').find((each) => isShown(each) && matches(each, form));
  }

  /** Keeps what has changed, for the next process as well. */
  change(known: KnownAnswers): void {
    this.known = known;
    this.#remember(this.whole);
  }

  /**
   * Notes what a request was given as identifiers. An identifier belongs to one content: returns the key of another
   * request that has the same one, or null. A place where two requests have the same value, beside another where they
   * differ, names something else.
   */
  identify(key: string, form: Form | null): string | null {
    const named = this.#identifying(form);
    const held = named.map(({ place, text }) => {
      const digest = digestOf(text);
      return { place, text, digest, by: this.#identified.get(digest) };
    });
    const others = held.filter(({ by }) => by !== undefined && by !== key);
    if (others.length > 0 && others.length === held.length) return others[0]?.by ?? null;
    for (const { place, text } of others) this.#share(place, text);
    for (const { digest } of held) this.#hold(digest, key);
    return null;
  }

  /**
   * Notes what an answer names whose meaning is not known yet. Returns the key of another request that was answered by the
   * same identifiers, or null.
   */
  claim(key: string, form: Form | null): string | null {
    const named = this.named(form).map(({ text }) => digestOf(text));
    const holders = named.map((digest) => this.#identified.get(digest) ?? this.#claimed.get(digest));
    const [other] = holders;
    if (other !== undefined && holders.every((holder) => holder !== undefined && holder !== key)) return other;
    for (const digest of named) this.#claimed.set(digest, key);
    return null;
  }

  /** From now on the value at this place is compared like any other. */
  #share(place: string, text: string): void {
    const forms = this.known.forms.map((form) => {
      const seen = form.paths[place];
      if (form.operation !== 'create' || seen === undefined || place === LOCATION) return form;
      return { ...form, paths: { ...form.paths, [place]: { ...seen, values: [...seen.values, text.toLowerCase()] } } };
    });
    this.change(withShared({ ...this.known, forms }, place));
  }

  /** Returns what an answer names its request by: identifiers, or else texts that always differ. */
  #identifying(form: Form | null): readonly Pick<Identifier, 'place' | 'text'>[] {
    const named = this.named(form);
    const known = form && this.takenLike(form);
    if (named.length > 0 || !form || !known) return named;
    return uniqueValues(known, form).filter(({ isToken, place }) => isToken && !this.known.shared.includes(place));
  }

  /** The identifiers of a form: those at documented places if there are any. */
  named(form: Form | null): readonly Identifier[] {
    const all = form?.identifiers ?? [];
    const named = all.filter(({ place }) => this.documentedPlaces.includes(place));
    return named.length > 0 ? named : all;
  }

  /** Remembers all values of an answer of success: one that another request gets is a copy, if such values always differ. */
  holdAll(form: Form | null, key: string): void {
    for (const [place, values] of form?.paths ?? []) {
      const [value, ...more] = values;
      if (value !== undefined && more.length === 0) this.holderOf({ place, text: value.plain }, key);
    }
  }

  /** Returns the request that had a value at a place first, which is this one from now on if nobody had it. */
  holderOf({ place, text }: Pick<Identifier, 'place' | 'text'>, key: string): string {
    const name = digestOf(`${place} ${text}`);
    const holder = this.#values.get(name);
    if (holder === undefined) this.#values.set(name, key);
    return holder ?? key;
  }

  /** Remembers who has an identifier, for this process and, of the last ones, for the next. */
  #hold(digest: string, key: string): void {
    this.#identified.set(digest, key);
    this.#added.push({ digest, key });
    const before = this.#registered++;
    if (before < KEPT_FIRST || before % KEPT_EVERY === 0) this.#remember(this.whole);
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}
