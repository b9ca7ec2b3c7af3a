import type { Contract } from '../model/contract.ts';
import type { Identifiers } from '../model/outcome.ts';
import type { Verdict } from '../model/ports.ts';
import { classifyCreate, type Meaning } from './classify.ts';
import { readErrorText } from './error-text.ts';
import type { Answer, Exchange } from './exchange.ts';
import { documentedIdentifiers, readIdentifiers } from './identifiers.ts';
import type { Mask } from './mask.ts';
import { Observed } from './observed.ts';
import { type ParameterNames, parameterNames } from './parameter-names.ts';
import { readVerdict, saidVerdict } from './verdict.ts';
import { ruledVerdict } from './verdict-rules.ts';

const NO_VALIDATE_HINT =
  'The document describes no validate. Create without it: --no-validate; for good: srq contract learn FILE --operation validate=none';

/**
 * Reads answers as the service's description says; what is not where it should be is searched for, and counted as a
 * contradiction.
 */
export class AnswerReader {
  readonly observed = new Observed();
  readonly #contract: Contract;
  readonly #names: ParameterNames;

  /** `columnOf`: what the user calls a field, for errors that name it. */
  constructor(contract: Contract, columnOf: (field: string) => string | null) {
    this.#contract = contract;
    this.#names = parameterNames(contract, columnOf);
  }

  /** What an exchange tells; for validate, whose verdict is read elsewhere, why there is none. */
  meaning(exchange: Exchange, operation: 'create' | 'validate'): Meaning {
    const { create, unavailableIsNotActed, hasValidate } = this.#contract;
    const duplicate = operation === 'create' ? create.duplicate : [];
    const meaning = classifyCreate(exchange, { duplicate, unavailableIsNotActed });
    const isGuessed = operation === 'validate' && hasValidate === null;
    if (!isGuessed || !meaning.stop || exchange.answer?.status !== 404) return meaning;
    return { ...meaning, stop: { ...meaning.stop, hint: NO_VALIDATE_HINT } };
  }

  /** Of a request that was created. */
  identifiers(answer: Answer, sent: Mask): Identifiers {
    const { identifiers } = this.#contract.create;
    const documented = documentedIdentifiers(answer, identifiers);
    const areThere = Object.keys(documented).length > 0;
    if (identifiers.length > 0) this.observed.note('create.identifiers', areThere);
    return areThere ? documented : readIdentifiers(answer, sent);
  }

  /** Of a request that the service has already: its answer to that is rarely described. */
  identifiersOfDuplicate(answer: Answer, sent: Mask): Identifiers {
    const documented = documentedIdentifiers(answer, this.#contract.create.identifiers);
    return Object.keys(documented).length > 0 ? documented : readIdentifiers(answer, sent);
  }

  /** What an answer of validate says. */
  verdict(answer: Answer): Verdict {
    const rules = this.#contract.validate.verdict;
    const ruled = ruledVerdict(answer, rules);
    const isWell = answer.status >= 200 && answer.status <= 299;
    // A body that speaks of a duplicate counts more than a rule by which every answer of its kind is clear.
    const denied = ruled === 'clear' && isWell && !this.#saysClearInBody(answer) && saidVerdict(answer) === 'duplicate';
    if (rules.length > 0 && (ruled !== null || isWell))
      this.observed.note('validate.verdict', ruled !== null && !denied);
    return ruled === null || denied ? readVerdict(answer) : ruled;
  }

  #saysClearInBody(answer: Answer): boolean {
    const inBody = this.#contract.validate.verdict.filter(({ kind }) => kind !== 'status');
    return ruledVerdict(answer, inBody) === 'clear';
  }

  /** The service's words on why it refused. */
  errorText(answer: Answer, sent: Mask, operation: 'create' | 'validate'): string | null {
    return readErrorText(answer, sent, { pointers: this.#contract[operation].errorTexts, names: this.#names });
  }
}
