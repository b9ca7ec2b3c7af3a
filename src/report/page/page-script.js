// This script runs in the browser and draws the report from the data that the page holds. Texts are inserted as text,
// never as markup. Times are those of the reader's clock.
import uPlot from 'uplot';
import { filterOf, hashOf, matching, NO_FILTER, rowsAsCsv, rowsOf } from './row-list.ts';

const PAGE_ROWS = 50;
const SAID_MS = 4_000;
const CHART_HEIGHT = 200;
const BYTE_ORDER_MARK = '\ufeff';
const COLUMNS = [
  { title: 'Row', name: 'row' },
  { title: 'Reference', name: 'ref' },
  { title: 'Market', name: 'market' },
  { title: 'Status', name: 'label' },
  { title: 'Identifiers', name: 'identifiers' },
  { title: 'Message', name: 'message' },
];

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId('data').textContent);
const labels = new Map(data.statuses);
const rows = rowsOf(data);
const [heads, body] = [byId('table').tHead.rows[0], byId('table').tBodies[0]];
const fields = { text: byId('search'), status: byId('status'), market: byId('market') };
let filter = NO_FILTER;

function element(name, content = [], style = '') {
  const made = document.createElement(name);
  made.append(...[content].flat());
  if (style !== '') made.className = style;
  return made;
}

const bdi = (text) => element('bdi', String(text));
const count = (number) => number.toLocaleString('en-US');
const tag = (status, text = labels.get(status)) => element('span', text, `tag tag-${status}`);

function button(text, act) {
  const made = element('button', text);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}

function moment(at) {
  const [date, utc] = [new Date(at), at.slice(0, 19).replace('T', ' ')];
  // The Swedish form is that of ISO 8601.
  const made = element('time', date.toLocaleString('sv'));
  made.dateTime = at;
  made.title = `${utc} UTC`;
  return made;
}

/** Shows a section and returns its parts. */
function section(id) {
  const shown = byId(id).parentElement;
  shown.hidden = false;
  return (part) => shown.querySelector(part);
}

/** A link to the rows of a filter. */
function filterLink(changes, content) {
  const link = element('a', content);
  link.dataset.filter = hashOf({ ...NO_FILTER, ...changes });
  link.href = `#${link.dataset.filter}`;
  link.addEventListener('click', (event) => {
    event.preventDefault();
    // A separate entry in the history, so that the browser's back button returns to the previous view.
    history.pushState(null, '', link.href);
    readAddress();
    byId('rows').scrollIntoView();
    fields.text.focus({ preventScroll: true });
  });
  return link;
}

const isListed = (changes) => matching(rows, { ...NO_FILTER, ...changes }).length > 0;

/** A command with a button that copies it. */
function commandOf(command) {
  const copier = button('Copy', async () => {
    const isCopied = await copyText(command);
    copier.textContent = isCopied ? 'Copied' : 'Select it';
    setTimeout(() => {
      copier.textContent = 'Copy';
    }, SAID_MS);
  });
  copier.setAttribute('aria-label', `Copy ${command}`);
  return element('span', [element('code', command), copier], 'command');
}

const copyText = (text) =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );

function drawHead() {
  const { state, about, verdict } = data;
  if (state) {
    const [kind, word, detail] = state;
    byId('about').append(element('p', [element('span', word, `state state-${kind}`), ' ', bdi(detail)]));
  }
  const facts = about
    ? [[moment(about.at)], [`took ${about.took}`], ['to ', bdi(about.service)], ['with profile ', bdi(about.profile)]]
    : [['As the log has it on ', moment(data.writtenAt)]];
  byId('about').append(
    element(
      'p',
      facts.map((fact) => element('span', fact)),
      'lead',
    ),
  );
  byId('verdict').classList.add(`tag-${verdict.status}`);
  document.querySelector('.sign').textContent = verdict.sign;
}

function drawToDo() {
  const find = section('todo');
  const items = data.toDo.map(({ rows: which, text, command, status }) => {
    const link =
      status !== '' && isListed({ status })
        ? [element('span', [' ', filterLink({ status }, 'Show in the list')], 'show')]
        : [];
    return element('li', [element('p', [element('strong', which), ` ${text}`, ...link]), commandOf(command)]);
  });
  find('ol').append(...items);
  if (items.length === 0) find('ol').replaceWith(element('p', 'Nothing is left to do.', 'done'));
}

