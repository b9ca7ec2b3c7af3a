// The inbox of the sandbox. What is open is in the address, so that it can be linked to and gone back from.
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

/** `#12` is a request, nothing is none; other places of the page change nothing. */
function openFromAddress(hasFocus) {
  const found = /^(?:#(\d{1,15}))?$/.exec(location.hash);
  if (!found) return;
  const number = found[1] === undefined ? null : Number(found[1]);
  const opener = listOpen(number);
  showRequest(number, hasFocus);
  if (number === null) opener?.focus();
}

function close() {
  // Not `location.hash = ''`: that scrolls to the top.
  history.pushState(null, '', location.pathname);
  openFromAddress(false);
}

/** Goes to the next line of the list or the one before, and opens its request if another one is open. */
function move(step) {
  const opener = lineBeside(step)?.querySelector('a');
  if (!opener) return;
  // The step is not kept in the browser's history, or the way back would go through every request that was passed.
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
  // Escape closes it with the value of the last time.
  byId('clearing').returnValue = '';
  if (isWanted) clear();
});
addEventListener('hashchange', () => openFromAddress(true));

await startControls();
startList();
startKeys({ move, close });
openFromAddress(false);
listen({ changed, connected });
