// Draws pages in the browser, for the report and the inbox. Texts are inserted as text, never as markup.

export const byId = (id) => document.getElementById(id);
export const count = (number) => number.toLocaleString('en-US');

/** An element: `p.note` is a paragraph of the class `note`. Contents that are null, undefined or false stand for nothing. */
export function h(kind, ...contents) {
  const [name, ...classes] = kind.split('.');
  const made = document.createElement(name);
  made.classList.add(...classes);
  made.append(
    ...contents.flat(Number.POSITIVE_INFINITY).filter((each) => each != null && each !== false && each !== ''),
  );
  return made;
}

/** A text of its own direction, or an element as it is. */
export const bdi = (text) => (text instanceof Node ? text : h('bdi', String(text ?? '')));
export const tag = (mark, text) => h(`span.tag.tag-${mark}`, text);
/** A link to what the form asks for with these values. */
export const link = (asked, ...contents) => Object.assign(h('a', contents), { href: `#${new URLSearchParams(asked)}` });

export function section(id, title, ...contents) {
  const made = h('section', Object.assign(h('h2', title), { id }), contents);
  made.setAttribute('aria-labelledby', id);
  return made;
}

/** Names with their values, without those that have none. */
export function pairs(all) {
  const given = all.filter(([, value]) => value != null && value !== '');
  return h(
    'dl',
    given.map(([name, value]) => h('div', h('dt', bdi(name)), h('dd', bdi(value)))),
  );
}

/** A table. `columns` are its headings, by the names of the cells in a row. */
export function table(columns, rows) {
  const names = Object.keys(columns);
  const head = names.map((name) => Object.assign(h(`th.${name}`, columns[name]), { scope: 'col' }));
  const lines = rows.map((row) =>
    h(
      'tr',
      names.map((name) => h(`td.${name}`, bdi(row[name]))),
    ),
  );
  return h('table', h('thead', h('tr', head)), h('tbody', lines));
}

/** A button that copies a text. */
export function copier(text, label) {
  const button = Object.assign(h('button', 'Copy'), { type: 'button', ariaLabel: `Copy ${label}` });
  button.addEventListener('click', async () => {
    const copied = navigator.clipboard?.writeText(text).then(
      () => 'Copied',
      () => undefined,
    );
    button.ariaLabel = button.textContent = (await copied) ?? 'Select it';
  });
  return button;
}

/**
 * Keeps what a form asks for in the address, so that it can be linked to and the browser leads back. Calls `changed` at
 * once and after each change, and tells it whether the address asked for something.
 */
export function keepInAddress(form, changed) {
  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const isAsked = [...asked.keys()].some((name) => form.elements.namedItem(name));
    // Other addresses name a place on the page.
    if (isAsked || location.hash === '') for (const field of form.elements) field.value = asked.get(field.name) ?? '';
    changed(isAsked);
  };
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    const named = [...new FormData(form)].filter(([, value]) => value !== '');
    history.replaceState(null, '', `#${new URLSearchParams(named)}`);
    changed(false);
  });
  addEventListener('hashchange', read);
  read();
}
