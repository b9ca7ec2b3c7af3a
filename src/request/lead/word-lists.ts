/**
 * Reads lines such as `email de: mailadresse epost`, in which a label says what the words mean. Words that consist of several
 * are separated by commas.
 */
export function wordLists(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, label, words = ''] = /^([a-z_]+)[^:]*: (.+)$/i.exec(line) ?? [];
    return label === undefined ? [] : [{ label, words: words.split(words.includes(', ') ? ', ' : ' ') }];
  });
}
