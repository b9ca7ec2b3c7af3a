import { createHash } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendRows } from '../../src/delivery/send-rows.ts';
import { submitOne } from '../../src/delivery/settle-by-key.ts';
import { settleByWord } from '../../src/delivery/settle-by-word.ts';
import { type SubmitOptions, submitRequest } from '../../src/delivery/submit.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import { PATHS } from '../../src/request/contract/wire.ts';
import { fakeApi } from '../helpers/fake-api.ts';
import fc from '../helpers/fast-check.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { PREPARATION, passOf, planOf, readLines, submissionOf, tableOf } from './leads.ts';
import { Life, MOMENTS } from './life.ts';
import { Machine, type Process, taughtAnswers } from './processes.ts';
import { ANSWER_NAMES, type AnswerName } from './scripted-service.ts';
import { createNeighbours, type Settling, settleOne, settlePlan } from './settling.ts';

const HEADER = 'idempotency-key';
const PLAIN: SubmitOptions = { validate: false, onDuplicate: 'skip', again: false };
const NEED = 'Pintar a sala';
const TWICE: SubmitOptions = { validate: true, onDuplicate: 'create', again: false };
const SUBMISSION = submissionOf(NEED);
const { key } = SUBMISSION;
const HOUR_MS = 60 * 60 * 1000;

/** A machine and a service that agree on the header, and on how long it is known. */
function idempotentMachine(windowSeconds: number | null = 86_400): Machine {
  const idempotency = { header: 'Idempotency-Key', format: 'text', windowSeconds } as const;
  const made = new Machine(contractWith({ create: { idempotency } }));
  made.service.idempotencyHeader = HEADER;
  made.service.rememberedMs = (windowSeconds ?? 600) * 1000;
  return made;
}

let machine: Machine;
beforeEach(() => {
  machine = idempotentMachine();
});
afterEach(() => machine.close());

/** What the next creates meet; each acts where its answer leaves that open. */
const meets = (...answers: AnswerName[]) =>
  machine.service.script(
    NEED,
    answers.map((answer) => ({ answer, acts: true })),
  );
const submit = (options: SubmitOptions = PLAIN) =>
  machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options));
const settling =
  (given: Settling = { byValidate: false }) =>
  (process: Process) =>
    settleOne(process, NEED, given);
const settle = (given?: Settling) => machine.run(settling(given));
const LOST: AnswerName[] = ['reset after writing', '500', 'no answer in time', '503 with Retry-After'];
const lose = () => meets('reset after writing');
/** Sends one request, as a single command or a worker does. */
const sendOne = () => machine.run(({ api, log }) => submitOne(SUBMISSION, { api, log }, PLAIN));

describe('A create whose answer is lost', () => {
  test('A create without an answer is repeated under its key, with an intent each, and created once', async () => {
    meets('reset after writing', '201 with an id');
    expect(await sendOne()).toMatchObject({ status: 'created', ids: { request_id: 'R-77' } });
    expect([machine.service.arrivals.length, machine.service.actsOn(NEED)]).toEqual([2, 1]);
    const events = readLines(machine.logPath).map(({ event }) => event);
    expect(events).toEqual(['sending', 'unknown', 'sending', 'created']);
  });

  test('A create of a file without an answer is left unknown, and the other rows come first', async () => {
    lose();
    expect(await submit()).toMatchObject({ status: 'unknown' });
    expect(machine.service.arrivals).toHaveLength(1);
  });

  test('A create whose answer proves nothing is not repeated: a person says what it means', async () => {
    for (const answer of ['200 refused', '302'] as const) {
      machine.close();
      machine = idempotentMachine();
      meets(answer);
      expect(await sendOne(), answer).toMatchObject({ status: 'unknown' });
      expect(machine.service.arrivals, answer).toHaveLength(1);
      expect(await machine.known(key), answer).toBe('unknown');
    }
  });

  test('A create whose repetition is refused, or never arrives, stays unknown', async () => {
    for (const answer of ['422', '404', 'bad certificate'] as const) {
      machine.close();
      machine = idempotentMachine();
      meets('reset after writing', answer);
      expect(await sendOne(), answer).toMatchObject({ status: 'unknown' });
      expect(await machine.known(key), answer).toMatch(/^(?:unknown|parked)$/);
    }
  });

  test('A create without an answer is not repeated where the service has no such header', async () => {
    const plain = new Machine();
    plain.service.script(NEED, [{ answer: 'reset after writing', acts: true }]);
    const submitted = await plain.run(({ api, log }) => submitOne(SUBMISSION, { api, log }, PLAIN));
    expect(submitted).toMatchObject({ status: 'unknown' });
    expect(plain.service.arrivals).toHaveLength(1);
    plain.close();
  });
});

