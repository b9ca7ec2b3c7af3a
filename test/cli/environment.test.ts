import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENVIRONMENT } from '../../src/cli/environment.ts';

/** Node.js itself reads these. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS'];

test('the table of environment variables has all that the code reads, and no other', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const code = files
    .filter((name) => name !== 'cli/environment.ts')
    .map((name) => readFileSync(join('src', name), 'utf8'));
  const read = code.flatMap((text) =>
    [...text.matchAll(/\benv\['(\w+)'\]/g)].map(([, name = '']) => name.toUpperCase()),
  );
  const named = code.flatMap((text) => text.match(/\bSRQ_[A-Z_]+\b/g) ?? []).filter((name) => name !== 'SRQ_VERSION');
  const listed = ENVIRONMENT.flatMap(({ names }) => names);
  expect([...new Set([...read, ...named, ...OF_NODE])].sort()).toEqual([...listed].sort());
});
