// This script runs in the browser and draws the report from the data that the page holds. Times are those of the reader's
// clock.
import uPlot from 'uplot';
import { bdi, byId, copier, count, h, keepInAddress, link, pairs, section, table, tag } from '../../page/draw.js';
import { labelOf, STATUS, STATUSES } from '../../request/log/status.ts';

const SHOWN_AT_FIRST = 50;
const SHOWN_MORE = 200;
const SHOWN_REASONS = 50;
const CHART_HEIGHT = 200;
const DENIED = 'Ask the marketplace whether this client may create requests in these markets.';
const COLUMNS = {
  row: 'Row',
  ref: 'Reference',
  label: 'Status',
  identifiers: 'Identifiers',
  message: 'Message',
};

const sum = (numbers) => numbers.reduce((before, number) => before + number, 0);

const data = JSON.parse(byId('data').textContent);
const rows = data.rows.map((row) => {
  const identifiers = row.ids.map(([, value]) => value).join(' ');
  const found = [row.row, row.ref, identifiers, row.message, row.key].join('\n').toLowerCase();
  return { ...row, identifiers, found, reason: reasonOf(row) };
});
/** The most common reasons, each with its rows. */
const reasons = [...Map.groupBy(rows, ({ reason }) => reason)]
  .filter(([reason]) => reason !== '')
  .sort(([, some], [, others]) => others.length - some.length)
  .slice(0, SHOWN_REASONS);
const form = byId('filter');
let shown = SHOWN_AT_FIRST;

const statusTag = (status) => tag(status, labelOf(status));
/** A link to the rows of a filter, or its content alone if the list holds none of them. */
const linkToRows = (filter, content) => (rowsOf(filter).length > 0 ? link(filter, content) : content);
const command = (text) => h('span.command', h('code', text), copier(text, text));

function moment(at) {
  // The Swedish form is that of ISO 8601.
  const made = h('time', new Date(at).toLocaleString('sv'));
  return Object.assign(made, { dateTime: at, title: `${at.slice(0, 19).replace('T', ' ')} UTC` });
}

function toDo() {
  const items = data.toDo.map(({ rows: which, text, statuses }) => {
    const links = statuses.map((status) => [' ', linkToRows({ status }, statusTag(status))]);
    return h(
      'li',
      h('p', h('strong', which), ` ${text}`, links),
      statuses.includes('unknown') && command(data.resolve),
    );
  });
  return section('todo', 'What is left to do', items.length > 0 ? h('ol', items) : h('p', 'Nothing is left to do.'));
}

function outcome() {
  const lines = STATUSES.filter((status) => data.counts[status] > 0).map((status) => {
    const label = linkToRows({ status }, statusTag(status));
    return { label, count: count(data.counts[status]), meaning: STATUS[status].meaning };
  });
  return section('outcome', 'Outcome', table({ label: 'Status', count: 'Rows', meaning: 'Meaning' }, lines));
}

/** Why a row was not taken, without what differs from row to row: identifiers and numbers. The HTTP status stays. */
function reasonOf({ status, message }) {
  if (!STATUS[status].advice) return '';
  const text = (message || 'No reason was recorded.')
    .replace(/\b(?=[0-9a-f-]*\d)[0-9a-f]{8}[0-9a-f-]*\b/gi, '#')
    .replace(/(?<!HTTP \d*)\d+(?:[.,:/-]\d+)*/g, '#');
  return `${labelOf(status)}: ${text}`;
}

function whyNot() {
  const items = reasons.map(([reason, [{ status, http }, ...more]]) => {
    const those = link({ reason }, more.length === 0 ? '1 row' : `${count(more.length + 1)} rows`);
    return h('li', h('p', bdi(reason)), h('p', `${http === 403 ? DENIED : STATUS[status].advice} `, those));
  });
  return items.length > 0 ? [section('reasons', 'Reasons', h('ol.reasons', items))] : [];
}

