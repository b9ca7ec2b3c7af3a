import { expect, test } from 'vitest';
import { SentCells } from '../../src/delivery/sent-cells.ts';
import { planMapping } from '../../src/input/mapping.ts';
import type { Row } from '../../src/request/table.ts';

const mapping = planMapping(['phone', 'request_text'], { map: {}, set: {}, join: {} });
const row = (phone: string): Row => ({ number: 1, line: 2, cells: [phone, 'Obras'], problem: null });

test('what was undone in rows before is tried first, also in a file that has more rows than can be looked at closely', async () => {
  const sent = new SentCells(mapping, { lookup: () => 'created', prefetch: async () => {} });
  let tried = 0;
  const search = {
    keyOf: ({ cells }: Row) => {
      tried += 1;
      return cells[0] ?? '';
    },
    isSent: (key: string) => key.startsWith('00351'),
    budget: { keysLeft: 1_000 },
  };
  expect(await sent.find(row('351912345678'), search)).toMatchObject({ key: '00351912345678' });
  search.budget.keysLeft = 0;
  tried = 0;
  expect(await sent.find(row('351912345679'), search)).toMatchObject({ key: '00351912345679' });
  expect(tried).toBeLessThanOrEqual(4);
});
