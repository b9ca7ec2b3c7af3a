import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuseUnsent, type SubmitOptions, submitRequest } from '../../src/delivery/submit.ts';
import { PATHS } from '../../src/request/wire.ts';
import { failureOf, readAll } from '../helpers/log-subjects.ts';
import { readLines, submissionOf } from './leads.ts';
import { type Death, Life } from './life.ts';
import { Machine, type Process, taughtAnswers } from './processes.ts';
import type { Step } from './scripted-service.ts';
import { createNeighbours, settleOne } from './settling.ts';

const PLAIN: SubmitOptions = { validate: true, onDuplicate: 'skip', again: false };
const UNCHECKED: SubmitOptions = { ...PLAIN, validate: false };
const NEED = 'Pintar a sala';
const SUBMISSION = submissionOf(NEED, 12);
const { key } = SUBMISSION;

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.close());

const meets = (...answers: Step['answer'][]) =>
  machine.service.script(
    NEED,
    answers.map((answer) => ({ answer, acts: true })),
  );

const submit = (options = PLAIN) => machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options));

const submitAndDie = (death: Death, options = UNCHECKED) =>
  machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, options), { life: new Life(death) });

const settle = (process: Process) => settleOne(process, NEED, { resend: UNCHECKED });

// Without it a worker would record a lead as failed that another one has just brought home.
test('a request that a worker must not send is told as a store has it, of which it knows nothing before it has asked', async () => {
  await submit();
  const told = await machine.run(({ log }) => {
    const fetched = new Set<string>();
    const remote = Object.assign(Object.create(log), {
      prefetch: async (keys: readonly string[]) => {
        await new Promise(setImmediate);
        for (const each of keys) fetched.add(each);
      },
      lookup: (each: string) => (fetched.has(each) ? log.lookup(each) : 'none'),
      read: (each: string) => log.read(each),
      outcome: () => expect.fail('It was recorded.'),
    });
    const outcome = { status: 'failed', ids: {}, http: null, ms: null, message: 'No.', raw: null } as const;
    return refuseUnsent(SUBMISSION, remote, outcome);
  });
  expect(told).toMatchObject({ result: { status: 'repeated', ids: { request_id: 'R-77' } } });
});

describe('A request', () => {
  test('is in the log as being sent when it arrives at the service, and as created when its result is given', async () => {
    machine.answers = await taughtAnswers();
    const known: string[] = [];
    machine.service.meanwhile = async (path) => {
      known.push(`${path} ${await machine.known(key)}`);
    };
    expect(await submit()).toMatchObject({
      result: { row: 12, status: 'created', ref: 'A-12', key, ids: { request_id: 'R-77' }, http: 201 },
      unreadable: false,
      unrecorded: false,
      stop: null,
    });
    expect(known).toEqual([`${PATHS.validate} none`, `${PATHS.create} sending`]);
    expect(await machine.known(key)).toBe('created');
  });

  test('that was created before is told from the log, with its identifiers and without a call', async () => {
    await submit();
    machine.service.meanwhile = (path) => expect.fail(`called ${path}`);
    const result = { status: 'repeated', ids: { request_id: 'R-77' }, message: expect.stringContaining('2026-11-21') };
    expect(await submit()).toMatchObject({ result });
  });

  test('that was created before is sent once more where that is asked for', async () => {
    await submit();
    expect(await submit({ ...UNCHECKED, again: true })).toMatchObject({ result: { status: 'created' } });
    expect(machine.service.actsOn(NEED)).toBe(2);
  });

  test.each([
    ['reset after writing', UNCHECKED],
    ['reset after writing', { ...UNCHECKED, again: true }],
    ['500', { ...UNCHECKED, again: true, onDuplicate: 'create' }],
  ] as const)('in doubt after "%s" is not sent whatever is asked for', async (answer, options) => {
    meets(answer);
    expect(await submit(UNCHECKED)).toMatchObject({ result: { status: 'unknown' } });
    expect(await submit(options)).toMatchObject({ result: { status: 'unknown', key } });
    expect(machine.service.arrivals).toHaveLength(1);
  });

  test.each(['after the intent', 'the arrival', 'the answer', 'the record'] as const)(
    'whose process ends at "%s" is in doubt, and not sent again',
    async (at) => {
      expect(await submitAndDie({ at, time: 1 })).toBe('died');
      expect(await submit()).toMatchObject({ result: { status: 'unknown' } });
      expect(machine.service.arrivals.length).toBeLessThanOrEqual(1);
    },
  );

  test('whose process ends before the intent is as if it had never been', async () => {
    await submitAndDie({ at: 'the intent', time: 1 });
    expect(await machine.known(key)).toBe('none');
    expect(await submit()).toMatchObject({ result: { status: 'created' } });
  });
});

