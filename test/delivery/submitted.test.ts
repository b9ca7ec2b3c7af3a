import { describe, expect, test } from 'vitest';
import { loggedStatus } from '../../src/delivery/sent-before.ts';
import { submitOne } from '../../src/delivery/settle-by-key.ts';
import { type SettleOptions, settleRows } from '../../src/delivery/settle-rows.ts';
import { type SubmitOptions, subjectOf, submitRequest } from '../../src/delivery/submit.ts';
import { repetitionKey } from '../../src/request/lead/service-request.ts';
import type { Outcome } from '../../src/request/log/outcome.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import type {
  CreateResult,
  DeliveryLog,
  MarketplaceApi,
  OutcomeOptions,
  SendingOptions,
  ValidateResult,
} from '../../src/request/ports.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { MemoryLog } from '../doors/memory-log.ts';
import { answered, fakeApi, unprovenAnswer, validated } from '../helpers/fake-api.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { PREPARATION, passOf, planOf, submissionOf, tableOf } from './leads.ts';

const SUBMISSION = submissionOf('Pintar', 5);
const { key } = SUBMISSION;
const NOW_MS = Date.UTC(2026, 10, 21);
const PLAIN: SubmitOptions = { validate: false, onDuplicate: 'skip', again: false };
const AWAY = new SrqError('log.unwritable', 'The log is full.');
const MOVED = new SrqError('service.failed', 'The service moved.');
const OUTCOME: Outcome = { status: 'created', ids: { id: 'R-1' }, http: 201, message: null, raw: null, ms: 7 };
const UNPROVEN = unprovenAnswer({ text: '204 empty', http: 204, ids: { id: 'R-2' } });
const CLEAR = validated('clear');
/** The answer to a create whose turn never came. */
const NOT_WRITTEN = answered({ status: 'failed' }, { stop: MOVED });
const SEEN = answered({ status: 'created', http: 204, ids: { id: 'R-2' } });
const NOT_SEEN = answered({ status: 'unknown' }, { stop: MOVED });

/** A process on a log in memory, with what it asked and noted. */
class Bench {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryLog(() => NOW_MS + this.clock.nowMs());
  readonly told: string[] = [];
  readonly noted: object[] = [];
  validated: ValidateResult | SrqError = CLEAR;
  created: CreateResult | null = answered(OUTCOME);
  proof: CreateResult | Error | null = SEEN;
  idempotencyWindowMs: number | null = null;
  wireForm: string | null = 'one form';
  /** The form that each intent and each outcome names. */
  readonly wireForms: unknown[] = [];
  logChanges: Partial<DeliveryLog> = {};
  isWritten = true;

