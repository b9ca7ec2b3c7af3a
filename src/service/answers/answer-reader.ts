import {
  type AnswerMemory,
  NO_MEMORY,
  withOpenForm,
  withPlace,
  withValidateResult,
} from '../../request/answer-memory.ts';
import { type Contract, isOffered, type Observations } from '../../request/contract.ts';
import type { RequestOperationName } from '../../request/operations.ts';
import { type Identifiers, isSuccess } from '../../request/outcome.ts';
import type { UnprovenAnswer, Verdict } from '../../request/ports.ts';
import type { Answer, Exchange } from '../network/exchange.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { readableKind } from './answer-value.ts';
import { type CreateMeaning, classifyCreate } from './classify.ts';
import { type Creation, documentedIdentifiers, judgeCreation, readIdentifiers, UNREADABLE } from './creation.ts';
import { type ParameterNames, parameterNames, readErrorText } from './error-text.ts';
import { outcomeSigns } from './refusal-signs.ts';
import { readVerdict, ruledVerdict, statedVerdict } from './verdict.ts';

const NO_VALIDATE_HINT =
  'The document describes no validate. Create without it: --no-validate; for good: srq contract learn FILE --operation validate=none';

/**
 * Reads answers as the service's description says. What is not in its described place is searched for, and counts as a
 * contradiction of the contract.
 */
export class AnswerReader {
  readonly observed = new Observed();
  readonly #contract: Contract;
  readonly #names: ParameterNames;
  readonly #remember: (memory: AnswerMemory) => void;
  #memory: AnswerMemory;

  /** `columnOf` returns the column that a field came from, or null. Error texts name the column. */
  constructor(
    contract: Contract,
    columnOf: (field: string) => string | null,
    memory: AnswerMemory = NO_MEMORY,
    remember: (memory: AnswerMemory) => void = () => {},
  ) {
    this.#contract = contract;
    this.#names = parameterNames(contract, columnOf);
    this.#memory = memory;
    this.#remember = remember;
  }

  #change(memory: AnswerMemory): void {
    if (memory === this.#memory) return;
    this.#memory = memory;
    this.#remember(memory);
  }

  /** What is known about the answers to create: the memory that was given, and what this reader has added. */
  get memory(): AnswerMemory {
    return this.#memory;
  }

  /**
   * Returns what an exchange on create means. If the answer proves a creation, the place of the identifier in it is
   * remembered.
   */
  creation(exchange: Exchange, sent: Redactor): CreateMeaning {
    const { create, unavailableIsNotActed } = this.#contract;
    const { path, duplicate, identifiers, errorTexts } = create;
    const judge = (answer: Answer) =>
      judgeCreation(answer, sent, { path, identifiers, errorTexts, memory: this.#memory });
    const meaning = classifyCreate(exchange, { duplicate, unavailableIsNotActed, judge });
    if (meaning.creation?.is === 'taken') this.#noteTaken(meaning.creation);
    return meaning;
  }

  #noteTaken({ place, ids }: Extract<Creation, { is: 'taken' }>): void {
    if (place !== null) this.#change(withPlace(this.#memory, place));
    const { identifiers } = this.#contract.create;
    if (identifiers.length > 0) this.observed.note('create.identifiers', Object.keys(ids).length > 0 && place === null);
  }

  /** Records whether validate saw a request whose creation had this unproven answer. */
  noteSight({ form, place }: UnprovenAnswer, wasSeen: boolean): void {
    const sighted = withValidateResult(this.#memory, form, wasSeen);
    this.#change(wasSeen && place !== null ? withPlace(sighted, place) : sighted);
  }

  /** Records a creation whose answer has no known meaning. */
  noteUnproven({ form, ...signs }: UnprovenAnswer): void {
    if (form !== '') this.#change(withOpenForm(this.#memory, form, signs));
  }

  /** Returns why an exchange on validate gave no verdict, and what to do about it. */
  whyNoVerdict(exchange: Exchange): CreateMeaning {
    const { unavailableIsNotActed } = this.#contract;
    const meaning = classifyCreate(exchange, { duplicate: [], unavailableIsNotActed, judge: () => UNREADABLE });
    if (isOffered(this.#contract, 'validate') !== null || !meaning.stop || exchange.answer?.status !== 404)
      return meaning;
    return { ...meaning, stop: { ...meaning.stop, hint: NO_VALIDATE_HINT } };
  }

  /**
   * Returns the identifiers in an answer that reports a duplicate. Descriptions rarely cover such answers, so other
   * places than the described ones are searched as well.
   */
  identifiersOfDuplicate(answer: Answer, sent: Redactor): Identifiers {
    const documented = documentedIdentifiers(answer, this.#contract.create.identifiers, sent);
    return Object.keys(documented).length > 0 ? documented : readIdentifiers(answer, sent);
  }

  /** Returns the verdict that an answer of validate gives. */
  verdict(answer: Answer): Verdict {
    const rules = this.#contract.validate.verdict;
    const ruled = ruledVerdict(answer, rules);
    const isWell = isSuccess(answer.status);
    // A body that cannot be read, or that reports a duplicate or an error, takes precedence over a rule by which every
    // answer with this status is clear.
    const denied = ruled === 'clear' && isWell && !this.#saysClearInBody(answer) && this.#isDeniedByBody(answer);
    if (rules.length > 0 && (ruled !== null || isWell))
      this.observed.note('validate.verdict', ruled !== null && !denied);
    return ruled === null || denied ? readVerdict(answer) : ruled;
  }

  #isDeniedByBody(answer: Answer): boolean {
    return readableKind(answer) === null || statedVerdict(answer) === 'duplicate' || outcomeSigns(answer).complains;
  }

  #saysClearInBody(answer: Answer): boolean {
    const inBody = this.#contract.validate.verdict.filter(({ kind }) => kind !== 'status');
    return ruledVerdict(answer, inBody) === 'clear';
  }

  /** Returns the reason for a refusal in the service's own words, or null if the answer has none. */
  errorText(answer: Answer, sent: Redactor, operation: RequestOperationName): string | null {
    return readErrorText(answer, sent, { pointers: this.#contract[operation].errorTexts, names: this.#names });
  }
}

/** Counts how often answers of the service confirmed or contradicted the settings of a contract. */
export class Observed {
  readonly #counts = new Map<string, { confirmed: number; contradicted: number }>();

  /** Counts one answer. `setting` has the name that it has in the contract's findings. */
  note(setting: string, isConfirmed: boolean): void {
    const counts = this.#counts.get(setting) ?? { confirmed: 0, contradicted: 0 };
    this.#counts.set(setting, counts);
    counts[isConfirmed ? 'confirmed' : 'contradicted'] += 1;
  }

  /** Withdraws one confirmation that has turned out to be wrong. */
  withdraw(setting: string): void {
    const counts = this.#counts.get(setting);
    if (!counts) return;
    counts.confirmed -= 1;
    if (counts.confirmed + counts.contradicted === 0) this.#counts.delete(setting);
  }

  get counts(): Observations {
    return Object.fromEntries([...this.#counts].map(([setting, counts]) => [setting, { ...counts }]));
  }
}
