import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The built program that the end-to-end tests start. */
    srqProgram: string;
  }
}

/**
 * Builds once, before all tests, and has them start a copy: `npm pack` and other people's builds write `dist` anew while
 * tests run. The copy lies where it finds the same node_modules.
 */
export default function build(project: TestProject): () => void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  const copy = resolve(`node_modules/.cache/srq-e2e-${process.pid}`);
  cpSync('dist', copy, { recursive: true });
  project.provide('srqProgram', resolve(copy, 'srq.js'));
  return () => rmSync(copy, { recursive: true, force: true });
}
