import { customersOf, type ServiceRequest } from '../request/lead/service-request.ts';
import type { ValidateResult } from '../request/ports.ts';
import { type AnswerReader, EXPERIMENTS, type ReadCreation } from './answers/answer-reader.ts';
import type { Form } from './answers/form.ts';
import { isLikeAll, sharePlaces, varyFirmly } from './answers/separation.ts';
import type { CallDeps } from './call.ts';
import { invented } from './invented.ts';

/** Pauses before each question to validate whether it sees what was created just now. */
const LOOK_PAUSES_MS = [0, 1_000, 4_000];
/** Further pauses for the first request that seems to be created. By then, most services show what they have. */
const FIRST_PAUSES_MS = [15_000, 40_000];
/** Number of failed experiments after which this process makes no more of its own accord. */
const MAX_FAILED = 3;
/** Number of customers whose creates are counted. Of later ones nobody knows whether they have sent another request. */
const COUNTED = 10_000;

/** The answer to a create, and whether it is believed to be a creation. */
type Created = Pick<ReadCreation, 'form' | 'isBelieved'>;

export interface ExperimentDeps extends Pick<CallDeps, 'clock' | 'stopping'> {
  readonly reader: AnswerReader;
  /** Asks validate about one request. */
  readonly ask: (request: ServiceRequest) => Promise<ValidateResult>;
}

/**
 * Finds out what answers mean by asking validate about requests whose fate is known: one that was created just now, and
 * a control that cannot exist. No word of an answer is read.
 */
export class Experiment {
  readonly #deps: ExperimentDeps;
  /** The last answers about the control. */
  readonly #controls: Form[] = [];
  /** Those of them that are not learned yet. */
  readonly #fresh: Form[] = [];
  #control: ServiceRequest | null = null;
  #isControlRefused = false;
  #asking: Promise<ValidateResult> | null = null;
  #next: Promise<ValidateResult> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #failed = 0;
  #confirmed = 0;
  /** The last answer to create whose request validate did not see. Another one is not waited for. */
  #unseen: string | null = null;

  constructor(deps: ExperimentDeps) {
    this.#deps = deps;
  }

  /** Whether the next request is one of the first, with which the service's answers are tried out. */
  get isOpen(): boolean {
    return this.#deps.reader.kept.known.experiments < EXPERIMENTS && this.#failed < MAX_FAILED;
  }

  /** Notes that a request is about to be created, or was sent by an earlier run. */
  noteCreate(request: ServiceRequest): void {
    const { creates } = this.#deps.reader.kept;
    for (const customer of customersOf(request)) {
      if (creates.size < COUNTED) creates.set(customer, (creates.get(customer) ?? 0) + 1);
    }
  }

