import { SrqError, systemCode } from '../../request/words/errors.ts';

/**
 * Matches the SQLSTATE codes of temporary failures: the server is starting, stopping, out of connections, memory or disk, or
 * has closed this connection, or two writers conflicted.
 */
const PASSING_STATES = /^(?:08|53|57P0[1-5]|25P03|40001|40P01|55P03|57014)/;
const PASSING_SYSTEM_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
  ...['ENOENT', 'EAI_AGAIN', 'ENOTFOUND', 'ECONNABORTED'],
]);
/** Matches the driver's messages, which have no code, about a connection that is gone or silent. */
const PASSING_WORDS = /connection terminated|timeout (?:expired|exceeded)|query read timeout|client has encountered/i;

/** Returns true if the same statement may succeed later, because the server is unavailable and has not refused it. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof SrqError ? error.cause : error;
  const all = cause instanceof AggregateError ? cause.errors : [cause];
  return all.some((each) => {
    const code = systemCode(each);
    if (code !== '') return PASSING_SYSTEM_CODES.has(code) || PASSING_STATES.test(code);
    return each instanceof Error && PASSING_WORDS.test(each.message);
  });
}

/** Returns true if the server accepts no writes, because it is a standby or set to read only. */
export function isReadOnly(error: unknown): boolean {
  return systemCode(error instanceof SrqError ? error.cause : error) === '25006';
}

/** Returns true if the server gave a statement up, because it took too long or somebody cancelled it. */
export function isCancelled(error: unknown): boolean {
  return systemCode(error instanceof SrqError ? error.cause : error) === '57014';
}

/** Returns the code with which a function of the store refuses a process that has to look first, or null. */
export function refusalOf(error: unknown): string | null {
  const code = systemCode(error instanceof SrqError ? error.cause : error);
  return code.startsWith('SRQ') ? code : null;
}

/** Returns true if the role lacks a privilege. */
export function isForbidden(error: unknown): boolean {
  return systemCode(error instanceof SrqError ? error.cause : error) === '42501';
}

/**
 * Returns the error that ends a command. `store` is the URL as it may be shown. The message includes the server's own
 * words, which contain no password.
 */
export function storeError(error: unknown, store: string): SrqError {
  if (error instanceof SrqError) return error;
  const [message, hint] = described(error);
  return new SrqError('store.unavailable', `The store ${store} ${message}.`, hint, error);
}

const PASSWORD_HINT =
  'Set PGPASSWORD, write it to ~/.pgpass, or: srq login --store URL --store-password-command COMMAND';
/** The advice for a database that is set to read only. */
export const READ_ONLY_HINT =
  'Set to read only, its owner may allow it: alter database NAME reset default_transaction_read_only';
const AGAIN = 'Then run the same command again: it goes on where it stopped.';

function described(error: unknown): readonly [string, string] {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(cause);
  const words = firstLine(cause);
  if (/client password must be/i.test(words)) return ['asks for a password, and none is known', PASSWORD_HINT];
  if (code === '28P01' || code === '28000' || /SASL|password/i.test(words)) {
    return [`refuses this user or password (${words})`, PASSWORD_HINT];
  }
  if (code === '3D000') return [`has no such database (${words})`, 'Create it: createdb NAME'];
  if (code === '42501') return [`forbids this (${words})`, 'Let its owner grant the rights; docs/scale.md lists them.'];
  if (code === '25006') {
    const standby = 'If it is a standby, name the primary server; srq status shows which store is in force.';
    return ['takes no writing', `${standby} ${READ_ONLY_HINT}`];
  }
  if (code === '53300') {
    const how =
      'A process that sends uses up to 3: raise max_connections, or the connection limit of the role or database.';
    return [`has no connection free (${words})`, `${how} ${AGAIN}`];
  }
  if (code === '53100') return ['has no room left on its disk', `Make room there. ${AGAIN}`];
  if (/does not support SSL/i.test(words)) {
    const how = 'Set the server up for TLS; or, on a network that you trust, add to the URL: ?sslmode=disable';
    return ['offers no encrypted connection', how];
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    const how = 'Trust its authority by adding to the URL: ?sslrootcert=FILE';
    return [`shows a certificate that cannot be trusted (${code})`, how];
  }
  if (code === '57014') {
    const how =
      'See what keeps it busy: select * from pg_stat_activity. A long queue or a missing vacuum may be the reason.';
    return [`gave a statement up, because it took too long or was cancelled (${words})`, `${how} ${AGAIN}`];
  }
  if (code === '08P01') {
    const how = 'A pooler in between says so of its own limits and logins: see its log, and the log of the server.';
    return [`broke the connection off with a complaint (${words})`, `${how} ${AGAIN}`];
  }
  if (code.startsWith('XX')) {
    const how =
      'That is a fault of the server or of its disk, and not of srq: see the log of the server before you go on.';
    return [`has an internal error (${code}: ${words})`, how];
  }
  if (isTransient(error)) {
    return [`cannot be reached (${code || words})`, `Check that the server runs: pg_isready -h HOST. ${AGAIN}`];
  }
  return [`gave an error (${code === '' ? words : `${code}: ${words}`})`, AGAIN];
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}