describe('Validate', () => {
  const isThere = async () => {
    machine.answers = await taughtAnswers();
    machine.service.acts.push({ need: NEED, atMs: 0 });
  };

  test('that says duplicate ends the request, and the next run asks nothing', async () => {
    await isThere();
    expect(await submit()).toMatchObject({ result: { status: 'duplicate', http: 200 } });
    machine.service.meanwhile = (path) => expect.fail(`called ${path}`);
    expect(await submit()).toMatchObject({ result: { status: 'duplicate' } });
  });

  test('that says duplicate does not count where duplicates are wanted, and clears nothing', async () => {
    await isThere();
    expect(await submit({ ...PLAIN, onDuplicate: 'create' })).toMatchObject({ result: { status: 'created' } });
    expect(readLines(machine.logPath)).toMatchObject([{ event: 'sending', again: true }, { event: 'created' }]);
  });

  test('that cannot be read any more leaves the request uncreated', async () => {
    machine.answers = await taughtAnswers();
    machine.service.sight = 'unreadable';
    expect(await submit()).toMatchObject({ result: { status: 'failed' }, unreadable: true });
  });

  test.each([
    ['always duplicate', true],
    ['down', false],
  ] as const)('that is %s leaves the request uncreated and to be sent by the next run', async (sight, unreadable) => {
    machine.answers = await taughtAnswers();
    machine.service.sight = sight;
    expect(await submit()).toMatchObject({ result: { status: 'failed' }, unreadable, stop: null });
    expect(machine.service.arrivals).toEqual([]);
    machine.service.sight = { lagMs: 0 };
    expect(await submit()).toMatchObject({ result: { status: 'created' } });
  });
});

describe('An answer of success that proves nothing', () => {
  test.each(['200 web page', '200 with half an answer', '200 refused', '200 empty'] as const)(
    'leaves the request in doubt: %s',
    async (answer) => {
      meets(answer);
      const submitted = await submit(UNCHECKED);
      expect(submitted).toMatchObject({ result: { status: 'unknown', ids: {} } });
      expect(submitted === 'died' ? null : submitted.unproven?.http).toBe(200);
      expect(readLines(machine.logPath).at(-1)).toMatchObject({ event: 'unknown', http: 200 });
    },
  );

  test('is confirmed by a validate that had called the request clear and sees it now', async () => {
    meets('200 empty');
    machine.service.sight = { lagMs: 5_000 };
    expect(await submit(PLAIN)).toMatchObject({ result: { status: 'created' }, unproven: null });
    const events = readLines(machine.logPath).map(({ event, by = null }) => [event, by]);
    expect(events).toEqual([
      ['sending', 'clear'],
      ['unknown', 'clear'],
      ['created', null],
    ]);
  });

  test.each(['200 web page', '200 with half an answer'] as const)(
    'is not confirmed at once where it cannot be read, but by the witness in the end: %s',
    async (answer) => {
      meets(answer);
      expect(await submit(PLAIN)).toMatchObject({ result: { status: 'unknown' }, unproven: { http: 200, form: null } });
      await createNeighbours(machine);
      expect(await machine.run(settle)).toMatchObject({ result: { status: 'created' } });
      expect(readLines(machine.logPath).at(-1)).toMatchObject({ event: 'created', by: 'validate' });
      expect(machine.service.actsOn(NEED)).toBe(1);
    },
  );

  test('is not confirmed by a validate that never sees it, nor where nobody asked before', async () => {
    meets('200 empty');
    machine.service.sight = 'always clear';
    expect(await submit(PLAIN)).toMatchObject({ result: { status: 'unknown' }, unproven: { http: 200 } });
    expect(machine.service.arrivals).toHaveLength(1);
  });
});

test('a fault of srq after the request was written ends the row in doubt and the run, without the words of the error', async () => {
  const badly = () => {
    throw new RangeError('Pintar a sala da Ana');
  };
  const failing = { create: (_: unknown, intend: () => Promise<boolean>) => intend().then(badly) };
  const submitted = await machine.run(({ log }) =>
    submitRequest(SUBMISSION, failing as unknown as Process['api'], log, UNCHECKED),
  );
  expect(submitted).toMatchObject({ result: { status: 'unknown' }, stop: { code: 'fault' } });
  expect(readLines(machine.logPath).map(({ event }) => event)).toEqual(['sending', 'unknown']);
  expect(JSON.stringify(submitted)).not.toContain('Ana');
});

