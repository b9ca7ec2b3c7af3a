import { type Options, Parser } from 'csv-parse';

/**
 * A csv-parse parser that hands over each record in `push`, because reading the records from its stream takes ten times
 * as long.
 */
export class RecordParser extends Parser {
  readonly #record: (cells: string[]) => void;

  constructor(options: Options, record: (cells: string[]) => void) {
    super(options);
    this.#record = record;
  }

  override push(cells: string[] | null): boolean {
    if (cells === null) return super.push(null);
    this.#record(cells);
    return true;
  }
}
