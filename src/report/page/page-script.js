// This script runs in the browser and draws the report from the data that the page holds. Texts are inserted as text,
// never as markup. Times are those of the reader's clock.
import uPlot from 'uplot';
import { labelOf, STATUS, STATUSES } from '../../request/log/status.ts';

const SHOWN_AT_FIRST = 50;
const SHOWN_MORE = 200;
const SHOWN_REASONS = 50;
const CHART_HEIGHT = 200;
const COLUMNS = {
  row: 'Row',
  ref: 'Reference',
  market: 'Market',
  label: 'Status',
  identifiers: 'Identifiers',
  message: 'Message',
};

const byId = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString('en-US');
const sum = (numbers) => numbers.reduce((before, number) => before + number, 0);

const data = JSON.parse(byId('data').textContent);
const rows = data.rows.map((given) => {
  const row = { ref: '', market: '', message: '', label: labelOf(given.status), ...given };
  const identifiers = row.ids.map(([, value]) => value).join(' ');
  const found = [row.row, row.ref, identifiers, row.message, row.key].join('\n').toLowerCase();
  return { ...row, identifiers, found };
});
const form = byId('filter');
let shown = SHOWN_AT_FIRST;

function element(name, content = [], style = '') {
  const made = document.createElement(name);
  made.append(...[content].flat());
  if (style !== '') made.className = style;
  return made;
}

/** A text of its own direction, or an element as it is. */
const bdi = (text) => (text instanceof Node ? text : element('bdi', String(text)));
const tag = (status) => element('span', labelOf(status), `tag tag-${status}`);
const link = (filter, content) => Object.assign(element('a', content), { href: `#${new URLSearchParams(filter)}` });
const heading = (name, title) => Object.assign(element('th', title, name), { scope: 'col' });

/** A link to the rows of a filter, or its content alone if the list holds none of them. */
const linkToRows = (filter, content) => (rowsOf(filter).length > 0 ? link(filter, content) : content);

function section(id, title, content) {
  const head = Object.assign(element('h2', title), { id });
  const made = element('section', [head, ...content]);
  made.setAttribute('aria-labelledby', id);
  return made;
}

function moment(at) {
  // The Swedish form is that of ISO 8601.
  const made = element('time', new Date(at).toLocaleString('sv'));
  return Object.assign(made, { dateTime: at, title: `${at.slice(0, 19).replace('T', ' ')} UTC` });
}

const pairsOf = (pairs) =>
  pairs.map(([name, value]) => element('div', [element('dt', bdi(name)), element('dd', bdi(value))]));

/** A command with a button that copies it. */
function commandOf(command) {
  const copier = Object.assign(element('button', 'Copy'), { type: 'button', ariaLabel: `Copy ${command}` });
  copier.addEventListener('click', async () => {
    const copied = navigator.clipboard?.writeText(command).then(
      () => 'Copied',
      () => undefined,
    );
    copier.ariaLabel = copier.textContent = (await copied) ?? 'Select it';
  });
  return element('span', [element('code', command), copier], 'command');
}

function drawHead() {
  const { about, writtenAt } = data;
  if (!about) return byId('about').append(element('p', ['As the log has it on ', moment(writtenAt)], 'lead'));
  const [kind, word, detail] = about.state;
  const facts = [
    moment(about.at),
    `took ${about.took}`,
    ['to ', bdi(about.service)],
    ['with profile ', bdi(about.profile)],
  ];
  const lead = element(
    'p',
    facts.map((fact) => element('span', fact)),
    'lead',
  );
  byId('about').append(element('p', [element('span', word, `state state-${kind}`), ' ', bdi(detail)]), lead);
}

function toDo() {
  const items = data.toDo.map(({ rows: which, text, command, statuses }) => {
    const links = statuses.map((status) => [' ', linkToRows({ status }, tag(status))]);
    return element('li', [element('p', [element('strong', which), ` ${text}`, ...links.flat()]), commandOf(command)]);
  });
  return section('todo', 'What is left to do', [
    items.length > 0 ? element('ol', items) : element('p', 'Nothing is left to do.'),
  ]);
}

