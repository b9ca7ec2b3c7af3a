import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { makeTemporaryFolder } from '../../cli/temporary-folder.ts';
import { printable } from '../../report/output.ts';
import { csvRecordText } from '../../request/words/csv-text.ts';
import { SrqError } from '../../request/words/errors.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';

const LEADS = 24;
const KILL_AT = 12;
const PAGE = 'run.html';
/** Two at a time, so that the kill finds requests whose answers are lost. */
const IMPORT = ['bulk', 'leads.csv', '--yes', '--concurrency', '2', '--settle', '1', '--rate', 'max', '--report', PAGE];

/**
 * Imports made-up leads into a sandbox, kills that import half-way, runs the same command again, and lets the sandbox
 * say what it has received. The folder with the leads, the log and the page stays, so that the user can look at them.
 */
export async function demo(context: Context): Promise<number> {
  const folder = makeTemporaryFolder('srq-demo-');
  writeFileSync(join(folder, 'leads.csv'), leads());
  const sandbox = await startSandbox({ latencyMs: 100, now: context.clock.nowMs });
  context.onClose(() => sandbox.close());
  const command = `$ srq ${IMPORT.join(' ')}`;
  context.reporter.say((paint) =>
    [
      `A sandbox plays the marketplace: ${sandbox.baseUrl}. Nothing leaves this machine.`,
      `${LEADS} made-up leads are in ${printable(join(folder, 'leads.csv'))}.\n`,
      paint.bold(command),
    ].join('\n'),
  );
  const first = importIn(context, folder, sandbox);
  while (created(sandbox) < KILL_AT && first.child.exitCode === null) await context.clock.sleep(5);
  // The import ended by itself, and has said why.
  if (first.child.exitCode !== null) return first.child.exitCode;
  first.child.kill('SIGKILL');
  await first.ended;
  const arrived = created(sandbox);
  const begun = logged(folder, 'sending');
  const answered = logged(folder, 'created');
  context.reporter.say((paint) =>
    [
      `\n${paint.red('Killed')}, as by a power cut. The sandbox has ${arrived} leads.`,
      `The log says that ${begun} leads were begun. It has an answer for ${answered} of them. So ${begun - answered} may or may not have arrived.`,
      `The same command again asks the sandbox about ${begun - answered === 1 ? 'it' : 'them'}, and sends the rest:\n`,
      paint.bold(command),
    ].join('\n'),
  );
  const exitCode = await importIn(context, folder, sandbox).ended;
  const keys = sandbox.requests().flatMap(({ key, operation }) => (operation === 'create' ? [key] : []));
  const received = keys.length;
  const twice = received - new Set(keys).size;
  if (exitCode !== 0 || received !== LEADS || twice > 0) {
    const message = `The demo failed: ${received} leads received, ${twice} twice (exit ${exitCode}).`;
    throw new SrqError('srq.fault', message, `Please report it, with the log in ${folder}`);
  }
  await context.reporter.result('demo', { received, twice, folder, page: join(folder, PAGE) }, (paint) =>
    [
      `\n${paint.green('✓')} The sandbox's own count: ${received} leads received, none twice.`,
      `The page of the run: ${printable(join(folder, PAGE))}`,
      'Try your own file. It stays on this machine: srq bulk FILE --sandbox',
    ].join('\n'),
  );
  return 0;
}

/** Starts the import in a process of its own, as a user would. Its words go where those of the demo go. */
function importIn({ process: { argv, env, execPath }, options }: Context, folder: string, sandbox: Sandbox) {
  const { baseUrl, clientId, clientSecret } = sandbox;
  const own = { SRQ_CONFIG_DIR: join(folder, 'config'), SRQ_STATE_DIR: folder, SRQ_PROFILE: 'demo', SRQ_STORE: '' };
  const account = { SRQ_BASE_URL: baseUrl, SRQ_CLIENT_ID: clientId, SRQ_CLIENT_SECRET: clientSecret };
  const child = spawn(execPath, [argv[1] ?? '', ...IMPORT, '--quiet'], {
    cwd: folder,
    env: { ...env, ...own, ...account },
    stdio: options.json ? 'ignore' : ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended };
}

function created(sandbox: Sandbox): number {
  return sandbox.requests().filter(({ operation }) => operation === 'create').length;
}

/** Counts the records of an event in the log of the import. */
function logged(folder: string, event: string): number {
  return readFileSync(join(folder, 'demo.ndjson'), 'utf8').split(`"event":"${event}"`).length - 1;
}

function leads(): string {
  const rows = Array.from({ length: LEADS }, (_, at) => [
    `L-${at + 1}`,
    `Ana Exemplo ${at + 1}`,
    `+3519123456${String(at + 10)}`,
    '1200-109 Lisboa',
    'PT',
    'Preciso de um canalizador',
  ]);
  return [['ref', 'fullname', 'phone', 'location', 'country', 'request_text'], ...rows]
    .map((row) => csvRecordText(row, ','))
    .join('');
}
