// Bundles bin/srq.ts into dist/: one entry and, for what commands load lazily, chunks of their own.
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });

const bundle = await rolldown({
  input: { srq: 'bin/srq.ts' },
  platform: 'node',
  // What stays a dependency brings binaries of its own and cannot be bundled.
  external: Object.keys(dependencies),
  transform: { define: { SRQ_VERSION: JSON.stringify(version) } },
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
chmodSync('dist/srq.js', 0o755);
