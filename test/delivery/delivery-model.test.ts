import { expect, test } from 'vitest';
import { settleDoubt } from '../../src/delivery/settle-doubt.ts';
import { type Submission, submitRequest } from '../../src/delivery/submit.ts';
import { contentKey } from '../../src/request/service-request.ts';
import fc from '../helpers/fast-check.ts';
import { ExpectedRequest, knowledgeOf, type Submitting } from './delivery-table.ts';
import { Life, MOMENTS } from './life.ts';
import { Machine } from './processes.ts';
import { ANSWER_NAMES, type Sight, type Step } from './scripted-service.ts';
import { settlingOf } from './settling.ts';

/** At most this may validate lag behind to be believed after {@link WAIT_MS}. */
const LAG_LIMIT_MS = 20_000;
const WAIT_MS = 60_000;

const steps = fc.array(fc.record({ answer: fc.constantFrom(...ANSWER_NAMES), acts: fc.boolean() }), { maxLength: 12 });
const death = fc.option(fc.record({ at: fc.constantFrom(...MOMENTS), time: fc.integer({ min: 1, max: 3 }) }));
const lag = fc.record({ lagMs: fc.integer({ min: 0, max: LAG_LIMIT_MS }) });
const sight: fc.Arbitrary<Sight> = fc.oneof(
  { weight: 4, arbitrary: lag },
  fc.constantFrom<Sight>('always clear', 'always duplicate', 'unreadable', 'down'),
);
const submitting: fc.Arbitrary<Submitting> = fc.record({
  validate: fc.boolean(),
  onDuplicate: fc.constantFrom('skip', 'create'),
  again: fc.boolean(),
});
const life = { death, torn: fc.boolean(), steps, sight };

type Command =
  | ({ do: 'submit'; options: Submitting } & Circumstances)
  | ({ do: 'settle'; resend: Submitting | null } & Circumstances)
  | { do: 'say'; created: boolean };
interface Circumstances {
  readonly death: { at: (typeof MOMENTS)[number]; time: number } | null;
  readonly torn: boolean;
  readonly steps: Step[];
  readonly sight: Sight;
}

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), options: submitting, ...life }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), resend: fc.option(submitting), ...life }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('say' as const), created: fc.boolean() }) },
);

const NEED = 'Pintar a sala';
const REQUEST = { params: { country: 'PT', request_text: NEED }, audio: null, ref: 'A-1' };
const KEY = contentKey(REQUEST, { baseUrl: 'http://127.0.0.1:9', clientId: '4711' });
const SUBMISSION: Submission = { row: 1, request: REQUEST, key: KEY };
const SUBJECT = { key: KEY, row: 1, ref: 'A-1' };

/** One request on one machine, beside what the table says must become of it. */
class Story {
  readonly machine = new Machine();
  readonly expected = new ExpectedRequest();
  /** So many creations are somebody's word, not srq's doing. */
  excused = 0;

  async tell(command: Command): Promise<void> {
    if (command.do === 'say') await this.#say(command.created);
    else await this.#act(command);
    const state = await this.machine.known(KEY);
    expect(knowledgeOf(state), `the log says ${state}`).toBe(this.expected.knows);
    expect(this.machine.service.actsOn(NEED), 'creations').toBeLessThanOrEqual(1 + this.excused);
  }

  async #act(command: Exclude<Command, { do: 'say' }>): Promise<void> {
    const { service } = this.machine;
    const { sight, steps, torn } = command;
    service.sight = sight;
    service.script(NEED, steps);
    const { knows, hadLicence, isSecond } = this.expected;
    const before = { knows, hadLicence, isSecond };
    const created = service.actsOn(NEED) > 0;
    this.#excuse(command, created);
    const expected =
      command.do === 'submit'
        ? this.expected.submit(command.options, sight, this.#isSeen(), steps)
        : this.expected.settle(sight, created, command.resend, steps);
    const alive = new Life(command.death);
    const submitted = await this.machine.run(
      (process) =>
        command.do === 'submit'
          ? submitRequest(SUBMISSION, process.api, process.log, command.options)
          : settleDoubt(SUBMISSION, settlingOf(process, KEY, WAIT_MS, command.resend, service)),
      { life: alive, torn },
    );
    if (submitted === 'died') this.#died(alive, before);
    else expect({ status: submitted.result.status, stop: submitted.stop?.code ?? null }).toEqual(expected);
  }

  /** What a died process left behind. */
  #died(alive: Life, before: Pick<ExpectedRequest, 'knows' | 'hadLicence' | 'isSecond'>): void {
    const records = alive.reached.get('after the record') ?? 0;
    if (records > (this.expected.isConfirmed ? 1 : 0)) return;
    Object.assign(this.expected, before);
    if (alive.reached.has('after the licence')) this.expected.licence();
    if (!alive.reached.has('after the intent')) return;
    this.expected.isSecond ||= before.knows === 'created' || before.knows === 'duplicate';
    this.expected.doubt();
  }

  async #say(created: boolean): Promise<void> {
    if (this.expected.knows !== 'doubt' && this.expected.knows !== 'parked') return;
    await this.machine.run(async ({ log }) => {
      if (created) await log.outcome(SUBJECT, { ...NOTHING_MORE, status: 'created' }, { by: 'person' });
      else expect(await log.licence(SUBJECT, log.lookup(KEY), 'person')).toBe(true);
    });
    if (created) this.expected.created();
    else {
      this.expected.licence();
      if (this.machine.service.actsOn(NEED) > 0) this.excused += 1;
    }
  }

  /** Sending what was created before is asked for by --again and --on-duplicate create. */
  #excuse(command: Exclude<Command, { do: 'say' }>, created: boolean): void {
    if (!created) return;
    const { knows } = this.expected;
    const asked = command.do === 'submit' && (knows === 'created' || knows === 'duplicate');
    if (asked) this.excused += 1;
  }

  #isSeen(): boolean {
    const { acts, sight } = this.machine.service;
    if (typeof sight === 'string') return false;
    return acts.some(({ need, atMs }) => need === NEED && atMs <= this.machine.clock.nowMs() - sight.lagMs);
  }
}

const NOTHING_MORE = { ids: {}, http: null, message: null, raw: null, ms: null };

test('one request, whatever answers it meets and wherever its process dies, ends as the table says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
      const story = new Story();
      try {
        for (const each of commands) await story.tell(each);
      } finally {
        story.machine.close();
      }
    }),
    { numRuns: 300, interruptAfterTimeLimit: 20_000 },
  );
});
