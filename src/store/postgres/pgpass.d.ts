declare module 'pgpass' {
  import type { ClientConfig } from 'pg';

  /** Looks up the connection's password in `~/.pgpass`, or in the file that PGPASSFILE names. */
  export default function pgpass(connection: ClientConfig, found: (password: string | undefined) => void): void;
}
