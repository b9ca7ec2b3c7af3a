// This script runs in the browser. It draws the inbox from what the sandbox says of itself, again and again.
import { byId, copier, h, keepInAddress, link, pairs, section, table, tag } from '../../page/draw.js';

const PAUSE_MS = 1_000;
const COLUMNS = {
  number: 'No.',
  time: 'Time (UTC)',
  operation: 'Operation',
  answer: 'Answer',
  content: 'Content',
  took: 'ms',
};

const form = byId('filter');
const asked = (change) => ({ text: form.elements.text.value, ...change });
/** What each part of the page shows, as JSON. */
const shown = new Map();

async function follow() {
  if (!document.hidden) await refresh();
  setTimeout(follow, PAUSE_MS);
}

async function refresh() {
  try {
    const answer = await fetch(`/_sandbox/inbox?${location.hash.slice(1)}`);
    const said = await answer.json();
    byId('state').textContent = 'Live';
    byId('trouble').textContent = answer.ok ? '' : said.message;
    // A text that somebody is about to copy stays.
    if (answer.ok && getSelection().isCollapsed) draw(said);
  } catch {
    byId('state').textContent = 'No connection';
  }
}

function draw({ texts, faults, requests, request }) {
  for (const [id, text] of Object.entries(texts)) byId(id).textContent = text;
  byId('all').hidden = request !== undefined;
  part('faults', faults, faultFields);
  part('request', request ?? null, inFull);
  const focused = document.activeElement.id;
  part('list', { requests, ...asked() }, list);
  byId(focused)?.focus({ preventScroll: true });
}

/** Draws a part of the page anew if what it shows has changed. */
function part(id, value, drawn) {
  const said = JSON.stringify(value);
  if (said !== shown.get(id)) byId(id).replaceChildren(...drawn(value));
  shown.set(id, said);
}

function list({ requests }) {
  const rows = requests.map((each) => {
    const opener = link(asked({ request: each.number }), each.number);
    const props = { id: `r${each.number}`, ariaLabel: `Request ${each.number}, ${each.operation}` };
    return { ...each, number: Object.assign(opener, props), answer: answerOf(each) };
  });
  return rows.length > 0 ? [table(COLUMNS, rows)] : [];
}

const answerOf = ({ mark, status, note }) => h('span', tag(mark, status), ' ', h('span.note', note));

function faultFields(faults) {
  const fields = faults.map(({ kind, does, percent }) => {
    const field = { type: 'number', name: kind, min: 0, max: 100, step: 'any', placeholder: '0', value: percent || '' };
    return h('label', h('span', h('strong', kind), ` ${does}`), h('span', Object.assign(h('input'), field), ' %'));
  });
  return [...fields, h('button', 'Set faults')];
}

/** What was left empty is off. */
async function setFaults(event) {
  event.preventDefault();
  const percents = [...new FormData(event.target)].filter(([, percent]) => percent !== '');
  const rates = Object.fromEntries(percents.map(([kind, percent]) => [kind, Number(percent) / 100]));
  await fetch('/_sandbox/faults', { method: 'PUT', body: JSON.stringify(rates) }).catch(() => {});
  await refresh();
}

function inFull(request) {
  if (request === null) return [];
  return [section('full', `Request ${request.number}`, link(asked(), 'All requests'), facts(request))];
}

const facts = (all) => pairs(Object.entries(all).map(([name, value]) => [name, shownValue(name, value)]));

function shownValue(name, value) {
  if (name === 'headers') return h('details', h('summary', `${value.length} of them`), pairs(value));
  if (name === 'body' && value) return h('div', copier(value, 'this body'), h('pre', value));
  if (name === 'requestId' || name === 'key') return link({ text: value }, value);
  if (Array.isArray(value)) return pairs(value);
  return typeof value === 'object' ? facts(value) : value;
}

document.addEventListener('keydown', (event) => {
  const step = { j: 1, k: -1 }[event.key];
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input');
  if (step === undefined || isTyped) return;
  const links = [...document.querySelectorAll('tbody a')];
  links[Math.max(0, links.indexOf(document.activeElement) + step)]?.focus();
});
byId('faults').addEventListener('submit', setFaults);
keepInAddress(form, refresh);
follow();