  /**
   * Judges an answer of validate. One that nothing is known of is clear if a request that cannot exist is answered alike. A
   * duplicate counts only while validate calls such a request clear: it ends a row, and nobody looks at it again. One such
   * request is the same every time, as validate may remember what it was asked. The other has the row's own data, as validate
   * may call a duplicate what it does not take.
   */
  async judged(request: ServiceRequest, result: ValidateResult): Promise<ValidateResult> {
    const { reader } = this.#deps;
    // A refusal, as of a place where nobody works, says nothing of requests that cannot exist. Another row may do better.
    if (result.refused === null && (this.#control === null || this.#isControlRefused))
      this.#control = invented(request, { customer: true, text: true });
    if (result.verdict === 'duplicate') {
      const doubt = (message: string): ValidateResult => ({ ...result, verdict: 'unknown', message });
      if ((await this.#askControl()).verdict !== 'clear') return doubt(SAYS_THE_SAME);
      if (!reader.trustsValidate) return doubt(UNCONFIRMED);
      const own = await this.#deps.ask(invented(request, { customer: true, text: true }));
      if (own.verdict !== 'clear') return doubt(SAYS_THE_SAME);
      return (await this.#isConfirmed(request)) ? result : doubt(UNCONFIRMED);
    }
    const form = result.form as Form | null;
    if (result.verdict !== 'unknown' || result.refused !== null || form === null) return result;
    if (reader.knowsValidate) return result;
    if (this.#controls.length === 0) await this.#askControl();
    // A place that differs between two answers about the control says nothing.
    if (!isLikeAll(form, this.#controls)) await this.#askControl();
    return isLikeAll(form, this.#controls) ? { ...result, verdict: 'clear', message: null } : result;
  }

  /**
   * Asks about the first duplicates several times, and about the control in between, where nothing but a value tells them
   * apart that may differ by chance.
   */
  async #isConfirmed(request: ServiceRequest): Promise<boolean> {
    const { reader, ask } = this.#deps;
    if (reader.separation?.isStrong || this.#confirmed >= CONFIRMED) return true;
    for (let asked = 0; asked < MANY; asked++) {
      if ((await ask(request)).verdict !== 'duplicate') return false;
      if ((await this.#askControl()).verdict !== 'clear') return false;
    }
    this.#confirmed += 1;
    return true;
  }

  /**
   * Finds out whether validate sees a request that it had called clear, by the answer `cleared`, and that was created then.
   * `created` is the form of the answer to create, which is learned if validate sees the request.
   */
  inspect(request: ServiceRequest, key: string, created: Created, cleared: ValidateResult): Promise<boolean> {
    const finding = this.#turn.then(() => this.#inspect(request, key, created, cleared));
    this.#turn = finding.catch(() => {});
    return finding;
  }

  async #inspect(request: ServiceRequest, key: string, created: Created, cleared: ValidateResult): Promise<boolean> {
    const { reader, clock, stopping } = this.#deps;
    // Another request may have shown meanwhile what this answer means, or that validate does not tell.
    if (created.form !== null && !this.isOpen && reader.isTaken(created.form, key)) return true;
    const before = cleared.form as Form | null;
    if (before === null || (!reader.knowsValidate && this.#failed >= MAX_FAILED)) return false;
    const text = created.form === null ? '' : created.form.text();
    const clear = [before];
    for (const pauseMs of this.#pauses(created, text)) {
      await clock.sleep(pauseMs, stopping);
      if (stopping.aborted) return false;
      const seen = await this.#lookFor(request, created, clear);
      if (seen === 'not-seen') continue;
      if (seen === 'untold' || !(await this.#isOfThisRequest(request, clear, seen))) break;
      const nowMs = clock.nowMs();
      reader.learn('validate', before, 'clear', 'experiment', nowMs);
      for (const control of this.#fresh.splice(0)) reader.learn('validate', control, 'clear', 'experiment', nowMs);
      for (const form of seen) reader.learn('validate', form, 'duplicate', 'experiment', nowMs);
      reader.learn('create', created.form, 'taken', 'experiment', nowMs);
      // What may differ by chance was asked about more often at once.
      reader.countExperiment(reader.separation?.isStrong ? 1 : 2);
      return true;
    }
    if (this.isOpen) this.#failed += 1;
    this.#unseen = text;
    return false;
  }

  #pauses({ form, isBelieved }: Created, text: string): readonly number[] {
    const { reader } = this.#deps;
    if (this.#unseen === text) return [0];
    // An earlier process waited for validate with such an answer, and did not see the request.
    const isFirst = isBelieved && !reader.knowsValidate && !(form !== null && reader.isKnown(form));
    return isFirst ? [...LOOK_PAUSES_MS, ...FIRST_PAUSES_MS] : LOOK_PAUSES_MS;
  }

  /** Asks validate about a created request and about the control. Returns the answers if it sees the request. */
  async #lookFor(
    request: ServiceRequest,
    { form: answer, isBelieved }: Created,
    before: Form[],
  ): Promise<Form[] | 'not-seen' | 'untold'> {
    const { reader, ask } = this.#deps;
    // Validate may answer differently by chance. So a new kind of answer without an identifier needs a second proof.
    const isPlain = answer === null || reader.isKnown(answer) || answer.identifiers.some(({ isCertain }) => isCertain);
    const { verdict, form: found } = await ask(request);
    const form = found as Form | null;
    if (form === null) return 'untold';
    if (verdict === 'clear') return 'not-seen';
    if (verdict === 'duplicate') {
      // Before much was known, an answer of an outage may have passed for a clear one.
      const wasClear = before.every((each) => reader.separation?.verdict(each) === 'clear');
      const isTold = wasClear && (await this.#askControl()).verdict === 'clear';
      return isTold && (isPlain || (await this.#isConfirmed(request))) ? [form] : 'untold';
    }
    // A new kind of answer teaches what validate says about duplicates only in two cases: nothing is known about validate
    // yet, or the request seems to be taken anyway.
    if (reader.knowsValidate && !isBelieved) return 'untold';
    return this.#compare(request, form, before);
  }

  /** Compares answers about a created request with those about the control, until what differs by chance has differed. */
  async #compare(request: ServiceRequest, form: Form, before: Form[]): Promise<Form[] | 'not-seen' | 'untold'> {
    const { reader, ask } = this.#deps;
    const seen = [form];
    let isWeak = false;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const clear = [...before, ...this.#controls];
      if (seen.some((each) => isLikeAll(each, clear))) {
        before.push(...seen);
        return 'not-seen';
      }
      const needed = varyFirmly(clear) || varyFirmly(seen) ? MANY : isWeak ? SEVERAL : ENOUGH;
      if (seen.length < needed) {
        const again = (await ask(request)).form as Form | null;
        if (again === null) return 'untold';
        seen.push(again);
        continue;
      }
      // The control comes last: it has to be answered as before, so that nothing but the creation has changed.
      const control = (await this.#askControl()).form as Form | null;
      if (control === null) return 'untold';
      const tell = reader.separationWith([...before, ...this.#controls], seen);
      if (tell === null) return 'not-seen';
      isWeak = !tell.isStrong;
      const isStill = before.every((each) => tell.agree(each, control) && sharePlaces(each, control));
      const enough = isWeak ? Math.max(needed, SEVERAL) : needed;
      if (isStill && Math.min(seen.length, before.length + this.#controls.length) >= enough) return seen;
    }
    return 'not-seen';
  }

  /**
   * Tells whether what validate sees can only be this request. If others of the same customer were sent, validate has to
   * call another text of that customer clear.
   */
  async #isOfThisRequest(request: ServiceRequest, clear: readonly Form[], seen: readonly Form[]): Promise<boolean> {
    const { reader, ask } = this.#deps;
    const { creates } = reader.kept;
    const isCounted = creates.size < COUNTED;
    if (isCounted && customersOf(request).every((customer) => (creates.get(customer) ?? 0) <= 1)) return true;
    const { verdict, form } = await ask(invented(request, { customer: false, text: true }));
    if (reader.knowsValidate) return verdict === 'clear';
    const tell = reader.separationWith([...clear, ...this.#controls], seen);
    return form !== null && tell?.verdict(form as Form) === 'clear';
  }

  /** Asks about the control after now. Callers that come before the question is asked share the answer. */
  #askControl(): Promise<ValidateResult> {
    this.#next ??= (this.#asking ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#asking = this.#next;
        this.#next = null;
        return this.#askOnce();
      });
    return this.#next;
  }

  async #askOnce(): Promise<ValidateResult> {
    if (this.#control === null) throw new Error('no control');
    const result = await this.#deps.ask(this.#control);
    const isAnswer = result.refused === null && result.form !== null;
    this.#isControlRefused = !isAnswer && this.#controls.length === 0;
    if (!isAnswer) return result;
    for (const answers of [this.#controls, this.#fresh]) {
      answers.push(result.form as Form);
      if (answers.length > MAX_CONTROLS) answers.shift();
    }
    return result;
  }
}

/** Number of duplicates that are asked about again. */
const CONFIRMED = 3;
/** Number of answers about the control that are kept. */
const MAX_CONTROLS = 8;
/**
 * Number of answers of each kind by which a service is learned; if no flag and no status tells them apart; and if they
 * differ by chance in more than texts.
 */
const ENOUGH = 3;
const SEVERAL = 4;
const MANY = 5;
/** Maximum number of questions about one request in one look. */
const MAX_LOOKS = 12;
const UNCONFIRMED = 'Validate calls it a duplicate, but too few requests have proved it reliable yet.';
const SAYS_THE_SAME = 'Validate calls it a duplicate, and also a request that cannot exist.';
