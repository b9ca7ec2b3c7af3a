import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the built program that the end-to-end tests start. */
    srqProgram: string;
  }
}

/**
 * Prints which Node.js runs the tests, and builds once before all of them. The build has a folder of its own, because
 * `npm pack` and other builds rewrite `dist` while tests run. The folder is at a place from which the program finds the
 * same node_modules. The data of a PostgreSQL are made once as well, by the first test that needs one.
 */
export default function build(project: TestProject): () => void {
  process.stdout.write(`Node.js ${process.versions.node}, ${process.platform}-${process.arch}\n`);
  const folder = resolve(`node_modules/.cache/srq-e2e-${process.pid}`);
  execFileSync(process.execPath, ['scripts/build.mjs', folder], { stdio: 'inherit' });
  project.provide('srqProgram', join(realpathSync(folder), 'srq.js'));
  const postgres = mkdtempSync(join(tmpdir(), 'srq-empty-postgres-'));
  process.env['SRQ_EMPTY_POSTGRES'] = postgres;
  return () => {
    for (const each of [folder, postgres]) rmSync(each, { recursive: true, force: true });
  };
}
