import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { loadAll } from './program.ts';
import { carryOut, STORE } from './transcript.ts';

const FOLDER = join(import.meta.dirname, 'transcripts');
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();
const withStore = names.filter((name) => textOf(name).includes(STORE));

beforeAll(loadAll);

/** `npm test -- -u` writes what happened into the transcripts. */
const isAsWritten = async (name: string, store: string | null) => {
  await expect(await carryOut(textOf(name), store)).toMatchFileSnapshot(join(FOLDER, name));
};
test.for(names.filter((name) => !withStore.includes(name)))('%s', { timeout: 60_000 }, (name) =>
  isAsWritten(name, null),
);

const why = postgresIsMissing === null ? '' : ` (skipped: ${postgresIsMissing})`;
describe.skipIf(postgresIsMissing !== null)(`with a store in PostgreSQL${why}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.query('postgres', `create role ana superuser login password '${STORE_PASSWORD}'`);
  });
  afterAll(() => server?.end());

  test.for(withStore)('with a store in PostgreSQL: %s', { timeout: 60_000 }, async (name) => {
    const database = (await server.database()).split('/').at(-1) ?? '';
    await isAsWritten(name, server.url(database, 'ana'));
  });
});
