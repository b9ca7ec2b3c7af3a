// This module starts the inbox of the sandbox. The address names the open request, so that requests can be linked to
// and the browser's back button works.
import { controlsChanged, startControls } from './controls.js';
import { byId, count } from './elements.js';
import { startKeys } from './keys.js';
import { lineBeside, listChanged, listOpen, startList } from './request-list.js';
import { requestChanged, showRequest } from './request-view.js';
import { call, listen } from './sandbox-calls.js';

function changed(present) {
  const requests = present.count === 1 ? '1 request' : `${count(present.count)} requests`;
  byId('totals').textContent = `${requests}, ${count(present.created)} created`;
  byId('clear').disabled = present.count === 0;
  listChanged(present);
  controlsChanged(present);
  requestChanged();
}

function connected(isConnected) {
  document.body.classList.toggle('offline', !isConnected);
  byId('offline').textContent = isConnected ? '' : 'The sandbox cannot be reached. Start it again: srq sandbox';
}

/**
 * Opens the request that the address names. `#12` is a request, and an empty address closes it. Addresses of other
 * places on the page change nothing.
 */
function openFromAddress(hasFocus) {
  const found = /^(?:#(\d{1,15}))?$/.exec(location.hash);
  if (!found) return;
  const number = found[1] === undefined ? null : Number(found[1]);
  const opener = listOpen(number);
  showRequest(number, hasFocus);
  if (number === null) opener?.focus();
}

function close() {
  // `location.hash = ''` is not used, because it scrolls to the top.
  history.pushState(null, '', location.pathname);
  openFromAddress(false);
}

/** Moves to the next or the previous line of the list. If a request is open, the request of that line is opened. */
function move(step) {
  const opener = lineBeside(step)?.querySelector('a');
  if (!opener) return;
  // The step is not stored in the browser's history. Otherwise the back button would go through every request on the
  // way.
  if (byId('request').hidden) opener.focus();
  else location.replace(opener.hash);
}

async function clear() {
  try {
    await call('DELETE', 'requests');
    close();
  } catch (error) {
    byId('trouble').textContent = error.message;
  }
}

byId('address').textContent = location.origin;
byId('close').addEventListener('click', close);
byId('clear').addEventListener('click', () => {
  const { textContent } = byId('totals');
  byId('clearing-title').textContent = `Forget all? ${textContent}`;
  byId('clearing').showModal();
});
byId('clearing').addEventListener('close', () => {
  const isWanted = byId('clearing').returnValue === 'clear';
  // The value is reset, because Escape closes the dialog with the value of the last time.
  byId('clearing').returnValue = '';
  if (isWanted) clear();
});
addEventListener('hashchange', () => openFromAddress(true));

await startControls();
startList();
startKeys({ move, close });
openFromAddress(false);
listen({ changed, connected });
