import type { Context } from '../cli/context.ts';
import type { Pass, PassWatch } from '../delivery/import.ts';
import { shown } from '../delivery/submit.ts';
import { duration, MIN_ANNOUNCED_MS, rowsText } from '../report/output.ts';
import { noCounts } from '../request/log/status.ts';
import type { RunEvents } from './events.ts';
import type { Asides } from './summary.ts';

/**
 * Shows a pass of an import: its progress, the results that the log could not store, and why rows stay unknown. Rows that
 * need a word are counted in `asides`.
 */
export async function showPass(
  context: Context,
  pass: Pass,
  { file, events, asides }: { readonly file: string; readonly events: RunEvents; readonly asides: Asides },
): Promise<PassWatch> {
  const { rows: total } = pass;
  const observer = events.observe(file, pass);
  const isSending = pass.is === 'sending';
  if (!isSending) context.reporter.say(() => `${rowsText(total)} with an unknown outcome: ${settlingText(pass)}.`);
  const progress = await context.reporter.progress(isSending ? 'Sending' : 'Settling unknown outcomes');
  const state = { done: 0, total, counts: noCounts() };
  const reasons = new Map<string, number>();
  let isAnnounced = false;
  return {
    row(sent) {
      const { status, ids, message } = sent;
      const result = shown(sent);
      state.done += 1;
      state.counts[status] += 1;
      if (isSending && status === 'created' && Object.keys(ids).length === 0) asides.withoutIdentifier += 1;
      // Only an answer that has a form can be explained.
      if (status === 'unknown' && sent.unproven?.text) asides.unproven += 1;
      if (!isSending && status === 'unknown' && message !== null) reasons.set(message, (reasons.get(message) ?? 0) + 1);
      if (sent.unrecorded) context.reporter.warn(`Not in the log: ${JSON.stringify(result)}`);
      progress.update(state);
      observer.row(result, state);
    },
    waiting(waitMs) {
      if (isAnnounced || waitMs < MIN_ANNOUNCED_MS) return;
      isAnnounced = true;
      context.reporter.say(
        () => `Waiting for ${duration(waitMs)}, then asking validate. Ctrl-C leaves this to the next run.`,
      );
    },
    end() {
      progress.end();
      observer.end(state);
      for (const [reason, count] of reasons)
        context.reporter.warn(`${count} ${count === 1 ? 'stays' : 'stay'} unknown: ${reason}`);
    },
  };
}

function settlingText({ byKey, byValidate }: Extract<Pass, { is: 'settling' }>): string {
  if (!byKey) return 'validate is asked about each once it is old enough';
  const repeated = 'each is sent once more with its idempotency key';
  return byValidate ? `${repeated}; validate is asked about those that are too old for that` : repeated;
}
