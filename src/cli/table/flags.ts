import { InvalidArgumentError } from 'commander';

/** A flag of a command, as a row of data. Parser, help, completion, and the type of the options follow from it. */
export interface Flag<Value = unknown> {
  readonly about: string;
  /** The placeholder of its value: `<n>`, or `[id]` if it may be given without one. A switch has none. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  readonly isNumber?: boolean;
  /** Reads the value, and adds it to `before` if the flag may be repeated. Throws `InvalidArgumentError`. */
  read?(text: string, before: Value): Value;
  readonly initial?: Value;
  /** A switch that turns something off: `--no-validate` sets `validate` to false. */
  readonly isOff?: boolean;
  readonly isRequired?: boolean;
  /** It cannot be given with several files. */
  readonly isForOne?: boolean;
  /** Only `srq help COMMAND --all` shows it. */
  readonly isRare?: boolean;
  /** Another flag that has to be given with it. */
  readonly needs?: string;
  /** Flags that cannot be given with it, and why, if that needs saying. */
  readonly not?: Readonly<Record<string, string | null>>;
}

export type Flags = Readonly<Record<string, Flag>>;

type Always = { readonly initial: unknown } | { readonly isOff: true } | { readonly isRequired: true };
type ValueOf<Each> = Each extends Flag<infer Value> ? Value : never;
type AlwaysGiven<Given> = { [Name in keyof Given]: Given[Name] extends Always ? Name : never }[keyof Given];

/** The options of a command: what its flags become once the arguments are read. */
export type OptionsOf<Given> = { readonly [Name in AlwaysGiven<Given>]: ValueOf<Given[Name]> } & {
  readonly [Name in Exclude<keyof Given, AlwaysGiven<Given>>]?: ValueOf<Given[Name]>;
};

type Others = Pick<Flag, 'short' | 'needs' | 'not' | 'isForOne'>;

export const flag = (about: string, others: Others = {}): Flag<boolean> => ({ about, ...others });

export const off = (about: string): Flag<boolean> & { readonly isOff: true } => ({ about, isOff: true });

export const text = (value: string, about: string, others: Others = {}): Flag<string> => ({ about, value, ...others });

/** A file to write. Standard output has the result of the command. */
export const outputFile = (about: string, others: Others = {}): Flag<string> => ({
  ...text('<file>', about, { ...others, isForOne: true }),
  read: (given) => {
    if (given !== '-') return given;
    throw new InvalidArgumentError('Standard output has the result of the command, so name a file.');
  },
});

/** A whole number. */
export function count(value: string, about: string, min: number, max = Number.MAX_SAFE_INTEGER): Flag<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const read = (given: string) => {
    const number = /^\d{1,12}$/.test(given) ? Number(given) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a whole number ${range}.`);
  };
  return { about, value, isNumber: true, read };
}

/** A number above 0, with at most 6 decimals. */
export function amount(value: string, about: string): Flag<number> {
  return { about, value, isNumber: true, read: (given) => positive(given) };
}

function positive(given: string, others = ''): number {
  const number = /^\d{1,9}(?:\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN;
  if (number > 0) return number;
  throw new InvalidArgumentError(`Give ${others}a number above 0.`);
}

/** A rate: `auto`, `max`, or requests per second. */
export const rate = (about: string): Flag<'auto' | 'max' | number> => ({
  ...{ about, value: '<rate>' },
  read: (given) => (given === 'auto' || given === 'max' ? given : positive(given, 'auto, max or ')),
});

/** `N` rows, or `N%` of the rows. */
export const budget = (value: string, about: string): Flag<{ readonly count: number; readonly percent: boolean }> => ({
  ...{ about, value },
  read: (given) => {
    const [, number = '', percent = ''] = /^(\d+(?:\.\d+)?)(%?)$/.exec(given) ?? [];
    const most = Number(number);
    if (number !== '' && most > 0 && (percent ? most <= 100 : Number.isInteger(most)))
      return { count: most, percent: percent === '%' };
    throw new InvalidArgumentError('Give a number of rows (50) or a share of them (2%).');
  },
});

export const choice = <const Value extends string>(
  value: string,
  about: string,
  choices: readonly Value[],
): Flag<Value> => ({ about, value, choices });

type Pairs = readonly (readonly [string, string])[];

/**
 * A repeatable `NAME=VALUE`. `split` tells at which `=` the text is split, because the name of a column may contain one.
 */
export function pairs(value: string, about: string, split: 'first' | 'last' = 'first') {
  const read = (given: string, before: Pairs): Pairs => {
    const at = split === 'first' ? given.indexOf('=') : given.lastIndexOf('=');
    if (at < 1) throw new InvalidArgumentError(`Give it as ${value.slice(1, -1).toUpperCase()}.`);
    return [...before, [given.slice(0, at), given.slice(at + 1)] as const];
  };
  return initially([], { about, value, read });
}

export function initially<Value>(initial: Value, given: Flag<Value>): Flag<Value> & { readonly initial: Value } {
  return { ...given, initial };
}

export function forOne<Given extends Flag>(given: Given): Given {
  return { ...given, isForOne: true };
}

export function rare<Given extends Flag>(given: Given): Given {
  return { ...given, isRare: true };
}
