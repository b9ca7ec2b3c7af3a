import { type Counts, countsLeft, labelOf, STATUS, STATUSES, type Status } from '../../request/log/status.ts';
import { shellWord } from '../../request/words/errors.ts';
import { duration, rowsText, thousands } from '../output.ts';
import type { EncodedRow, PageData } from './row-list.ts';
import { type ListedRow, NO_MARKET, type RunFigures } from './run-figures.ts';
import { type Bucket, quantileMs } from './time-buckets.ts';

const REASONS_SHOWN = 50;
/** What the note on the end of a run says if somebody has stopped it. */
const INTERRUPTED = 'Interrupted.';

/** What a page says beside the figures of its run. */
export interface PageFacts {
  /** The time when the page was written, in ISO 8601. */
  readonly writtenAt: string;
  /** True if all rows of the input were read, false if only the log was. */
  readonly hasInput: boolean;
  /** Adds to the srq commands of a text what makes them concern the same profile and log, wherever they are pasted. */
  readonly withProfile: (text: string) => string;
}

/** Returns all that the page shows, which its script draws. */
export function pageData(figures: RunFigures, facts: PageFacts): PageData {
  const { begin, end, counts, listed } = figures;
  const shown = STATUSES.filter((status) => counts[status] > 0);
  return {
    title: titleOf(figures),
    file: begin?.file ?? 'log',
    state: stateOf(figures),
    about: begin && {
      at: begin.at,
      took: duration(Math.max(0, Date.parse(end?.at ?? facts.writtenAt) - Date.parse(begin.at))),
      service: `the ${begin.live ? 'live' : 'test'} service ${begin.service}`,
      profile: begin.profile,
    },
    writtenAt: facts.writtenAt,
    verdict: headlineOf(figures),
    toDo: toDo(figures, facts),
    counts: shown.map((status) => [status, counts[status], STATUS[status].meaning] as const),
    rowsText: rowsText(figures.rows),
    reasons: reasons(figures),
    notes: [...reasonsNotInLog(figures), ...listNotes(figures, facts)].map(facts.withProfile),
    markets: markets(figures),
    course: courseOf(figures),
    settings: settings(figures),
    resolve: facts.withProfile('srq resolve'),
    statuses: STATUSES.map((status) => [status, labelOf(status)]),
    // What needs somebody comes first.
    rows: listed.toSorted((a, b) => STATUS[a.status].rank - STATUS[b.status].rank || a.row - b.row).map(encoded),
  };
}

export const titleOf = ({ begin }: RunFigures): string => (begin ? `Import of ${begin.file}` : 'Requests in the log');

function stateOf({ begin, end }: RunFigures): PageData['state'] {
  if (!begin) return null;
  if (!end) return ['open', 'No end recorded', 'Under way, or ended without a word'];
  if (end.stopped === null) return ['done', 'Finished', ''];
  return end.stopped === INTERRUPTED ? ['open', 'Interrupted', ''] : ['stopped', 'Stopped early', end.stopped];
}

/** The overall result of a run, which the top of the page shows. */
export interface Headline {
  /** The status whose colour the headline has. */
  readonly status: Status;
  readonly sign: string;
  readonly title: string;
  readonly detail: string;
}

