import type { LoggedState } from '../../src/request/log/status.ts';
import type { ErrorCode } from '../../src/request/words/errors.ts';
import { ANSWERS, type AnswerName, type Sight, type Step } from './scripted-service.ts';

/** What is known of a request. `open`: it may be sent. `licensed`: so it may, though it was in doubt before. */
export type Knowledge = 'open' | 'created' | 'duplicate' | 'doubt' | 'parked';

type End = 'created' | 'duplicate' | 'rejected' | 'failed' | 'unknown';
interface Meaning {
  readonly means: End | 'again' | 'new token';
  readonly stop?: ErrorCode;
  /** It proves nothing by itself. Validate is asked whether the request was taken, if it had called it clear. */
  readonly isUnproven?: true;
  /** It cannot be read, so that validate is asked only when all are settled. */
  readonly isUnread?: true;
  /** The status says that it succeeded, so a validate that does not know the request contradicts it. */
  readonly isSuccess?: true;
  /** If validate shows that the service has the request, it is a duplicate. */
  readonly isConflict?: true;
}

/** The failure table of delivery.md, written out by hand and taken from nowhere in the code. */
const TABLE: Readonly<Record<AnswerName, Meaning>> = {
  refused: { means: 'again' },
  'reset before writing': { means: 'again' },
  'bad certificate': { means: 'failed', stop: 'unreachable' },
  'reset after writing': { means: 'unknown' },
  'no answer in time': { means: 'unknown' },
  '201 with an id': { means: 'created', isSuccess: true },
  '200 empty': { means: 'unknown', isSuccess: true, isUnproven: true },
  '200 with half an answer': { means: 'unknown', isSuccess: true, isUnproven: true, isUnread: true },
  '200 duplicate': { means: 'unknown', isSuccess: true, isUnproven: true },
  '200 refused': { means: 'unknown', isSuccess: true, isUnproven: true },
  '200 web page': { means: 'unknown', isSuccess: true, isUnproven: true, isUnread: true },
  '301': { means: 'failed', stop: 'service' },
  '302': { means: 'unknown', stop: 'unknown' },
  '400': { means: 'rejected' },
  '401': { means: 'new token' },
  '403': { means: 'failed', stop: 'auth' },
  '404': { means: 'failed', stop: 'service' },
  '408': { means: 'unknown' },
  '409': { means: 'unknown', isUnproven: true, isConflict: true },
  '409 duplicate': { means: 'unknown', isUnproven: true, isConflict: true },
  '422': { means: 'rejected' },
  '429': { means: 'again' },
  '429 for two minutes': { means: 'again' },
  '500': { means: 'unknown' },
  '503 with Retry-After': { means: 'unknown' },
  '799': { means: 'unknown' },
};

/** A 403 or 404 of a service that has taken requests before is about this one. */
const OF_THE_REQUEST: Meaning = { means: 'rejected' };

const TRIES = 10;
const OUT_OF_REACH = { before: 3, after: 8 };

/** The service refused two tokens in a row; `perhaps` where both ways are right. */
type Stop = ErrorCode | null;

interface SendEnd {
  readonly status: End;
  readonly stop: Stop;
  readonly isUnproven?: true;
  readonly isUnread?: true;
  readonly isConflict?: true;
  readonly isSuccess?: true;
}

interface Knowing {
  /** The service has answered this process before. */
  readonly answered: boolean;
  /** Whether validate, asked again after a 401, would call the request clear. Null: nobody asks, as nothing is known of it. */
  readonly isClear: boolean | null;
}

/** How sending a request ends that meets these answers. */
function endOf(steps: readonly Step[], { answered, isClear }: Knowing): SendEnd {
  const left = steps.map(({ answer }) => answer);
  const next = (): AnswerName => left.shift() ?? '201 with an id';
  let hasAnswered = answered;
  let outOfReach = 0;
  let isRenewed = false;
  for (let tried = 1; ; tried++) {
    const answer = next();
    const {
      means,
      stop = null,
      ...proof
    } = (answer === '403' || answer === '404') && isClear !== null ? OF_THE_REQUEST : TABLE[answer];
    if (means === 'new token') {
      if (isRenewed) return { status: 'unknown', stop: 'auth' };
      if (isClear === false) return { status: 'unknown', stop: null };
      isRenewed = true;
      hasAnswered = true;
      outOfReach = 0;
      continue;
    }
    // A refused token does not say that the first send was not taken, and no later send says it either.
    const failed = isRenewed ? 'unknown' : 'failed';
    if (means !== 'again') return { status: means === 'failed' ? failed : means, stop, ...proof };
    if (tried >= TRIES) return { status: failed, stop: null };
    const arrives = ANSWERS[answer].comes.written;
    hasAnswered ||= arrives;
    outOfReach = arrives ? 0 : outOfReach + 1;
    if (outOfReach === (hasAnswered ? OUT_OF_REACH.after : OUT_OF_REACH.before)) {
      return { status: failed, stop: 'unreachable' };
    }
  }
}

export interface Submitting {
  readonly validate: boolean;
  readonly onDuplicate: 'skip' | 'create';
  readonly again: boolean;
}

export interface Expected {
  readonly status: End | 'repeated';
  readonly stop: Stop;
}

/** What a process finds at the service when it begins, and when it has ended. */
export interface Seeing {
  readonly sight: Sight;
  /** Whether validate, if it sees at all, sees the request before it is sent. */
  readonly isThere: boolean;
  /** The same when validate is asked again because a token was refused. */
  readonly isThereLater: boolean;
  /** The same in the end. It settles what an answer means that proves nothing. */
  readonly isThereAfter: boolean;
}

