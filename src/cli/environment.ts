/** Environment variables that mean something to srq together. */
interface EnvironmentEntry {
  readonly names: readonly string[];
  readonly meaning: string;
}

/** All environment variables that srq reads. A test compares the table with the code. */
export const ENVIRONMENT: readonly EnvironmentEntry[] = [
  { names: ['SRQ_PROFILE'], meaning: 'the profile where --profile names none' },
  { names: ['SRQ_BASE_URL'], meaning: 'the base URL; wins over the profile' },
  { names: ['SRQ_CLIENT_ID'], meaning: 'the client id; wins over the profile' },
  { names: ['SRQ_CLIENT_SECRET'], meaning: 'the client secret; wins over the profile' },
  { names: ['SRQ_KEY_PASSPHRASE'], meaning: 'the passphrase of the key of --key' },
  { names: ['SRQ_STORE'], meaning: 'the PostgreSQL of the log, like --store' },
  { names: ['PGPASSWORD'], meaning: 'its password' },
  { names: ['SRQ_CONFIG_DIR'], meaning: 'the folder of the settings' },
  { names: ['SRQ_STATE_DIR'], meaning: 'the folder of log and token' },
  { names: ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'], meaning: 'where both lie by default (Linux)' },
  { names: ['APPDATA', 'LOCALAPPDATA'], meaning: 'where both lie by default (Windows)' },
  { names: ['HTTPS_PROXY', 'NO_PROXY'], meaning: 'proxy, and hosts without it; or lower case' },
  { names: ['NODE_EXTRA_CA_CERTS'], meaning: 'a file of authorities to trust, too' },
  { names: ['NODE_TLS_REJECT_UNAUTHORIZED'], meaning: '0: srq does not send' },
  { names: ['NO_COLOR'], meaning: 'no colours; wins over FORCE_COLOR' },
  { names: ['FORCE_COLOR'], meaning: 'colours everywhere, unless 0 or false' },
  { names: ['TERM'], meaning: 'dumb: no colours, no line drawn twice' },
  { names: ['CI'], meaning: 'never ask, no line drawn twice' },
];
