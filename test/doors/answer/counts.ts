/** Counts by name, with one seed by which each can be found again. */
export class Counts {
  readonly #counts = new Map<string, { count: number; readonly seed: number }>();

  add(name: string, seed: number): void {
    const counted = this.#counts.get(name);
    if (counted) counted.count += 1;
    else this.#counts.set(name, { count: 1, seed });
  }

  of(name: string): number {
    return this.#counts.get(name)?.count ?? 0;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
  }

  lines(withSeed: boolean): string[] {
    const most = [...this.#counts].sort(([, a], [, b]) => b.count - a.count);
    return most.map(([name, { count, seed }]) => `${count} × ${name}${withSeed ? ` (seed ${seed})` : ''}`);
  }
}
