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

const causeOf = (error: unknown) => (error instanceof SrqError ? error.cause : error);
const codeOf = (error: unknown) => systemCode(causeOf(error));

/** Returns true if the same statement may succeed later, because the server is unavailable and has not refused it. */
export function isTransient(error: unknown): boolean {
  const cause = causeOf(error);
  const all = cause instanceof AggregateError ? cause.errors : [cause];
  return all.some((each) => {
    const code = systemCode(each);
    if (code !== '') return PASSING_SYSTEM_CODES.has(code) || PASSING_STATES.test(code);
    return each instanceof Error && PASSING_WORDS.test(each.message);
  });
}

/** Returns true if the server accepts no writes, because it is a standby or set to read only. */
export const isReadOnly = (error: unknown) => codeOf(error) === '25006';

/** Returns true if the role lacks a privilege. */
export const isForbidden = (error: unknown) => codeOf(error) === '42501';

/** Returns true if a function of the store refuses a process, which has to look first. */
export const isRefusal = (error: unknown) => codeOf(error) === 'SRQ01';

/**
 * Returns the error that ends a command. `store` is the URL as it may be shown. The message includes the server's own
 * words, which contain no password.
 */
export function storeError(error: unknown, store: string): SrqError {
  if (error instanceof SrqError) return error;
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const code = systemCode(cause);
  const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
  const words = line.slice(0, 200);
  const kinds = [...KINDS, COMPLAINT, isTransient(error) ? UNREACHABLE : UNKNOWN];
  const [, says, hint] = kinds.find(([pattern]) => pattern.test(`${code} ${words}`)) ?? UNKNOWN;
  const message = says.replace(/CODE|WORDS/g, (each) => (each === 'CODE' ? code || words : words));
  return new SrqError('store.unavailable', `The store ${store} ${message}.`, hint, error);
}

const PASSWORD_HINT = 'Set PGPASSWORD, or name the password in SRQ_STORE.';
/** The advice for a server that takes no writes. */
export const READ_ONLY_HINT =
  'If it is a standby, name the primary server; srq status shows which store is in force. If it is set to read only, its owner can lift that: alter database NAME reset default_transaction_read_only';
const AGAIN = 'run the same command again: it goes on where it stopped.';
const MENDED = `Once that is mended, ${AGAIN}`;

/** What a failure has in its code and words, what is said of the store then, and what a person can do. */
type Kind = readonly [pattern: RegExp, says: string, hint: string];

const KINDS: readonly Kind[] = [
  [/client password must be/i, 'asks for a password, and none is known', PASSWORD_HINT],
  [/^(?:28P01|28000)|SASL|password/i, 'refuses this user or password (WORDS)', PASSWORD_HINT],
  [/^25006/, 'takes no writes', READ_ONLY_HINT],
  [/^42501/, 'gave an error (CODE: WORDS)', 'Its owner can grant the right. srq doctor says which are missing.'],
  [/not support SSL/, 'gave an error (WORDS)', 'If the way there is safe, add to the URL: ?sslmode=disable'],
  [
    /^\S*(?:CERT|SELF_SIGNED|UNABLE_TO)/,
    'shows a certificate that cannot be trusted (CODE)',
    'Trust its authority by adding to the URL: ?sslrootcert=FILE',
  ],
];

const UNREACHABLE: Kind = [
  /^/,
  'cannot be reached (CODE)',
  `Check that the server runs: pg_isready -h HOST. Then ${AGAIN}`,
];
/** What the server itself says, by its SQLSTATE, and what the driver says that is no failure of the line. */
const COMPLAINT: Kind = [/^[0-9A-Z]{5} /, 'gave an error (CODE: WORDS)', MENDED];
const UNKNOWN: Kind = [/^/, 'gave an error (WORDS)', MENDED];
