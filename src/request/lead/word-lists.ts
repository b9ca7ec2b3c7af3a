/** A line of a list of words. */
interface WordList {
  /** What the words mean. */
  readonly label: string;
  readonly words: readonly string[];
}

/** Reads lines such as `email de: mailadresse epost`. Words that consist of several are separated by commas. */
export function wordLists(text: string): WordList[] {
  return text.split('\n').flatMap((line) => {
    const [, label, words = ''] = /^([a-z_]+)[^:]*: (.+)$/i.exec(line) ?? [];
    return label === undefined ? [] : [{ label, words: words.split(words.includes(', ') ? ', ' : ' ') }];
  });
}
