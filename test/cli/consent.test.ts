import { expect, test } from 'vitest';
import { planId } from '../../src/commands/bulk/consent.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { PREPARATION, planOf, tableOf } from '../delivery/leads.ts';

const HOW = { validate: true, onDuplicate: 'skip', again: false } as const;
const NEW = { lookup: () => 'none' as const };
const prepared = async (needs: string[], ...more: [object?]) => ({
  plan: await planOf(tableOf(needs), NEW, ...more),
  preparation: PREPARATION,
});

test('the id of a plan is of its rows, its mapping, its contract and the way of sending, and of nothing else', async () => {
  const one = await prepared(['Need 1', 'Need 2']);
  const id = planId([one], HOW);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(planId([await prepared(['Need 1', 'Need 2'])], HOW)).toBe(id);
  const [source, ...sources] = one.plan.mapping.sources;
  const mappedAs = (changes: object) => {
    const mapping = { ...one.plan.mapping, sources: [{ ...source, ...changes }, ...sources] };
    return { ...one, plan: { ...one.plan, mapping } } as typeof one;
  };
  // The reason for which a column was understood is not what is done.
  expect(planId([mappedAs({ because: '--map', level: 'likely' })], HOW)).toBe(id);
  const invalid = await prepared(['Need 1', 'Need 2']);
  invalid.plan.ledger.setStatus(2, 'repeated');
  const renamed = { ...one.plan, mapping: { ...one.plan.mapping, columns: ['a', 'b', 'c', 'd'] } };
  const contract = { ...DOCUMENTED_CONTRACT, validate: null };
  const others = [
    planId([one], { ...HOW, validate: false }),
    planId([one], { ...HOW, onDuplicate: 'create' }),
    planId([one], { ...HOW, again: true }),
    planId([one], { ...HOW, queue: '' }),
    planId([one], { ...HOW, queue: 'postgres://here/leads' }),
    planId([one, one], HOW),
    planId([], HOW),
    planId([await prepared(['Need 1', 'Need 3'])], HOW),
    planId([await prepared(['Need 2', 'Need 1'])], HOW),
    planId([await prepared(['Need 1', 'Need 2', 'Need 3'])], HOW),
    planId([await prepared(['Need 1', 'Need 2'], { range: { skip: 0, limit: 1 } })], HOW),
    planId([await prepared(['Need 1', 'Need 2'], { range: { skip: 1, limit: null } })], HOW),
    planId([invalid], HOW),
    planId([{ ...one, plan: renamed }], HOW),
    planId([{ ...one, preparation: { ...PREPARATION, contract } }], HOW),
    planId([mappedAs({ field: 'lang' })], HOW),
    planId([mappedAs({ columns: [1] })], HOW),
    planId([mappedAs({ how: 'join' })], HOW),
    planId([mappedAs({ template: ['x', 0] })], HOW),
  ];
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
});
