import { shellWord } from '../request/shell-word.ts';

/** A srq command that can be pasted into a shell as it stands. */
export function commandLine(words: readonly string[]): string {
  return ['srq', ...words.map(shellWord)].join(' ');
}

/** Those whose meaning depends on the profile, and on the log, too. */
const OF_PROFILE = 'login|logout|status|validate|contract (?:learn|show|forget)';
const OF_LOG = 'create|bulk|log|report|resolve|doctor|enqueue|work|queue';
const SUGGESTED = new RegExp(`\\bsrq (?:(?:${OF_PROFILE})|(${OF_LOG}))\\b(?! --help)`, 'g');

/** The commands that a text suggests, with the flags that chose profile and log of this one: to be pasted as they stand. */
export function inFull(text: string, chosen: ChosenProfile): string {
  const flags = (name: keyof ChosenProfile): string[] => {
    const value = chosen[name];
    return value === undefined || text.includes(`--${name}`) ? [] : [`--${name}`, shellWord(value)];
  };
  return text.replace(SUGGESTED, (command, ofLog: string | undefined) =>
    [command, ...flags('profile'), ...(ofLog === undefined ? [] : [...flags('log'), ...flags('store')])].join(' '),
  );
}

interface ChosenProfile {
  readonly profile?: string;
  readonly log?: string;
  readonly store?: string;
}

/** The words without these options and their values, however they are written: `--map A=b`, `--map=A=b`. */
export function withoutOptions(words: readonly string[], options: readonly string[]): string[] {
  return words.filter((word, at) => {
    const before = words[at - 1];
    if (before !== undefined && options.includes(before)) return false;
    return !options.some((option) => word === option || word.startsWith(`${option}=`));
  });
}
