import { expect, test } from 'vitest';
import {
  confirmImport,
  isAsked,
  planId,
  requireConsent,
  requireHoldable,
  requirePlan,
} from '../../src/commands/bulk/consent.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import { PREPARATION, planOf, tableOf } from '../delivery/leads.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';

const LIVE = { SRQ_BASE_URL: 'https://api.example.com', SRQ_CLIENT_ID: 'id', SRQ_CLIENT_SECRET: 'secret' };
const TEST = { ...LIVE, SRQ_BASE_URL: 'http://127.0.0.1:9' };

test.each([
  [{}, {}, true],
  [{ yes: true }, {}, false],
  [{}, { quiet: true }, false],
  [{}, { input: false }, false],
])('a person at a terminal is asked with the flags %j and %j: %j', (flags, options, expected) => {
  expect(isAsked(contextOf({ typed: [], options }).context, flags)).toBe(expected);
  expect(isAsked(contextOf({ options }).context, flags)).toBe(false);
});

test('a live service needs a terminal or --yes before anything is read, and a dry run neither', async () => {
  const refused = async (typed: Typed[] | undefined, env: Record<string, string>, flags: object) => {
    const { context } = contextOf({ ...(typed ? { typed } : {}), env });
    const settings = await context.settings();
    try {
      requireConsent(context, settings, flags);
      return null;
    } catch (error) {
      return (error as { reason: string }).reason;
    }
  };
  expect(await refused(undefined, LIVE, {})).toBe('live.not-confirmed');
  expect(await refused([], LIVE, {})).toBeNull();
  expect(await refused([], { ...LIVE, CI: '1' }, {})).toBe('live.not-confirmed');
  expect(await refused(undefined, TEST, {})).toBeNull();
  expect(await refused(undefined, LIVE, { yes: true })).toBeNull();
  expect(await refused(undefined, LIVE, { dryRun: true })).toBeNull();
});

const plans = (...ready: number[]) => ready.map((count) => ({ counts: { ready: count } })) as never[];

/** What a person is shown of the confirmation, the last thing typed last. */
async function confirmed(env: Record<string, string>, ready: readonly number[], typed: Typed[], options: object = {}) {
  const { context, stderr } = contextOf({ env, typed, options });
  const { reason = 'confirmed' } = await confirmImport(context, options, plans(...ready)).then(
    () => ({}) as { reason?: string },
    (error: { reason: string }) => error,
  );
  return [reason, stderr()] as const;
}

test.each<[string, number[], string, string, string]>([
  ['the number of requests', [3], 'Type 3 to send these requests to the live service', '3', 'confirmed'],
  ['1, for a single one', [1], 'Type 1 to send this request to the live service', '1', 'confirmed'],
  ['the sum of several files', [2, 0, 3], 'Type 5 to send these requests of 3 files to the', '5', 'confirmed'],
  ['the number with its separators', [1234], 'Type 1234 to send', '1,234', 'confirmed'],
  ['q', [3], 'Type 3', 'q', 'prompt.declined'],
  ['Q', [3], 'Type 3', 'Q', 'prompt.declined'],
  ['nothing', [3], 'Type 3', '', 'prompt.declined'],
])('sending to a live service is decided by %s', async (_, ready, question, keys, reason) => {
  const [ended, shown] = await confirmed(LIVE, ready, [[/quit: /, `${keys}\r`]]);
  expect([ended, shown.replace(/\s+/g, ' ')]).toEqual([reason, expect.stringContaining(question)]);
});

test.each(['y', 'yes', '33', '2', 'qq', 'quit'])('another answer, %j, is asked again', async (keys) => {
  const [ended, shown] = await confirmed(
    LIVE,
    [3],
    [
      [/quit: /, `${keys}\r`],
      [/That is not 3\.[\s\S]*quit: /, '3\r'],
    ],
  );
  expect([ended, shown.match(/That is not 3/g)?.length]).toEqual(['confirmed', 1]);
});

test('several files for a test service are confirmed once, one file is not, and what has nothing to send is not', async () => {
  const enter: Typed[] = [[/Enter to send [\s\S]*quit: /, '\r']];
  const [ended, shown] = await confirmed(TEST, [2, 1], enter);
  expect([ended, shown]).toEqual(['confirmed', expect.stringContaining('Enter to send 3 requests of 2 files')]);
  expect((await confirmed(TEST, [0, 1], enter))[1]).toContain('Enter to send 1 request of 2 files');
  expect((await confirmed(TEST, [1, 1], [[/quit: /, 'q\r']]))[0]).toBe('prompt.left');
  const [, corrected] = await confirmed(
    TEST,
    [1, 1],
    [
      [/quit: /, 'Tel=phone\r'],
      [/import it alone first[\s\S]*quit: /, '\r'],
    ],
  );
  expect(corrected).toContain('To correct the columns of a file');
  for (const [env, ready, options] of [
    [TEST, [3], {}],
    [TEST, [0, 0], {}],
    [LIVE, [0], {}],
    [LIVE, [3], { yes: true }],
    [TEST, [2, 1], { yes: true }],
    [TEST, [2, 1], { quiet: true }],
  ] as const)
    expect(await confirmed(env, ready, [], options), JSON.stringify([ready, options])).toEqual(['confirmed', '']);
});

test('what was typed before the question about several files was shown does not answer it', async () => {
  const { context, stdin } = contextOf({ env: TEST, typed: [[/quit: /, 'q\r']] });
  stdin.write('\r');
  await expect(confirmImport(context, {}, plans(1, 1))).rejects.toMatchObject({ reason: 'prompt.left' });
});

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
  const contract = { ...DOCUMENTED_CONTRACT, hasValidate: false };
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

test('a named plan is compared, and not computed if none is named', () => {
  requirePlan(undefined, () => {
    throw new Error('computed');
  });
  requirePlan('a1', () => 'a1');
  for (const [wanted, found] of [
    ['a1', 'a2'],
    ['', 'a1'],
  ] as const)
    expect(() => requirePlan(wanted, () => found)).toThrow(expect.objectContaining({ reason: 'plan.differs' }));
});

test('--plan needs a service that stays and a run that sends', () => {
  const hold = (options: object, flags: object) => requireHoldable(contextOf({ options }).context, flags);
  hold({ sandbox: true }, {});
  hold({}, { dryRun: true });
  hold({}, { plan: 'a1' });
  expect(() => hold({ sandbox: true }, { plan: 'a1' })).toThrow(
    expect.objectContaining({ code: 'usage', hint: 'Leave --plan or --sandbox out.' }),
  );
  expect(() => hold({}, { plan: 'a1', dryRun: true })).toThrow(
    expect.objectContaining({ code: 'usage', hint: 'Leave --plan or --dry-run out.' }),
  );
});