/** Returns the headline of a run. Doubts come before all else, because only a person can settle them. */
export function headlineOf({ counts, rows, begin, end }: RunFigures): Headline {
  const { nothing, settle, send, correct } = countsLeft(counts);
  const of = rows === 1 ? 'of 1 row' : `of ${thousands(rows)} rows`;
  const delivered = nothing === 1 ? '1 is delivered' : `${thousands(nothing)} are delivered`;
  if (rows === 0)
    return { status: 'ready', sign: '–', title: 'Nothing was sent', detail: 'The log has no request of this run.' };
  if (begin && !end) {
    const detail = `No end of the run is recorded: it is under way, or it was killed. ${thousands(settle)} without an outcome.`;
    return { status: 'ready', sign: '…', title: `${thousands(nothing)} ${of} delivered so far`, detail };
  }
  // Somebody has stopped it, so nothing is wrong, and what is left is below.
  if (end?.stopped === INTERRUPTED && settle === 0) {
    const detail = `${thousands(send)} not sent yet. The same command goes on from there.`;
    return { status: 'ready', sign: '‖', title: `Interrupted: ${thousands(nothing)} ${of} delivered`, detail };
  }
  if (settle > 0) {
    const rest = send + correct > 0 ? `${delivered}, ${thousands(send + correct)} not` : delivered;
    const detail = `${settle === 1 ? 'It' : 'They'} may have been taken. Of the others, ${rest}.`;
    return {
      status: 'unknown',
      sign: '?',
      title: `${thousands(settle)} ${of} unknown`,
      detail: settle === rows ? 'All may have been taken.' : detail,
    };
  }
  if (send + correct > 0) {
    const status = (['rejected', 'invalid', 'failed'] as const).find((each) => counts[each] > 0) ?? 'ready';
    const title = `${nothing === 0 ? 'None' : thousands(send + correct)} ${of} ${nothing === 0 ? '' : 'not '}delivered`;
    return {
      status,
      sign: '!',
      title,
      detail: nothing === 0 ? 'What is left to do is below.' : `The other ${delivered}.`,
    };
  }
  const kinds = STATUSES.filter((status) => counts[status] > 0);
  const told = kinds.map((status) => `${thousands(counts[status])} ${labelOf(status)}`).join(', ');
  return {
    status: 'created',
    sign: '✓',
    title: rows === 1 ? '1 row delivered' : `All ${thousands(rows)} rows delivered`,
    detail: `${told}.`,
  };
}

/** Returns what a person still has to do, in that order, with the command that does it. */
function toDo({ counts, begin, end }: RunFigures, { withProfile }: PageFacts): PageData['toDo'] {
  const { settle, send, correct } = countsLeft(counts);
  const input = begin ? inputWord(begin.file) : 'FILE';
  const [is, has] = [send === 1 ? 'is' : 'are', correct === 1 ? 'has' : 'have'];
  const items = [
    {
      rows: settle,
      text: `may have been taken. Look ${settle === 1 ? 'it' : 'each one'} up at the service, then say what you found.`,
      command: 'srq resolve',
      statuses: ['unknown'],
    },
    {
      rows: send,
      text: `${is} not sent${end ? '' : ' yet'}. Run the same command again: it goes on where it stopped, and sends nothing twice.`,
      command: `srq bulk ${input}`,
      statuses: ['failed', 'ready'],
    },
    {
      rows: correct,
      text: `${has} to be corrected. Do it in the results file and import that: only ${correct === 1 ? 'this row is' : 'these rows are'} sent.`,
      command: `srq bulk ${resultsOf(input)}`,
      statuses: ['rejected', 'invalid'],
    },
  ];
  return items
    .filter(({ rows }) => rows > 0)
    .map(({ rows, text, command, statuses }) => {
      const status =
        statuses.length > 1 && statuses.every((each) => counts[each as Status] > 0)
          ? ''
          : statuses.find((each) => counts[each as Status] > 0);
      return { rows: rowsText(rows), text, command: withProfile(command), status: status ?? '' };
    });
}

/** Returns the input of a run as a word of a command. Notes name several inputs in one text. */
function inputWord(noted: string): string {
  return noted.includes(', ') || noted === 'standard input' ? 'FILE' : shellWord(noted);
}

