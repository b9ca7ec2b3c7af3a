import { kindOf } from '../model/likeness.ts';
import type { Submission } from './submit-request.ts';

/** So many of one kind are enough for whatever doubt is near in time; and so many in all bound the memory. */
const MOST_OF_KIND = 64;
const MOST = 256;

/** The last requests that a worker has created: controls for its doubts, as it has no file to read others from. */
export class RecentCreations {
  readonly #byKind = new Map<string, Submission[]>();

  add({ row, request, key }: Submission): void {
    const kind = kindOf(request);
    const alike = this.of(kind);
    this.#byKind.set(kind, [...alike.slice(1 - MOST_OF_KIND), { row, request, key }]);
    const all = [...this.#byKind.values()];
    if (all.reduce((sum, { length }) => sum + length, 0) <= MOST) return;
    // What there is most of can spare one.
    all.reduce((most, each) => (each.length > most.length ? each : most)).shift();
  }

  of(kind: string): readonly Submission[] {
    return this.#byKind.get(kind) ?? [];
  }
}
