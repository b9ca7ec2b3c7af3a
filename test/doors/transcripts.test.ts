import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadAll } from './program.ts';
import { carryOut } from './transcript.ts';

const FOLDER = join(import.meta.dirname, 'transcripts');
const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.md') && name !== 'README.md',
);

beforeAll(loadAll);

/** `npm test -- -u` writes what happened into the transcripts. */
test.for(names.sort())('%s', { timeout: 60_000 }, async (name) => {
  const path = join(FOLDER, name);
  await expect(await carryOut(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});
