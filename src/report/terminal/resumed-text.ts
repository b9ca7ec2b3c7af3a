import type { DocumentOf } from '../../request/documents/types.ts';
import { type Paint, printable, rowsText } from '../output.ts';

/**
 * Formats the result: the processes that are no longer waited for, and what a person has to look up, because nobody knows
 * what they began after the last commit of the new server.
 */
export function resumedText({ store, missing, doubtful }: DocumentOf<'store resume'>, paint: Paint): string {
  const shown = missing.map((each) => printable(each));
  const unqueued = shown.filter((each) => !each.startsWith('srq work,'));
  const isListed = doubtful > 0 || shown.length > 0;
  const told = [
    `${paint.green('✓')} Sending through the store ${printable(store)} goes on${shown.length === 0 ? '.' : ' without:'}`,
    ...shown.map((each) => `  ${each}`),
  ];
  if (isListed)
    told.push(`Unknown now: ${rowsText(doubtful)} of the queue that may have been sent; srq resolve lists them.`);
  if (unqueued.length > 0)
    told.push(
      `What these sent last is not listed as unknown: ${unqueued.join('; ')}.`,
      'Look up at the service what it created in the minute before. If srq log does not have one of those requests, take its row out of the',
      'file before it is sent again.',
    );
  return told.join('\n');
}
