import { addressOf, type Contract, type Json, type Pointer } from '../../request/contract/contract.ts';
import {
  type AnsweredOperation,
  type FormMeaning,
  isOpen,
  type KnownAnswers,
  type KnownForm,
  kindOf,
  NOTHING_KNOWN,
  type ProvenBy,
  withForm,
} from '../../request/contract/known-answers.ts';
import { type Identifiers, isSuccess } from '../../request/log/outcome.ts';
import type { Verdict } from '../../request/ports.ts';
import { pointerNames } from '../../request/small.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type ComparedMeaning, type CreateMeaning, classifyCreate } from './classify.ts';
import type { FormValue } from './compared-text.ts';
import { type ParameterNames, parameterNames, readErrorText } from './error-text.ts';
import {
  type Form,
  formOf,
  type Identifier,
  identifierPlaces,
  keptForm,
  LOCATION,
  looksLike,
  matches,
  uniqueValues,
} from './form.ts';
import { Knowledge } from './knowledge.ts';
import { type Separation, separation } from './separation.ts';

/** Number of experiments after which the answers of a service are only compared. */
export const EXPERIMENTS = 3;

/** What one answer to create shows about its request. */
export type ReadCreation = ReturnType<AnswerReader['creation']>;

/**
 * Reads answers by comparing them with proven ones: those of experiments, those that the API description names, and
 * those that a person has explained. Words of the service are never interpreted.
 */
export class AnswerReader {
  readonly #contract: Contract;
  readonly #names: ParameterNames;
  readonly kept: Knowledge;
  /** Tells answers of validate apart, or null while nothing shows how. */
  separation: Separation | null;

  /** `columnOf` returns the column that a field came from, or null. Error texts name the column. */
  constructor(
    contract: Contract,
    columnOf: (field: string) => string | null,
    known: KnownAnswers = NOTHING_KNOWN,
    remember: (known: KnownAnswers) => void = () => {},
  ) {
    this.#contract = contract;
    this.#names = parameterNames(contract, columnOf);
    this.kept = new Knowledge(known, contract.create.identifiers.flatMap(placesOf), remember);
    this.separation = this.separationWith([], []);
  }

  /** Whether it is known how validate speaks of requests that cannot exist, and of those that do. */
  get knowsValidate(): boolean {
    return this.separation !== null;
  }

  /** Reads an exchange on create. */
  creation(exchange: Exchange, sent: Redactor, key: string) {
    const { answer } = exchange;
    const form = answer && this.#form('create', answer, sent);
    // An error means something only where a person has said what it means.
    const told = answer && this.#compared(answer, form, key);
    /** Whether the answer holds as a creation if validate tells nothing, because it is the first of its kind. */
    const isBelieved = told === 'believed';
    const compared = isBelieved ? null : told;
    // What was cut may have named it.
    const namesRequest = form === null ? answer?.complete === false : compared === null && this.#namesRequest(form);
    const { isFamiliar } = this.kept;
    const meaning = classifyCreate(exchange, { compared, namesRequest, isFamiliar });
    return { meaning, form, isBelieved, ids: identifiersOf(this.kept.named(form)) };
  }

