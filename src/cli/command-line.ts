/** A srq command that can be pasted into a shell as it stands. */
export function commandLine(words: readonly string[]): string {
  return ['srq', ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
