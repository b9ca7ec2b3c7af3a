import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { callSrq } from '../helpers/call-srq.ts';

const home = mkdtempSync(join(tmpdir(), 'srq-reading-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
const call = (...args: string[]) => callSrq([...args, '--no-input'], { env, cwd: null });

test.each([
  'version',
  'help',
  'help errors',
  'help exit-codes',
  'markets',
  'status',
  'log --totals',
  'resolve',
  'profile list',
  'mapping list',
  'contract show',
])('srq %s has done what it was asked where there is nothing yet, for persons and for programs', async (words) => {
  for (const more of [[], ['--json']]) {
    const { code, stdout } = await call(...words.split(' '), ...more);
    expect([more, code, stdout === '']).toEqual([more, 0, false]);
  }
});

test('what is remembered of columns is listed, shown and forgotten with success', async () => {
  const file = join(home, 'leads.csv');
  writeFileSync(file, 'Name,Telefon,PLZ,Land,Nachricht\nAna Exemplo,912345678,1200-109,PT,Zimmer streichen\n');
  expect((await call('bulk', file, '--sandbox', '--yes', '--map', 'Nachricht=request_text')).code).toBe(0);
  const listed = await call('mapping', 'list', '--json');
  const [{ fingerprint = '' } = {}] = JSON.parse(listed.stdout).mappings;
  expect([listed.code, fingerprint]).toEqual([0, expect.stringMatching(/^[0-9a-f]{4,}$/)]);
  for (const words of [['list'], ['show', fingerprint], ['forget', fingerprint]])
    expect([words, (await call('mapping', ...words)).code]).toEqual([words, 0]);
});
