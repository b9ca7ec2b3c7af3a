import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SubmitOptions, submitRequest } from '../../src/delivery/submit.ts';
import { PATHS } from '../../src/request/contract/wire.ts';
import { readAll } from '../doors/log.ts';
import { submissionOf } from './leads.ts';
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

describe('A request', () => {
  test('A request is in the log when it arrives at the service, and created when its result is given', async () => {
    machine.answers = await taughtAnswers();
    const known: string[] = [];
    machine.service.meanwhile = async (path) => {
      known.push(`${path} ${await machine.known(key)}`);
    };
    expect(await submit()).toMatchObject({
      row: 12,
      status: 'created',
      ref: 'A-12',
      key,
      ids: { request_id: 'R-77' },
      http: 201,
      unreadable: false,
      unrecorded: false,
      stop: null,
    });
    expect(known).toEqual([`${PATHS.validate} none`, `${PATHS.create} sending`]);
    expect(await machine.known(key)).toBe('created');
  });
});

describe('A pause between two tries', () => {
  test('A pause between two tries counts for the age of an unknown request: it begins with the last try', async () => {
    meets('429 for two minutes', '201 with an id');
    machine.service.sight = { lagMs: 20_000 };
    expect(await submitAndDie({ at: 'the answer', time: 2 }, PLAIN)).toBe('died');
    await createNeighbours(machine);
    expect(machine.service.actsOn(NEED)).toBe(1);
    expect(await machine.run(settle)).toMatchObject({ status: 'created' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('A pause between two tries is not unknown to another process, which leaves the request alone', async () => {
    let other: unknown;
    machine.service.meanwhile = async () => {
      machine.service.meanwhile = () => {};
      other = await machine.run(settle, { exclusive: false });
    };
    meets('429 for two minutes', '201 with an id');
    expect(await submit(UNCHECKED)).toMatchObject({ status: 'created' });
    expect(other).toMatchObject({ status: 'unknown' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });

  test('A pause in which another process sends the request ends the tries of this one', async () => {
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
    expect(await submit(UNCHECKED)).toMatchObject({ status: 'repeated', ids: { request_id: 'R-77' } });
    expect(other).toMatchObject({ status: 'created' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });
});

describe('What another process recorded while this one had sent nothing', () => {
  const createElsewhere = async () => {
    machine.service.meanwhile = () => {};
    await machine.run(({ api, log }) => submitRequest(SUBMISSION, api, log, UNCHECKED), { exclusive: false });
  };

  test('What another process recorded is not covered up by a validate that failed', async () => {
    machine.service.sight = 'down';
    machine.service.meanwhile = createElsewhere;
    expect(await submit()).toMatchObject({ status: 'repeated', ids: { request_id: 'R-77' } });
    expect(await machine.known(key)).toBe('created');
    const records = await readAll(machine.logPath);
    expect(records).toMatchObject([{ event: 'created', ids: { request_id: 'R-77' } }]);
  });

  test('What another process recorded is not covered up by a validate that sees what it created', async () => {
    machine.service.meanwhile = createElsewhere;
    await submit();
    expect(await readAll(machine.logPath)).toMatchObject([{ event: 'created', ids: { request_id: 'R-77' } }]);
  });

  test('What another process recorded decides: no second request is sent', async () => {
    machine.service.sight = 'always clear';
    machine.service.meanwhile = createElsewhere;
    expect(await submit()).toMatchObject({ status: 'repeated' });
    expect(machine.service.actsOn(NEED)).toBe(1);
  });
});