  /**
   * Compares an answer with known ones. Returns `believed` if nothing is known yet, and the API description calls this
   * answer a creation, or it is a 201 with a new identifier.
   */
  #compared(answer: Answer, form: Form | null, key: string): ComparedMeaning | 'believed' {
    const { success, identifiers } = this.#contract.create;
    if (form === null) return null;
    const said = this.#saidOf(form);
    if (said !== null) return said === 'taken' ? 'created' : 'rejected';
    if (!isSuccess(answer.status)) return null;
    if (this.isTaken(form, key)) return 'created';
    if (this.kept.isFamiliar) return null;
    const isDocumented =
      identifiers.length > 0 &&
      (success === null || (success.status === answer.status && isAsShown(form, success.body))) &&
      form.identifiers.some(({ place }) => this.kept.documentedPlaces.includes(place));
    if (isDocumented) return 'believed';
    return answer.status === 201 && form.identifiers.some(({ isCertain }) => isCertain) ? 'believed' : null;
  }

  /** Tells whether such an answer to create was proven before. */
  isKnown(form: Form): boolean {
    return this.kept.forms('create', 'taken').some((known) => matches(known, form));
  }

  /** Tells whether an answer is like those by which requests were taken, and counts it with them. */
  isTaken(form: Form, key: string): boolean {
    const known = this.kept.takenLike(form);
    // An answer that was given to a request that validate did not see then says nothing.
    if (known === undefined || this.kept.forms('create', 'open').some((each) => matches(each, form))) return false;
    const unique = uniqueValues(known, form);
    // An answer that differs from others nowhere, where all others differ, is a copy of one of them. `identify` stops the run
    // if that is where requests are named.
    const isNamed = form.identifiers.length > 0 || unique.some(({ isToken }) => isToken);
    const holders = isNamed ? [] : unique.map((each) => this.kept.holderOf(each, key));
    if (holders.length > 0 && !holders.includes(key)) return false;
    // How often a place differs is counted, where it has differed at all. The next process may miss such a count.
    if (Object.values(known.paths).some(({ values }) => values.length > 1))
      this.kept.known = withForm(this.kept.known, { ...known, ...keptForm(form) });
    return true;
  }

  /** Tells whether a person has said what an answer means. */
  isSaid(form: Form | null): boolean {
    return form !== null && this.#saidOf(form) !== null;
  }

  /** Returns what a person said of a form, the newest statement first, or null. */
  #saidOf(form: Form): 'taken' | 'refused' | null {
    const said = this.kept.known.forms
      .filter(({ operation, by }) => operation === 'create' && by === 'person')
      .filter((known) => (known.byIdentifier ? this.#isNamedLike(known, form) : matches(known, form)))
      // What was said of this very answer counts more than what was said of others like it, and what was proven as well.
      .filter((known) => known.means !== 'refused' || !isGeneral(known) || !this.isKnown(form))
      .toSorted((one, other) => Number(isGeneral(one)) - Number(isGeneral(other)) || other.atMs - one.atMs);
    const [newest] = said;
    return newest === undefined ? null : newest.means === 'refused' ? 'refused' : 'taken';
  }

  /** Tells whether a form names its request where a known form does, and with a number if that does. */
  #isNamedLike(known: KnownForm, { status, identifiers, paths }: Form): boolean {
    const places = identifierPlaces(known);
    const hasNumber = (values: readonly string[] = []) => values.some((value) => value.endsWith('#'));
    const isLike = ({ place }: Identifier) =>
      places.includes(place) &&
      (!hasNumber(known.paths[place]?.values) || hasNumber(paths.get(place)?.map(({ plain }) => plain)));
    return known.status === status && identifiers.some(isLike);
  }

  /**
   * Tells whether a refusal names the request, or is a creation but for its status. It names it where the API description says
   * so, or else at a place where a creation did, or it gives the address of something new. Of a service that has taken nothing
   * yet, and of one that asks to slow down, an `id` at the top counts as well.
   */
  #namesRequest(form: Form): boolean {
    const { identifiers } = form;
    const taken = this.kept.forms('create', 'taken');
    if (form.type !== '' && taken.some((known) => looksLike(known, form))) return true;
    const places = this.kept.documentedPlaces.length > 0 ? this.kept.documentedPlaces : taken.flatMap(identifierPlaces);
    if (identifiers.some(({ place }) => places.includes(place))) return true;
    // Whoever asks to slow down names nothing that it has not taken.
    const isWide = places.length === 0 || form.status === 429 || form.status === 503;
    const isSign = (place: string) => place === LOCATION || (isWide && /^(?:id|uuid)$/i.test(place));
    return identifiers.some(({ place, isCertain }) => isCertain && isSign(place));
  }

  /** Adds what a proven answer looks like. `form` may be null, which teaches nothing. */
  learn(operation: AnsweredOperation, form: Form | null, means: FormMeaning, by: ProvenBy, nowMs: number): void {
    if (form === null) return;
    const added = { ...keptForm(form), operation, means, by, byIdentifier: false, atMs: nowMs };
    this.kept.change(withForm(this.kept.known, added));
    if (operation === 'validate') this.separation = this.separationWith([], []);
  }

  /** Counts an experiment in which validate told a created request from one that cannot exist. */
  countExperiment(times: number): void {
    this.kept.change({ ...this.kept.known, experiments: this.kept.known.experiments + times });
  }

  /** Reads an answer of validate. */
  look(answer: Answer, sent: Redactor): { verdict: Verdict; form: Form | null } {
    const form = this.#form('validate', answer, sent);
    return { form, verdict: (form && this.separation?.verdict(form)) ?? 'unknown' };
  }

  /** Whether what is known of validate is more than one experiment may show by chance. */
  get trustsValidate(): boolean {
    return this.kept.known.experiments >= EXPERIMENTS || this.separation?.isStrong === true;
  }

  /** Tells answers apart by what is known and by these forms: of requests that cannot exist, and of those that do. */
  separationWith(clear: readonly Form[], duplicate: readonly Form[]): Separation | null {
    const usual = { operation: 'validate', by: 'experiment', byIdentifier: false, atMs: 0 } as const;
    const forms = (means: FormMeaning, more: readonly Form[]) => [
      ...this.kept.forms('validate', means),
      ...more.map((form) => ({ ...usual, means, ...keptForm(form) })),
    ];
    return separation(forms('clear', clear), forms('duplicate', duplicate));
  }

  /** Returns why an exchange on validate gave no verdict, and what to do about it. */
  whyNoVerdict(exchange: Exchange): CreateMeaning {
    // A 404 is about its address, as validate is asked about requests that nobody has.
    const isFamiliar = this.kept.isFamiliar && exchange.answer?.status === 403;
    return classifyCreate(exchange, { compared: null, namesRequest: false, isFamiliar });
  }

  /** Returns the reason for a refusal in the service's own words, or null if the answer has none. */
  errorText(answer: Answer, sent: Redactor): string | null {
    return readErrorText(answer, sent, this.#names);
  }

  #form(operation: AnsweredOperation, answer: Answer, sent: Redactor): Form | null {
    const isCreate = operation === 'create';
    const { path } = addressOf(this.#contract[operation] ?? this.#contract.create);
    const [shared, documented] = isCreate ? [this.kept.known.shared, this.kept.documentedPlaces] : [[], []];
    return formOf(answer, sent, { path, shared, documented, isNew: isCreate });
  }
}