/** Returns the results file that lies beside the input unless a flag has named another. */
function resultsOf(input: string): string {
  if (input === 'FILE' || input.includes('.results.')) return input;
  const [, name = input, quote = ''] = /^(.*?)(?:\.\w+)?(['"]?)$/.exec(input) ?? [];
  return `${name}.results.${/\.xls[xm]?['"]?$/i.test(input) ? 'xlsx' : 'csv'}${quote}`;
}

function reasons({ reasons: all }: RunFigures): PageData['reasons'] {
  const sorted = all.map((reason, number) => ({ ...reason, number })).sort((a, b) => b.count - a.count);
  return sorted.slice(0, REASONS_SHOWN).map((reason) => ({
    ...reason,
    seen: `${thousands(reason.count)} ${reason.count === 1 ? 'time' : 'times'}: row ${reason.rows.join(', ')}${reason.count > reason.rows.length ? ' …' : ''}`,
  }));
}

/**
 * Returns notes on rows that are counted above but whose reasons the log does not have, because they were never sent.
 */
function reasonsNotInLog({ untouched, end, begin }: RunFigures): string[] {
  const { invalid, failed, unknown } = untouched;
  const input = begin ? inputWord(begin.file) : 'FILE';
  return [
    ...(invalid > 0
      ? [
          `Why ${rowsText(invalid)} ${invalid === 1 ? 'is' : 'are'} invalid is not in the log, as they were never sent: srq report --input ${input} -o rows.html tells it.`,
        ]
      : []),
    ...(failed > 0
      ? [
          `${rowsText(failed)} ${failed === 1 ? 'was' : 'were'} not sent, as the run ended before. ${end?.stopped ?? ''}`.trimEnd(),
        ]
      : []),
    ...(unknown > 0
      ? [`${rowsText(unknown)} ${unknown === 1 ? 'was' : 'were'} unknown before this run: srq resolve lists all.`]
      : []),
  ];
}

function listNotes({ listed, gathered, counts }: RunFigures, { hasInput }: PageFacts): string[] {
  const few = `${thousands(listed.length)} of ${thousands(gathered)} are listed: those not created before the others, then the last.`;
  const unsent = 'Rows that were never sent are not in the log: srq report --input FILE -o rows.html lists them too.';
  return [
    ...(listed.length < gathered ? [few] : []),
    ...(!hasInput && counts.repeated + counts.invalid > 0 ? [unsent] : []),
  ];
}

function markets({ markets: found }: RunFigures): PageData['markets'] {
  const total = (counts: Counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [...found]
    .map(([name, counts]) => [name === NO_MARKET ? '' : name, total(counts), counts] as const)
    .sort(([, a], [, b]) => b - a);
}

/** Returns the figures of the charts, a number for each interval of the run. */
function courseOf({ course: { buckets, startMs, widthMs } }: RunFigures): PageData['course'] {
  const others = ({ ended: { created, ...rest } }: Bucket) =>
    Object.values(rest).reduce((sum, count) => sum + count, 0);
  return {
    times: buckets.map((_, at) => (startMs + at * widthMs) / 1000),
    seconds: widthMs / 1000,
    created: buckets.map(({ ended }) => ended.created),
    others: buckets.map(others),
    refused: buckets.map(({ refused, breaks }) => refused + breaks),
    pausedMs: buckets.map(({ pausedMs }) => pausedMs),
    medianMs: buckets.map((bucket) => answerMs(bucket, 0.5)),
    mostMs: buckets.map((bucket) => answerMs(bucket, 0.95)),
  };
}

/** Returns an answer time that a logarithmic scale can show, or null if there were no answers. */
function answerMs(bucket: Bucket, share: number): number | null {
  const ms = quantileMs(bucket, share);
  return ms === null ? null : Math.max(1, ms);
}

function settings({ begin }: RunFigures): PageData['settings'] {
  if (!begin) return [];
  const { version, run, file } = begin;
  const own = Object.entries(begin.settings).map(([name, value]) => [name, String(value)] as const);
  return [['srq', version], ['Run', run], ['Input', file], ...own];
}

/** Encodes a row for the page. */
function encoded({ row, ref, status, market, ids, message, reasons: numbers, key, at, http }: ListedRow): EncodedRow {
  const place = STATUSES.indexOf(status);
  const pairs = Object.entries(ids);
  return [row, ref ?? '', place, market ?? '', pairs, message ?? '', numbers, key, at, http];
}
