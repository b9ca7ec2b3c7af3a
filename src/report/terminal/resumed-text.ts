import type { DocumentOf } from '../../request/documents/types.ts';
import { type Paint, printable, rowsText } from '../output.ts';

/**
 * Formats the result: the processes that are no longer waited for, and what a person has to look up, because nobody knows
 * what they began after the last commit of the new server.
 */
export function resumedText({ store, missing, doubtful }: DocumentOf<'store resume'>, paint: Paint): string {
  const name = printable(store);
  const listed = `Unknown now: ${rowsText(doubtful)} of the queue that may have been sent; srq resolve lists them.`;
  if (missing.length === 0)
    return [`${paint.green('✓')} Sending through the store ${name} goes on.`, ...(doubtful > 0 ? [listed] : [])].join(
      '\n',
    );
  const shown = missing.map((each) => printable(each));
  const unqueued = shown.filter((each) => !each.startsWith('srq work,'));
  return [
    `${paint.green('✓')} Sending through the store ${name} goes on without:`,
    ...shown.map((each) => `  ${each}`),
    listed,
    ...(unqueued.length === 0
      ? []
      : [
          `What these sent last is not listed as unknown: ${unqueued.join('; ')}.`,
          'Look up at the service what it created in the minute before. If srq log does not have one of those requests, take its row out of the',
          'file before it is sent again.',
        ]),
  ].join('\n');
}
