import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Running, startProgram } from './run-srq.ts';

/** The id of the base image's user `node`. */
const USER = 1000;
const NAMESPACES = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];

/** The reason why the image's file tree cannot be run here, or null if it can. */
export const imageRootIsMissing = canMount() ? null : 'needs unshare, mount and setpriv, as root on Linux';

/** Returns the instructions of one stage of the Dockerfile, each as its word and the rest. */
export function instructions(stage: 'build' | 'image'): [word: string, rest: string][] {
  const text = readFileSync('Dockerfile', 'utf8').replace(/^#.*\n/gm, '');
  const [, build = '', image = ''] = text.split(/^(?=FROM )/m);
  const lines = (stage === 'build' ? build : image).trim().split('\n');
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** Returns the rest of each instruction with this word in the last stage. */
export function said(word: string): string[] {
  return instructions('image')
    .filter(([each]) => each === word)
    .map(([, rest]) => rest);
}

/** The container image without Docker. It runs what the Dockerfile copies and runs, in folders of this machine. */
export class Image {
  readonly #folder = mkdtempSync(join(tmpdir(), 'srq-image-'));
  /** The files that the image adds to its base image. */
  readonly tree = join(this.#folder, 'tree');
  /** The folder that represents the volume. */
  readonly data = join(this.#folder, 'data');

  /** Copies the files that the Dockerfile copies, and runs its last RUN. `npm ci` was already run here. */
  constructor() {
    const source = join(this.#folder, 'source');
    for (const each of ['source', 'root', 'data']) mkdirSync(join(this.#folder, each), { mode: 0o755 });
    if (imageRootIsMissing === null) chownSync(this.data, USER, USER);
    for (const [, rest] of instructions('build').filter(([word]) => word === 'COPY')) {
      const names = rest.split(' ').slice(0, -1);
      for (const name of names) cpSync(name, join(source, name), { recursive: true });
    }
    symlinkSync(realpathSync('node_modules'), join(source, 'node_modules'));
    const [, run = ''] = instructions('build').findLast(([word]) => word === 'RUN') ?? [];
    const [program = '', ...words] = run.replace('/tree', this.tree).split(' ');
    const { status, stderr } = spawnSync(program, words, { cwd: source, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The image cannot be built: ${stderr}`);
  }

  /** Starts the image like `docker run --read-only --volume DATA:/data IMAGE ARGS`, in the network of this machine. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    const own = Object.fromEntries(said('ENV').map((text) => text.split('=')));
    const places = [
      join(this.#folder, 'root'),
      this.tree,
      this.data,
      realpathSync(process.execPath),
      ...said('WORKDIR'),
    ];
    const words = [...NAMESPACES, 'sh', resolve('test/helpers/image-root.sh'), ...places, ...args];
    return startProgram(words, { env: { PATH: '/usr/local/bin:/usr/bin:/usr/sbin', ...own, ...env } });
  }

  /** Runs the health check of a running container as Docker does, and returns its exit code. */
  async health(running: Running): Promise<number | null> {
    const check: string[] = JSON.parse(/\[.*\]/.exec(said('HEALTHCHECK')[0] ?? '')?.[0] ?? '[]');
    const join = ['nsenter', `--target=${firstProcess(running)}`, '--mount', '--pid', '--root', `--setuid=${USER}`];
    const env = { PATH: '/usr/local/bin:/usr/bin' };
    return (await startProgram([...join, `--setgid=${USER}`, ...check], { env }).ended).code;
  }

  /** Sends a signal to the first process of the container, like `docker kill --signal`. */
  signal(running: Running, signal: NodeJS.Signals): void {
    process.kill(firstProcess(running), signal);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the id of a container's first process on this machine. In its own namespace the id is 1. */
function firstProcess({ process: { pid } }: Running): number {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (!first) throw new Error('The container has ended.');
  return Number(first);
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const [program = '', ...words] = NAMESPACES;
  const tried = spawnSync(program, [
    ...words,
    'sh',
    '-c',
    'mount -t tmpfs tmpfs /mnt && setpriv --version && nsenter -V',
  ]);
  return tried.status === 0;
}