function drawOutcome() {
  const find = section('outcome');
  find('.lead').textContent = data.rowsText;
  for (const [status, number, meaning] of data.counts) {
    const name = isListed({ status }) ? filterLink({ status }, tag(status)) : tag(status);
    const parts = [name, element('strong', count(number), 'count'), element('span', meaning, 'note')];
    find('ul').append(element('li', parts, 'tile'));
  }
}

function drawReasons() {
  if (data.reasons.length === 0) return;
  const find = section('reasons');
  for (const { number, status, text, advice, seen } of data.reasons) {
    const reason = String(number);
    const link = isListed({ reason })
      ? [element('span', [' ', filterLink({ reason }, 'Show in the list')], 'show')]
      : [];
    const parts = [element('p', [tag(status), ' ', bdi(text)]), element('p', advice), element('p', [seen, ...link])];
    find('ol').append(element('li', parts));
  }
}

function drawMarkets() {
  const statuses = data.counts.map(([status]) => status);
  if (data.markets.length === 0) return;
  const find = section('markets');
  const titles = ['Market', 'Rows', ...statuses.map((status) => tag(status))];
  find('thead tr').append(...titles.map((title) => Object.assign(element('th', title), { scope: 'col' })));
  for (const [name, total, counts] of data.markets) {
    const market = name === '' ? 'not known' : isListed({ market: name }) ? filterLink({ market: name }, name) : name;
    const numbers = [total, ...statuses.map((status) => counts[status])];
    const head = Object.assign(element('th', market), { scope: 'row' });
    const cells = numbers.map((number) => element('td', number > 0 ? count(number) : '–'));
    find('tbody').append(element('tr', [head, ...cells]));
  }
}

function drawSettings() {
  if (data.settings.length === 0) return;
  section('settings')('dl').append(...pairsOf(data.settings));
}

const pairsOf = (pairs) =>
  pairs.map(([name, value]) =>
    element('div', [element('dt', bdi(name)), element('dd', value instanceof Node ? value : bdi(value))]),
  );

function drawCourse() {
  const { times, seconds, created, others, refused, pausedMs, medianMs, mostMs } = data.course;
  const sum = (numbers) => numbers.reduce((before, number) => before + number, 0);
  const ended = sum(created) + sum(others);
  if (ended === 0) return;
  const find = section('course');
  const pauses = sum(pausedMs) > 0 ? ` It waited for ${Math.ceil(sum(pausedMs) / 1000)} s because of that.` : '';
  const slowed = sum(refused) > 0 ? ` The service asked ${count(sum(refused))} times for a lower rate.${pauses}` : '';
  const speed = (ended / Math.max(1, times.length * seconds)).toLocaleString('en-US', { maximumSignificantDigits: 2 });
  find('.lead').textContent = `${count(ended)} ${ended === 1 ? 'outcome' : 'outcomes'}, ${speed} a second.${slowed}`;
  if (times.length < 3) return;
  const perSecond = (numbers) => numbers.map((number) => number / seconds);
  const charts = [
    {
      title: 'Outcomes a second',
      series: [
        ['created', '--created', perSecond(created)],
        ['other', '--rejected', perSecond(others)],
        ['asked for a lower rate', '--slowed', perSecond(refused)],
      ],
    },
    {
      title: 'Answer time of the service in ms, on a logarithmic scale',
      series: [
        ['median', '--median', medianMs],
        ['95 of 100 within', '--ready', mostMs],
      ],
      isLogarithmic: true,
    },
  ].map(({ series, ...chart }) => ({
    ...chart,
    series: series.filter(([, , numbers]) => numbers.some((number) => number > 0)),
  }));
  for (const { title, series, isLogarithmic } of charts.filter((chart) => chart.series.length > 0)) {
    const [plot, legend] = [element('div', '', 'plot'), element('p', '', 'legend')];
    plot.setAttribute('role', 'img');
    const most = series.map(([name, , numbers]) => `${name} at most ${count(Math.ceil(Math.max(...numbers)))}`);
    plot.setAttribute('aria-label', `${title}: ${most.join(', ')}.`);
    for (const [name, colour] of series) legend.append(element('span', name, `tag colour${colour}`));
    find('.charts').append(element('figure', [element('figcaption', title), plot, legend]));
    drawPlot(plot, times, series, isLogarithmic);
  }
}

const timesOf = (_, ticks) => ticks.map((tick) => new Date(tick * 1000).toLocaleTimeString('sv'));

