import { shellWord } from '../request/words/errors.ts';
import { COMMANDS } from './table/commands.ts';
import type { GlobalOptions } from './table/options.ts';

/** Returns an srq command that can be pasted into a shell. */
export function commandLine(words: readonly string[]): string {
  return ['srq', ...words.map((word) => shellWord(word))].join(' ');
}

/** Returns a path as a command takes it: a name that begins with a dash would pass for a flag. */
export function fileWord(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/** The commands whose result depends on the profile, the longest first, so that none is taken for its beginning. */
const WORDS = Object.keys(COMMANDS)
  .filter((words) => COMMANDS[words]?.uses)
  .sort((a, b) => b.length - a.length);
const SUGGESTED = new RegExp(`\\bsrq (${WORDS.join('|')})\\b(?! --help)`, 'g');

/**
 * Adds the flags that chose the profile and the log of this command to the srq commands that a text suggests, so that
 * they can be pasted as they are.
 */
export function withProfileFlags(text: string, chosen: GlobalOptions): string {
  const flags = (name: 'profile' | 'log' | 'store'): string[] => {
    const value = chosen[name];
    return value === undefined || text.includes(`--${name}`) ? [] : [`--${name}`, shellWord(value)];
  };
  return text.replace(SUGGESTED, (command, words: string) => {
    const ofLog = COMMANDS[words]?.uses === 'profile' ? [] : [...flags('log'), ...flags('store')];
    return [command, ...flags('profile'), ...ofLog].join(' ');
  });
}

/** Removes the given options and their values from the words, in both notations: `--map A=b` and `--map=A=b`. */
export function withoutOptions(words: readonly string[], options: readonly string[]): string[] {
  return words.filter((word, at) => !isOf(options, word, words[at - 1]));
}

/** Returns only the given options and their values. Otherwise it works like {@link withoutOptions}. */
export function onlyOptions(words: readonly string[], options: readonly string[]): string[] {
  return words.filter((word, at) => isOf(options, word, words[at - 1]));
}

/** Adds flags to the words of a command, before a `--`, because words after it are not flags. */
export function withFlags(words: readonly string[], flags: readonly string[]): string[] {
  const at = words.indexOf('--');
  return at < 0 ? [...words, ...flags] : [...words.slice(0, at), ...flags, ...words.slice(at)];
}

/** Tells whether a word is one of the options or the value of one. */
function isOf(options: readonly string[], word: string, before = ''): boolean {
  return options.some((option) => word === option || word.startsWith(`${option}=`) || before === option);
}
