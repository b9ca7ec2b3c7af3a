import type { Context } from '../../cli/context.ts';
import { commandOf, longName, placeholder, within } from '../../cli/table/commands.ts';
import type { Flags } from '../../cli/table/flags.ts';
import { EVERYWHERE } from '../../cli/table/options.ts';
import type { ArgumentRow } from '../../cli/table/row.ts';
import type { SHELLS } from '../../cli/table/surroundings.ts';
import { printable } from '../../report/output.ts';
import { MARKETS } from '../../request/lead/markets.ts';
import bash from './srq.bash?raw';
import fish from './srq.fish?raw';
import powershell from './srq.ps1?raw';
import zsh from './srq.zsh?raw';

type Shell = (typeof SHELLS)[number];

/** Prints the script with which a shell completes srq's commands. */
export async function completion(context: Context, shell: Shell): Promise<number> {
  const script = COMPLETION_SCRIPTS[shell];
  await context.reporter.result('completion', { shell, script }, () => script, 'verbatim');
  return 0;
}

/** Answers a completion request of a shell. `count` is the number of words before the cursor's word. */
export async function complete(context: Context, count: string, words: readonly string[]): Promise<number> {
  const before = words.slice(0, Number(count));
  // bash passes the `=` between an option and its value as a word.
  const [current = ''] = words.slice(before.length).map((word) => (word === '=' ? '' : word));
  const found = candidatesFor(before, current, await profileNames(context));
  const lines = found.words.map(({ word, description }) => `${word}\t${description}`);
  await context.reporter.result(
    '__complete',
    found,
    () => [...lines, ...(found.files ? [':files'] : [])].join('\n'),
    'verbatim',
  );
  return 0;
}

/**
 * Returns the names of the profiles that can be typed. A settings file that cannot be used is ignored, because other
 * commands report it.
 */
async function profileNames(context: Context): Promise<string[]> {
  try {
    return Object.keys((await context.profiles()).all()).filter((name) => printable(name) === name);
  } catch {
    return [];
  }
}

/** The candidates for the word at the cursor. */
interface Candidates {
  readonly words: readonly { readonly word: string; readonly description: string }[];
  /** Whether file names fit as well. The shell completes those itself. */
  readonly files: boolean;
}

const NONE: Candidates = { words: [], files: false };

/** What may have a value: a flag by its key, or an argument by its name. */
interface Valued {
  readonly key: string;
  readonly value: string;
  readonly choices?: readonly string[] | undefined;
}

/** Returns the candidates for the word at the cursor. `current` is the part that has been typed. */
function candidatesFor(before: readonly string[], current: string, profiles: readonly string[]): Candidates {
  const { path, operands, awaiting } = read(before);
  if (awaiting) return startingWith(current, valuesOf(awaiting, profiles));
  if (current.startsWith('-')) return startingWith(current, { words: optionWords(path), files: false });
  const args = commandOf(path)?.args ?? [];
  const argument = args[operands] ?? args.find((each) => placeholder(each.name).isRepeatable);
  const values = argument ? valuesOf(valued(argument), profiles) : NONE;
  return startingWith(current, { ...values, words: [...(operands === 0 ? wordsBelow(path) : []), ...values.words] });
}

function valued({ name, choices, isProfile }: ArgumentRow): Valued {
  return { key: isProfile ? 'profile' : placeholder(name).bare, value: name, choices };
}

/** Finds the command that the words name, the number of its arguments so far, and the flag whose value comes next. */
function read(words: readonly string[]) {
  let path: readonly string[] = [];
  let operands = 0;
  let awaiting: Valued | null = null;
  for (const word of words) {
    // bash passes `--profile=x` as three words.
    if (word === '=') continue;
    if (awaiting) awaiting = null;
    else if (word.startsWith('-')) awaiting = flagNamed(path, word);
    else {
      const next = [...path, word];
      const isCommand = operands === 0 && commandOf(next) !== undefined;
      path = isCommand ? next : path;
      operands = isCommand ? 0 : operands + 1;
    }
  }
  return { path, operands, awaiting };
}

const flagsOf = (path: readonly string[]): Flags => ({ ...EVERYWHERE, ...commandOf(path)?.flags });

/** Finds a flag that must have a value. */
function flagNamed(path: readonly string[], word: string): Valued | null {
  const found = Object.entries(flagsOf(path)).find(
    ([key, flag]) => longName(key, flag) === word || flag.short === word,
  );
  if (!found?.[1].value || placeholder(found[1].value).isOptional) return null;
  const [key, { value, choices }] = found;
  return { key, value, choices };
}

function optionWords(path: readonly string[]): Candidates['words'] {
  const own = Object.entries({ ...commandOf(path)?.flags, ...EVERYWHERE });
  const words = own.map(([key, flag]) => ({ word: longName(key, flag), description: flag.about }));
  return [...words, { word: '--help', description: 'print help' }];
}

function wordsBelow(path: readonly string[]): Candidates['words'] {
  const next = within(path).filter(([words, { isHidden }]) => !isHidden && words.split(' ').length === path.length + 1);
  return next.map(([words, { about }]) => ({ word: words.split(' ').at(-1) ?? '', description: about }));
}

/** Returns the possible values of a flag or an argument. */
function valuesOf({ key, value, choices }: Valued, profiles: readonly string[]): Candidates {
  const plain = (words: readonly string[], description: string) => words.map((word) => ({ word, description }));
  if (choices) return { words: plain(choices, ''), files: false };
  if (key === 'profile') return { words: plain(profiles, 'profile'), files: false };
  if (key === 'country' || key === 'market')
    return { words: MARKETS.map(({ code, name }) => ({ word: code, description: name })), files: false };
  return { words: [], files: /^files?$/.test(placeholder(value).bare) };
}

function startingWith(prefix: string, { words, files }: Candidates): Candidates {
  const wanted = prefix.toLowerCase();
  return { words: words.filter(({ word }) => word.toLowerCase().startsWith(wanted)), files };
}

/**
 * The completion scripts by shell. Each script runs `srq __complete COUNT -- WORDS`, where COUNT is the number of words
 * before the cursor's word. The words are passed unchanged and never evaluated. Each line of the answer is
 * `WORD<TAB>DESCRIPTION`, or `:files` if file names fit, which the shell completes itself.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: bash.trimEnd(),
  zsh: zsh.trimEnd(),
  fish: fish.trimEnd(),
  powershell: powershell.trimEnd(),
};
