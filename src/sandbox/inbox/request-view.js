// This module shows one request in full: its decoded content, its bytes, and its answer.
import { answerTag, button, byId, count, element, facts, foreign, link, listing, timeOf } from './elements.js';
import { readableBody } from './readable-body.ts';
import { call, partOf } from './sandbox-calls.js';

const COPIED_MS = 2_000;

/** The request that is shown, and whether its answer is still under way. */
let shown = { number: null, isUnderWay: false };

/** Shows a request, or closes the view if `number` is null. `hasFocus` means that the focus moves to the request. */
export async function showRequest(number, hasFocus) {
  shown = { number, isUnderWay: false };
  document.body.classList.toggle('open', number !== null);
  byId('request').hidden = number === null;
  if (number === null) return;
  try {
    const [request, same] = await Promise.all([
      call('GET', `requests/${number}`),
      call('GET', `requests/${number}/same`),
    ]);
    // Another request may have been opened meanwhile.
    if (shown.number !== number) return;
    fill(number, request, same);
  } catch (error) {
    byId('request-parts').replaceChildren(note(error.message));
  }
  if (hasFocus) byId('request-title').focus();
}

/**
 * Completes a request that was shown before its answer was sent. A request whose client did not wait for the answer
 * stays incomplete.
 */
export async function requestChanged() {
  const { number, isUnderWay } = shown;
  if (!isUnderWay) return;
  const request = await call('GET', `requests/${number}`).catch(() => null);
  if (shown.number === number && typeof request?.answerMs === 'number') showRequest(number, false);
}

function fill(number, request, same) {
  byId('request-title').textContent = `Request ${number}`;
  if (request === null) {
    byId('request-parts').replaceChildren(note('Nothing is kept under this number.'));
    return;
  }
  const { exchange } = request;
  shown.isUnderWay = request.answerMs === null && exchange !== null && exchange.answer !== null;
  const parts = [summary(request), ...sameAs(same), ...parameters(request), ...recording(request, exchange)];
  const wire = exchange === null ? [note('What went over the wire is no longer kept.')] : raw(number, exchange);
  byId('request-parts').replaceChildren(...parts, ...wire);
}

function summary(request) {
  const { operation, receivedAt, answerMs, requestId, encoding } = request;
  const told = [
    ['Operation', operation],
    ['Received (UTC)', timeOf(receivedAt)],
    ...(answerMs === null ? [] : [['Answered after', `${count(Math.round(answerMs))} ms`]]),
    ...(encoding === null ? [] : [['Encoding', encoding]]),
    ...(requestId === null ? [] : [['Identifier', requestId]]),
  ];
  return element('div', '', element('p', 'answer', ...answerTag(request)), facts(told));
}

function sameAs(numbers) {
  if (numbers.length === 0) return [];
  const links = numbers.flatMap((each) => [' ', link(String(each), `#${each}`)]);
  return [element('p', 'same', 'Same content or identifier:', ...links)];
}

function parameters({ params }) {
  const pairs = Object.entries(params);
  return [part('Parameters', pairs.length === 0 ? note('None could be read.') : facts(pairs))];
}

function recording({ number, audio }, exchange) {
  if (audio === null) return [];
  const told = facts([
    ['Size', `${count(audio.bytes)} bytes`],
    ['SHA-256', audio.sha256],
  ]);
  if (!exchange?.body) return [part('Recording', told)];
  const player = element('audio', '');
  player.controls = true;
  player.preload = 'metadata';
  player.src = partOf(number, 'recording');
  player.setAttribute('aria-label', `Recording of request ${number}`);
  return [part('Recording', player, told)];
}

function raw(number, exchange) {
  const { answer, curl } = exchange;
  return [
    part('Answered', ...answered(answer)),
    part('As received', ...received(number, exchange)),
    ...(curl === null ? [] : [part('As a command', listing('curl', curl), copier(curl))]),
  ];
}

function answered(answer) {
  if (answer === null) return [note('The connection was cut.')];
  const { status, headers, body } = answer;
  return [
    element('p', 'line', `HTTP ${status}`),
    headerList(headers),
    ...bodyParts('Body of the answer', headers, body),
  ];
}

function received(number, { method, path, headers, body, bodyBytes, isBodyCut }) {
  const head = [element('p', 'line', foreign(`${method} ${path}`)), headerList(headers)];
  if (body === null) {
    return [...head, note('The body is not kept: it is too long, or a secret cannot be told from the rest of it.')];
  }
  if (bodyBytes === 0) return head;
  const cut = isBodyCut ? [note(`The beginning of ${count(bodyBytes)} bytes.`)] : [];
  return [
    ...head,
    ...bodyParts('Body as received', headers, body),
    ...cut,
    element('p', '', link('Save the body', partOf(number, 'body'))),
  ];
}

/**
 * Returns a body in readable form, followed by the original. Returns only the original if there is no other readable
 * form.
 */
function bodyParts(label, headers, body) {
  if (body === '') return [];
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const readable = readableBody(type, body);
  if (readable === null || readable === body) return [listing(label, body)];
  const asItCame = element('details', '', element('summary', '', 'The same as it came'), listing(label, body));
  return [listing(`${label}, readable`, readable), asItCame];
}

function headerList(headers) {
  return element(
    'details',
    '',
    element('summary', '', headers.length === 1 ? '1 header' : `${headers.length} headers`),
    facts(headers),
  );
}

/** Returns a button that copies the original text, in which invisible characters are not replaced. */
function copier(text) {
  const made = button('Copy', async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    made.textContent = isCopied ? 'Copied' : 'The browser does not let this page copy';
    setTimeout(() => {
      made.textContent = 'Copy';
    }, COPIED_MS);
  });
  return element('p', '', made);
}

const note = (text) => element('p', 'note', text);

function part(title, ...children) {
  return element('section', 'part', element('h3', '', title), ...children);
}
