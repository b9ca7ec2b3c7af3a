/** Why there can be no server; null: there can. */
export const postgresIsMissing: string | null;

export interface TemporaryPostgres {
  readonly port: number;
  /** Without a password. The role `owner` may do everything. */
  url(database: string, user?: string): string;
  /** Starts it again after `down`. */
  up(): void;
  /** `immediate`: as if it had crashed. */
  down(mode?: 'fast' | 'immediate'): void;
  /** Stops it and removes its data. */
  end(): void;
}

/** Takes a second or two. `settings`: further options of the server, such as `-c max_connections=60`. */
export function startPostgres(password: string, settings?: string): Promise<TemporaryPostgres>;

/** A port that nobody listens on now, for programs that take no 0. */
export function freePort(): Promise<number>;
