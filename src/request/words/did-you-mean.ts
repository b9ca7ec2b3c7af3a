/** Returns the candidate nearest to a word, or null if none is near enough to be a typing error. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : null;
}

/** Returns a question that follows an error about a word, or nothing if no candidate is like it. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}

/**
 * Computes the edit distance: the number of letters to insert, delete, replace or swap with their neighbour. Only the
 * first 64 letters of each text are compared.
 */
function editDistance(a: string, b: string): number {
  const [from, to] = [a.slice(0, 64), b.slice(0, 64)];
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swaps = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = swaps ? (beforePrevious[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (current[column - 1] ?? 0) + 1, (previous[column] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
