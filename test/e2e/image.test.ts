import { chownSync, copyFileSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../scripts/postgres-server.mjs';
import { test } from '../helpers/desk.ts';
import { Image, imageRootIsMissing, instructions, said } from '../helpers/image.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { createdAtLeast } from '../helpers/sandbox-view.ts';

const because = (reason: string | null) => (reason === null ? '' : ` (skipped: ${reason})`);
const missing = imageRootIsMissing ?? postgresIsMissing;

describe('The container image', () => {
  let image: Image;
  beforeAll(() => {
    image = new Image();
  });
  afterAll(() => image?.remove());

  test('The container image holds the program, what it needs at run time, and nothing of the clone', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const needed = Object.keys(packages).filter((path) => path && !packages[path].dev && !packages[path].optional);
    expect(needed).toContain('node_modules/fs-native-extensions');
    expect(readdirSync(image.tree).sort()).toEqual(['data', 'opt', 'usr']);
    const program = join(image.tree, 'opt/srq');
    expect(readdirSync(program).sort()).toEqual(['LICENSE', 'dist', 'healthy.mjs', 'node_modules']);
    expect(readdirSync(join(program, 'node_modules')).sort()).toEqual(
      needed.map((path) => path.slice('node_modules/'.length)).sort(),
    );
    expect(readdirSync(join(image.tree, 'data'))).toEqual([]);
    const paths = readdirSync(image.tree, { recursive: true, encoding: 'utf8' }).map((path) => join(image.tree, path));
    const open = paths.filter((path) => !lstatSync(path).isSymbolicLink() && lstatSync(path).mode & 0o022);
    expect(open).toEqual([]);
  });

  test('The container image gets nothing but what its build names, whatever lies in the clone', () => {
    const copied = instructions('build')
      .filter(([word]) => word === 'COPY')
      .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
    const ignore = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(ignore).toEqual(['*', ...copied.map((name) => `!${name}`)]);
    expect(said('USER')).toEqual(['node']);
    expect(said('VOLUME')).toEqual(said('WORKDIR'));
  });

  const rootTest = test.skipIf(imageRootIsMissing !== null);
  rootTest(
    `runs the demo as another user where all but its volume is read-only${because(imageRootIsMissing)}`,
    async () => {
      const leads = join(image.data, 'leads.csv');
      copyFileSync('fixtures/csv/leads.csv', leads);
      chownSync(leads, 1000, 1000);
      const probe = 'id -u; for each in /opt/x /tmp/x /usr/local/bin/x /x; do touch $each && echo written; done; true';
      expect(await image.start(['sh', '-c', probe]).ended).toMatchObject({ code: 0, stdout: '1000\n' });

      const demo = await image.start(['srq', 'bulk', 'leads.csv', '--sandbox', '--yes']).ended;
      expect(demo).toMatchObject({ code: 0 });
      expect(demo.stdout + demo.stderr).toMatch(/24 {2}created/);
      expect(readdirSync(image.data)).toContain('leads.sandbox.results.csv');
    },
  );

  const workerTest = test.skipIf(missing !== null);
  workerTest(
    `says of a worker whether it is stuck, and ends it in order${because(missing)}`,
    async ({ desk, sandbox }) => {
      const server = await PostgresServer.start();
      try {
        desk.use(sandbox);
        Object.assign(desk.env, { SRQ_STORE: await server.database(), PGPASSWORD: STORE_PASSWORD });
        await desk.run('enqueue', desk.write('leads.csv', leadsCsv(3)));
        const { SRQ_CONFIG_DIR, SRQ_STATE_DIR, HOME, TMPDIR, ...env } = desk.env;
        const command: string = parse(readFileSync('compose.yaml', 'utf8')).services.worker.command;
        const worker = image.start(command.replace(' 8080', ` ${await freePort()}`).split(' '), env);
        await createdAtLeast(sandbox, 3, worker);
        expect(await image.health(worker)).toBe(0);
        image.signal(worker, 'SIGSTOP');
        expect(await image.health(worker)).toBe(1);
        image.signal(worker, 'SIGCONT');
        image.signal(worker, 'SIGTERM');
        expect(await worker.ended).toMatchObject({ code: 143 });
        const other = image.start(['sleep', '60']);
        await expect.poll(() => image.health(other).catch(() => null)).toBe(0);
        image.signal(other, 'SIGKILL');
      } finally {
        server.end();
      }
    },
  );
});
