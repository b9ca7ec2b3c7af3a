import { statSync } from 'node:fs';
import type { Context } from '../../cli/context.ts';
import { withProgress } from '../../cli/input.ts';
import { askYesNo } from '../../cli/prompt.ts';
import { keepHeapSmall } from '../../cli/v8-flags.ts';
import { countText, duration, inChunks, printable, rowsText, thousands } from '../../report/output.ts';
import { resumedText } from '../../report/terminal/resumed-text.ts';
import { SrqError } from '../../request/words/errors.ts';
import { inBatches } from '../../run/batches.ts';
import { openOutput, writeUntilSignal } from '../../run/outputs.ts';
import { fileLogOf, openFileStore } from '../../store/file/file-store.ts';
import { encodeRequest } from '../../store/file/record.ts';

/** Creates the tables of the store. It is for the owner of a database whose other users must not do that. */
export async function storeMigrate(context: Context): Promise<number> {
  const store = await context.log.postgresStore();
  const isNew = await store.migrate();
  await context.reporter.result('store migrate', { store: store.name, migrated: isNew ? ['tables'] : [] }, (paint) => {
    const what = isNew ? 'has its tables now' : 'is up to date';
    return `${paint.green('✓')} The store ${printable(store.name)} ${what}.`;
  });
  return 0;
}

/**
 * Lets sending go on after a fail-over. By running this command, a person states that processes which have not come back will
 * not. Where rows wait, it asks whether the store has each commit; unless a person says so, it is taken to lack some.
 */
export async function storeResume(context: Context): Promise<number> {
  const store = await context.log.postgresStore();
  const { doubtful: waiting } = await store.resume(null);
  const question = `${rowsText(waiting)} of the queue may have been sent: a worker may have taken them, and the store may have lost that. Do you know that the store has lost nothing of the queue?`;
  const hasAll = waiting > 0 && context.interactive && (await askYesNo(context, question));
  const { missing, doubtful } = await store.resume(hasAll);
  await context.log.acceptStore();
  const resumed = { store: store.name, missing, doubtful };
  await context.reporter.result('store resume', resumed, (paint) => resumedText(resumed, paint));
  return 0;
}

const BATCH_REQUESTS = 5_000;

/**
 * Takes over what the log in a file knows: of each request its state and its last record. What the store knows already
 * stays, so that the same again is harmless, and goes on after a break.
 */
export async function storeImport(context: Context, file: string): Promise<number> {
  keepHeapSmall();
  const startedMs = context.clock.monotonicMs();
  const { clock, run, uid } = context;
  const store = await context.log.postgresStore();
  requireLog(file);
  const user = { uid, isInStateFolder: false };
  const source = openFileStore({ path: file, clock, run, holder: (command) => context.holder(command), user });
  // Nobody sends by the log while it moves.
  const log = await source.open('store import', true);
  context.onClose(() => log.close());
  await store.migrate();
  // What srq create adds from now on may not be among what is read, so the store is not to know the log with it.
  const id = await fileLogOf(file);
  let [requests, imported] = [0, 0];
  // How many there are is known only once the log has been read.
  await withProgress(context, 'Importing', async (tick) => {
    for await (const batch of inBatches(source.latest(), BATCH_REQUESTS)) {
      imported += await store.takeOver(batch.map((record) => ({ record, state: log.lookup(record.key) })));
      requests += batch.length;
      tick(requests);
    }
  });
  // Only a log that was taken over as a whole is known to the store.
  if (id) await store.noteFileLog(id);
  const seconds = Math.round(clock.monotonicMs() - startedMs) / 1000;
  const document = { store: store.name, log: file, requests, imported, known: requests - imported, seconds };
  await context.reporter.result('store import', document, (paint) => {
    const told = `${thousands(imported)} of ${thousands(requests)} requests are new to it`;
    return `${paint.green('✓')} The store ${printable(store.name)} knows what ${printable(file)} has: ${told}, in ${duration(seconds * 1000)}.`;
  });
  return 0;
}

/** Throws `SrqError('usage')` if there is no such log: opening it would begin a new one. */
function requireLog(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && found.size > 0) return;
  const message = found ? `${file} is empty, so it is not a log.` : `There is no log ${file}.`;
  throw new SrqError('arguments.invalid', message, 'srq status names the log of a profile.');
}

/**
 * Writes what the store knows of each request as a log in a file, which knows the same then. Refuses while rows wait: workers
 * would send what somebody may send by the file as well.
 */
export async function storeExport(context: Context, { output }: { readonly output: string }): Promise<number> {
  keepHeapSmall();
  const store = await context.log.postgresStore();
  const waiting = await store.waitingRows();
  if (waiting > 0) {
    const rows = waiting === 1 ? '1 request waits' : `${thousands(waiting)} requests wait`;
    const message = `${rows} in the queue, and workers would still send what the file does not have. Nothing was written.`;
    const hint = 'Let the workers finish: srq work --until-empty    Or forget the rows: srq queue purge';
    throw new SrqError('log.under-way', message, hint);
  }
  // A process may be about to write to an earlier one, so none is replaced.
  const file = await openOutput(context, output, { flag: '--output', kind: 'log', keepsOwn: true });
  let requests = 0;
  const texts = inChunks(store.requests(), ({ record, state }) => {
    requests += 1;
    return encodeRequest(record, state);
  });
  await writeUntilSignal(context, file, texts);
  const document = { store: store.name, output: file.path, requests };
  await context.reporter.result('store export --output', document, (paint) => {
    return `${paint.green('✓')} ${printable(file.path)} has the ${countText(requests, 'request')} of the store ${printable(store.name)}.`;
  });
  return 0;
}
