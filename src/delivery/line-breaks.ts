import type { Mapping, Row, Table } from '../request/lead/table.ts';
import type { LogView } from '../request/ports.ts';
import { likelyPrepared, type Preparation } from './prepare.ts';
import { mapRows } from './read-rows.ts';

/** How programs write a line break within a cell. What an old Mac wrote is a lone CR. */
const BREAKS = ['\n', '\r\n', '\r'] as const;
const ANY_BREAK = /\r\n|\r|\n/g;

/**
 * Recognises rows with several lines in a cell whatever line breaks a program has saved them with, because the service
 * treats these as the same text. A row that the log knows only with other line breaks is given those.
 */
export class LineBreaks {
  /** The table with the breaks that the log knows, as far as its rows were restored. */
  readonly table: Table;
  readonly #mapping: Mapping;
  readonly #preparation: Preparation;
  readonly #log: LogView;
  readonly #columns: readonly number[];
  readonly #known = new Map<number, string>();

  /** `moreNotes` returns sentences about the table that are found while its rows are read. */
  constructor(
    table: Table,
    mapping: Mapping,
    preparation: Preparation,
    log: LogView,
    moreNotes: () => readonly string[] = () => [],
  ) {
    this.#mapping = mapping;
    this.#preparation = preparation;
    this.#log = log;
    const { sources, parts } = mapping;
    this.#columns = [...new Set([...sources.flatMap(({ columns }) => columns), ...Object.values(parts).flat()])];
    const restored = (batch: readonly Row[]) =>
      this.#known.size === 0 ? batch : batch.map((row) => this.#restored(row));
    this.table = mapRows(table, restored, moreNotes);
  }

  /** Returns the rows with the breaks that the log knows. */
  async restore(batch: readonly Row[]): Promise<readonly Row[]> {
    const several = batch.filter((row) => this.#hasBreaks(row));
    if (several.length === 0) return batch;
    const keys = new Map(several.map((row) => [row.number, BREAKS.map((each) => this.#keyOf(withBreaks(row, each)))]));
    const own = new Map(several.map((row) => [row.number, this.#keyOf(row)]));
    await this.#log.prefetch([...own.values(), ...[...keys.values()].flat()].filter((key) => key !== null));
    for (const { number } of several) {
      if (this.#isKnown(own.get(number))) continue;
      const known = BREAKS.find((_, at) => this.#isKnown(keys.get(number)?.[at]));
      if (known !== undefined) this.#known.set(number, known);
    }
    return batch.map((row) => this.#restored(row));
  }

  #hasBreaks({ cells }: Row): boolean {
    return this.#columns.some((column) => {
      const cell = cells[column];
      return cell !== undefined && (cell.includes('\n') || cell.includes('\r'));
    });
  }

  #restored(row: Row): Row {
    const known = this.#known.get(row.number);
    return known === undefined ? row : withBreaks(row, known);
  }

  #keyOf(row: Row): string | null {
    return likelyPrepared(row, this.#mapping, this.#preparation)?.key ?? null;
  }

  #isKnown(key: string | null | undefined): boolean {
    return typeof key === 'string' && this.#log.lookup(key) !== 'none';
  }
}

const withBreaks = (row: Row, breaks: string): Row => ({
  ...row,
  cells: row.cells.map((cell) => cell.replace(ANY_BREAK, breaks)),
});
