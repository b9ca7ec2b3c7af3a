// The list of rows in a report: search, filters, order, pages. Runs in the browser; text goes in as text, never as markup.
(() => {
  const PAGE_ROWS = 50;
  const byId = (id) => document.getElementById(id);
  const { statuses, columns, rows: encoded } = JSON.parse(byId('data').textContent);
  if (encoded.length === 0) return;

  const rows = encoded.map(([row, ref, status, market, ids, message, reasons, key, at, http, cells]) => {
    const identifiers = ids.map(([, value]) => value).join(' ');
    const name = statuses[status] === 'ready' ? 'not sent' : statuses[status];
    const found = [row, ref, identifiers, message, key, ...(cells ?? [])].join('\n').toLowerCase();
    return {
      row,
      ref,
      status: statuses[status],
      name,
      market,
      ids,
      identifiers,
      message,
      reasons,
      key,
      at,
      http,
      cells,
      found,
    };
  });
  const COLUMNS = [
    { title: 'Row', name: 'row', style: 'number' },
    { title: 'Reference', name: 'ref', style: '' },
    { title: 'Market', name: 'market', style: 'short' },
    { title: 'Status', name: 'name', style: 'short' },
    { title: 'Identifiers', name: 'identifiers', style: 'identifiers' },
    { title: 'Message', name: 'message', style: 'message' },
  ];
  const collator = new Intl.Collator(undefined, { numeric: true });
  const view = { order: 'row', down: false, page: 0, reason: null };
  const [heads, body] = [byId('table').tHead.rows[0], byId('table').tBodies[0]];
  const [search, status, market] = [byId('search'), byId('status'), byId('market')];

  const element = (name, text = '', style = '') => {
    const made = document.createElement(name);
    made.textContent = text;
    if (style !== '') made.className = style;
    return made;
  };

  const button = (text, act) => {
    const made = element('button', text);
    made.type = 'button';
    made.addEventListener('click', act);
    return made;
  };

  const matching = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = rows.filter(
      (each) =>
        (status.value === '' || each.status === status.value) &&
        (market.value === '' || each.market === market.value) &&
        (view.reason === null || each.reasons.includes(view.reason)) &&
        words.every((word) => each.found.includes(word)),
    );
    const { order } = view;
    const compare = order === 'row' ? (a, b) => a.row - b.row : (a, b) => collator.compare(a[order], b[order]);
    return wanted.sort((a, b) => (view.down ? -1 : 1) * compare(a, b));
  };

  const detailsOf = ({ key, at, http, ids, cells }) => {
    const facts = [
      ['Key', key],
      ['Last record (UTC)', at],
      ['HTTP status', http],
      ...ids,
      ...(cells ?? []).map((cell, index) => [columns?.[index] ?? `Column ${index + 1}`, cell]),
    ].filter(([, value]) => value !== null && value !== '');
    const list = element('dl', '', 'settings');
    for (const [name, value] of facts) {
      const pair = element('div');
      const [term, text] = [element('dt'), element('dd')];
      term.append(element('bdi', name));
      text.append(element('bdi', value));
      pair.append(term, text);
      list.append(pair);
    }
    const cell = element('td');
    cell.colSpan = COLUMNS.length;
    cell.append(facts.length > 0 ? list : element('p', 'Nothing more is known.', 'note'));
    const line = element('tr', '', 'details');
    line.append(cell);
    return line;
  };

  const lineOf = (row) => {
    const line = element('tr');
    for (const { name, style } of COLUMNS) {
      const cell = element('td', '', style);
      if (name === 'row') cell.append(opener(row, line));
      else if (name === 'name') cell.append(element('span', row.name, `tag tag-${row.status}`));
      else cell.append(element('bdi', row[name]));
      line.append(cell);
    }
    return line;
  };

  const opener = (row, line) => {
    const made = button(String(row.row), () => {
      const open = made.getAttribute('aria-expanded') === 'true';
      made.setAttribute('aria-expanded', String(!open));
      if (open) line.nextElementSibling.remove();
      else line.after(detailsOf(row));
    });
    made.setAttribute('aria-expanded', 'false');
    made.setAttribute('aria-label', `Row ${row.row}, details`);
    return made;
  };

  const show = () => {
    const found = matching();
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    view.page = Math.min(view.page, pages - 1);
    const first = view.page * PAGE_ROWS;
    body.replaceChildren(...found.slice(first, first + PAGE_ROWS).map(lineOf));
    for (const [index, { name }] of COLUMNS.entries()) {
      if (name === view.order) heads.cells[index].setAttribute('aria-sort', view.down ? 'descending' : 'ascending');
      else heads.cells[index].removeAttribute('aria-sort');
    }
    const count = (number) => number.toLocaleString('en-US');
    const reason = view.reason === null ? '' : ' with one reason';
    byId('found').textContent =
      found.length === 0 ? 'No row matches.' : `${count(found.length)} of ${count(rows.length)} listed rows${reason}`;
    byId('page').textContent = `Page ${count(view.page + 1)} of ${count(pages)}`;
    byId('previous').disabled = view.page === 0;
    byId('next').disabled = view.page === pages - 1;
  };

  const showFirst = () => {
    view.page = 0;
    show();
  };

  const turn = (by) => {
    view.page += by;
    show();
    byId('table').scrollIntoView({ block: 'nearest' });
  };

  for (const { title, name, style } of COLUMNS) {
    const head = element('th', '', style);
    head.scope = 'col';
    head.append(
      button(title, () => {
        view.down = view.order === name && !view.down;
        view.order = name;
        showFirst();
      }),
    );
    heads.append(head);
  }
  const choices = (select, values) => {
    for (const [value, text] of values) select.append(new Option(text, value));
  };
  choices(status, new Map(rows.map((each) => [each.status, each.name])));
  choices(
    market,
    [...new Set(rows.map((each) => each.market))]
      .filter(Boolean)
      .sort()
      .map((code) => [code, code]),
  );
  for (const field of [search, status, market]) field.addEventListener('input', showFirst);
  search.form.addEventListener('submit', (event) => event.preventDefault());
  const showOnly = (reason) => {
    search.form.reset();
    view.reason = reason;
    showFirst();
  };
  byId('clear').addEventListener('click', () => showOnly(null));
  byId('previous').addEventListener('click', () => turn(-1));
  byId('next').addEventListener('click', () => turn(1));
  for (const link of document.querySelectorAll('[data-reason]')) {
    link.hidden = false;
    link.addEventListener('click', () => {
      showOnly(Number(link.dataset.reason));
      byId('rows').scrollIntoView();
      search.focus({ preventScroll: true });
    });
  }
  byId('list').hidden = false;
  show();
})();
