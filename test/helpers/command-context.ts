import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { Context } from '../../src/cli/context.ts';

/**
 * Makes the context of a command in the process of the test, without a terminal and with folders of its own. Everything
 * but the process is real. It is closed with the test.
 */
export function contextOf(): { readonly context: Context } {
  const home = mkdtempSync(join(tmpdir(), 'srq-context-'));
  const folders = { HOME: home, SRQ_CONFIG_DIR: join(home, 'config'), SRQ_STATE_DIR: join(home, 'state') };
  const own = {
    ...{ argv: [process.execPath, 'srq'], env: { ...folders, TERM: 'dumb' }, stdin: new PassThrough() },
    ...{ stdout: new PassThrough().resume(), stderr: new PassThrough().resume() },
  };
  const itself = () => here;
  const here = Object.create(process, Object.getOwnPropertyDescriptors({ ...own, on: itself, off: itself }));
  const context = new Context(here, {}, 'of a test');
  onTestFinished(async () => {
    await context.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { context };
}
