// This module shows the list of requests with its filters, pages and pause. It shows one page, and fetches it again
// when something has changed.
import { answerTag, byId, count, element, foreign, link, timeOf } from './elements.js';
import { call } from './sandbox-calls.js';

const PAGE_ROWS = 100;
const TITLE = document.title;
const FILTERS = ['text', 'operation', 'status', 'country'];
/** Patterns for the parameters that identify a request best for a person. */
const TELLING = [/name$/i, /text$/i, /phone$/i, /mail$/i];

const body = byId('list').tBodies[0];
const view = { page: 0, total: 0, until: null, isPaused: false, loading: null, isStale: false, open: null, seen: null };
/** The state of the sandbox according to the last event. */
let present = { first: 1, count: 0 };
/** The lines that are shown, by number, with the requests they were built from. */
let lines = new Map();

const lastNumber = () => present.first + present.count - 1;
const isLive = () => !view.isPaused && view.page === 0;

function query() {
  const asked = new URLSearchParams({
    order: 'newest',
    brief: 'true',
    limit: String(PAGE_ROWS),
    offset: String(view.page * PAGE_ROWS),
  });
  for (const name of FILTERS) if (byId(name).value.trim() !== '') asked.set(name, byId(name).value.trim());
  if (view.until !== null) asked.set('until', String(view.until));
  return asked;
}

/** Loads the page. Only one load runs at a time, and changes during it cause one more. */
function load() {
  view.isStale = true;
  view.loading ??= loadWhileStale().finally(() => {
    view.loading = null;
  });
  return view.loading;
}

async function loadWhileStale() {
  while (view.isStale) {
    view.isStale = false;
    try {
      show(await call('GET', `requests?${query()}`));
      byId('trouble').textContent = '';
    } catch (error) {
      byId('trouble').textContent = error.message;
    }
  }
}

function show({ total, items }) {
  view.total = total;
  const shown = new Map(items.map((request) => [request.number, lineFor(request)]));
  for (const [number, { line }] of lines) if (shown.get(number)?.line !== line) line.remove();
  lines = shown;
  // Lines that remain are not moved, because one of them may have the focus.
  for (const [at, { line }] of [...shown.values()].entries()) {
    if (body.rows[at] !== line) body.insertBefore(line, body.rows[at] ?? null);
  }
  showCounts();
}

function lineFor(request) {
  const source = JSON.stringify(request);
  const earlier = lines.get(request.number);
  return earlier?.source === source ? earlier : { source, line: lineOf(request) };
}

function lineOf(request) {
  const { number, operation, receivedAt, params, answerMs } = request;
  const opener = link(String(number), `#${number}`);
  opener.setAttribute('aria-label', `Request ${number}, ${operation}`);
  const country = Object.entries(params).find(([name]) => name.split('.').at(-1) === 'country')?.[1] ?? '';
  const line = element(
    'tr',
    '',
    element('td', 'number', opener),
    element('td', 'time', timeOf(receivedAt)),
    element('td', 'operation', operation),
    element('td', 'answer', ...answerTag(request)),
    element('td', 'country', foreign(country)),
    element('td', 'content', foreign(summaryOf(request))),
    element('td', 'took', answerMs === null ? '' : count(Math.round(answerMs))),
  );
  line.addEventListener('click', () => opener.click());
  opener.addEventListener('click', (event) => event.stopPropagation());
  markOpen(line, number);
  return line;
}

function markOpen(line, number) {
  if (number === view.open) line.setAttribute('aria-current', 'true');
  else line.removeAttribute('aria-current');
}

function summaryOf({ params, audio }) {
  const rank = (name) =>
    (TELLING.findIndex((pattern) => pattern.test(name)) + TELLING.length + 1) % (TELLING.length + 1);
  const values = Object.entries(params)
    .filter(([name, value]) => value !== '' && name.split('.').at(-1) !== 'country')
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([, value]) => value);
  return [...(audio === null ? [] : ['♪ recording']), ...values].join(' · ').replace(/\s+/g, ' ');
}

/** Shows in the title of the tab how many requests have arrived since the newest was last visible. */
function showUnread() {
  const last = lastNumber();
  if (view.seen === null || view.seen > last || (isLive() && !document.hidden)) view.seen = last;
  const unread = Math.min(present.count, last - view.seen);
  document.title = unread === 0 ? TITLE : `(${count(unread)}) ${TITLE}`;
}

function showCounts() {
  showUnread();
  const { total, page } = view;
  const isFiltered = FILTERS.some((name) => byId(name).value.trim() !== '');
  byId('found').textContent =
    total === 0
      ? ''
      : `${count(page * PAGE_ROWS + 1)} to ${count(Math.min(total, (page + 1) * PAGE_ROWS))} of ${count(total)}`;
  byId('newest').disabled = byId('newer').disabled = page === 0;
  byId('older').disabled = (page + 1) * PAGE_ROWS >= total;
  byId('list').hidden = total === 0;
  byId('nothing').hidden = total > 0 || isFiltered;
  byId('no-match').hidden = total > 0 || !isFiltered;
  const waiting = view.until === null ? 0 : Math.max(0, lastNumber() - view.until);
  byId('pause').textContent = view.isPaused ? 'Resume' : 'Pause';
  byId('waiting').textContent = waiting === 0 ? '' : `${count(waiting)} newer`;
}

/** Shows a page of the list. The content is frozen while the list is paused or an older page is open. */
function turnTo(page) {
  view.page = page;
  view.until = isLive() ? null : (view.until ?? lastNumber());
  return load();
}

async function say(loaded) {
  await loaded;
  byId('said').textContent = view.total === 1 ? '1 request' : `${count(view.total)} requests`;
}

/** Returns the line that is `step` lines below the open or focused one, or the first line if there is none. */
export function lineBeside(step) {
  const here = lines.get(view.open)?.line ?? document.activeElement.closest('#list tbody tr');
  return here ? body.rows[here.sectionRowIndex + step] : body.rows[0];
}

function focusLine(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const next = step && body.rows[event.target.closest('tr').sectionRowIndex + step];
  if (!next) return;
  event.preventDefault();
  next.querySelector('a').focus();
}

/** Shows the present requests, unless the list is frozen. */
export function listChanged(now) {
  const wasCleared = now.first > present.first;
  present = now;
  showUnread();
  if (wasCleared) turnTo(0);
  else if (isLive()) load();
  else showCounts();
}

/**
 * Marks the open request. Null means that none is open. Returns the link of the request that was open before, if it is
 * in the list.
 */
export function listOpen(number) {
  const before = lines.get(view.open)?.line;
  view.open = number;
  for (const [each, { line }] of lines) markOpen(line, each);
  return before?.querySelector('a');
}

/** Starts the list. Nothing is loaded before the first event reports which requests there are. */
export function startList() {
  for (const name of FILTERS) byId(name).addEventListener('input', () => say(turnTo(0)));
  byId('filters').addEventListener('submit', (event) => event.preventDefault());
  byId('filters').addEventListener('reset', () => setTimeout(() => say(turnTo(0))));
  byId('newest').addEventListener('click', () => say(turnTo(0)));
  byId('newer').addEventListener('click', () => say(turnTo(view.page - 1)));
  byId('older').addEventListener('click', () => say(turnTo(view.page + 1)));
  byId('pause').addEventListener('click', () => {
    view.isPaused = !view.isPaused;
    if (!view.isPaused && view.page === 0) view.until = null;
    document.body.classList.toggle('paused', view.isPaused);
    turnTo(view.page);
  });
  document.addEventListener('visibilitychange', showUnread);
  body.addEventListener('keydown', focusLine);
}
