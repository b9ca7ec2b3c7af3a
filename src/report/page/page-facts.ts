import { countsLeft, labelOf, STATUSES, type Status } from '../../request/log/status.ts';
import { duration, rowsText, thousands } from '../output.ts';
import type { RunFigures } from './run-figures.ts';

/** What the note on the end of a run says if somebody has stopped it. */
const INTERRUPTED = 'Interrupted.';

/** What a page says beside the figures of its run. */
export interface PageFacts {
  /** The time when the page was written, in ISO 8601. */
  readonly writtenAt: string;
  /** Adds to the srq commands of a text what makes them concern the same profile and log, wherever they are pasted. */
  readonly withProfile: (text: string) => string;
}

/** What the page's script draws. */
export function pageData(figures: RunFigures, facts: PageFacts) {
  const { begin, end, counts, listed } = figures;
  return {
    about: begin && {
      at: begin.at,
      facts: [
        endOf(figures),
        `took ${duration(Math.max(0, Date.parse(end?.at ?? facts.writtenAt) - Date.parse(begin.at)))}`,
        `to the ${begin.live ? 'live' : 'test'} service ${begin.service}`,
        `with profile ${begin.profile}`,
        `run ${begin.run.slice(0, 8)} of srq ${begin.version}`,
      ],
    },
    ...{ writtenAt: facts.writtenAt, counts },
    rows: listed.map((row) => ({ ...row, ids: Object.entries(row.ids) })),
    toDo: toDo(figures),
    notes: notesOn(figures),
    resolve: facts.withProfile('srq resolve'),
    course: figures.course.series(),
  };
}

export const titleOf = ({ begin }: RunFigures): string => (begin ? `Import of ${begin.file}` : 'Requests in the log');

/** How a run has ended. An interruption is no alarm, as somebody wanted it. */
function endOf({ end }: RunFigures): string {
  if (!end) return 'no end recorded: under way, or ended without a word';
  if (end.stopped === null) return 'finished';
  return end.stopped === INTERRUPTED ? 'interrupted' : `stopped early: ${end.stopped}`;
}

/**
 * The overall result of a run, which the top of the page shows in the colour of a status. What is unknown comes before all
 * else, because only a person can settle it.
 */
export function headlineOf({ counts, rows, begin, end }: RunFigures) {
  const { nothing, settle, send, correct } = countsLeft(counts);
  const of = `of ${rowsText(rows)}`;
  const kinds = STATUSES.filter((status) => counts[status] > 0);
  const told = kinds.map((status) => `${thousands(counts[status])} ${labelOf(status)}`).join(', ');
  const headline = (status: Status, sign: string, title: string, detail = `${told}.`) => {
    return { status, sign, title, detail };
  };
  if (rows === 0) return headline('ready', '–', 'Nothing was sent', 'The log has no request of this run.');
  if (begin && !end) {
    const detail = `No end of the run is recorded: it is under way, or it was killed. ${told}.`;
    return headline('ready', '…', `${thousands(nothing)} ${of} delivered so far`, detail);
  }
  if (settle > 0) return headline('unknown', '?', `${thousands(settle)} ${of} unknown`);
  // Somebody has stopped it, so nothing is wrong, and what is left is below.
  if (end?.stopped === INTERRUPTED) return headline('ready', '‖', `Interrupted: ${thousands(nothing)} ${of} delivered`);
  if (send + correct > 0) {
    const status = (['rejected', 'invalid', 'failed'] as const).find((each) => counts[each] > 0) ?? 'ready';
    return headline(status, '!', `${thousands(send + correct)} ${of} not delivered`);
  }
  return headline('created', '✓', rows === 1 ? '1 row delivered' : `All ${rowsText(rows)} delivered`);
}

/** What a person still has to do, in that order. */
function toDo({ counts, end }: RunFigures) {
  const { settle, send, correct } = countsLeft(counts);
  const of = (one: string, more: string) => (count: number) => (count === 1 ? one : more);
  const items = [
    {
      count: settle,
      text: `may have been taken. Look ${of('it', 'each one')(settle)} up at the service, then say what you found.`,
      statuses: ['unknown'],
    },
    {
      count: send,
      text: `${of('is', 'are')(send)} not sent${end ? '' : ' yet'}. Run the same command again: it goes on where it stopped, and sends nothing twice.`,
      statuses: ['failed', 'ready'],
    },
    {
      count: correct,
      text: `${of('has', 'have')(correct)} to be corrected. Do it in the results file and import that: only ${of('this row is', 'these rows are')(correct)} sent.`,
      statuses: ['rejected', 'invalid'],
    },
  ] as const;
  return items
    .filter(({ count }) => count > 0)
    .map(({ count, text, statuses }) => {
      return { rows: rowsText(count), text, statuses: statuses.filter((status) => counts[status] > 0) };
    });
}

/** What the list does not hold. */
function notesOn({ rows, listed, gathered }: RunFigures): string[] {
  const few = `${thousands(listed.length)} of ${thousands(gathered)} are listed, first those that need somebody.`;
  const unsent = `${rowsText(rows - gathered)} ${rows - gathered === 1 ? 'was' : 'were'} not sent by this run and so ${rows - gathered === 1 ? 'is' : 'are'} not listed. The results file has all rows.`;
  return [...(listed.length < gathered ? [few] : []), ...(gathered < rows ? [unsent] : [])];
}
