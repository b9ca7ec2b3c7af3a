import type { Context } from '../../cli/context.ts';
import { commandOf, longName, pathIn, placeholder, within } from '../../cli/table/commands.ts';
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
  const script = COMPLETION_SCRIPTS[shell].trimEnd();
  await context.reporter.result('completion', { shell, script }, () => script);
  return 0;
}

/** Answers a completion request of a shell. `count` is the number of words before the cursor's word. */
export async function complete(context: Context, count: string, words: readonly string[]): Promise<number> {
  // bash passes `--profile=x` as three words.
  const isWord = (word: string) => word !== '=';
  const at = Number(count);
  const [current = ''] = words.slice(at).filter(isWord);
  const profiles = await profileNames(context);
  const { words: all, files } = candidatesAfter(words.slice(0, at).filter(isWord), current.startsWith('-'), profiles);
  const found = all.filter(({ word }) => word.toLowerCase().startsWith(current.toLowerCase()));
  const lines = found.map(({ word, description }) => `${word}\t${description}`);
  context.process.stdout.write(`${[...lines, ...(files ? [':files'] : [])].join('\n')}\n`);
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

/**
 * Returns what may follow the words before the cursor, and whether file names fit as well, which the shell completes itself. A
 * word with a hyphen has been begun if `isFlag` is true.
 */
function candidatesAfter(words: readonly string[], isFlag: boolean, profiles: readonly string[]) {
  const path = pathIn(words);
  const { flags, args = [] } = commandOf(path) ?? {};
  const known = Object.entries({ ...flags, ...EVERYWHERE });
  const last = words.at(-1) ?? '';
  const [key = '', before] = known.find(([name, flag]) => [longName(name, flag), flag.short].includes(last)) ?? [];
  if (before?.value && !placeholder(before.value).isOptional)
    return valuesOf(key, before.value, before.choices, profiles);
  if (isFlag) {
    const own = known.map(([name, flag]) => ({ word: longName(name, flag), description: flag.about }));
    return { words: [...own, { word: '--help', description: 'print help' }], files: false };
  }
  const next = within(path).filter(([own, { isHidden }]) => !isHidden && own.split(' ').length === path.length + 1);
  const below = next.map(([own, { about }]) => ({ word: own.split(' ').at(-1) ?? '', description: about }));
  const argument: Partial<ArgumentRow> = args[0] ?? {};
  const values = valuesOf(argument.isProfile ? 'profile' : '', argument.name ?? '', argument.choices, profiles);
  return { ...values, words: [...below, ...values.words] };
}

/** Returns the possible values of a flag or an argument. */
function valuesOf(key: string, value: string, choices: readonly string[] | undefined, profiles: readonly string[]) {
  const plain = (words: readonly string[], description: string) => words.map((word) => ({ word, description }));
  if (choices) return { words: plain(choices, ''), files: false };
  if (key === 'profile') return { words: plain(profiles, 'profile'), files: false };
  if (key === 'country' || key === 'market')
    return { words: MARKETS.map(({ code, name }) => ({ word: code, description: name })), files: false };
  return { words: [], files: /^files?$/.test(placeholder(value).bare) };
}

/**
 * The completion scripts by shell. Each script runs `srq __complete COUNT -- WORDS`, where COUNT is the number of words
 * before the cursor's word. The words are passed unchanged and never evaluated. Each line of the answer is
 * `WORD<TAB>DESCRIPTION`, or `:files` if file names fit, which the shell completes itself.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
