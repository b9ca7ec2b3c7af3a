// This module calls the sandbox that serves this page.

const PREFIX = '/_sandbox/';

/**
 * Calls the sandbox and returns the JSON of its answer. Throws an `Error` with the sandbox's message if it refuses the
 * call, or if it cannot be reached.
 */
export async function call(method, path, body) {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(PREFIX + path, { method, ...sent }).catch(() => {
    throw new Error('The sandbox cannot be reached. Start it again: srq sandbox');
  });
  const text = await response.text();
  const answer = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** Returns the address of a part of one request: `body` or `recording`. */
export const partOf = (number, part) => `${PREFIX}requests/${number}/${part}`;

/** Calls `changed` with the present state, now and after each change. The browser reconnects by itself. */
export function listen({ changed, connected }) {
  const events = new EventSource(`${PREFIX}events`);
  events.addEventListener('open', () => connected(true));
  events.addEventListener('error', () => connected(false));
  events.addEventListener('message', ({ data }) => changed(JSON.parse(data)));
}
