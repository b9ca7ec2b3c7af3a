// The inbox works without this script. It keeps the page up to date, and goes through the list by keys.

const PAUSE_MS = 1_000;
const FIELDS = 'input, select, textarea';

/** The markup of each part that is kept up to date, by the part's id. */
const shown = new Map();

const byId = (id) => document.getElementById(id);
const keysOn = document.querySelector('#keys input');

async function follow() {
  if (!document.hidden) await refresh();
  setTimeout(follow, PAUSE_MS);
}

/** Fetches the page again, and takes over the parts that have changed. */
async function refresh() {
  const parts = document.querySelectorAll('[data-live]');
  if (parts.length === 0) return;
  try {
    // The address of a refused form is that of no page.
    const address = byId('list') ? `/${location.search}` : location.href;
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const { id } of parts) replace(id, fresh.getElementById(id));
    showState('Live', '');
  } catch {
    showState('No connection', 'offline');
  }
}

function replace(id, fresh) {
  // A text that somebody is about to copy stays.
  if (!fresh || fresh.outerHTML === shown.get(id) || !getSelection().isCollapsed) return;
  shown.set(id, fresh.outerHTML);
  const part = byId(id);
  const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
  part.replaceWith(document.adoptNode(fresh));
  byId(focused)?.focus({ preventScroll: true });
}

function showState(text, style) {
  const state = byId('state');
  if (!state) return;
  state.hidden = false;
  state.textContent = text;
  state.className = `state ${style}`;
}

/** Goes to the next or the previous request: its page, or its line in the list. */
function go(step) {
  const beside = document.querySelector(step > 0 ? 'a[rel=next]' : 'a[rel=prev]');
  const links = [...document.querySelectorAll('tbody a')];
  const here = links.indexOf(document.activeElement);
  if (beside) beside.click();
  else links[here < 0 ? 0 : here + step]?.focus();
}

const KEYS = {
  j: () => go(1),
  k: () => go(-1),
  '/': () => document.querySelector('input[type=search]')?.focus(),
  Escape: () => document.querySelector('a[rel=up]')?.click(),
};

document.addEventListener('keydown', (event) => {
  const act = KEYS[event.key];
  if (!act || !keysOn.checked || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches(FIELDS)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  event.preventDefault();
  act();
});

// Who speaks to the browser can switch the keys off (WCAG 2.1.4).
byId('keys').hidden = false;
keysOn.checked = localStorage.getItem('keys') !== 'off';
keysOn.addEventListener('change', () => localStorage.setItem('keys', keysOn.checked ? 'on' : 'off'));

// A choice filters at once.
byId('filter')?.addEventListener('change', ({ currentTarget }) => currentTarget.requestSubmit());
document.addEventListener('visibilitychange', () => document.hidden || refresh());
follow();
