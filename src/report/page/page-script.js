// This script runs in the browser on the page of a report. It shows times in the reader's time zone, and the list of
// rows with its filter in the address. Texts are inserted as text, never as markup.
import { filterOf, hashOf, matching, NO_FILTER, rowsAsCsv, rowsOf } from './row-list.ts';
import { localTime, zoneText } from './time-forms.ts';

const PAGE_ROWS = 50;
const SAID_MS = 4_000;
const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = [
  { title: 'Row', name: 'row', style: 'number' },
  { title: 'Reference', name: 'ref', style: '' },
  { title: 'Market', name: 'market', style: 'short' },
  { title: 'Status', name: 'label', style: 'short' },
  { title: 'Identifiers', name: 'identifiers', style: 'identifiers' },
  { title: 'Message', name: 'message', style: 'message' },
];

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const rows = rowsOf(data);
const [heads, body] = [byId('table').tHead.rows[0], byId('table').tBodies[0]];
const fields = { text: byId('search'), status: byId('status'), market: byId('market') };
let filter = NO_FILTER;

const element = (name, text = '', style = '') => {
  const made = document.createElement(name);
  made.textContent = text;
  if (style !== '') made.className = style;
  return made;
};

const button = (text, act) => {
  const made = element('button', text);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
};

const count = (number) => number.toLocaleString('en-US');
const offsetAt = (at) => -new Date(at).getTimezoneOffset();

/** Returns a time in the reader's time zone, with UTC beside it. */
function timeParts(at, form) {
  const { local, utc } = localTime(at, form, offsetAt(at));
  return utc === null ? [`${local} UTC`] : [`${local} `, element('span', `${utc} UTC`, 'utc')];
}

function showLocalTimes() {
  for (const time of document.querySelectorAll('time'))
    time.replaceChildren(...timeParts(time.dateTime, time.dataset.form));
  const zone = zoneText(offsetAt(document.querySelector('footer time').dateTime));
  if (zone === 'UTC') return;
  for (const text of document.querySelectorAll('text[data-at]')) {
    const { local, utc } = localTime(text.dataset.at, text.dataset.form, offsetAt(text.dataset.at));
    const below = text.cloneNode();
    below.setAttribute('y', '2.7em');
    below.setAttribute('class', 'utc');
    below.textContent = utc;
    text.textContent = local;
    text.after(below);
  }
  for (const each of document.querySelectorAll('[data-zone]')) each.textContent = `${zone}, below it UTC`;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.querySelector('[data-zone-note]').textContent =
    `Times are of this computer (${timeZone}, ${zone}), with UTC beside them.`;
}

function detailsOf({ key, at, http, ids, cells }) {
  const facts = [
    ['Key', key],
    ['Last record', at === null ? null : timeParts(at, 'full')],
    ['HTTP status', http],
    ...ids,
    ...(cells ?? []).map((cell, index) => [data.columns?.[index] ?? `Column ${index + 1}`, cell]),
  ].filter(([, value]) => value !== null && value !== '');
  const list = element('dl', '', 'settings');
  for (const [name, value] of facts) {
    const pair = element('div');
    const [term, text] = [element('dt'), element('dd')];
    term.append(element('bdi', name));
    text.append(...(Array.isArray(value) ? value : [element('bdi', value)]));
    pair.append(term, text);
    list.append(pair);
  }
  const cell = element('td');
  cell.colSpan = COLUMNS.length;
  cell.append(facts.length > 0 ? list : element('p', 'Nothing more is known.', 'note'));
  const line = element('tr', '', 'details');
  line.append(cell);
  return line;
}

function lineOf(row) {
  const line = element('tr');
  for (const { name, style } of COLUMNS) {
    const cell = element('td', '', style);
    if (name === 'row') cell.append(opener(row, line));
    else if (name === 'label') cell.append(element('span', row.label, `tag tag-${row.status}`));
    else cell.append(element('bdi', row[name]));
    line.append(cell);
  }
  return line;
}

function opener(row, line) {
  const made = button(String(row.row), () => {
    const open = made.getAttribute('aria-expanded') === 'true';
    made.setAttribute('aria-expanded', String(!open));
    if (open) line.nextElementSibling.remove();
    else line.after(detailsOf(row));
  });
  made.setAttribute('aria-expanded', 'false');
  made.setAttribute('aria-label', `Row ${row.row}, details`);
  return made;
}

