// The inbox works without this script. It keeps the page up to date, and goes through the list by keys.

const PAUSE_MS = 1_000;

/** The markup of each part that is kept up to date, by the part's id. */
const shown = new Map();

const byId = (id) => document.getElementById(id);

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
    const answer = await fetch(`/${location.search}`, { headers: { accept: 'text/html' } });
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

document.addEventListener('keydown', (event) => {
  const step = { j: 1, k: -1 }[event.key];
  const isTyped = event.ctrlKey || event.altKey || event.metaKey || event.target.matches('input');
  if (step === undefined || isTyped) return;
  const links = [...document.querySelectorAll('tbody a')];
  links[Math.max(0, links.indexOf(document.activeElement) + step)]?.focus();
});
document.addEventListener('visibilitychange', () => document.hidden || refresh());
follow();