  get log(): DeliveryLog {
    const own = this.memory.openAs('this run');
    const outcome: DeliveryLog['outcome'] = (subject, given, how) => {
      this.noted.push({ subject, ...given, how: this.#withoutWireForm(how) });
      return own.outcome(subject, given, how);
    };
    const sending: DeliveryLog['sending'] = (subject, seen, how) => {
      this.told.push(`intends after ${seen} ${JSON.stringify(this.#withoutWireForm(how))}`);
      return own.sending(subject, seen, how);
    };
    return { ...own, outcome, sending, ...this.logChanges };
  }

  #withoutWireForm({ wireForm, ...how }: OutcomeOptions | SendingOptions = {}) {
    this.wireForms.push(wireForm);
    return how;
  }

  get api(): MarketplaceApi {
    return fakeApi({
      idempotencyWindowMs: this.idempotencyWindowMs,
      wireForm: this.wireForm,
      validate: async () => {
        this.told.push('validates');
        if (this.validated instanceof SrqError) throw this.validated;
        return this.validated;
      },
      prove: async () => {
        this.told.push('proves');
        if (this.proof instanceof Error) throw this.proof;
        return this.proof;
      },
      create: async (_, intend, { idempotencyKey, writeLeaseMs = null }) => {
        this.told.push(`creates under ${idempotencyKey === key ? 'its key' : idempotencyKey} within ${writeLeaseMs}`);
        if (this.isWritten && !(await intend())) return null;
        return this.created;
      },
    });
  }

  /** Leaves the request in this state, as another run did. */
  async knows(state: 'created' | 'duplicate' | 'rejected' | 'failed' | 'unknown' | 'sending' | 'licensed' | 'parked') {
    const other = this.memory.openAs('another run');
    const subject = subjectOf(SUBMISSION);
    const how = { wireForm: this.wireForm };
    if (state === 'sending') await other.sending(subject, 'none', how);
    else if (state === 'licensed' || state === 'parked') {
      await other.outcome(subject, { ...OUTCOME, status: 'unknown' });
      await other.licence(subject, 'unknown', 'person');
      if (state === 'parked') await other.outcome(subject, { ...OUTCOME, status: 'unknown' });
    } else await other.outcome(subject, { ...OUTCOME, status: state }, how);
    return this;
  }

  submit(options: Partial<SubmitOptions> = {}) {
    return submitRequest(SUBMISSION, this.api, this.log, { ...PLAIN, ...options });
  }
}

test.each<
  [LoggedState, ReturnType<typeof loggedStatus>, ReturnType<typeof loggedStatus>, ReturnType<typeof loggedStatus>]
>([
  ['none', null, null, null],
  ['sending', 'unknown', 'unknown', 'unknown'],
  ['unknown', 'unknown', 'unknown', 'unknown'],
  ['parked', 'unknown', 'unknown', 'unknown'],
  ['created', 'repeated', 'repeated', null],
  ['duplicate', 'duplicate', null, null],
  ['rejected', null, null, null],
  ['failed', null, null, null],
  ['licensed', null, null, null],
])(
  'a request that the log knows as %s has the status %s, %s where duplicates are wanted, %s where all is sent again',
  (state, usual, wanted, again) => {
    expect([
      loggedStatus(state, { onDuplicate: 'skip', again: false }),
      loggedStatus(state, { onDuplicate: 'create', again: false }),
      loggedStatus(state, { onDuplicate: 'skip', again: true }),
    ]).toEqual([usual, wanted, again]);
  },
);

describe('A request that is sent', () => {
  test.each([
    ['none', false, key, 'again":false'],
    ['created', true, repetitionKey(key, 'this run'), 'again":true'],
    ['duplicate', true, repetitionKey(key, 'this run'), 'again":true'],
    // What was never taken has no first send that this could be a second one of.
    ['failed', true, key, 'again":false'],
    ['none', true, key, 'again":false'],
    ['failed', false, key, 'again":false'],
  ] as const)(
    'A request known as %s, again: %s, has a key of its own if it is a second time',
    async (state, again, used, said) => {
      const bench = new Bench();
      if (state !== 'none') await bench.knows(state);
      await bench.submit({ again });
      expect(bench.told[0]).toBe(`creates under ${used === key ? 'its key' : used} within null`);
      expect(bench.told[1]).toContain(said);
      expect(bench.noted).toMatchObject([{ how: { again: said.endsWith('true') } }]);
    },
  );

  test('A request sent on a licence is recorded as such with each try', async () => {
    const bench = await new Bench().knows('licensed');
    const { api } = bench;
    const create: MarketplaceApi['create'] = async (request, intend, ...more) => {
      await intend();
      return api.create(request, intend, ...more);
    };
    await submitRequest(SUBMISSION, { ...api, create }, bench.log, PLAIN);
    expect(bench.told.filter((each) => each.startsWith('intends'))).toEqual([
      'intends after licensed {"again":false,"wasClear":false}',
      'intends after parked {"again":false,"wasClear":false}',
    ]);
    const plain = new Bench();
    const twice: MarketplaceApi['create'] = async (request, intend, ...more) => {
      await intend();
      return plain.api.create(request, intend, ...more);
    };
    await submitRequest(SUBMISSION, { ...plain.api, create: twice }, plain.log, PLAIN);
    expect(plain.told.at(-1)).toBe('intends after sending {"again":false,"wasClear":false}');
  });

  test('A request that was seen but not written is recorded as seen, for another may know more', async () => {
    const bench = new Bench();
    bench.isWritten = false;
    bench.created = NOT_WRITTEN;
    expect(await bench.submit()).toMatchObject({
      status: 'failed',
      reason: 'request.not-sent',
      stop: MOVED,
      isFromLog: false,
    });
    expect(bench.noted).toMatchObject([{ status: 'failed', how: { seen: 'none' } }]);
  });

  test('A request that was not written is reported as created if another process has created it meanwhile', async () => {
    const bench = new Bench();
    const create = async () => {
      await bench.knows('created');
      return NOT_WRITTEN;
    };
    const sent = await submitRequest(SUBMISSION, { ...bench.api, create }, bench.log, PLAIN);
    expect(sent).toMatchObject({ status: 'repeated', ids: { id: 'R-1' }, stop: MOVED, isFromLog: true });
  });

  test.each<[LoggedState, object]>([
    [
      'created',
      {
        status: 'repeated',
        message: 'Already created on 2026-11-21T00:00:00.000Z, according to the log.',
        ids: { id: 'R-1' },
      },
    ],
    [
      'duplicate',
      { status: 'duplicate', message: 'Found to be a duplicate on 2026-11-21T00:00:00.000Z, according to the log.' },
    ],
    ['unknown', { status: 'unknown', ids: {}, reason: 'request.in-doubt' }],
    ['none', { status: 'unknown', ids: {}, reason: 'request.in-doubt' }],
  ])('A request that another process made %s meanwhile is reported as that', async (state, result) => {
    const bench = new Bench();
    if (state !== 'none') await bench.knows(state as 'created');
    const seen = [state === 'none' ? 'none' : 'failed', state] as LoggedState[];
    bench.logChanges = { lookup: () => seen.shift() ?? state, sending: async () => false };
    expect(await bench.submit()).toMatchObject({ ...result, isFromLog: true, unrecorded: false });
  });
});

describe('Validate that is asked before', () => {
  test('A validate with a fault ends the row as failed, and the run', async () => {
    const bench = new Bench();
    const faulty = { ...bench.api, validate: () => Promise.reject(new TypeError('Ana')) };
    const submitted = await submitRequest(SUBMISSION, faulty, bench.log, { ...PLAIN, validate: true });
    expect(submitted).toMatchObject({
      status: 'failed',
      message: 'srq failed on row 5 (TypeError).',
      reason: 'request.not-sent',
      ...{ isFromLog: false, unrecorded: false, stop: { reason: 'srq.fault' } },
    });
    expect([bench.noted, JSON.stringify(submitted).includes('Ana')]).toEqual([[], false]);
    const odd = { ...bench.api, validate: () => Promise.reject('Ana') };
    const named = await submitRequest(SUBMISSION, odd, bench.log, { ...PLAIN, validate: true });
    expect(named.message).toBe('srq failed on row 5 (an error).');
  });

  test.each<['created' | 'duplicate', Partial<SubmitOptions>]>([
    ['created', { again: true }],
    ['duplicate', { again: true }],
    ['duplicate', { onDuplicate: 'create' }],
  ])('Validate about a request that the log knows as %s, with %j, records nothing', async (state, options) => {
    const bench = await new Bench().knows(state);
    bench.validated = { ...CLEAR, verdict: 'unknown', refused: 'rejected', http: 422, message: 'No.' };
    const submitted = await bench.submit({ validate: true, ...options });
    expect(submitted).toMatchObject({ status: 'rejected', isFromLog: false });
    expect([bench.noted, bench.memory.state(key)]).toEqual([[], state]);
    // Nor does a create whose turn never came.
    bench.isWritten = false;
    bench.created = NOT_WRITTEN;
    expect(await bench.submit(options)).toMatchObject({ status: 'failed', stop: MOVED, isFromLog: false });
    expect([bench.noted, bench.memory.state(key)]).toEqual([[], state]);
  });
});

describe('A success that proves nothing', () => {
  const unproven = answered({ ...OUTCOME, status: 'unknown', http: 204, ids: {} }, { unproven: UNPROVEN });
  const sent = async (
    proof: CreateResult | Error | null,
    changes: Partial<CreateResult> = {},
    options: Partial<SubmitOptions> = { validate: true },
  ) => {
    const bench = new Bench();
    bench.proof = proof;
    bench.created = { ...unproven, ...changes };
    return { submitted: await bench.submit(options), bench };
  };

  test('A success that proves nothing is created where validate sees it, with its identifiers', async () => {
    const { submitted, bench } = await sent(SEEN);
    expect(submitted).toMatchObject({
      status: 'created',
      http: 204,
      ids: { id: 'R-2' },
      message: null,
      ...{ unproven: null, stop: null, isFromLog: false },
    });
    expect(bench.noted).toMatchObject([
      { status: 'unknown', how: { wasClear: true } },
      { status: 'created', raw: null, how: { seen: 'unknown' } },
    ]);
    // It may be a witness for validate later.
    expect(Object(bench.noted.at(-1)).how).not.toHaveProperty('by');
  });

  test('A success that proves nothing is what its proof says, also in words', async () => {
    const { submitted } = await sent(answered({ status: 'duplicate', http: 409, message: 'Known.' }));
    expect(submitted).toMatchObject({ status: 'duplicate', ids: {}, message: 'Known.' });
  });

  test.each<[string, CreateResult | Error | null, unknown]>([
    ['is not seen', null, null],
    ['is not seen, and the run has to end', NOT_SEEN, MOVED],
    ['ends the run when it is asked about', MOVED, MOVED],
  ])('A success that proves nothing stays unknown where it %s', async (_, proof, stop) => {
    const { submitted, bench } = await sent(proof);
    expect(submitted).toMatchObject({ status: 'unknown', unproven: UNPROVEN, stop });
    expect(bench.noted).toHaveLength(1);
  });

  test('A success that proves nothing is a fault where the question is one', async () => {
    expect((await sent(new TypeError('ours'))).submitted.stop).toMatchObject({ reason: 'srq.fault' });
  });

  test.each<[string, Partial<CreateResult>, Partial<SubmitOptions>]>([
    ['validate was not asked before', {}, {}],
    ['it ended the run', { stop: MOVED }, { validate: true }],
    ['it is none', { unproven: null }, { validate: true }],
  ])('A success that proves nothing is not asked about where %s', async (_, changes, options) => {
    const { bench } = await sent(SEEN, changes, options);
    expect(bench.told).not.toContain('proves');
  });

  test('A success that proves nothing is not asked about if it could not be recorded as unknown', async () => {
    const bench = new Bench();
    bench.created = unproven;
    bench.logChanges = { outcome: () => Promise.reject(AWAY) };
    expect(await bench.submit({ validate: true })).toMatchObject({ unrecorded: true, stop: AWAY });
    expect(bench.told).not.toContain('proves');
  });
});

describe('An identifier that another request has, too', () => {
  const other = submissionOf('Limpar', 2);
  /** The other request is known as created, or not. */
  const sentBeside = async (status: 'created' | 'duplicate', changes: (bench: Bench) => void) => {
    const bench = new Bench();
    await bench.memory.openAs('this run').outcome(subjectOf(other), { ...OUTCOME, status });
    changes(bench);
    return { bench, submitted: await bench.submit({ validate: true }) };
  };
  const both = (bench: Bench) => {
    bench.created = answered({ ...OUTCOME, status: 'unknown', ids: {} }, { stop: MOVED, sameAs: other.key });
  };

  test('An identifier that two requests get makes both unknown, and stops the run', async () => {
    const { bench, submitted } = await sentBeside('created', both);
    expect(submitted).toMatchObject({
      ...{ row: 5, status: 'unknown', stop: MOVED },
      alsoUnknown: { row: 2, ref: 'A-2', key: other.key, status: 'unknown', ids: {}, reason: 'request.in-doubt' },
    });
    expect([bench.memory.state(key), bench.memory.state(other.key)]).toEqual(['unknown', 'unknown']);
  });

  test('An identifier of a request without a readable record does not stop the record of this one', async () => {
    const { bench, submitted } = await sentBeside('created', (each) => {
      both(each);
      each.logChanges = { read: () => Promise.reject(AWAY) };
    });
    expect(submitted).toMatchObject({ status: 'unknown', unrecorded: false, stop: AWAY, alsoUnknown: null });
    expect(bench.memory.state(key)).toBe('unknown');
  });

  test('An identifier that two requests get is noticed when validate is asked, too', async () => {
    const { bench, submitted } = await sentBeside('created', (each) => {
      each.created = answered({ ...OUTCOME, status: 'unknown' }, { unproven: UNPROVEN });
      each.proof = { ...NOT_SEEN, sameAs: other.key };
    });
    expect(submitted).toMatchObject({ status: 'unknown', stop: MOVED, alsoUnknown: { row: 2 } });
    expect(bench.memory.state(other.key)).toBe('unknown');
  });

  test('An identifier of a request that was not created changes nothing about that one', async () => {
    const { bench, submitted } = await sentBeside('duplicate', both);
    expect([submitted.alsoUnknown, bench.memory.state(other.key)]).toEqual([null, 'duplicate']);
  });
});

test('a fault after the intent leaves the row unknown, and one before it failed', async () => {
  for (const [intends, status] of [
    [true, 'unknown'],
    [false, 'failed'],
  ] as const) {
    const bench = new Bench();
    const create: MarketplaceApi['create'] = async (_, intend) => {
      if (intends) await intend();
      throw new RangeError('Ana');
    };
    const submitted = await submitRequest(SUBMISSION, { ...bench.api, create }, bench.log, PLAIN);
    expect(submitted).toMatchObject({ status, isFromLog: false, stop: { reason: 'srq.fault' } });
    expect(bench.noted).toHaveLength(intends ? 1 : 0);
  }
});

describe('A request in doubt', () => {
  /** Settles it as the only row of a file. Undefined if its outcome is known. */
  const settle = async (bench: Bench, changes: Partial<SettleOptions> = {}, api = bench.api) => {
    const plan = await planOf(tableOf(['Pintar']), { lookup: () => 'unknown' });
    const { clock, log } = bench;
    const options = { resend: PLAIN, byValidate: false, settleMs: null, isProxied: false, waiting: () => {} };
    const deps = { api, log, clock, preparation: PREPARATION, halt: new AbortController() };
    const settling = passOf(settleRows(plan, deps, { ...options, ...changes }), plan, deps.halt);
    const [submitted] = (await bench.clock.until(settling)).yielded;
    return submitted ?? expect.fail('It was not settled.');
  };

  test.each([
    ['sending', 0, true],
    ['sending', 1, false],
    // The record of an outcome tells that its try was 7 ms before it.
    ['unknown', 7, true],
    ['unknown', 8, false],
  ] as const)(
    'An unknown request of %s, dated %d ms ahead, is sent if its first try is not: %s',
    async (state, ms, isRepeated) => {
      const bench = await new Bench().knows(state);
      bench.idempotencyWindowMs = 1_000;
      bench.logChanges = { nowMs: () => NOW_MS - ms };
      await settle(bench);
      expect(bench.told.some((each) => each.startsWith('creates'))).toBe(isRepeated);
    },
  );

  test('An unknown request is not written again where its key may be forgotten by its turn', async () => {
    const bench = await new Bench().knows('unknown');
    bench.idempotencyWindowMs = 1_000;
    const create: MarketplaceApi['create'] = async (_, intend) => {
      await bench.clock.sleep(2_000);
      return (await intend()) ? expect.fail('It was written.') : null;
    };
    expect(await settle(bench, {}, { ...bench.api, create })).toMatchObject({
      status: 'unknown',
      stop: null,
    });
    expect(bench.told).toEqual([]);
  });

  test('An unknown request that another has settled meanwhile is neither written nor recorded', async () => {
    const bench = await new Bench().knows('unknown');
    bench.idempotencyWindowMs = 10_000;
    bench.logChanges = { sending: async () => false };
    let isWritten: boolean | null = null;
    const create: MarketplaceApi['create'] = async (_, intend) => {
      isWritten = await intend();
      return isWritten ? bench.created : null;
    };
    expect(await settle(bench, {}, { ...bench.api, create })).toMatchObject({
      status: 'unknown',
      stop: null,
    });
    expect([isWritten, bench.noted]).toEqual([false, []]);
  });
});

describe('A single request', () => {
  const sent = (bench: Bench, options: Partial<SubmitOptions> = {}) =>
    bench.clock.until(submitOne(SUBMISSION, { api: bench.api, log: bench.log }, { ...PLAIN, ...options }));

  test('A single deliberate second send has a key of its own each time', async () => {
    const bench = await new Bench().knows('created');
    await sent(bench, { again: true });
    await sent(bench, { again: true });
    const used = bench.told.filter((each) => each.startsWith('creates'));
    expect([used.length, new Set(used).size]).toEqual([2, 2]);
  });

  test('A single unknown request is repeated under its key, or else left alone', async () => {
    const known = await new Bench().knows('unknown');
    known.idempotencyWindowMs = 10_000;
    expect(await sent(known)).toMatchObject({ status: 'created' });
    const old = await new Bench().knows('unknown');
    await old.clock.until(old.clock.sleep(30 * 60_000));
    expect(await sent(old, { validate: true })).toMatchObject({ status: 'unknown', stop: null });
    expect([old.told, old.noted]).toEqual([[], []]);
  });

  test('A single request that another process has in hand, or had until it was killed, is told as that', async () => {
    const bench = await new Bench().knows('sending');
    bench.logChanges = { mayBeUnderWay: () => true };
    const message = 'It is still under way, or its outcome is unknown; it is not sent again until that is settled.';
    expect(await sent(bench)).toMatchObject({ status: 'unknown', message });
    expect([bench.told, bench.noted]).toEqual([[], []]);
  });

  test('A single request stays unknown where the log ends the command, which is reported', async () => {
    const repeated = await new Bench().knows('unknown');
    repeated.idempotencyWindowMs = 10_000;
    repeated.logChanges = { sending: () => Promise.reject(AWAY) };
    expect(await sent(repeated)).toMatchObject({ status: 'unknown', stop: AWAY });
  });

  test('A single request that the log cannot answer for gets no outcome', async () => {
    const bench = await new Bench().knows('unknown');
    bench.logChanges = { prefetch: () => Promise.reject(AWAY) };
    await expect(sent(bench)).rejects.toBe(AWAY);
    expect(bench.told).toEqual([]);
  });
});
