// The keys of the page. In a field or a dialog the browser has a use for them.
import { byId } from './elements.js';

/** `move` goes to the next request for 1 and to the one before for -1; `close` closes the open request. */
export function startKeys({ move, close }) {
  const search = byId('text');
  const acts = {
    j: () => move(1),
    k: () => move(-1),
    '/': () => search.focus(),
    '?': () => byId('keys').showModal(),
  };
  byId('show-keys').addEventListener('click', acts['?']);
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || document.querySelector('dialog[open]')) return;
    // The first Escape empties the field, as browsers do.
    if (key === 'Escape' && target === search && search.value === '') search.blur();
    if (target.closest?.('input, select')) return;
    if (key === 'Escape' && !byId('request').hidden) close();
    if (!Object.hasOwn(acts, key) || !byId('keys-on').checked) return;
    event.preventDefault();
    acts[key]();
  });
}
