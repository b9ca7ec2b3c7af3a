declare module 'pgpass' {
  /** Looks up the connection's password in `~/.pgpass`, or in the file that PGPASSFILE names. */
  export default function pgpass(
    connection: {
      readonly host?: string | undefined;
      readonly port?: number | undefined;
      readonly database?: string | undefined;
      readonly user?: string | undefined;
    },
    found: (password: string | undefined) => void,
  ): void;
}
