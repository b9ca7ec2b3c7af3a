import { type Counts, countsLeft, labelOf, STATUS, STATUSES, type Status } from '../../request/log/status.ts';
import { shellWord } from '../../request/words/errors.ts';
import { rowsText, thousands } from '../output.ts';
import { moment, shareBar, tag, wideTable } from './charts.ts';
import { type Html, html, NOTHING } from './html.ts';
import { type ListedRow, NO_MARKET, type RunFigures } from './run-figures.ts';

const KEY_SHOWN = 12;
const REASONS_SHOWN = 50;

/** Adds to the srq commands of a text what makes them concern the same profile and log, wherever they are pasted. */
export type WithProfile = (text: string) => string;

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

export function verdict(figures: RunFigures): Html {
  const { status, sign, title, detail } = headlineOf(figures);
  return html`<section class="verdict fill-${status}" aria-labelledby="verdict"><p class="verdict-sign" aria-hidden="true">${sign}</p>
<div class="verdict-words"><h2 id="verdict">${title}</h2><p class="lead">${detail}</p></div></section>`;
}

/**
 * Returns a text that the page's script makes a link to the rows of a filter. Without the script it stays a text,
 * because there is no list then.
 */
function filterLink(filter: Readonly<Record<string, string>>, content: Html): Html {
  return html`<a data-filter="${new URLSearchParams(filter).toString()}">${content}</a>`;
}

/** Returns the section with the number of rows by status. Statuses with rows in the list lead to them. */
export function totals({ counts, rows }: RunFigures, listed: readonly ListedRow[]): Html {
  const shown = STATUSES.filter((status) => counts[status] > 0);
  if (shown.length === 0) return html`<p class="empty">Nothing was sent in this run yet.</p>`;
  const inList = new Set(listed.map(({ status }) => status));
  const tiles = shown.map((status) => {
    const name = inList.has(status) ? filterLink({ status }, tag(status)) : tag(status);
    return html`<div class="tile"><dt>${name}</dt>
<dd class="count">${thousands(counts[status])}</dd><dd class="note">${share(counts[status], rows)} · ${STATUS[status].meaning}</dd></div>`;
  });
  const bar = shareBar(
    shown.map((status) => [status, counts[status]] as const),
    rows,
  );
  return html`${bar}<dl class="tiles">${tiles}</dl>`;
}

/** Returns the section that lists what a person still has to do, in that order. */
export function toDo({ counts, end }: RunFigures, withProfile: WithProfile): Html {
  const { settle, send, correct } = countsLeft(counts);
  const rows = (count: number) => html`<strong>${rowsText(count)}</strong>`;
  const items = [
    ...(settle > 0
      ? [
          html`<li>${rows(settle)} may have been taken. Look ${settle === 1 ? 'it' : 'each one'} up at the service, then say what you found: <code>${withProfile('srq resolve')}</code>.</li>`,
        ]
      : []),
    ...(send > 0
      ? [
          html`<li>${rows(send)} ${send === 1 ? 'is' : 'are'} not sent${end ? '' : ' yet'}. Run the same command again: it goes on where it stopped, and sends nothing twice.</li>`,
        ]
      : []),
    ...(correct > 0
      ? [
          html`<li>${rows(correct)} ${correct === 1 ? 'has' : 'have'} to be corrected. Do it in the results file and import that: only ${correct === 1 ? 'this row is' : 'these rows are'} sent.</li>`,
        ]
      : []),
  ];
  if (items.length === 0) return html`<p class="done">Nothing is left to do.</p>`;
  return html`<ol class="todo">${items}</ol>`;
}

export function markets({ markets: found, gathered, rows }: RunFigures): Html {
  const sorted = [...found].sort(([, a], [, b]) => totalOf(b) - totalOf(a));
  if (sorted.length === 0) return html`<p class="empty">No request of this run is in the log.</p>`;
  const statuses = STATUSES.filter((status) => sorted.some(([, counts]) => counts[status] > 0));
  const largest = totalOf(sorted[0]?.[1]);
  const lines = sorted.map(
    ([
      name,
      counts,
    ]) => html`<tr><th scope="row">${name === NO_MARKET ? name : filterLink({ market: name }, html`${name}`)}</th><td>${thousands(totalOf(counts))}</td>
${statuses.map((status) => html`<td>${counts[status] > 0 ? thousands(counts[status]) : '–'}</td>`)}
<td class="bar">${shareBar(
      statuses.map((status) => [status, counts[status]] as const),
      largest,
    )}</td></tr>`,
  );
  const left = rows - gathered;
  return html`${wideTable(
    'Outcome by market',
    html`<thead><tr><th scope="col">Market</th><th scope="col">Rows</th>${statuses.map((status) => html`<th scope="col">${tag(status)}</th>`)}<td class="bar"></td></tr></thead><tbody>${lines}</tbody>`,
  )}${left > 0 ? html`<p class="note">${rowsText(left)} of no known market: what was never sent is not in the log.</p>` : NOTHING}`;
}

