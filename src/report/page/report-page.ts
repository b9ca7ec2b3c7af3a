import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { labelOf, STATUSES } from '../../request/log/status.ts';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { duration, rowsText, thousands } from '../output.ts';
import { whyUnwritable } from '../output-file.ts';
import { course, moment } from './charts.ts';
import { type Html, html, jsonData, NOTHING } from './html.ts';
import script from './page-script.js?bundled';
import commonStyle from './page-style.css?raw';
import type { EncodedRow, PageData } from './row-list.ts';
import type { ListedRow, RunFigures } from './run-figures.ts';
import { doubts, markets, reasons, settings, toDo, totals, verdict, type WithProfile } from './sections.ts';

const statusStyles = STATUSES.map((status) => `.tag-${status}, .fill-${status} { --mark: var(--${status}); }\n`);
const style = commonStyle + statusStyles.join('');

/** The mark of a report, which shows that the file may be replaced by a new one. */
const GENERATOR = 'srq run report';
const MAX_CELL_LENGTH = 500;

/** What a page says beside the figures of its run. */
export interface PageFacts {
  /** The time when the page was written, in ISO 8601. */
  readonly writtenAt: string;
  /** True if all rows of the input were read, false if only the log was. */
  readonly hasInput: boolean;
  readonly withProfile: WithProfile;
}

/** Returns true if the beginning of a file shows that it is a report. */
export function isReport(head: string): boolean {
  return head.includes(`<meta name="generator" content="${GENERATOR}">`);
}

/**
 * Returns the report of a run as one HTML document that loads nothing. Its content security policy allows only its own
 * style and script, and all foreign text is escaped.
 */
export function reportPage(figures: RunFigures, facts: PageFacts): string {
  const listed = figures.listed;
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const data: PageData = {
    file: figures.begin?.file ?? 'log',
    statuses: STATUSES.map((status) => [status, labelOf(status)]),
    columns: figures.columns,
    rows: listed.map((row) => encoded(row)),
  };
  const title = figures.begin ? `Import of ${figures.begin.file}` : 'Requests in the log';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="generator" content="${GENERATOR}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#rows">To the list of rows</a>
<header><h1><bdi>${title}</bdi></h1>
${headline(figures, facts)}</header>
<main>
${verdict(figures)}
<section aria-labelledby="outcome"><h2 id="outcome">Outcome</h2>
<p class="lead">${rowsText(figures.rows)}</p>${totals(figures, listed)}</section>
<section aria-labelledby="todo"><h2 id="todo">What is left to do</h2>${toDo(figures, facts.withProfile)}</section>
${section('doubt', 'Unknown', doubts(figures, facts.withProfile))}
${section('reasons', 'Reasons', reasons(figures, facts.withProfile))}
${section('markets', 'Markets', markets(figures))}
${section('course', 'Over the run', course(figures))}
${section('rows', 'Rows', list(figures, listed.length, facts))}
${section('settings', 'Settings of the run', settings(figures))}
</main>
<footer><p>Written by srq on ${moment(facts.writtenAt)}. ${figures.columns ? 'Holds personal data of the input.' : 'Holds references and identifiers, no names, addresses, numbers or texts.'} <span data-zone-note>Times are UTC.</span></p></footer>
<script type="application/json" id="data">${jsonData(data)}</script>
<script type="module">${raw(script)}</script>
</body>
</html>
`.markup;
}

function headline({ begin, end }: RunFigures, { writtenAt }: PageFacts): Html {
  if (!begin) return html`<p class="lead">As the log has it on ${moment(writtenAt)}</p>`;
  const tookMs = Date.parse(end?.at ?? writtenAt) - Date.parse(begin.at);
  const state = !end
    ? html`<span class="state state-open">No end recorded</span> Under way, or ended without a word`
    : end.stopped === null
      ? html`<span class="state state-done">Finished</span>`
      : html`<span class="state state-stopped">Stopped early</span> <bdi>${end.stopped}</bdi>`;
  return html`<p class="state-line">${state}</p>
<p class="lead"><span>${moment(begin.at)}</span> <span>${end ? 'took' : 'for'} ${duration(Math.max(0, tookMs))}</span> <span>to the ${begin.live ? 'live' : 'test'} service ${begin.service}</span> <span>with profile ${begin.profile}</span></p>`;
}

function section(id: string, title: string, content: Html | null): Html {
  if (!content) return NOTHING;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

/** Returns the frame of the list of rows. The script fills it from the data. */
function list({ gathered, columns, counts }: RunFigures, listed: number, { hasInput, withProfile }: PageFacts): Html {
  const notes = [
    ...(listed < gathered
      ? [
          `${thousands(listed)} of ${thousands(gathered)} are listed: those not created before the others, then the last.`,
        ]
      : []),
    ...(!hasInput && counts.repeated + counts.invalid > 0
      ? [
          withProfile(
            'Rows that were never sent are not in the log: srq report --input FILE -o rows.html lists them too.',
          ),
        ]
      : []),
    ...(columns ? ['A row opens to its cells of the input.'] : []),
    ...(listed === 0 ? ['Nothing to list yet.'] : []),
  ];
  return html`${notes.map((note) => html`<p class="note">${note}</p>`)}
<noscript><p class="note">The list needs JavaScript; everything above does not.</p></noscript>
<div id="list" hidden>
<form class="filters" role="search" aria-label="Rows">
<label>Search <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Row, reference, identifier, message"></label>
<label>Status <select id="status"><option value="">all</option></select></label>
<label>Market <select id="market"><option value="">all</option></select></label>
<button type="button" id="clear">Clear</button>
</form>
<p class="acts"><span id="found" class="note" role="status"></span> <span id="copied" class="note" role="status"></span> <button type="button" id="copy">Copy these rows</button> <button type="button" id="download">Download as CSV</button></p>
<div class="wide" tabindex="0" role="region" aria-label="List of rows"><table id="table"><thead><tr></tr></thead><tbody></tbody></table></div>
<nav aria-label="Pages of the list"><button type="button" id="previous">Previous</button> <span id="page"></span> <button type="button" id="next">Next</button></nav>
</div>`;
}

/** Encodes a row for the page, without a cell that is too long for it. */
function encoded({
  row,
  ref,
  status,
  market,
  ids,
  message,
  reasons: numbers,
  key,
  at,
  http,
  cells,
}: ListedRow): EncodedRow {
  const shown = cells?.map((cell) => (cell.length > MAX_CELL_LENGTH ? `${cell.slice(0, MAX_CELL_LENGTH)}…` : cell));
  const place = STATUSES.indexOf(status);
  const pairs = Object.entries(ids);
  return [row, ref ?? '', place, market ?? '', pairs, message ?? '', numbers, key, at, http, shown ?? null];
}

const raw = (markup: string): Html => ({ markup });

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Writes the report, whole or not at all. Throws `SrqError('usage')` if it cannot be written. */
export async function writeRunReport(path: string, figures: RunFigures, facts: PageFacts): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, reportPage(figures, facts), { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if (systemCode(error) === '') throw error;
    const message = `The report ${path} cannot be written (${whyUnwritable(error)}).`;
    throw new SrqError(
      'output.unwritable',
      message,
      'The log has all of it: srq report -o FILE writes it elsewhere.',
      error,
    );
  }
}