function outcome() {
  const tiles = STATUSES.filter((status) => data.counts[status] > 0).map((status) => {
    const number = element('strong', count(data.counts[status]), 'count');
    const note = element('span', STATUS[status].meaning, 'note');
    return element('li', [linkToRows({ status }, tag(status)), number, note], 'tile');
  });
  return section('outcome', 'Outcome', [element('ul', tiles, 'tiles')]);
}

function reasons() {
  const found = data.reasons.map((reason, number) => ({ ...reason, number, of: rowsOf({ reason: String(number) }) }));
  const listed = found.filter(({ of }) => of.length > 0).sort((a, b) => b.of.length - a.of.length);
  if (listed.length === 0) return [];
  const items = listed.slice(0, SHOWN_REASONS).map(({ number, status, text, advice, of }) => {
    const times = `${count(of.length)} ${of.length === 1 ? 'row' : 'rows'}`;
    return element('li', [
      element('p', [tag(status), ' · ', bdi(text)]),
      element('p', [`${advice} `, link({ reason: number }, times)]),
    ]);
  });
  return [section('reasons', 'Reasons', [element('ol', items, 'reasons')])];
}

function course() {
  const { times, seconds, created, others, slowed, medianMs, mostMs } = data.course;
  const ended = sum(created) + sum(others);
  if (ended === 0) return [];
  const speed = (ended / (times.length * seconds)).toLocaleString('en-US', { maximumSignificantDigits: 2 });
  const asked = sum(slowed) > 0 ? ` The service asked ${count(sum(slowed))} times for a lower rate.` : '';
  const said = `${count(ended)} ${ended === 1 ? 'outcome' : 'outcomes'}, ${speed} a second.${asked}`;
  const perSecond = (numbers) => numbers.map((number) => number / seconds);
  const charts = [
    chart('Outcomes a second', times, [
      ['created', 'created', perSecond(created)],
      ['other', 'rejected', perSecond(others)],
      ['asked for a lower rate', 'slowed', perSecond(slowed)],
    ]),
    chart('Answer time of the service in ms', times, [
      ['median', 'median', medianMs],
      ['95 of 100 within', 'ready', mostMs],
    ]),
  ];
  return [
    section('course', 'Over the run', [
      element('p', said, 'lead'),
      element('div', times.length < 3 ? [] : charts, 'charts'),
    ]),
  ];
}

/** A chart in the colours of the page. It is drawn again when its width or the colours change. */
function chart(title, times, all) {
  const series = all.filter(([, , numbers]) => numbers.some((number) => number > 0));
  const plot = Object.assign(element('div', [], 'plot'), { role: 'img' });
  const most = series.map(([name, , numbers]) => `${name} at most ${count(Math.ceil(Math.max(...numbers)))}`);
  plot.ariaLabel = `${title}: ${most.join(', ')}.`;
  // A canvas needs the colour itself, as an element has it.
  const colour = (name) => () => {
    plot.style.color = `var(--${name})`;
    return getComputedStyle(plot).color;
  };
  const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  const options = {
    ...{ width: 1, height: CHART_HEIGHT, legend: { show: false }, cursor: { show: false }, padding: [8, 28, 0, 0] },
    axes: [
      { ...axis, space: 80, values: (_, ticks) => ticks.map((at) => new Date(at * 1000).toLocaleTimeString('sv')) },
      { ...axis, size: 56 },
    ],
    scales: { y: { range: (_, __, highest) => [0, Math.max(1, highest * 1.1)] } },
    series: [
      {},
      ...series.map(([, name]) => ({ stroke: colour(name), width: 2, points: { show: false }, spanGaps: true })),
    ],
  };
  const drawn = new uPlot(options, [times, ...series.map(([, , numbers]) => numbers)], plot);
  new ResizeObserver(() => drawn.setSize({ width: plot.clientWidth, height: CHART_HEIGHT })).observe(plot);
  for (const media of ['print', '(prefers-color-scheme: dark)'])
    matchMedia(media).addEventListener('change', () => drawn.redraw());
  const names = series.map(([name, mark]) => element('span', name, `tag tag-${mark}`));
  return element('figure', [element('figcaption', title), plot, element('p', names, 'legend')]);
}

