import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, postgresIsMissing } from '../../scripts/postgres-server.mjs';
import { STORE_PASSWORD } from './postgres.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
);

/** The reason why there is no pooler on this machine, or null if there is one. */
export const poolerIsMissing =
  postgresIsMissing ?? (program === undefined ? 'pgbouncer is not installed: apt-get install pgbouncer' : null);

/** A pgbouncer in front of a server. It runs until the test ends it. */
export class Pooler {
  readonly port: number;
  readonly #folder: string;
  readonly #child: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#child = child;
  }

  static async start(server: number, mode: 'session' | 'transaction' | 'statement', poolSize = 20): Promise<Pooler> {
    const folder = mkdtempSync(join(tmpdir(), 'srq-pooler-'));
    chmodSync(folder, 0o755);
    const port = await freePort();
    writeFileSync(join(folder, 'users'), `"owner" "${STORE_PASSWORD}"\n`);
    const settings = [
      ...['[databases]', `* = host=127.0.0.1 port=${server}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
      ...[`listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = scram-sha-256', `auth_file = ${folder}/users`],
      ...[`pool_mode = ${mode}`, `default_pool_size = ${poolSize}`, `logfile = ${folder}/log`],
    ];
    writeFileSync(join(folder, 'settings'), `${settings.join('\n')}\n`);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) execFileSync('chown', ['-R', 'postgres', folder]);
    const change = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
    const [file = '', ...words] = [...change, program ?? '', '-q', join(folder, 'settings')];
    const pooler = new Pooler(port, folder, spawn(file, words, { stdio: 'ignore', cwd: '/' }));
    while (!(await listens(port))) {
      if (pooler.#child.exitCode !== null) throw new Error('pgbouncer did not start');
    }
    return pooler;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => setTimeout(resolve, 50, false));
  });
}
