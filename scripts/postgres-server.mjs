// A PostgreSQL server of its own with throw-away data, on 127.0.0.1, for tests and measurements.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `url` has no password, and the role `owner` may do everything. `up` starts the server again after `down`, of which
 * `immediate` is as if it had crashed. `end` removes its data.
 * @typedef {object} TemporaryServer
 * @property {number} port
 * @property {(database: string, user?: string) => string} url
 * @property {() => void} up
 * @property {(mode?: 'fast' | 'immediate') => void} down
 * @property {() => void} end
 *
 * `standby` starts a copy that follows through a port, and is called `standby`. It takes some seconds.
 * @typedef {TemporaryServer & { standby(options: { readonly through: number, readonly settings: string }): Promise<TemporaryStandby> }} TemporaryPostgres
 *
 * `promote` makes a standby a primary, and waits until it is one.
 * @typedef {TemporaryPostgres & { promote(): void }} TemporaryStandby
 */

const isRoot = () => process.getuid?.() === 0;
const binaries = findBinaries();

/** Why there can be no server, or null. */
export const postgresIsMissing = binaries === null ? 'PostgreSQL is not installed: apt-get install postgresql' : null;

/**
 * Takes a second or two. `settings` are further options of the server, such as `-c max_connections=60`.
 * @param {string} password
 * @returns {Promise<TemporaryPostgres>}
 */
export async function startPostgres(password, settings = '') {
  const folder = ownFolder('srq-postgres-', tmpdir());
  const data = join(folder, 'data');
  const shared = process.env.SRQ_EMPTY_POSTGRES;
  if (shared === undefined) initialise(folder, password);
  else execFileSync('cp', ['-Rp', sharedData(shared, password), data]);
  const server = await serverOf(folder, data, settings);
  server.up();
  return { ...server, standby: (options) => startStandby(password, server.port, options) };
}

/** A new folder for the server's user. */
function ownFolder(name, within) {
  const folder = mkdtempSync(join(within, name));
  chmodSync(folder, 0o755);
  if (isRoot()) execFileSync('chown', ['postgres', folder]);
  return folder;
}

/** Makes the data of a server below a folder. */
function initialise(folder, password) {
  const secret = join(folder, 'password');
  writeFileSync(secret, `${password}\n`);
  if (isRoot()) execFileSync('chown', ['postgres', secret]);
  const who = ['-U', 'owner', '-A', 'scram-sha-256', `--pwfile=${secret}`];
  require(asServerUser('initdb', ['-D', join(folder, 'data'), ...who, '--no-sync', '-E', 'UTF8']));
}

/** Data that no server has used, made by the first who needs it. To make it takes a second, and to copy it a tenth of that. */
function sharedData(shared, password) {
  const made = join(shared, 'made');
  if (!existsSync(made)) {
    chmodSync(shared, 0o755);
    const draft = ownFolder('draft-', shared);
    initialise(draft, password);
    try {
      renameSync(draft, made);
    } catch {
      // Another process was faster. The draft goes with the folder.
    }
  }
  return join(made, 'data');
}

/**
 * Copies a server, and follows it by the port of a line that a test can cut.
 * @returns {Promise<TemporaryStandby>}
 */
async function startStandby(password, port, { through, settings }) {
  const folder = ownFolder('srq-standby-', tmpdir());
  const data = join(folder, 'data');
  const login = `host=127.0.0.1 user=owner password=${password}`;
  require(asServerUser('pg_basebackup', ['-D', data, '-c', 'fast', '--no-sync', '-d', `${login} port=${port}`]));
  const following = `primary_conninfo = '${login} port=${through} application_name=standby'\n`;
  appendFileSync(join(data, 'postgresql.auto.conf'), following);
  writeFileSync(join(data, 'standby.signal'), '');
  if (isRoot()) execFileSync('chown', ['postgres', join(data, 'standby.signal')]);
  const server = await serverOf(folder, data, settings);
  server.up();
  const standby = (options) => startStandby(password, server.port, options);
  return { ...server, standby, promote: () => require(asServerUser('pg_ctl', ['promote', '-w', '-D', data])) };
}

/**
 * The server of a folder of data, not started yet.
 * @returns {Promise<TemporaryServer>}
 */
async function serverOf(folder, data, settings) {
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -k ${folder} -c log_min_messages=fatal ${settings}`;
  const stop = (mode) => asServerUser('pg_ctl', ['stop', '-w', '-m', mode, '-D', data]);
  return {
    port,
    url: (database, user = 'owner') => `postgres://${user}@127.0.0.1:${port}/${database}`,
    up: () => require(asServerUser('pg_ctl', ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options])),
    down: (mode = 'fast') => require(stop(mode)),
    end: () => {
      stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function require({ status, stderr, stdout }) {
  if (status !== 0) throw new Error(`PostgreSQL did not obey: ${stderr ?? ''}${stdout ?? ''}`);
}

/** The server refuses to run as root. */
function asServerUser(program, args) {
  const change = isRoot() ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const [file, ...words] = [...change, join(binaries, program), ...args];
  // pg_ctl leaves a server behind that would hold a pipe open.
  return spawnSync(file, words, { encoding: 'utf8', cwd: '/', stdio: program === 'pg_ctl' ? 'ignore' : 'pipe' });
}

/** Where Debian keeps the newest server that is installed. */
function findBinaries() {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null;
}

/**
 * A port of 127.0.0.1 where nobody listens, below those that the system gives to whoever does not mind which: one of these
 * may belong to a neighbour before it is used.
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((resolve) => {
    const port = randomInt(15_000, 30_000);
    const probe = createServer().once('error', () => resolve(freePort()));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}