/** The rows of a filter. A member that is empty or left out selects all. */
function rowsOf({ text = '', status, market, reason }) {
  const words = text.toLowerCase().split(/\s+/);
  return rows.filter(
    (row) =>
      (!status || row.status === status) &&
      (!market || row.market === market) &&
      (!reason || row.reasons.includes(Number(reason))) &&
      words.every((word) => row.found.includes(word)),
  );
}

const chosen = () => rowsOf(Object.fromEntries(new FormData(form)));

function lineOf(row) {
  const contents = { ...row, label: tag(row.status), message: messageOf(row) };
  const cells = Object.keys(COLUMNS).map((name) => element('td', bdi(contents[name]), name));
  return element('tr', cells);
}

/** The message of a row, which opens to all that is known of it. */
function messageOf({ key, at, http, ids, ref, market, status, message }) {
  if (!key) return bdi(message);
  const known = [
    ['Reference', ref],
    ['Market', market],
    ['Key', key],
    ['Last record', at && moment(at)],
  ];
  const facts = [...known, ['HTTP status', http], ...ids].filter(([, value]) => value !== undefined && value !== '');
  const commands = [
    ['It is there: ', '--created'],
    ['It is not: ', '--not-created'],
  ].map(([text, flag]) => element('p', [text, commandOf(`${data.resolve} ${key.slice(0, 12)} ${flag}`)]));
  return element('details', [
    element('summary', message === '' ? 'Details' : bdi(message)),
    element('dl', pairsOf(facts)),
    ...(status === 'unknown' ? commands : []),
  ]);
}

function show() {
  const found = chosen();
  byId('table').tBodies[0].replaceChildren(...found.slice(0, shown).map(lineOf));
  byId('found').textContent =
    found.length === 0 ? 'No row matches.' : `${count(found.length)} of ${count(rows.length)} listed rows`;
  byId('more').hidden = found.length <= shown;
  for (const each of document.querySelectorAll('a')) each.ariaCurrent = each.hash === location.hash ? 'true' : null;
}

/** Takes the filter from the address, unless that names a place on the page. */
function readAddress() {
  const named = [...new URLSearchParams(location.hash.slice(1))].filter(([name]) => form.elements.namedItem(name));
  if (location.hash !== '' && named.length === 0) return;
  form.reset();
  for (const [name, value] of named) form.elements.namedItem(name).value = value;
  shown = SHOWN_AT_FIRST;
  show();
  if (named.length > 0) byId('rows').focus();
}

/** Puts the filter into the address, so that a selection can be linked to. */
function writeAddress() {
  const named = [...new FormData(form)].filter(([, value]) => value !== '');
  history.replaceState(null, '', `#${new URLSearchParams(named)}`);
  shown = SHOWN_AT_FIRST;
  show();
}

function drawList() {
  byId('listing').hidden = false;
  byId('rows').after(...data.notes.map((note) => element('p', note, 'note')));
  byId('table').tHead.rows[0].append(...Object.entries(COLUMNS).map(([name, title]) => heading(name, title)));
  const found = (name) => [...new Set(rows.map((row) => row[name]))].filter(Boolean).sort();
  const choices = {
    status: found('status').map((status) => [status, labelOf(status)]),
    market: found('market').map((market) => [market, market]),
    reason: data.reasons.map(({ text }, number) => [number, text]),
  };
  for (const [name, options] of Object.entries(choices))
    form.elements.namedItem(name).append(...options.map(([value, text]) => new Option(text, value)));
  form.addEventListener('input', writeAddress);
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('more').addEventListener('click', () => {
    shown += SHOWN_MORE;
    show();
  });
  addEventListener('hashchange', readAddress);
}

drawHead();
byId('listing').before(toDo(), outcome(), ...reasons());
if (rows.length > 0 || data.notes.length > 0) drawList();
byId('listing').after(...course());
if (data.settings.length > 0)
  byId('listing').parentElement.append(
    section('settings', 'Settings of the run', [element('dl', pairsOf(data.settings))]),
  );
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
byId('written').append(
  ...[
    'Written by srq on ',
    moment(data.writtenAt),
    '. Holds references and identifiers, no names, addresses, numbers or texts.',
  ],
  ` Times are of this computer (${timeZone}).`,
);
show();
readAddress();
