/** Environment variables that srq reads together. */
interface EnvironmentEntry {
  readonly names: readonly string[];
  readonly meaning: string;
  /** The option that sets the same, and takes precedence. */
  readonly option?: string;
}

/** All environment variables that srq reads. A test compares the table with the code. */
export const ENVIRONMENT: readonly EnvironmentEntry[] = [
  { names: ['SRQ_PROFILE'], meaning: 'the profile, unless --profile names one', option: '--profile' },
  { names: ['SRQ_BASE_URL'], meaning: "the base URL, instead of the profile's", option: '--base-url' },
  { names: ['SRQ_CLIENT_ID'], meaning: "the client id, instead of the profile's", option: '--client-id' },
  { names: ['SRQ_CLIENT_SECRET'], meaning: "the secret, instead of the profile's" },
  { names: ['SRQ_STORE'], meaning: 'the store (PostgreSQL), like --store', option: '--store' },
  { names: ['PGPASSWORD'], meaning: 'the password of the store' },
  { names: ['SRQ_CONFIG_DIR'], meaning: 'the folder of the settings' },
  { names: ['SRQ_STATE_DIR'], meaning: 'the folder of the log and the token' },
  { names: ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'], meaning: 'where both folders are by default (Linux)' },
  { names: ['APPDATA', 'LOCALAPPDATA'], meaning: 'where both folders are by default (Windows)' },
  { names: ['HTTPS_PROXY', 'NO_PROXY'], meaning: 'proxy, and hosts that need none' },
  { names: ['NODE_EXTRA_CA_CERTS'], meaning: 'a file of further authorities to trust' },
  { names: ['NODE_TLS_REJECT_UNAUTHORIZED'], meaning: 'if 0, srq does not send' },
  { names: ['NO_COLOR'], meaning: 'no colours, even with FORCE_COLOR', option: '--no-color' },
  { names: ['FORCE_COLOR'], meaning: 'colours even in a pipe, unless 0 or false' },
  {
    names: ['LC_ALL', 'LC_CTYPE', 'LANG'],
    meaning: 'the first that is set counts; with C or POSIX, srq prints ASCII marks',
  },
  { names: ['TERM'], meaning: 'dumb: no colours, no moving progress' },
  { names: ['CI'], meaning: 'no questions, no moving progress' },
];
