import {
  isNumber,
  isOpen,
  type KnownForm,
  type KnownPath,
  kindOf,
  mergedPaths,
} from '../../request/contract/known-answers.ts';
import { type FormValue, same } from './compared-text.ts';
import { type Form, isSeen, NUMBERED_WORDS } from './form.ts';

/** What answers to requests of one kind have shown at each place: of those that cannot exist, or of those that do. */
function shown(forms: readonly KnownForm[]) {
  const count = forms.reduce((sum, each) => sum + each.count, 0);
  const paths = forms
    .flatMap((form) => [{ [STATUS]: { values: [`${form.status} ${form.type}`], count: form.count } }, form.paths])
    .reduce((all, each) => mergedPaths(all, each), {});
  /** Returns the values at a place, with {@link ABSENT} if some answers did not have it. */
  const at = (path: string): KnownPath => {
    const seen = paths[path] ?? { values: [], count: 0 };
    return seen.count < count ? { values: [...seen.values, ABSENT], count } : seen;
  };
  return { paths: Object.keys(paths), always: Object.keys(paths).filter((path) => paths[path]?.count === count), at };
}

/** The place of the status and the media type. */
const STATUS = '@status';
const ABSENT = '@absent';
/** Tells whether values of a kind differ by words alone. */
const isText = (kind: string) => /^(?:text|token|sentence)$/.test(kind);
/** What a person would read, in words that may differ, and numbers that always do. A word alone is a code for programs. */
const isProse = (kind: string) => /^(?:token|sentence)$/.test(kind);

/**
 * Tells the answers to two kinds of requests apart: those about a request that cannot exist at the service, and those
 * about one that does. Only places that had other values in each kind are compared. Null if there is no such place:
 * validate then says the same to both.
 */
export function separation(clear: readonly KnownForm[], duplicate: readonly KnownForm[]) {
  if (clear.length === 0 || duplicate.length === 0) return null;
  const [one, other] = [shown(clear), shown(duplicate)];
  const known = new Set([...one.paths, ...other.paths]);
  const all = [...known].filter((path) => areApart(one.at(path), other.at(path)));
  if (all.length === 0) return null;
  // Prose says what the rest says. It alone decides only if there is no rest; the numbers in a text are a part of it.
  const told = all.filter(
    (path) =>
      !path.startsWith(NUMBERED_WORDS) &&
      [...one.at(path).values, ...other.at(path).values].some((value) => !isProse(kindOf(value))),
  );
  const firm = told.length > 0 ? told : all;

  const isLike = (form: Form, kind: Shown, paths: readonly string[]) =>
    [STATUS, ...paths].every((path) => {
      const [seen, both] = [kind.at(path), [one.at(path), other.at(path)]];
      return valuesAt(form, path).every((value) => isSeen(seen, value) || isLikeCount(value.plain, seen, both));
    });
  /** Tells whether an answer has most of the places that such answers always have. One about something else has others. */
  const resembles = (form: Form, { always }: Shown) =>
    always.filter((path) => hasPath(form, path)).length > always.length / 2;
  const isFlag = ({ values }: KnownPath) => values.every((value) => /^(?:true|false)$/.test(value));

  return {
    /** Whether a status, or a flag that is always there, tells the kinds apart. Anything else may do so by chance. */
    isStrong: all.includes(STATUS) || firm.some((path) => isFlag(one.at(path)) && isFlag(other.at(path))),
    /**
     * Returns what an answer says of a request. `duplicate` ends a row, so that nothing in the answer may be new. Null if
     * the answer is like neither kind.
     */
    verdict(form: Form): 'clear' | 'duplicate' | null {
      if (isLike(form, one, firm) && resembles(form, one)) return 'clear';
      const isWhole = other.always.every((path) => hasPath(form, path));
      const isKnown = [...form.paths.keys()].every((path) => known.has(path));
      return isWhole && isKnown && isLike(form, other, all) ? 'duplicate' : null;
    },
    /** Tells whether two answers have the same status, and the same values at the places that tell the kinds apart. */
    agree: (here: Form, there: Form) => [STATUS, ...firm].every((path) => haveSame(here, there, path)),
  };
}

