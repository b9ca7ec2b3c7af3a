import { spawn } from 'node:child_process';
import type { Context } from '../../cli/context.ts';
import { EventStream, type RunEvent } from '../../report/event-stream.ts';

/**
 * Has the shell run the command of `--on-end`, with the end of the run on its standard input, and waits for it. What it
 * prints goes to standard error, because standard output is the result of srq. A failure is only a warning, which does not
 * repeat the command: it may contain a password.
 */
export async function runOnEnd(context: Context, command: string, end: RunEvent): Promise<void> {
  const { process, run, clock } = context;
  const child = spawn(command, { shell: true, env: process.env, stdio: 'pipe' });
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  // A command need not read what it is told.
  child.stdin.on('error', () => {});
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(`could not be started (${message})`));
    child.once('close', (code, signal) => {
      resolve(code === 0 ? null : `ended with ${signal === null ? `exit code ${code}` : signal}`);
    });
  });
  await new EventStream(child.stdin, run, clock.nowMs).tell(end);
  child.stdin.end();
  const failed = await ended;
  if (failed !== null) await context.warn(`The command of --on-end ${failed}. The exit code of srq stays as it is.`);
}