/** Returns the section on the reasons why rows were not taken. A link shows the rows of a reason in the list. */
export function reasons(figures: RunFigures, withProfile: WithProfile): Html {
  const sorted = figures.reasons.map((reason, number) => ({ ...reason, number })).sort((a, b) => b.count - a.count);
  const notes = reasonsNotInLog(figures).map((note) => html`<p class="note">${withProfile(note)}</p>`);
  if (sorted.length === 0 && notes.length === 0) return html`<p class="empty">No row was refused or left out.</p>`;
  const lines = sorted.slice(0, REASONS_SHOWN).map(
    ({ status, text, advice, count, rows, number }) => html`<li><p class="reason">${tag(status)} <bdi>${text}</bdi></p>
<p class="advice">${advice}</p>
<p class="rows"><strong>${thousands(count)}</strong> ${count === 1 ? 'time' : 'times'}: row ${rows.join(', ')}${count > rows.length ? ' …' : ''} <span class="link">${filterLink({ reason: String(number) }, html`Show in the list`)}</span></p></li>`,
  );
  const more = sorted.length - lines.length;
  return html`${lines.length > 0 ? html`<ol class="reasons">${lines}</ol>` : NOTHING}${more > 0 ? html`<p class="note">${more} rarer reasons are in the list of rows alone.</p>` : NOTHING}${notes}`;
}

/** Returns the input of a run as a word of a command. Notes name several inputs in one text. */
function inputWord(noted: string): string {
  return noted.includes(', ') || noted === 'standard input' ? 'FILE' : shellWord(noted);
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

/**
 * Returns the section on requests that may have been taken, with the commands that settle them, or null if there are
 * none.
 */
export function doubts({ doubts: found, counts }: RunFigures, withProfile: WithProfile): Html | null {
  if (counts.unknown === 0) return null;
  const lines = found.map(
    ({ row, ref, key, at, message }) => html`<tr><td>${row}</td><td class="text"><bdi>${ref ?? '–'}</bdi></td>
<td class="text">${at === null ? '–' : moment(at)}</td><td class="text message"><bdi>${message ?? ''}</bdi></td>
<td class="text">${key === null ? '–' : html`<code>${withProfile('srq resolve')} ${key.slice(0, KEY_SHOWN)} --created</code> or <code>--not-created</code>`}</td></tr>`,
  );
  const more = counts.unknown - found.length;
  return html`<p>Nobody can tell from here whether the service took these. They are not sent again before each is settled: look it up at the service, then say what you found.</p>
${wideTable('Unknown outcomes', html`<thead><tr><th scope="col">Row</th><th scope="col" class="text">Reference</th><th scope="col" class="text">Since</th><th scope="col" class="text">What happened</th><th scope="col" class="text">What to do</th></tr></thead><tbody>${lines}</tbody>`)}
${more > 0 ? html`<p class="note">${thousands(more)} more: <code>${withProfile('srq resolve')}</code> lists all.</p>` : NOTHING}`;
}

export function settings({ begin }: RunFigures): Html {
  if (!begin) return html`<p class="empty">Settings were not recorded for this run.</p>`;
  const pairs = [
    ['srq', begin.version],
    ['Service', `${begin.service} (${begin.live ? 'live' : 'test'})`],
    ['Profile', begin.profile],
    ['Run', begin.run],
    ['Input', begin.file],
    ...Object.entries(begin.settings),
  ] as const;
  return html`<dl class="settings">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${String(value)}</bdi></dd></div>`)}</dl>`;
}

function share(count: number, rows: number): string {
  const percent = (count / rows) * 100;
  return count === rows ? 'all' : percent < 0.1 ? 'under 0.1 %' : `${percent.toFixed(1)} %`;
}

function totalOf(counts: Counts | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
}
