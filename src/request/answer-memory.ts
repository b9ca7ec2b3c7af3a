/**
 * The knowledge about one form of answer: how often validate saw, or did not see, a request that was answered in it,
 * and whether a person said what it means.
 */
interface SeenForm {
  readonly form: string;
  /** Whether the answers themselves say that the request was not taken. */
  readonly isDenied: boolean;
  /** Whether the answers mention an error, so that they may mean either. */
  readonly complains: boolean;
  readonly seen: number;
  readonly unseen: number;
  readonly said: 'taken' | 'refused' | null;
}

/**
 * The proven knowledge about a service's answers to creations. It is kept for each profile, and ends with the base URL,
 * the client or the contract with which it was found.
 */
export interface AnswerMemory {
  /**
   * Places where the answers of earlier creations named the request: `data.id`, `*.request_id`,
   * `Location /v1/request/#`.
   */
  readonly identifiedBy: readonly string[];
  /** Forms of answers that name no request, the latest last. */
  readonly forms: readonly SeenForm[];
}

/** The memory about a service of which nothing is known. */
export const NO_MEMORY: AnswerMemory = { identifiedBy: [], forms: [] };

/** Number of creations answered in a form that validate must have seen before the form is proof by itself. */
const SIGHTS_NEEDED = 3;
const MAX_FORMS = 30;
const MAX_PLACES = 10;

/** Tells whether an answer of this form proves that the request was taken. */
export function provesTaken({ forms }: AnswerMemory, form: string): boolean {
  const known = forms.find((each) => each.form === form);
  if (!known || known.said === 'refused') return false;
  return known.said === 'taken' || (known.seen >= SIGHTS_NEEDED && known.unseen === 0);
}

/** Tells whether a person said that an answer of this form means a refusal. */
export function provesRefused({ forms }: AnswerMemory, form: string): boolean {
  return forms.some((each) => each.form === form && each.said === 'refused');
}

/** Tells whether asking validate about a request that was answered in this form can still show what the form means. */
export function isOpenForm({ forms }: AnswerMemory, form: string): boolean {
  const known = forms.find((each) => each.form === form);
  return known === undefined || (known.said === null && known.unseen === 0);
}

/** Tells whether it is known how the service answers when it has taken a request. */
export function isFamiliar(memory: AnswerMemory): boolean {
  return memory.identifiedBy.length > 0 || memory.forms.some(({ form }) => provesTaken(memory, form));
}

/** Adds a place where an answer named the request. */
export function withPlace(memory: AnswerMemory, place: string): AnswerMemory {
  if (memory.identifiedBy.includes(place)) return memory;
  return { ...memory, identifiedBy: [...memory.identifiedBy, place].slice(-MAX_PLACES) };
}

/** Records whether validate saw a request that was answered in this form. */
export function withValidateResult(memory: AnswerMemory, form: string, wasSeen: boolean): AnswerMemory {
  const known = memory.forms.find((each) => each.form === form) ?? { ...UNSEEN, form };
  const now = wasSeen ? { ...known, seen: known.seen + 1 } : { ...known, unseen: known.unseen + 1 };
  return { ...memory, forms: replaced(memory.forms, now) };
}

/** Records an answer whose meaning nobody knows. */
export function withOpenForm(
  memory: AnswerMemory,
  form: string,
  { isDenied, complains }: Pick<SeenForm, 'isDenied' | 'complains'>,
): AnswerMemory {
  if (memory.forms.some((each) => each.form === form)) return memory;
  return { ...memory, forms: replaced(memory.forms, { ...UNSEEN, form, isDenied, complains }) };
}

/** Records what a person said about the meaning of a form. */
export function withStatement(memory: AnswerMemory, form: string, said: 'taken' | 'refused'): AnswerMemory {
  const known = memory.forms.find((each) => each.form === form) ?? { ...UNSEEN, form };
  return { ...memory, forms: replaced(memory.forms, { ...known, said }) };
}

/**
 * Merges what two processes have found out. Each count is at least as high as that of either, and what a person said is
 * kept.
 */
export function mergeAnswerMemories(first: AnswerMemory, second: AnswerMemory): AnswerMemory {
  let forms = first.forms;
  for (const each of second.forms) {
    const known = forms.find(({ form }) => form === each.form) ?? each;
    const [seen, unseen] = [Math.max(known.seen, each.seen), Math.max(known.unseen, each.unseen)];
    forms = replaced(forms, { ...each, seen, unseen, said: each.said ?? known.said });
  }
  return { ...second.identifiedBy.reduce(withPlace, first), forms };
}

const UNSEEN = { isDenied: false, complains: false, seen: 0, unseen: 0, said: null } as const;

/**
 * Replaces a form, and drops the oldest one if there are too many. A form that a person spoke about is dropped last.
 */
function replaced(forms: readonly SeenForm[], now: SeenForm): readonly SeenForm[] {
  const all = [...forms.filter(({ form }) => form !== now.form), now];
  if (all.length <= MAX_FORMS) return all;
  const goes = all.find(({ said }) => said === null) ?? all[0];
  return all.filter((each) => each !== goes);
}
