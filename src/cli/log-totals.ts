import { noSentCounts, type SentCounts } from '../model/status.ts';
import type { DayTotals, LogEntry } from '../report/log-text.ts';

/** Requests by the day (UTC) of their last record, the first day first. */
export async function dayTotals(entries: AsyncIterable<LogEntry>): Promise<DayTotals[]> {
  const days = new Map<string, SentCounts>();
  for await (const { at, status } of entries) {
    const day = at.slice(0, 10);
    const counts = days.get(day) ?? noSentCounts();
    counts[status] += 1;
    days.set(day, counts);
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, counts]) => ({ day, counts }));
}