describe('A log that fails', () => {
  test('before the intent is durable: nothing is sent, and it is thrown', async () => {
    const failure = await failureOf(
      machine.run(({ api, log }) => {
        rmSync(machine.logPath);
        return submitRequest(SUBMISSION, api, log, UNCHECKED);
      }),
    );
    expect(failure.code).toBe('log');
    expect(machine.service.arrivals).toEqual([]);
  });

  test('between two tries, of which the first was not taken: that is told, marked as recorded nowhere', async () => {
    meets('429');
    machine.service.meanwhile = () => rmSync(machine.logPath);
    expect(await submit(UNCHECKED)).toMatchObject({
      result: { status: 'failed', reason: 'request.not-sent' },
      unrecorded: true,
      stop: { code: 'log' },
    });
    expect(machine.service.arrivals).toHaveLength(1);
  });

  test('after the answer: the result comes back whole, marked as recorded nowhere, and ends the run', async () => {
    machine.service.meanwhile = () => rmSync(machine.logPath);
    expect(await submit(UNCHECKED)).toMatchObject({
      result: { status: 'created', ids: { request_id: 'R-77' } },
      unrecorded: true,
      stop: { code: 'log' },
    });
  });
});

describe('A pause between two tries', () => {
  test('counts for the age of a doubt: that begins with the last try', async () => {
    meets('429 for two minutes', '201 with an id');
    machine.service.sight = { lagMs: 20_000 };
    expect(await submitAndDie({ at: 'the answer', time: 2 }, PLAIN)).toBe('died');
    await createNeighbours(machine);
    expect(machine.service.actsOn(NEED)).toBe(1);
    expect(await machine.run(settle)).toMatchObject({ result: { status: 'created' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('is not taken for a doubt by another process, which leaves the request alone', async () => {
    let other: unknown;
    machine.service.meanwhile = async () => {
      machine.service.meanwhile = () => {};
      other = await machine.run(settle, { exclusive: false });
    };
    meets('429 for two minutes', '201 with an id');
    expect(await submit(UNCHECKED)).toMatchObject({ result: { status: 'created' } });
    expect(other).toMatchObject({ result: { status: 'unknown' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('in which a person has the request sent by another process ends the tries of this one', async () => {
    // The first create waits for its answer while the other process has its turn; the answer is a 429, its second try is due.
    let other: unknown;
    machine.service.meanwhile = async () => {
      machine.service.meanwhile = () => {};
      const resend: typeof settle = async ({ api, log }) => {
        await log.licence({ key, row: 12, ref: null }, 'sending', 'person');
        return submitRequest(SUBMISSION, api, log, UNCHECKED);
      };
      other = await machine.run(resend, { exclusive: false });
    };
    meets('201 with an id', '429 for two minutes', '201 with an id');
    expect(await submit(UNCHECKED)).toMatchObject({ result: { status: 'repeated', ids: { request_id: 'R-77' } } });
    expect(other).toMatchObject({ result: { status: 'created' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });
});

describe('What another process recorded while this one had sent nothing', () => {
  const createElsewhere = async () => {
    machine.service.meanwhile = () => {};
    await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED), { exclusive: false });
  };

  test('is not covered up by a validate that failed', async () => {
    machine.service.sight = 'down';
    machine.service.meanwhile = createElsewhere;
    expect(await submit()).toMatchObject({ result: { status: 'repeated', ids: { request_id: 'R-77' } } });
    expect(await machine.known(key)).toBe('created');
    const records = await readAll(machine.logPath);
    expect(records).toMatchObject([{ event: 'created', ids: { request_id: 'R-77' } }]);
  });

  test('is not covered up by a validate that sees what the other created', async () => {
    machine.service.meanwhile = createElsewhere;
    await submit();
    expect(await readAll(machine.logPath)).toMatchObject([{ event: 'created', ids: { request_id: 'R-77' } }]);
  });

  test('decides: no second request is sent', async () => {
    machine.service.sight = 'always clear';
    machine.service.meanwhile = createElsewhere;
    expect(await submit()).toMatchObject({ result: { status: 'repeated' } });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });
});
