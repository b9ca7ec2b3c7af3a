import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { FAULT_KINDS, type FaultKind, type FaultRates } from '../../src/sandbox/service/faults.ts';
import {
  CALM,
  connectionError,
  creates,
  handClock,
  LEAD,
  partnerOf,
  type Reply,
  startCalmSandbox,
} from './sandbox-client.ts';

const clock = handClock();
let sandbox: Sandbox;
let partner: Awaited<ReturnType<typeof partnerOf>>;

beforeEach(async () => {
  sandbox = await startCalmSandbox({ now: clock.now });
  partner = await partnerOf(sandbox);
});
afterEach(() => sandbox.close());

/** What became of the last create, as the sandbox keeps it. */
const lastCreate = () => creates(sandbox).at(-1);

/** Exactly one create was kept, it was struck by the fault and not acted on; and validate agrees. */
async function expectNotActedOn(fault: FaultKind, status: number | null): Promise<void> {
  sandbox.setFaults({});
  expect(creates(sandbox)).toMatchObject([{ fault, status, requestId: null }]);
  expect((await partner.validate(LEAD)).text).toBe('{"duplicate":false}');
}

const struck = async (faults: FaultRates): Promise<Reply> => {
  sandbox.setFaults(faults);
  return partner.create(LEAD);
};

test('the sandbox has the ten faults that users are told of', () => {
  expect([...FAULT_KINDS].sort()).toEqual(
    [
      '429',
      '500',
      '500-after',
      '503',
      'expire-token',
      'html',
      'lag-validate',
      'reset-after',
      'reset-before',
      'slow',
    ].sort(),
  );
  const [, told = ''] = /the kinds are ([^.]+)\.\n/.exec(readFileSync('docs/sandbox.md', 'utf8')) ?? [];
  expect([...told.matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind).sort()).toEqual([...FAULT_KINDS].sort());
});

test.each([
  ['429', 429, '1'],
  ['500', 500, undefined],
  ['503', 503, '1'],
] as const)('the fault %s answers so and does nothing', async (fault, status, retryAfter) => {
  const reply = await struck({ [fault]: 1 });
  expect([reply.status, reply.headers['retry-after']]).toEqual([status, retryAfter]);
  await expectNotActedOn(fault, status);
});

test('reset-after creates the request and cuts the connection: only the answer is lost', async () => {
  expect(await connectionError(struck({ 'reset-after': 1 }))).toBe('ECONNRESET');
  sandbox.setFaults({});
  expect(creates(sandbox)).toMatchObject([{ fault: 'reset-after', status: null, requestId: expect.any(String) }]);
  expect((await partner.validate(LEAD)).text).toBe(`{"duplicate":true,"request_id":${lastCreate()?.requestId}}`);
});

test('the sandbox remembers no verdict of validate that a fault lost or hid', async () => {
  for (const fault of ['500-after', 'html', '429'] as const) {
    sandbox.setFaults({ [fault]: 1 });
    await partner.validate(LEAD);
    expect(sandbox.requests().at(-1)).toMatchObject({ fault, operation: 'validate', verdict: null });
  }
  sandbox.setInstructions([{ match: {}, on: 'validate', fault: 'slow', ms: 1 }]);
  await partner.validate(LEAD);
  expect(sandbox.requests().at(-1)).toMatchObject({ fault: 'slow', verdict: 'clear' });
});

test('expire-token refuses this call and later ones with the same token; a new token works', async () => {
  const first = await struck({ 'expire-token': 1 });
  sandbox.setFaults({});
  const later = await partner.create(LEAD);
  const renewed = await (await partnerOf(sandbox)).create(LEAD);
  expect([first.status, later.status, renewed.status]).toEqual([401, 401, 201]);
  expect(creates(sandbox).map((each) => each.fault)).toEqual(['expire-token', null, null]);
});

test('lag-validate creates, and validate sees it only five seconds later', async () => {
  expect((await struck({ 'lag-validate': 1 })).status).toBe(201);
  clock.passMs(4_999);
  expect((await partner.validate(LEAD)).text).toBe('{"duplicate":false}');
  clock.passMs(1);
  expect((await partner.validate(LEAD)).text).toContain('"duplicate":true');
  expect(sandbox.requests().map((each) => each.fault)).toEqual([null, 'lag-validate', null, null]);
});

test('faults strike validate as well, but never the token operation by chance', async () => {
  sandbox.setFaults({ '500': 1 });
  expect((await partner.validate(LEAD)).status).toBe(500);
  expect((await partnerOf(sandbox)).token).toMatch(/^[\w-]{40,}$/);
});

test('a fault with a probability strikes that share of the calls, the same ones for the same seed', async () => {
  const struckNumbers = async (seed: number, faults: FaultRates) => {
    const seeded = await startCalmSandbox({ seed, faults });
    const { create } = await partnerOf(seeded);
    for (let row = 0; row < 300; row++) await create({ ...LEAD, fullname: `Row ${row}` });
    await seeded.close();
    return creates(seeded).flatMap((each) => (each.fault === '503' ? [each.number] : []));
  };
  const first = await struckNumbers(3, { '503': 0.2 });
  expect(first.length).toBeGreaterThan(30);
  expect(first.length).toBeLessThan(90);
  expect(await struckNumbers(3, { '503': 0.2 })).toEqual(first);
  expect(await struckNumbers(4, { '503': 0.2 })).not.toEqual(first);
  // Another fault switched on beside it moves none of these, it only takes those that it strikes first.
  const beside = await struckNumbers(3, { '503': 0.2, '429': 0.1 });
  expect(first).toEqual(expect.arrayContaining(beside));
  expect(beside.length).toBeGreaterThan(first.length / 2);
});

test('an instruction strikes the named request as often as it says, and no other', async () => {
  sandbox.setInstructions([
    { match: { fullname: 'Row 17' }, on: 'create', fault: '500', times: 2 },
    { match: { request_text: 'A torneira pinga.' }, on: 'create', fault: 'reset-after' },
  ]);
  const row = (fullname: string) => partner.create({ ...LEAD, fullname });
  const statuses = [
    await row('Row 1'),
    await row('Row 17'),
    await row('Row 170'),
    await row('Row 17'),
    await row('Row 17'),
  ];
  expect(statuses.map((reply) => reply.status)).toEqual([201, 500, 201, 500, 201]);
  const marked = { ...LEAD, request_text: 'A torneira pinga.' };
  expect((await partner.validate(marked)).status).toBe(200);
  expect(await connectionError(partner.create(marked))).toBe('ECONNRESET');
  expect((await partner.create(marked)).status).toBe(201);
});

test('an instruction may put a fault on the token operation', async () => {
  sandbox.setInstructions([{ on: 'token', fault: '503' }]);
  await expect(partnerOf(sandbox)).resolves.toMatchObject({ token: undefined });
  expect((await partnerOf(sandbox)).token).toMatch(/^[\w-]{40,}$/);
});

test.each([
  ['an unknown kind', { meteor: 1 }, 'There is no fault "meteor".'],
  ['a probability over 1', { '500': 1.5 }, 'fault 500 is not a number from 0 to 1'],
  ['no number', { '500': Number.NaN }, 'fault 500 is not a number from 0 to 1'],
  ['a name that every object has', { constructor: 1 }, 'There is no fault "constructor".'],
])('a sandbox does not start with %s', async (_what, faults, message) => {
  await expect(startSandbox({ ...CALM, faults })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});
