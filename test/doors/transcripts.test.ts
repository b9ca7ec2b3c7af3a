import { afterAll, beforeAll, describe, test } from 'vitest';
import { PostgresServer, postgresIsMissing, STORE_PASSWORD } from '../helpers/postgres.ts';
import { loadAll } from './program.ts';
import { expectAsWritten, isOfBulk, transcripts } from './transcripts.ts';

const { alone, withStore } = transcripts();

beforeAll(loadAll);

test.for(alone.filter((name) => !isOfBulk(name)))('%s', { timeout: 60_000 }, (name) => expectAsWritten(name, null));

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
    await expectAsWritten(name, server.url(database, 'ana'));
  });
});