function show() {
  const found = matching(rows, filter);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(filter.page, pages);
  filter = { ...filter, page };
  body.replaceChildren(...found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map(lineOf));
  for (const [index, { name }] of COLUMNS.entries()) {
    if (filter.order === name) heads.cells[index].setAttribute('aria-sort', 'ascending');
    else if (filter.order === `-${name}`) heads.cells[index].setAttribute('aria-sort', 'descending');
    else heads.cells[index].removeAttribute('aria-sort');
  }
  for (const [name, field] of Object.entries(fields)) if (field.value !== filter[name]) field.value = filter[name];
  for (const link of document.querySelectorAll('[data-filter]')) {
    if (link.dataset.filter === hashOf({ ...filter, order: NO_FILTER.order, page: 1 }))
      link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  const reason = filter.reason === '' ? '' : ' with one reason';
  byId('found').textContent =
    found.length === 0 ? 'No row matches.' : `${count(found.length)} of ${count(rows.length)} listed rows${reason}`;
  byId('page').textContent = `Page ${count(page)} of ${count(pages)}`;
  byId('previous').disabled = page === 1;
  byId('next').disabled = page === pages;
  byId('copy').disabled = byId('download').disabled = found.length === 0;
}

/** Changes the filter and the address, so that the selection can be linked to. */
function change(changes) {
  filter = { ...filter, page: 1, ...changes };
  const hash = hashOf(filter);
  history.replaceState(null, '', hash === '' ? location.href.replace(/#.*$/, '') : `#${hash}`);
  show();
}

/** Reads the filter from the address. Returns false if the address names no filter. */
function readAddress() {
  const named = filterOf(location.hash);
  if (named === null) return false;
  filter = named;
  show();
  return hashOf(filter) !== '';
}

function turn(by) {
  change({ page: filter.page + by });
  byId('table').scrollIntoView({ block: 'nearest' });
}

function say(text) {
  byId('copied').textContent = text;
  setTimeout(() => {
    byId('copied').textContent = '';
  }, SAID_MS);
}

/** Copies the matching rows to the clipboard, in the format that spreadsheets paste. */
async function copy() {
  const found = matching(rows, filter);
  const isCopied = await navigator.clipboard.writeText(rowsAsCsv(found, data.columns, '\t')).then(
    () => true,
    () => false,
  );
  const copied = found.length === 1 ? '1 row is copied.' : `${count(found.length)} rows are copied.`;
  say(isCopied ? copied : 'The browser does not let this page copy. Download the rows.');
}

function download() {
  const text = BYTE_ORDER_MARK + rowsAsCsv(matching(rows, filter), data.columns, ',');
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = `${data.file.replace(/\.\w+$/, '')}.${filter.status === '' ? 'rows' : filter.status}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAID_MS);
}

function startHeads() {
  for (const { title, name, style } of COLUMNS) {
    const head = element('th', '', style);
    head.scope = 'col';
    head.append(button(title, () => change({ order: filter.order === name ? `-${name}` : name })));
    heads.append(head);
  }
}

function startFilters() {
  for (const [status, label] of data.statuses) {
    if (rows.some((each) => each.status === status)) fields.status.append(new Option(label, status));
  }
  const markets = [...new Set(rows.map((each) => each.market))].filter(Boolean).sort();
  for (const market of markets) fields.market.append(new Option(market, market));
  for (const [name, field] of Object.entries(fields)) {
    field.addEventListener('input', () => change({ [name]: field.value }));
  }
  fields.text.form.addEventListener('submit', (event) => event.preventDefault());
  byId('clear').addEventListener('click', () => change(NO_FILTER));
  for (const link of document.querySelectorAll('[data-filter]')) {
    link.href = `#${link.dataset.filter}`;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      // The filter is a separate entry in the history, so that the browser's back button returns to the previous view.
      history.pushState(null, '', link.href);
      readAddress();
      byId('rows').scrollIntoView();
      fields.text.focus({ preventScroll: true });
    });
  }
}

function start() {
  startHeads();
  startFilters();
  byId('previous').addEventListener('click', () => turn(-1));
  byId('next').addEventListener('click', () => turn(1));
  byId('copy').addEventListener('click', copy);
  byId('download').addEventListener('click', download);
  addEventListener('popstate', readAddress);
  byId('list').hidden = false;
  show();
  if (readAddress()) byId('rows').scrollIntoView();
}

showLocalTimes();
if (rows.length > 0) start();