/** Draws a chart in the colours of the page, and again when its width or the colours change. */
function drawPlot(place, times, series, isLogarithmic) {
  const lines = [];
  const draw = () => {
    for (const line of lines.splice(0)) line.destroy();
    const style = getComputedStyle(document.documentElement);
    const colourOf = (name) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colourOf('--quiet'),
      grid: { stroke: colourOf('--line'), width: 1 },
      ticks: { show: false },
    };
    const options = {
      width: place.clientWidth,
      height: CHART_HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      axes: [
        { ...axis, space: 80, values: timesOf },
        { ...axis, size: 56 },
      ],
      scales: { y: isLogarithmic ? { distr: 3 } : { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
      series: [
        {},
        ...series.map(([label, colour], at) => ({
          label,
          stroke: colourOf(colour),
          width: 2,
          fill: at === 0 ? `${colourOf(colour)}22` : undefined,
          points: { show: false },
          spanGaps: true,
        })),
      ],
    };
    lines.push(new uPlot(options, [times, ...series.map(([, , numbers]) => numbers)], place));
  };
  draw();
  new ResizeObserver(() => {
    if (lines[0]?.width !== place.clientWidth) draw();
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

function detailsOf({ key, at, http, ids, status }) {
  const facts = [['Key', key], ['Last record', at === null ? null : moment(at)], ['HTTP status', http], ...ids].filter(
    ([, value]) => value !== null && value !== '',
  );
  const parts = facts.length > 0 ? [element('dl', pairsOf(facts), 'settings')] : [];
  if (status === 'unknown' && key !== null) {
    const command = `${data.resolve} ${key.slice(0, 12)}`;
    const found = [
      ['It is there: ', `${command} --created`],
      ['It is not: ', `${command} --not-created`],
    ];
    parts.push(...found.map(([text, said]) => element('p', [text, commandOf(said)])));
  }
  const cell = element('td', parts.length > 0 ? parts : element('p', 'Nothing more is known.', 'note'));
  cell.colSpan = COLUMNS.length;
  return element('tr', cell, 'details');
}

function lineOf(row) {
  const line = element('tr');
  for (const { name, title } of COLUMNS) {
    const shown = name === 'label' ? tag(row.status) : bdi(row[name]);
    const cell = element('td', name === 'row' ? opener(row, line) : shown, name);
    // On a narrow screen a row is a list of its cells with their titles.
    cell.dataset.title = title;
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

/** Copies the matching rows to the clipboard, in the format that spreadsheets paste. */
async function copy() {
  const found = matching(rows, filter);
  const copied = found.length === 1 ? '1 row is copied.' : `${count(found.length)} rows are copied.`;
  const isCopied = await copyText(rowsAsCsv(found, '\t'));
  byId('copied').textContent = isCopied ? copied : 'The browser does not let this page copy. Download the rows.';
  setTimeout(() => byId('copied').replaceChildren(), SAID_MS);
}

function download() {
  const text = BYTE_ORDER_MARK + rowsAsCsv(matching(rows, filter), ',');
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = `${data.file.replace(/\.\w+$/, '')}.${filter.status === '' ? 'rows' : filter.status}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAID_MS);
}

function drawList() {
  section('rows');
  byId('notes').append(...data.notes.map((note) => element('p', note, 'note')));
  if (rows.length === 0) byId('notes').append(element('p', 'Nothing to list yet.', 'note'));
  for (const { title, name } of COLUMNS) {
    const head = element('th', [], name);
    head.scope = 'col';
    head.append(button(title, () => change({ order: filter.order === name ? `-${name}` : name })));
    heads.append(head);
  }
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
  byId('previous').addEventListener('click', () => turn(-1));
  byId('next').addEventListener('click', () => turn(1));
  byId('copy').addEventListener('click', copy);
  byId('download').addEventListener('click', download);
  addEventListener('popstate', readAddress);
  byId('list').hidden = rows.length === 0;
}

drawHead();
drawToDo();
drawOutcome();
drawReasons();
drawList();
drawMarkets();
drawSettings();
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const HELD = 'Holds references and identifiers, no names, addresses, numbers or texts.';
byId('written').append(
  'Written by srq on ',
  moment(data.writtenAt),
  `. ${HELD} Times are of this computer (${timeZone}).`,
);
show();
if (readAddress()) byId('rows').scrollIntoView();
drawCourse();
