// Parts of the page. All text goes in as text, never as markup.

/** Controls but for line ends, bidirectional overrides and other invisible marks. */
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** Foreign text in which nothing hides. */
const seen = (text) => text.replace(UNSEEN, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);

export const byId = (id) => document.getElementById(id);

/** An element with a class, or none, and children: elements and texts of our own. */
export function element(name, style, ...children) {
  const made = document.createElement(name);
  if (style !== '') made.className = style;
  made.append(...children);
  return made;
}

/** A foreign text that cannot change the order of what is around it. */
export const foreign = (text) => element('bdi', '', seen(text));

/** A foreign text of several lines, which scrolls by itself. */
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

/** Names and values; both may be foreign. */
export function facts(pairs) {
  const list = element('dl', 'facts');
  for (const [name, value] of pairs) {
    list.append(element('div', '', element('dt', '', foreign(name)), element('dd', '', foreign(String(value)))));
  }
  return list;
}

/** The answer as it counts: a colour for its kind beside its status, what it did or said, and the fault that struck. */
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

/** `2026-11-21T09:30:01.250Z` as `09:30:01.250`. */
export const timeOf = (moment) => moment.slice(11, 23);