const isGeneral = ({ paths }: KnownForm) => Object.values(paths).some(isOpen);

/**
 * Tells whether an answer can only be the success that the API description shows. With a flag, or with another word in the
 * place of the one shown, it may as well be a refusal.
 */
function isAsShown({ paths }: Form, shown: Json): boolean {
  const words = wordsShown(shown);
  const isOther = (place: string, { plain }: FormValue) =>
    /^(?:true|false)$/.test(plain) ||
    (words.has(place) && kindOf(plain) === 'text' && plain !== 'sent' && plain !== words.get(place));
  return ![...paths].some(([place, values]) => values.some((value) => isOther(place, value)));
}

/** Returns the words of a sample, by their places in a form. */
function wordsShown(sample: Json, path = ''): ReadonlyMap<string, string> {
  if (typeof sample === 'string') {
    const word = sample.toLowerCase();
    return new Map(kindOf(word) === 'text' && word !== SAMPLE_TEXT ? [[path, word]] : []);
  }
  if (typeof sample !== 'object' || sample === null) return new Map();
  const below = path === '' ? '' : `${path}.`;
  const inner = Object.entries(sample).map(([name, each]) => [Array.isArray(sample) ? '*' : name.toLowerCase(), each]);
  return new Map(inner.flatMap(([name, each]) => [...wordsShown(each as Json, `${below}${name}`)]));
}

/** What a sample has where the description gives no text. */
const SAMPLE_TEXT = 'text';

/** Returns the places of a pointer in a form. In a list, what is said of one element holds for all; a number may be a name, too. */
function placesOf(pointer: Pointer): readonly string[] {
  const names = pointerNames(pointer).map((name) => name.toLowerCase());
  const inLists = names.map((name) => (/^\d+$/.test(name) ? '*' : name));
  return [...new Set([names, inLists].map((each) => each.join('.')))];
}

/** Returns identifiers by name, as they are kept. Of two with one name, the second has its place as its name. */
export function identifiersOf(found: readonly Identifier[]): Identifiers {
  const ids: Record<string, string> = {};
  for (const { name, place, text } of found) {
    ids[Object.hasOwn(ids, name) && ids[name] !== text ? place : name] = text;
  }
  return ids;
}
