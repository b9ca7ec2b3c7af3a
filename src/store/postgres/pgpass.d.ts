declare module 'pgpass' {
  /** Looks the connection's password up in `~/.pgpass`, or where PGPASSFILE says. */
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
