import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** The leads that the log has as created, each once. */
function delivered(folder: string): string[] {
  const lines = readFileSync(`${folder}/demo.ndjson`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).flatMap(({ event, key }) => (event === 'created' ? [key] : []));
}

test('the demo kills an import half-way, runs it again, and has the sandbox count', async ({ desk }) => {
  desk.env['TMPDIR'] = desk.work;
  const ended = await desk.run('demo', '--json');
  expect(ended.stderr).toMatch(/Killed, as by a power cut\. The sandbox has 1[234] leads\.\n/);
  expect(ended.stderr.match(/^\$ srq bulk leads\.csv .*$/gm)).toHaveLength(2);
  const document = documentOf(ended);
  expect(document).toMatchObject({ received: 24, twice: 0, folder: expect.stringContaining(desk.work) });
  expect(readFileSync(String(document['page']), 'utf8')).toContain('<!doctype html>');
  const keys = delivered(String(document['folder']));
  expect([keys.length, new Set(keys).size]).toEqual([24, 24]);
});
