// This process keeps a log in a file or a store (postgres://…, with the password in PGPASSWORD). It reads commands from
// its standard input, one per line:
//   sending KEY SEEN · outcome KEY STATUS · lookup KEY · living KEY · close
// It answers each command with one line as soon as the command is done, in the order in which they are done.
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/account/system-clock.ts';
import type { OpenLog } from '../../src/request/log/log-store.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { openFileStore } from '../../src/store/file/file-store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';

const say = (line: string) => writeSync(1, `${line}\n`);
const wordsOf = (error: unknown) => (error instanceof SrqError ? `${error.code} ${error.message}` : String(error));

const [path = '', mode = '', holder = ''] = process.argv.slice(2);
try {
  const log = await openStore().open('bulk', mode === 'exclusive');
  say(`open ${process.pid}`);
  await obey(log);
} catch (error) {
  say(`refused ${wordsOf(error)}`);
}

function openStore() {
  const run = `${process.pid}`;
  const who = () => `${holder}, process ${process.pid}`;
  if (!path.startsWith('postgres:')) return openFileStore({ path, clock: systemClock, run, holder: who });
  const password = async () => process.env['PGPASSWORD'] ?? '';
  const stopping = new AbortController().signal;
  const away = (message: string | null) => say(`away ${message === null ? 'no' : 'yes'}`);
  const warn = (message: string) => say(`warn ${message}`);
  return openPostgresStore({ url: path, password, clock: systemClock, run, holder: who, stopping, away, warn });
}

async function obey(log: OpenLog): Promise<void> {
  let rest = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === 'close') {
        await log.close();
        say('closed');
        process.stdin.destroy();
        return;
      }
      answer(log, line);
    }
  }
}

function answer(log: OpenLog, line: string): void {
  const [command, key = '', word = ''] = line.split(' ');
  if (command === 'lookup') {
    say(`${key} ${log.lookup(key)}`);
    return;
  }
  if (command === 'living') {
    Promise.resolve(log.mayBeUnderWay(key)).then((living) => say(`${key} ${living ? 'living' : 'dead'}`));
    return;
  }
  const subject = { key, row: 1, ref: null };
  const done =
    command === 'sending'
      ? log.sending(subject, word as LoggedState)
      : log.outcome(subject, outcomeOf(word)).then(() => word);
  done.then(
    (result) => say(`${key} ${result}`),
    (error) => say(`${key} ${wordsOf(error)}`),
  );
}

function outcomeOf(status: string): Outcome {
  return { status: status as Outcome['status'], ids: {}, http: 201, message: null, raw: null, ms: 1 };
}
