import { expect, test } from 'vitest';
import { askRound } from '../../src/delivery/witness.ts';
import { fakeApi, validated } from '../helpers/fake-api.ts';
import { seeded } from '../helpers/virtual-server.ts';
import { submissionOf } from './leads.ts';
import { neighbours } from './settling.ts';

/** Others: SRQ_TEST_SEED. */
const SEED = Number(process.env['SRQ_TEST_SEED'] ?? 20_261_121);
const ROUNDS = 150;
const MAX_ROWS = 12;

const isLost = (need: string) => /^(?:Nobody|Lost)/.test(need);

/** One round about some rows. From some call on, a share of the answers belongs to the call that arrived before. */
async function roundOf(random: () => number, share: number) {
  const rows = 1 + Math.floor(random() * MAX_ROWS);
  const honest = random() < 0.5 ? 0 : Math.floor(random() * rows * 8);
  let calls = 0;
  let before = random() < 0.5;
  const api = fakeApi({
    validate: async ({ params }) => {
      const own = isLost(params['request_text'] ?? '');
      const isCrossed = ++calls > honest && random() < share;
      const told = isCrossed ? before : own;
      before = own;
      for (let turns = Math.floor(random() * 4); turns >= 0; turns--) await new Promise(setImmediate);
      return validated(told ? 'clear' : 'duplicate');
    },
  });
  const near = neighbours().map((need, at) => submissionOf(need, at + 100));
  const asked = Array.from({ length: rows }, (_, at) => {
    const submission = submissionOf(`${random() < 0.5 ? 'Lost' : 'Taken'} ${at}`, at + 1);
    const controls = [false, true].map((text) => api.invented(submission.request, { customer: true, text }));
    const ofCustomer = api.invented(submission.request, { customer: false, text: true });
    return { submission, controls, ofCustomer, sent: { firstMs: 0, lastMs: 0 }, neighbours: near, gapMs: 0 };
  });
  const said = await askRound(asked, api, new AbortController().signal, true);
  return said.map((says, at) => {
    const truth = isLost(asked[at]?.submission.request.params['request_text'] ?? '') ? 'clear' : 'duplicate';
    // Of the customer means a duplicate as well, and less.
    const said = says === 'of the customer' ? 'duplicate' : says;
    return said === 'nothing' ? 'nothing' : said === truth ? 'right' : `${said}, but ${truth}`;
  });
}

test.each([0, 0.05, 0.5, 1])('%d answers that belong to the call before are never used for a row', async (share) => {
  const random = seeded(SEED + share * 100);
  const told: string[] = [];
  for (let round = 0; round < ROUNDS; round++) told.push(...(await roundOf(random, share)));
  expect(told.filter((each) => each.includes('but'))).toEqual([]);
  expect(told).toContain('right');
  if (share === 0) expect(new Set(told)).toEqual(new Set(['right']));
});
