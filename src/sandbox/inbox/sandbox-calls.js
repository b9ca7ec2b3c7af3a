// Calls to the sandbox that this page belongs to.

const PREFIX = '/_sandbox/';

/** The JSON of the answer. Throws an `Error` with the sandbox's words where it refuses, or cannot be reached. */
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

/** Where a part of one request can be fetched: `body` or `recording`. */
export const partOf = (number, part) => `${PREFIX}requests/${number}/${part}`;

/** Calls `changed` with what there is, now and after each change. After a break the browser connects again. */
export function listen({ changed, connected }) {
  const events = new EventSource(`${PREFIX}events`);
  events.addEventListener('open', () => connected(true));
  events.addEventListener('error', () => connected(false));
  events.addEventListener('message', ({ data }) => changed(JSON.parse(data)));
}