describe('A request in doubt', () => {
  const doubt = async (options: SubmitOptions = PLAIN) => {
    lose();
    expect(await submit(options)).toMatchObject({ status: 'unknown' });
  };

  test('An unknown request is settled by one more send under the same key, without validate', async () => {
    await doubt();
    machine.clock.passMs(21 * HOUR_MS);
    machine.service.sight = 'down';
    expect(await settle()).toMatchObject({ status: 'created', ids: { request_id: 'R-77' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
    const [again, outcome] = readLines(machine.logPath).slice(-2);
    expect([again, outcome]).toMatchObject([{ event: 'sending', by: 'idempotency' }, { event: 'created' }]);
  });

  test.each([
    ['an answer that is lost again', LOST],
    ['a refusal', ['422']],
    ['an address that is gone', ['404']],
  ] as const)('An unknown request after %s is left to a person, and never sent again', async (_, answers) => {
    await doubt();
    meets(...answers);
    const arrived = machine.service.arrivals.length;
    expect(await settle()).toMatchObject({ status: 'unknown' });
    expect(machine.service.arrivals.length).toBeGreaterThan(arrived);
    expect(await machine.known(key)).toBe('parked');
    const after = machine.service.arrivals.length;
    expect(await settle()).toMatchObject({ status: 'unknown' });
    expect(await submit()).toMatchObject({ status: 'unknown' });
    expect(machine.service.arrivals).toHaveLength(after);
  });

  test('An unknown request that is older than the service’s memory is left to validate, or a person', async () => {
    await doubt({ ...PLAIN, validate: true });
    await createNeighbours(machine);
    machine.clock.passMs(25 * HOUR_MS);
    expect(await settle()).toMatchObject({ status: 'unknown' });
    machine.service.asked.length = 0;
    expect(await settle({ byValidate: true })).toMatchObject({ status: 'created' });
    // In each of two rounds, and once more alone.
    expect(machine.service.asked.filter(({ need }) => need === NEED)).toHaveLength(3);
    expect([machine.service.arrivals.length, machine.service.actsOn(NEED)]).toEqual([1, 1]);
  });

  test('An unknown request first sent without the key, or with another one, is not sent again under it', async () => {
    const known = { header: 'Idempotency-Key', format: 'text', windowSeconds: 86_400 } as const;
    for (const create of [
      { idempotency: null },
      { idempotency: { ...known, header: 'X-Request-Key' } },
      { idempotency: known, method: 'PUT' as const },
    ]) {
      const older = new Machine(contractWith({ create }));
      older.service.idempotencyHeader = HEADER;
      older.service.script(NEED, [{ answer: 'reset after writing', acts: true }]);
      await older.run(({ api, log }) => submitRequest(SUBMISSION, api, log, PLAIN));
      const acted = older.service.actsOn(NEED);
      copyFileSync(older.logPath, machine.logPath);
      older.close();
      const arrived = machine.service.arrivals.length;
      expect(await settle()).toMatchObject({ status: 'unknown' });
      expect([acted > 0, machine.service.arrivals.length]).toEqual([true, arrived]);
      machine.close();
      machine = idempotentMachine();
    }
  });
});

describe('A service that knows a key for some minutes', () => {
  const MINUTES = 60_000;
  /** What each create takes until its answer is lost. */
  const lasting = (ms: number) => {
    machine.service.meanwhile = (path) => {
      if (path === PATHS.create) machine.clock.passMs(ms);
    };
  };
  const remembering = (windowSeconds: number | null) => {
    machine.close();
    machine = idempotentMachine(windowSeconds);
    meets(...LOST, ...LOST);
  };
  const arrived = () => machine.service.arrivals.length;

  test.each([
    [300, 2 * MINUTES, 1],
    [300, 80_000, 2],
    [null, 50_000, 2],
    [120, 1, 1],
    [86_400, 2 * MINUTES, 2],
  ])('A key of %s s is repeated in time: a try of %d ms, %d times', async (windowSeconds, ms, times) => {
    remembering(windowSeconds);
    lasting(ms);
    expect(await sendOne()).toMatchObject({ status: 'unknown' });
    expect([arrived(), machine.service.actsOn(NEED)]).toEqual([times, 1]);
  });

  test('A service that knows a key for some minutes acts once, whatever is lost', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 110_000 }), { minLength: 3, maxLength: 9 });
    const answers = fc.array(fc.constantFrom(...LOST, '429', '429 for two minutes', '201 with an id'), {
      maxLength: 6,
    });
    const windows = fc.constantFrom(60, 300, 600, 3600, null);
    await fc.assert(
      fc.asyncProperty(windows, answers, waits, fc.nat(4_000_000), fc.boolean(), async (...given) => {
        const [windowSeconds, comes, lasts, laterMs, isSingle] = given;
        machine.close();
        machine = idempotentMachine(windowSeconds);
        meets(...(comes as AnswerName[]));
        const left = [...lasts];
        machine.service.meanwhile = () => machine.clock.passMs(left.shift() ?? 0);
        await (isSingle ? sendOne() : submit());
        machine.clock.passMs(laterMs);
        await settle();
        expect(machine.service.actsOn(NEED)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });
});

describe('A deliberate second send', () => {
  test('A deliberate second send has a key of its own and its run, and says so in the log', async () => {
    await submit();
    expect(await submit({ ...PLAIN, again: true })).toMatchObject({ status: 'created' });
    expect(machine.service.actsOn(NEED)).toBe(2);
    const again = readLines(machine.logPath).map((line) => 'again' in line && line.again);
    expect(again).toEqual([false, false, true, true]);
  });

  const resend = () => submit({ ...PLAIN, again: true });
  const acted = () => machine.service.actsOn(NEED);
  const mentioned = () => readLines(machine.logPath).map(({ event, again }) => `${event}${again ? ' again' : ''}`);

  test('A deliberate second send that was not taken is one in later runs, too', async () => {
    await submit();
    meets('422');
    expect(await resend()).toMatchObject({ status: 'rejected' });
    expect(acted()).toBe(1);
    expect(await submit()).toMatchObject({ status: 'created' });
    expect(acted()).toBe(2);
    expect(mentioned().slice(2)).toEqual(['sending again', 'rejected again', 'sending again', 'created again']);
  });

  test('A deliberate second send that a person calls not created is one in the next run, too', async () => {
    await submit();
    machine.service.script(NEED, [{ answer: 'reset after writing', acts: false }]);
    expect(await resend()).toMatchObject({ status: 'unknown' });
    await machine.run(async ({ log }) => {
      const doubt = await log.read(key);
      await settleByWord(log, doubt ? [doubt] : [], 'not-created');
    });
    expect(await submit()).toMatchObject({ status: 'created' });
    expect(acted()).toBe(2);
    expect(mentioned().slice(-4)).toEqual(['unknown again', 'licence again', 'sending again', 'created again']);
  });

  test('A send of what validate knows is a deliberate second send, though the log has none', async () => {
    machine.answers = await taughtAnswers();
    await submit();
    for (const end of ['', '.lock']) rmSync(machine.logPath + end);
    expect(await submit(TWICE)).toMatchObject({ status: 'created' });
    expect(acted()).toBe(2);
    expect(mentioned()).toEqual(['sending again', 'created again']);
  });

  test('A send under a licence is no deliberate second send: validate may know its first try', async () => {
    machine.answers = await taughtAnswers();
    lose();
    expect(await submit(TWICE)).toMatchObject({ status: 'unknown' });
    await machine.run(async ({ log }) => {
      const doubt = await log.read(key);
      await settleByWord(log, doubt ? [doubt] : [], 'not-created');
    });
    expect(await submit(TWICE)).toMatchObject({ status: 'created' });
    expect(acted()).toBe(1);
    expect(mentioned().some((each) => each.endsWith('again'))).toBe(false);
  });

  test('A deliberate second send has the key that FORMAT.md describes', async () => {
    const given: string[] = [];
    await machine.run(async ({ api, log }) => {
      const watched = fakeApi({
        validate: api.validate.bind(api),
        create: (...[request, intend, terms]) => {
          given.push(terms.idempotencyKey);
          return api.create(request, intend, terms);
        },
      });
      await submitRequest(SUBMISSION, watched, log, PLAIN);
      await submitRequest(SUBMISSION, watched, log, { ...PLAIN, again: true });
    });
    const digest = createHash('sha256')
      .update(JSON.stringify([key, 'run']))
      .digest('hex');
    expect(given).toEqual([key, digest.slice(0, 32)]);
  });
});

describe('Whatever happens', () => {
  const NEEDS = ['One', 'Two', 'Three'];
  const step = fc.record({ answer: fc.constantFrom(...ANSWER_NAMES), acts: fc.boolean() });
  const fate = fc.option(fc.record({ at: fc.constantFrom(...MOMENTS), time: fc.integer({ min: 1, max: 8 }) }));
  const day = fc.record({
    scripts: fc.array(fc.array(step, { maxLength: 7 }), { minLength: NEEDS.length, maxLength: NEEDS.length }),
    lagMs: fc.integer({ min: 0, max: 20_000 }),
    asks: fc.boolean(),
    death: fate,
    hours: fc.integer({ min: 0, max: 30 }),
  });

  test('Over days, with lost answers and dead processes, no row is created twice and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(day, { minLength: 1, maxLength: 4 }), async (days) => {
        const on = idempotentMachine();
        try {
          for (const each of days) {
            for (const [at, need] of NEEDS.entries()) on.service.script(need, each.scripts[at] ?? []);
            on.service.sight = { lagMs: each.lagMs };
            await on.run(
              async ({ api, log, clock, halt }) => {
                const plan = await planOf(tableOf(NEEDS), log);
                const deps = { api, log, clock, preparation: PREPARATION, halt };
                await passOf(
                  sendRows(plan, deps, { ...PLAIN, concurrency: 2, supervisor: new Supervisor(null, 0) }),
                  plan,
                  halt,
                );
                await settlePlan({ api, log, clock, halt }, plan, { byValidate: each.asks });
              },
              { life: new Life(each.death) },
            );
            await expectNothingLostOrDoubled(on, NEEDS);
            on.clock.passMs(each.hours * HOUR_MS);
          }
        } finally {
          on.close();
        }
      }),
      { numRuns: 100 },
    );
  });
});

async function expectNothingLostOrDoubled(on: Machine, needs: readonly string[]): Promise<void> {
  const { ledger } = await planOf(tableOf(needs), { lookup: () => 'none' });
  for (const [at, need] of needs.entries()) {
    const acts = on.service.actsOn(need);
    expect(acts, `creations of "${need}"`).toBeLessThanOrEqual(1);
    if (acts === 0) continue;
    const state = await on.known(ledger.key(at + 1) ?? '');
    expect([need, state]).toEqual([need, expect.stringMatching(/^(?:created|duplicate|sending|unknown|parked)$/)]);
  }
}