/** What srq must know of one request, and do about it, by the rules of delivery.md. */
export class ExpectedRequest {
  /** Whether earlier runs have shown what the answers of the service mean. */
  readonly isFamiliar: boolean;
  knows: Knowledge = 'open';
  /** Someone has said of an earlier try that it was not taken. A doubt after that is for a person to settle. */
  hadLicence = false;
  /** Validate was asked what the answer means: the outcome is recorded as unknown first. */
  isTried = false;
  /** It was known to be there, and is sent on purpose; so validate's word that it is there says nothing of this send. */
  isSecond = false;
  /** Validate had called it clear before it was sent. */
  wasClear = false;
  /** The last answer said that it succeeded. */
  wasSuccess = false;

  constructor(isFamiliar: boolean) {
    this.isFamiliar = isFamiliar;
  }

  submit(options: Submitting, seeing: Seeing, steps: readonly Step[]): Expected {
    const known = this.#known(options);
    this.isTried = false;
    if (known) return { status: known, stop: null };
    const isSecond = this.isSecond || this.knows === 'created' || this.knows === 'duplicate';
    const said = options.validate ? this.#verdict(seeing) : null;
    if (options.validate) {
      if (said === null) return this.#endsUnsent({ status: 'failed', stop: null });
      if (said === 'duplicate' && options.onDuplicate === 'skip')
        return this.#endsUnsent({ status: 'duplicate', stop: null });
    }
    this.isSecond = isSecond || (said === 'duplicate' && !this.hadLicence);
    this.wasClear = said === 'clear';
    const isClear = this.isFamiliar ? this.#verdict({ ...seeing, isThere: seeing.isThereLater }) === 'clear' : null;
    const {
      isUnproven,
      isUnread,
      isConflict,
      isSuccess = false,
      ...end
    } = endOf(steps, {
      answered: options.validate,
      isClear,
    });
    this.wasSuccess = isSuccess;
    // The first creations of an unknown service are tried out, too, and count only if validate sees them.
    this.isTried = this.wasClear && (isUnproven === true || (end.status === 'created' && !this.isFamiliar));
    if (!this.isTried) return this.#ends(end);
    const isSeen = !isUnread && typeof seeing.sight === 'object' && seeing.isThereAfter;
    return this.#ends({ status: isSeen ? (isConflict ? 'duplicate' : 'created') : 'unknown', stop: null });
  }

  /** `created`: whether the service has it, which a validate that sees says after the wait. */
  settle(sight: Sight, created: boolean, steps: readonly Step[]): Expected {
    this.isTried = false;
    // Where validate does not tell the neighbours from what cannot exist, it says nothing.
    if (this.knows !== 'doubt' || typeof sight !== 'object') return { status: 'unknown', stop: null };
    if (created && (this.isSecond || !this.wasClear)) return { status: 'unknown', stop: null };
    if (created) return this.#ends({ status: 'created', stop: null });
    if (this.wasSuccess) return { status: 'unknown', stop: null };
    this.licence();
    this.wasClear = false;
    // The questions were answered, so the service was reached.
    const {
      isUnproven: _,
      isUnread: __,
      isConflict: ___,
      isSuccess = false,
      ...end
    } = endOf(steps, { answered: true, isClear: this.isFamiliar ? true : null });
    this.wasSuccess = isSuccess;
    return this.#ends(end);
  }

  licence(): void {
    this.knows = 'open';
    this.hadLicence = true;
  }

  /** Its process died after the intent and before the record. */
  doubt(): void {
    this.knows = this.hadLicence ? 'parked' : 'doubt';
  }

  created(): void {
    this.#settled('created');
  }

  #settled(knows: 'created' | 'duplicate'): void {
    this.knows = knows;
    this.hadLicence = false;
    this.isSecond = false;
  }

  /** What validate is taken to say before the request is sent. Null: nobody knows, so that it is not sent. */
  #verdict({ sight, isThere }: Pick<Seeing, 'sight' | 'isThere'>): 'clear' | 'duplicate' | null {
    if (sight === 'down') return null;
    if (sight === 'always clear') return 'clear';
    // What is said of a request that cannot exist as well is clear at an unknown service.
    if (sight === 'always duplicate' || sight === 'unreadable') return this.isFamiliar ? null : 'clear';
    if (!isThere) return 'clear';
    return this.isFamiliar ? 'duplicate' : null;
  }

  #known({ onDuplicate, again }: Submitting): 'unknown' | 'repeated' | 'duplicate' | null {
    if (this.knows === 'doubt' || this.knows === 'parked') return 'unknown';
    if (this.knows === 'created' && !again) return 'repeated';
    return this.knows === 'duplicate' && !again && onDuplicate === 'skip' ? 'duplicate' : null;
  }

  /** That the service has it stays so, whatever became of sending it again. */
  #endsUnsent(end: { status: End; stop: null }): Expected {
    return this.knows === 'created' || this.knows === 'duplicate' ? end : this.#ends(end);
  }

  #ends(end: { status: End; stop: Stop }): Expected {
    if (end.status === 'unknown') this.doubt();
    else if (end.status === 'created') this.#settled('created');
    else if (end.status === 'duplicate') this.#settled('duplicate');
    else this.knows = 'open';
    return end;
  }
}

/** The same by the words of the log. */
export function knowledgeOf(state: LoggedState): Knowledge {
  if (state === 'created' || state === 'duplicate' || state === 'parked') return state;
  return state === 'sending' || state === 'unknown' ? 'doubt' : 'open';
}
