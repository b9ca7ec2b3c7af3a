import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { logIn } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** One screen of 80 columns and 24 lines, with the prompt. */
function fitsScreen(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
}

describe.concurrent('help', () => {
  test('on files has every file that a login and an import have left', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox);
    await desk.call('bulk', desk.write('leads.csv', leadsCsv(3)), '--rate', 'max');
    // The index is saved only beside a log of several megabytes.
    writeFileSync(join(desk.state, 'default.ndjson.index'), '');
    fitsScreen((await desk.call('help', 'files')).stdout);
    const { files } = documentOf(await desk.call('help', 'files', '--json')) as { files: Record<string, string>[] };
    const patterns = files.map(({ folder, name = '' }) => {
      const escaped = name.replaceAll('.', '\\.').replace('*', '.*').replace('PROFILE', 'default');
      return new RegExp(`^${folder}/${escaped.replace(/\/$/, '')}$`);
    });
    const written = desk.files().filter((name) => /^(?:config|state)\/(?!written\/).*\./.test(name));
    expect(written.length).toBeGreaterThan(4);
    expect(written.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
  });
});
