import { expect, test } from 'vitest';
import { SentCells } from '../../src/delivery/sent-cells.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { LoggedState } from '../../src/request/status.ts';
import type { Row } from '../../src/request/table.ts';

/** A search for requests of which the log knows these states, by their cells. */
function searchFor(known: Readonly<Record<string, LoggedState>>, keysLeft = 1_000) {
  const lookup = (key: string): LoggedState => known[key] ?? 'none';
  const tried: string[] = [];
  const sent = new SentCells(planMapping(['phone', 'request_text', 'city'], { map: {}, set: {}, join: {} }), {
    lookup,
    prefetch: async () => {},
  });
  const search = {
    keyOf: ({ cells }: Row) => {
      tried.push(cells.join('|'));
      return cells.join('|');
    },
    isSent: (key: string) => lookup(key) !== 'none',
    budget: { keysLeft },
  };
  const rowOf = (...cells: string[]): Row => ({ number: 1, line: 2, cells, problem: null });
  const find = async (...cells: string[]) => (await sent.find(rowOf(...cells), search))?.cells ?? null;
  return { find, tried, search, turnedDate: (...cells: string[]) => sent.turnedDate(rowOf(...cells)) };
}

test('a row of which a spreadsheet has changed several cells is found by all of them', async () => {
  const { find, tried, search } = searchFor({ '+351912345678|Obras|01067': 'created' });
  expect(await find('351912345678', 'Obras', '1067')).toEqual(['+351912345678', 'Obras', '01067']);
  expect(search.budget.keysLeft).toBe(1_000 - tried.length);
  expect(await find('351912345678', 'Outras obras', '1067')).toBeNull();
  expect(await find('+351912345678', 'Obras', 'Lisboa')).toBeNull();
});

// A correction that is undone is a row that is not sent again, with nobody told.
test('a date in a refused row is a correction, unless other rows show that a spreadsheet writes dates so', async () => {
  const { find, turnedDate } = searchFor({
    '912|Obras|2026-11-20': 'rejected',
    '913|Obras|2026-11-21': 'created',
    '+351912345678|Obras|2026-11-22': 'created',
    '+351912345679|Obras|Lisboa': 'rejected',
  });
  expect(await find('912', 'Obras', '20.11.26')).toBeNull();
  // A telephone number that lost its sign is no correction.
  expect(await find('351912345679', 'Obras', 'Lisboa')).toEqual(['+351912345679', 'Obras', 'Lisboa']);
  // A date that was sent as it is shows nothing of how dates are written.
  expect(await find('351912345678', 'Obras', '2026-11-22')).toEqual(['+351912345678', 'Obras', '2026-11-22']);
  expect(turnedDate('912', 'Obras', '2026-11-20')).toBeNull();
  expect(turnedDate('912', 'Obras', '20.11.26')).toBeNull();
  expect(await find('913', 'Obras', '21.11.26')).toEqual(['913', 'Obras', '2026-11-21']);
  expect([turnedDate('912', 'Obras', '20.11.26'), turnedDate('912', '20.11.26', '')]).toEqual([2, null]);
  expect(await find('912', 'Obras', '20.11.26')).toEqual(['912', 'Obras', '2026-11-20']);
  // In another form it may be one all the same.
  expect(await find('912', 'Obras', '20/11/26')).toBeNull();
});
