// This module builds parts of the page. All texts are inserted as text, never as markup.

/** Matches control characters except line ends, bidirectional overrides, and other invisible marks. */
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** Makes the invisible characters of a foreign text visible. */
const seen = (text) => text.replace(UNSEEN, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);

export const byId = (id) => document.getElementById(id);

/** Creates an element with a class, or none, and with children, which are elements and our own texts. */
export function element(name, style, ...children) {
  const made = document.createElement(name);
  if (style !== '') made.className = style;
  made.append(...children);
  return made;
}

/** Returns an element for a foreign text, which cannot change the direction of the texts around it. */
export const foreign = (text) => element('bdi', '', seen(text));

/** Returns an element for a foreign text of several lines. It scrolls by itself. */
export function listing(label, text) {
  const made = element('pre', '', seen(text));
  made.tabIndex = 0;
  made.setAttribute('role', 'region');
  made.setAttribute('aria-label', label);
  return made;
}

export function button(text, act) {
  const made = element('button', '', text);
  made.type = 'button';
  made.addEventListener('click', act);
  return made;
}

export function link(text, href) {
  const made = element('a', '', text);
  made.href = href;
  return made;
}

/** Returns a list of names and values. Both may be foreign. */
export function facts(pairs) {
  const list = element('dl', 'facts');
  for (const [name, value] of pairs) {
    list.append(element('div', '', element('dt', '', foreign(name)), element('dd', '', foreign(String(value)))));
  }
  return list;
}

/**
 * Returns the answer as a tag: a colour for its kind, the status, its effect or verdict, and the fault that was
 * applied.
 */
export function answerTag(request) {
  const { operation, status, requestId, verdict, fault } = request;
  const tag = element('span', `tag tag-${kindOf(request)}`, status === null ? 'cut' : String(status));
  const did = verdict ?? (operation === 'create' && requestId !== null ? createdAs(status) : '');
  return [
    tag,
    ...(did === '' ? [] : [' ', element('span', 'did', did)]),
    ...(fault === null ? [] : [' ', element('span', 'fault', `fault ${fault}`)]),
  ];
}

function kindOf({ operation, status, verdict, requestId }) {
  if (status === null) return 'cut';
  if (verdict !== null) return verdict;
  if (status === 429 || status === 503) return 'slowed';
  if (status >= 400) return status < 500 ? 'refused' : 'broken';
  return operation === 'create' && requestId !== null ? 'created' : 'fine';
}

const createdAs = (status) => (status !== null && status < 300 ? 'created' : 'created, answer lost');

export const count = (number) => number.toLocaleString('en-US');

/** Formats `2026-11-21T09:30:01.250Z` as `09:30:01.250`. */
export const timeOf = (moment) => moment.slice(11, 23);
