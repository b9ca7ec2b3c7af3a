import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/account/system-clock.ts';
import { startEmbedded } from '../../src/cli/rehearsal.ts';
import { callSrq } from '../helpers/call-srq.ts';
import { askToken, LEAD, partnerOf, sandboxWith } from '../sandbox/sandbox-client.ts';

test('that a path is left out of the base URL is said once, however often the URL is read', async () => {
  const home = mkdtempSync(join(tmpdir(), 'srq-context-'));
  const env = {
    ...{ HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') },
    ...{ SRQ_BASE_URL: 'http://127.0.0.1:9/oauth/token', SRQ_CLIENT_ID: 'id', SRQ_CLIENT_SECRET: 'secret' },
  };
  const { stderr } = await callSrq(['login', '--no-input'], { env, cwd: null });
  rmSync(home, { recursive: true, force: true });
  expect(stderr.match(/The base URL is http:\/\/127\.0\.0\.1:9/g)).toHaveLength(1);
});

test('a rehearsal gives the identifiers that srq sandbox gives with its usual seed', async () => {
  const embedded = await startEmbedded(systemClock, null, false);
  onTestFinished(() => embedded.close());
  const [inside, outside] = await Promise.all([partnerOf(embedded), partnerOf(await sandboxWith({ seed: 1 }))]);
  // Of two rehearsals at once each has a port of its own, and their tokens live as long as usual.
  const other = await startEmbedded(systemClock, null, false);
  onTestFinished(() => other.close());
  expect(JSON.parse((await askToken(other)).text).expires_in).toBe(3600);
  const created = await inside.create(LEAD);
  expect(created.status).toBe(201);
  expect(created.text).toBe((await outside.create(LEAD)).text);
});

test('the log of a rehearsal is told where it is afterwards, and a log that was given where it was given', async () => {
  const home = mkdtempSync(join(tmpdir(), 'srq-context-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const file = join(home, 'leads.csv');
  writeFileSync(file, 'Name,Telefon,PLZ,Land,Nachricht\nAna Exemplo,912345678,1200-109,PT,Zimmer streichen\n');
  const words = ['bulk', file, '--sandbox', '--yes', '--json', '--map', 'Nachricht=request_text'];
  const logOf = async (...more: string[]) =>
    JSON.parse((await callSrq([...words, ...more], { env, cwd: null })).stdout).log;
  const log = await logOf();
  expect([log.startsWith(join(home, 'state')), existsSync(log)]).toEqual([true, true]);
  const given = join(home, 'given.ndjson');
  expect([await logOf('--log', given), existsSync(given)]).toEqual([given, true]);
});