function course() {
  const { times, seconds, created, others, slowed, medianMs, mostMs } = data.course;
  const ended = sum(created) + sum(others);
  if (ended === 0) return [];
  const speed = (ended / (times.length * seconds)).toLocaleString('en-US', { maximumSignificantDigits: 2 });
  const asked = sum(slowed) > 0 ? ` The service asked ${count(sum(slowed))} times for a lower rate.` : '';
  const said = `${count(ended)} ${ended === 1 ? 'outcome' : 'outcomes'}, ${speed} a second.${asked}`;
  const perSecond = (numbers) => numbers.map((number) => number / seconds);
  const charts = () => [
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
  return [section('course', 'Over the run', h('p.lead', said), h('div.charts', times.length < 3 ? [] : charts()))];
}

/** A chart in the colours of the page. It is drawn again when its width or the colours change. */
function chart(title, times, all) {
  const series = all.filter(([, , numbers]) => numbers.some((number) => number > 0));
  const plot = Object.assign(h('div.plot'), { role: 'img' });
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
  const names = series.map(([name, mark]) => tag(mark, name));
  return h('figure', h('figcaption', title), plot, h('p.legend', names));
}

/** The rows of a filter. A member that is empty or left out selects all. */
function rowsOf({ text = '', status = '', reason = '' }) {
  const words = text.toLowerCase().split(/\s+/);
  return rows.filter(
    (row) =>
      (status === '' || row.status === status) &&
      (reason === '' || row.reason === reason) &&
      words.every((word) => row.found.includes(word)),
  );
}

/** The message of a row, which opens to all that is known of it. */
function messageOf({ key, at, http, ids, ref, status, message }) {
  if (!key) return message;
  const known = [
    ['Reference', ref],
    ['Key', key],
    ['Last record', at && moment(at)],
    ['HTTP status', http],
  ];
  const commands = [
    ['It is there: ', '--created'],
    ['It is not: ', '--not-created'],
  ].map(([text, flag]) => h('p', text, command(`${data.resolve} ${key.slice(0, 12)} ${flag}`)));
  const summary = h('summary', bdi(message || 'Details'));
  return h('details', summary, pairs([...known, ...ids]), status === 'unknown' && commands);
}

function show() {
  const found = rowsOf(Object.fromEntries(new FormData(form)));
  const lines = found.slice(0, shown).map((row) => ({ ...row, label: statusTag(row.status), message: messageOf(row) }));
  byId('table').replaceChildren(...table(COLUMNS, lines).children);
  byId('found').textContent =
    found.length === 0 ? 'No row matches.' : `${count(found.length)} of ${count(rows.length)} listed rows`;
  byId('more').hidden = found.length <= shown;
  for (const each of document.querySelectorAll('a')) each.ariaCurrent = each.hash === location.hash ? 'true' : null;
}

function drawList() {
  byId('listing').hidden = false;
  byId('rows').after(...data.notes.map((note) => h('p.note', note)));
  const listed = STATUSES.filter((status) => rows.some((row) => row.status === status));
  form.elements.status.append(...listed.map((status) => new Option(labelOf(status), status)));
  form.elements.reason.append(...reasons.map(([reason]) => new Option(reason, reason)));
  byId('more').addEventListener('click', () => {
    shown += SHOWN_MORE;
    show();
  });
}

const { about, writtenAt } = data;
byId('about').append(
  ...(about
    ? [moment(about.at), ...about.facts.map(bdi)].map((fact) => h('span', fact))
    : ['As the log has it on ', moment(writtenAt)]),
);
byId('listing').before(toDo(), outcome(), ...whyNot());
if (rows.length > 0 || data.notes.length > 0) drawList();
byId('listing').after(...course());
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
byId('written').append(
  ...[
    'Written by srq on ',
    moment(writtenAt),
    '. Holds references and identifiers, no names, addresses, numbers or texts.',
  ],
  ` Times are of this computer (${timeZone}).`,
);
keepInAddress(form, (isAsked) => {
  shown = SHOWN_AT_FIRST;
  show();
  if (isAsked) byId('rows').focus();
});
