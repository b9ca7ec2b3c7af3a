// This module handles the keys of the page. In a field or a dialog, keys are left to the browser.
import { byId } from './elements.js';

/**
 * Starts to handle keys. `move` goes to the next request for 1 and to the previous one for -1. `close` closes the open
 * request.
 */
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
    // The first Escape clears the field, which browsers do by themselves.
    if (key === 'Escape' && target === search && search.value === '') search.blur();
    if (target.closest?.('input, select')) return;
    if (key === 'Escape' && !byId('request').hidden) close();
    if (!Object.hasOwn(acts, key) || !byId('keys-on').checked) return;
    event.preventDefault();
    acts[key]();
  });
}