type Shown = ReturnType<typeof shown>;
/** See {@link separation}. */
export type Separation = NonNullable<ReturnType<typeof separation>>;

/** Tells whether a place has had different values in two kinds of answers, and not just different ones every time. */
function areApart(clear: KnownPath, duplicate: KnownPath): boolean {
  if (isOpen(clear) || isOpen(duplicate) || varies(clear)) return false;
  if (isCount(clear) && isCount(duplicate) && (hasSeveral(clear) || hasSeveral(duplicate))) {
    const kinds = (of: KnownPath) => new Set(of.values.map(isZero));
    return [...kinds(clear)].every((kind) => !kinds(duplicate).has(kind));
  }
  return clear.values.every((value) => !duplicate.values.includes(value));
}

const isCount = ({ values }: KnownPath) => values.every(isNumber);
const hasSeveral = ({ values }: KnownPath) => values.length > 1;
const isZero = (value: string) => Number(value) === 0;

/** Tells whether a text differs so often between requests that cannot exist that it does not tell what they are. */
function varies({ values, count }: KnownPath): boolean {
  return !values.every(isNumber) && values.length >= 3 && values.length >= count / 2;
}

/** A count that varies is compared by whether it is zero. */
function isLikeCount(value: string, seen: KnownPath, both: readonly KnownPath[]): boolean {
  if (!isNumber(value) || !both.every(isCount) || !both.some(hasSeveral)) return false;
  return seen.values.some((each) => isZero(each) === isZero(value));
}

function hasPath(form: Form, path: string): boolean {
  return path === STATUS || form.paths.has(path);
}

function valuesAt(form: Form, path: string): readonly FormValue[] {
  if (path === STATUS) return [same(`${form.status} ${form.type}`)];
  return form.paths.get(path) ?? [same(ABSENT)];
}

/** Tells whether two answers have most of their places in common. Those of an outage have other ones. */
export function sharePlaces(one: Form, other: Form): boolean {
  const [here, there] = [one, other].map(({ paths }) => [...paths.keys()].filter((path) => path !== ''));
  const common = here?.filter((path) => there?.includes(path)).length ?? 0;
  return common * 2 >= Math.min(here?.length ?? 0, there?.length ?? 0);
}

/**
 * Tells whether an answer is like others: at every place where all of those agree, it has the same values.
 */
export function isLikeAll(form: Form, others: readonly Form[]): boolean {
  const [first] = others;
  if (first === undefined) return false;
  const paths = new Set([STATUS, ...form.paths.keys(), ...others.flatMap((each) => [...each.paths.keys()])]);
  return [...paths].every((path) => {
    const isStable = others.every((each) => haveSame(each, first, path));
    return !isStable || haveSame(form, first, path);
  });
}

function haveSame(one: Form, other: Form, path: string): boolean {
  const [here, there] = [valuesAt(one, path), valuesAt(other, path)];
  return here.length === there.length && here.every((value) => there.some((each) => isSame(value, each)));
}

const isSame = (one: FormValue, other: FormValue) =>
  one.plain === other.plain || one.kept() === other.kept() || one.kept() === other.plain || one.plain === other.kept();

/** Tells whether answers differ by more than texts, such as in flags, numbers, or places that only some of them have. */
export function varyFirmly(forms: readonly Form[]): boolean {
  const paths = new Set(forms.flatMap((each) => [...each.paths.keys()]));
  return [...paths].some((path) => {
    const kinds = new Set(forms.flatMap((form) => valuesAt(form, path).map(({ plain }) => kindOf(plain))));
    return kinds.size > 1 && [...kinds].some((kind) => !isText(kind));
  });
}
