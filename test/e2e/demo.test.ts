import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** The leads that the log has as created, each once. */
function delivered(folder: string): string[] {
  const lines = readFileSync(`${folder}/demo.ndjson`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).flatMap(({ event, key }) => (event === 'created' ? [key] : []));
}

describe.concurrent('the demo', () => {
  test('the demo kills an import half-way, runs it again, and has the sandbox count', async ({ desk }) => {
    desk.env['TMPDIR'] = desk.work;
    const ended = await desk.run('demo');
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toMatch(/Killed, as by a power cut\. The sandbox has 1[234] leads\.\n/);
    expect(ended.stderr.match(/^\$ srq bulk leads\.csv .*$/gm)).toHaveLength(2);
    expect(ended.stdout).toContain("The sandbox's own count: 24 leads received, none twice.\n");
    const [, page = ''] = /^The page of the run: (.+)$/m.exec(ended.stdout) ?? [];
    expect(readFileSync(page, 'utf8')).toContain('<!doctype html>');
  });

  test('the demo leaves its log and its page, and says where, for programs as well', async ({ desk }) => {
    desk.env['TMPDIR'] = desk.work;
    const document = documentOf(await desk.run('demo', '--json', '--quiet'));
    expect(document).toMatchObject({ received: 24, twice: 0, folder: expect.stringContaining(desk.work) });
    expect(existsSync(String(document['page']))).toBe(true);
    const keys = delivered(String(document['folder']));
    expect([keys.length, new Set(keys).size]).toEqual([24, 24]);
  });
});
