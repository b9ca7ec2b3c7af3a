/** One step of the schema. Steps are never changed once they were released; the next one has the next number. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Statements; done in one transaction. */
  readonly sql: string;
}
