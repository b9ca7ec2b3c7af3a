/** Why there can be no server; null: there can. */
export const postgresIsMissing: string | null;

export interface TemporaryServer {
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

/** A copy that follows another server until it is promoted. */
export interface TemporaryStandby extends TemporaryPostgres {
  /** Makes it a primary, and waits until it is one. */
  promote(): void;
}

export interface TemporaryPostgres extends TemporaryServer {
  /** Starts a hot standby, `standby` by name, that follows through a port. Takes some seconds. */
  standby(options: { readonly through: number; readonly settings: string }): Promise<TemporaryStandby>;
}

/** Takes a second or two. `settings`: further options of the server, such as `-c max_connections=60`. */
export function startPostgres(password: string, settings?: string): Promise<TemporaryPostgres>;

/** A port that nobody listens on now, for programs that take no 0. */
export function freePort(): Promise<number>;
