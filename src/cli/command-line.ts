import { shellWord } from '../model/shell-word.ts';

/** A srq command that can be pasted into a shell as it stands. */
export function commandLine(words: readonly string[]): string {
  return ['srq', ...words.map(shellWord)].join(' ');
}

/** The words without these options and their values, however they are written: `--map A=b`, `--map=A=b`. */
export function withoutOptions(words: readonly string[], options: readonly string[]): string[] {
  return words.filter((word, at) => {
    const before = words[at - 1];
    if (before !== undefined && options.includes(before)) return false;
    return !options.some((option) => word === option || word.startsWith(`${option}=`));
  });
}
