import type { ErrorCode } from '../../src/request/errors.ts';
import type { LoggedState } from '../../src/request/status.ts';
import { ANSWERS, type AnswerName, type Sight, type Step } from './scripted-service.ts';

/** What is known of a request. `open`: it may be sent. `licensed`: so it may, though it was in doubt before. */
export type Knowledge = 'open' | 'created' | 'duplicate' | 'doubt' | 'parked';

type End = 'created' | 'duplicate' | 'rejected' | 'failed' | 'unknown';
interface Meaning {
  readonly means: End | 'again' | 'new token';
  readonly stop?: ErrorCode;
  /** A success that proves nothing, which validate may confirm. */
  readonly mayBeConfirmed?: true;
}

/** The failure table of delivery.md, written out by hand and taken from nowhere in the code. */
const TABLE: Readonly<Record<AnswerName, Meaning>> = {
  refused: { means: 'again' },
  'reset before writing': { means: 'again' },
  'bad certificate': { means: 'failed', stop: 'unreachable' },
  'reset after writing': { means: 'unknown' },
  'no answer in time': { means: 'unknown' },
  '201 with an id': { means: 'created' },
  '200 empty': { means: 'unknown', mayBeConfirmed: true },
  '200 with half an answer': { means: 'unknown' },
  '200 duplicate': { means: 'duplicate' },
  '200 refused': { means: 'unknown' },
  '200 web page': { means: 'unknown' },
  '301': { means: 'failed', stop: 'service' },
  '302': { means: 'unknown', stop: 'service' },
  '400': { means: 'rejected' },
  '401': { means: 'new token' },
  '403': { means: 'rejected' },
  '404': { means: 'failed', stop: 'service' },
  '408': { means: 'unknown' },
  '409': { means: 'unknown' },
  '409 duplicate': { means: 'duplicate' },
  '422': { means: 'rejected' },
  '429': { means: 'again' },
  '429 for two minutes': { means: 'again' },
  '500': { means: 'unknown' },
  '503 with Retry-After': { means: 'unknown' },
  '799': { means: 'unknown' },
};

const TRIES = 10;
const OUT_OF_REACH = { before: 3, after: 8 };

interface SendEnd {
  readonly status: End;
  readonly stop: ErrorCode | null;
  readonly mayBeConfirmed?: true;
}

/** When validate is asked for the last time whether it sees what was answered without proof. */
const LAST_LOOK_MS = 15_500;

/** How sending a request ends that meets these answers. `answered`: the service has answered this process before. */
function endOf(steps: readonly Step[], answered: boolean): SendEnd {
  const left = steps.map(({ answer }) => answer);
  const next = (): AnswerName => left.shift() ?? '201 with an id';
  let hasAnswered = answered;
  let outOfReach = 0;
  for (let tried = 1; ; tried++) {
    let answer = next();
    if (answer === '401') {
      hasAnswered = true;
      outOfReach = 0;
      answer = next();
      if (answer === '401') return { status: 'failed', stop: 'auth' };
    }
    const { means, stop = null, mayBeConfirmed } = TABLE[answer];
    if (means !== 'again' && means !== 'new token')
      return { status: means, stop, ...(mayBeConfirmed ? { mayBeConfirmed } : {}) };
    if (tried === TRIES) return { status: 'failed', stop: null };
    const arrives = ANSWERS[answer].comes.written;
    hasAnswered ||= arrives;
    outOfReach = arrives ? 0 : outOfReach + 1;
    if (outOfReach === (hasAnswered ? OUT_OF_REACH.after : OUT_OF_REACH.before)) {
      return { status: 'failed', stop: 'unreachable' };
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
  readonly stop: ErrorCode | null;
}

/** What srq must know of one request, and do about it, by the rules of delivery.md. */
export class ExpectedRequest {
  knows: Knowledge = 'open';
  /** Someone has said of an earlier try that it was not taken. A doubt after that is for a person to settle. */
  hadLicence = false;
  /** Validate saw what was answered with a success that proves nothing: recorded as in doubt first, then as created. */
  isConfirmed = false;
  /** It was known to be there, and is sent on purpose; so validate's word that it is there says nothing of this send. */
  isSecond = false;

  /** `created`: whether the service has created it by now, which a validate that sees says. */
  submit(options: Submitting, sight: Sight, created: boolean, steps: readonly Step[]): Expected {
    const known = this.#known(options);
    if (known) return { status: known, stop: null };
    this.isConfirmed = false;
    const isSecond = this.isSecond || this.knows === 'created' || this.knows === 'duplicate';
    if (options.validate) {
      const said = verdict(sight, created);
      if (said === null) return this.#endsUnsent({ status: 'failed', stop: null });
      if (said === 'duplicate' && options.onDuplicate === 'skip')
        return this.#endsUnsent({ status: 'duplicate', stop: null });
      this.isSecond = isSecond;
      const { mayBeConfirmed, ...end } = endOf(steps, true);
      this.isConfirmed = mayBeConfirmed === true && said === 'clear' && sees(sight, LAST_LOOK_MS);
      return this.#ends(this.isConfirmed ? { status: 'created', stop: null } : end);
    }
    this.isSecond = isSecond;
    const { mayBeConfirmed: _, ...end } = endOf(steps, false);
    return this.#ends(end);
  }

  settle(sight: Sight, created: boolean, resend: Submitting | null, steps: readonly Step[]): Expected {
    const said = verdict(sight, created);
    if (this.knows !== 'doubt' || said === null) return { status: 'unknown', stop: null };
    if (said === 'duplicate' && this.isSecond) return { status: 'unknown', stop: null };
    if (said === 'duplicate') return this.#ends({ status: 'created', stop: null });
    // It does not see the controls either.
    if (sight === 'always clear') return { status: 'unknown', stop: null };
    this.licence();
    if (!resend) return { status: 'failed', stop: null };
    // The questions were answered, so the service was reached.
    const { mayBeConfirmed: _, ...end } = endOf(steps, true);
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

  #known({ onDuplicate, again }: Submitting): 'unknown' | 'repeated' | 'duplicate' | null {
    if (this.knows === 'doubt' || this.knows === 'parked') return 'unknown';
    if (this.knows === 'created' && !again) return 'repeated';
    return this.knows === 'duplicate' && !again && onDuplicate === 'skip' ? 'duplicate' : null;
  }

  /** That it was created once stays so, whatever became of sending it again. */
  #endsUnsent(end: { status: End; stop: null }): Expected {
    return this.knows === 'created' ? end : this.#ends(end);
  }

  #ends(end: { status: End; stop: ErrorCode | null }): Expected {
    if (end.status === 'unknown') this.doubt();
    else if (end.status === 'created') this.#settled('created');
    else if (end.status === 'duplicate') this.#settled('duplicate');
    else this.knows = 'open';
    return end;
  }
}

const sees = (sight: Sight, afterMs: number): boolean => typeof sight === 'object' && sight.lagMs <= afterMs;

/** Of a validate that is past its lag. */
function verdict(sight: Sight, created: boolean): 'clear' | 'duplicate' | null {
  if (sight === 'unreadable' || sight === 'down') return null;
  if (sight === 'always clear') return 'clear';
  return sight === 'always duplicate' || created ? 'duplicate' : 'clear';
}

/** The same by the words of the log. */
export function knowledgeOf(state: LoggedState): Knowledge {
  if (state === 'created' || state === 'duplicate' || state === 'parked') return state;
  return state === 'sending' || state === 'unknown' ? 'doubt' : 'open';
}
