// This script runs in the browser. It draws the list that programs get, again and again.
import { byId, copier, count, h, keepInAddress, link, pairs, section, table, tag } from '../../page/draw.js';
import { printable, printableLines } from '../../request/words/characters.ts';

const PAUSE_MS = 1_000;
/** The list has no room for more of what was sent. */
const MAX_BRIEF_LENGTH = 160;
const COLUMNS = { number: 'No.', time: 'Time (UTC)', operation: 'Operation', answer: 'Answer', content: 'Content' };

const form = byId('filter');
const asked = (change) => ({ text: form.elements.text.value, ...change });
/** What each part of the page shows, as JSON. */
const shown = new Map();

async function follow() {
  if (!document.hidden) await refresh();
  setTimeout(follow, PAUSE_MS);
}

async function refresh() {
  const query = new URLSearchParams(location.hash.slice(1));
  const number = query.get('request');
  try {
    const answer = await fetch(`/_sandbox/requests${number ? `/${encodeURIComponent(number)}` : `?${query}`}`);
    const said = JSON.parse(await answer.text(), (_, each) => (typeof each === 'string' ? printableLines(each) : each));
    byId('state').textContent = 'Live';
    byId('trouble').textContent = answer.ok ? '' : said.message;
    // A text that somebody is about to copy stays.
    if (answer.ok && getSelection().isCollapsed) draw(number, said);
  } catch {
    byId('state').textContent = 'No connection';
  }
}

function draw(number, said) {
  byId('all').hidden = Boolean(number);
  part('request', number ? { number, ...said } : null, inFull);
  if (number) return;
  byId('shown').textContent = amount(said);
  const focused = document.activeElement.id;
  part('list', { items: said.items.toReversed(), ...asked() }, list);
  byId(focused)?.focus({ preventScroll: true });
}

/** Draws a part of the page anew if what it shows has changed. */
function part(id, value, drawn) {
  const said = JSON.stringify(value);
  if (said !== shown.get(id)) byId(id).replaceChildren(...drawn(value));
  shown.set(id, said);
}

function amount({ total, items }) {
  if (total > 0) return `${items.length} of ${count(total)} shown`;
  if (form.elements.text.value !== '') return 'No request fits.';
  return 'Nothing has arrived yet. The terminal in which the sandbox runs says how to log in to it; then: srq bulk FILE --profile sandbox';
}

function list({ items }) {
  return items.length > 0 ? [table(COLUMNS, items.map(lineOf))] : [];
}

function lineOf(request) {
  const { number, operation, receivedAt, status, requestId, verdict, fault, audio, params } = request;
  const opener = link(asked({ request: number }), number);
  const created = status !== null && status < 300 ? 'created' : 'created, answer lost';
  const did = verdict ?? (operation === 'create' && requestId !== null ? created : null);
  const note = [did, fault && `fault ${fault}`].filter(Boolean).join(', ');
  const values = [audio && '♪ recording', ...Object.values(params)].filter(Boolean);
  return {
    operation,
    number: Object.assign(opener, { id: `r${number}`, ariaLabel: `Request ${number}, ${operation}` }),
    time: receivedAt.slice(11, 23),
    answer: h('span', tag(markOf(request), status ?? 'cut'), ' ', h('span.note', note)),
    content: values.join(' · ').slice(0, MAX_BRIEF_LENGTH),
  };
}

/** The name of a colour. */
function markOf({ operation, status, verdict, requestId }) {
  if (status === null) return 'unknown';
  if (verdict !== null) return verdict;
  if (status === 429 || status === 503) return 'slowed';
  if (status >= 400) return status < 500 ? 'rejected' : 'failed';
  return operation === 'create' && requestId !== null ? 'created' : 'clear';
}

function inFull(request) {
  if (request === null) return [];
  const found = request.operation ? facts(request) : 'Nothing is kept under this number.';
  return [section('full', `Request ${request.number}`, link(asked(), 'All requests'), found)];
}

const facts = (all) => pairs(Object.entries(all).map(([name, value]) => [printable(name), shownValue(name, value)]));

function shownValue(name, value) {
  if (name === 'body' && value) return h('div', copier(value, 'this body'), h('pre', value));
  if (name === 'requestId' || name === 'key') return value && link({ text: value }, value);
  return value !== null && typeof value === 'object' ? facts(value) : value;
}

document.addEventListener('keydown', (event) => {
  const step = { j: 1, k: -1 }[event.key];
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input');
  if (step === undefined || isTyped) return;
  const links = [...document.querySelectorAll('tbody a')];
  links[Math.max(0, links.indexOf(document.activeElement) + step)]?.focus();
});
keepInAddress(form, refresh);
follow();
