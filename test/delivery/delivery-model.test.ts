import { expect, test } from 'vitest';
import { submitRequest } from '../../src/delivery/submit.ts';
import type { KnownAnswers } from '../../src/request/contract/known-answers.ts';
import fc from '../helpers/fast-check.ts';
import { ExpectedRequest, knowledgeOf, type Submitting } from './delivery-table.ts';
import { submissionOf } from './leads.ts';
import { Life, MOMENTS } from './life.ts';
import { Machine, taughtAnswers } from './processes.ts';
import { ANSWER_NAMES, type Sight, type Step } from './scripted-service.ts';
import { createNeighbours, settleOne } from './settling.ts';

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
  | ({ do: 'settle'; resend: Submitting } & Circumstances)
  | { do: 'say'; created: boolean };
interface Circumstances {
  readonly death: { at: (typeof MOMENTS)[number]; time: number } | null;
  readonly torn: boolean;
  readonly steps: Step[];
  readonly sight: Sight;
}

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), options: submitting, ...life }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), resend: submitting, ...life }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('say' as const), created: fc.boolean() }) },
);

const NEED = 'Pintar a sala';
const SUBMISSION = submissionOf(NEED);
const { key: KEY } = SUBMISSION;
const SUBJECT = { key: KEY, row: 1, ref: 'A-1' };

type Before = Pick<ExpectedRequest, 'knows' | 'hadLicence' | 'isSecond' | 'wasClear' | 'wasSuccess'>;

/** One request on one machine, beside what the table says must become of it. */
class Story {
  readonly machine = new Machine();
  readonly expected: ExpectedRequest;
  /** So many creations are somebody's word, not srq's doing. */
  excused = 0;

  /** `answers` is what earlier runs have learned; null: nothing. No run of the story adds to it. */
  constructor(answers: KnownAnswers | null) {
    this.expected = new ExpectedRequest(answers !== null);
    this.machine.remembers = false;
    if (answers) this.machine.answers = answers;
  }

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
    const { knows, hadLicence, isSecond, wasClear, wasSuccess } = this.expected;
    const before = { knows, hadLicence, isSecond, wasClear, wasSuccess };
    const created = service.actsOn(NEED) > 0;
    const isThere = this.#isSeen();
    const askedBefore = service.asked.length;
    this.#excuse(command, created);
    const alive = new Life(command.death);
    const submitted = await this.machine.run(
      async (process) =>
        command.do === 'submit'
          ? submitRequest(SUBMISSION, process.api, process.log, command.options)
          : ((await settleOne(process, NEED, { settleMs: WAIT_MS, resend: command.resend })) ?? null),
      { life: alive, torn },
    );
    const answers = service.asked.slice(askedBefore).filter(({ need }) => need === NEED);
    const later = answers[command.do === 'submit' && command.options.validate ? 1 : 0];
    const seeing = { sight, isThere, isThereLater: later ? !later.clear : isThere, isThereAfter: this.#isSeen() };
    const expected =
      command.do === 'submit'
        ? this.expected.submit(command.options, seeing, steps)
        : this.expected.settle(sight, created, steps);
    if (submitted === 'died') this.#died(alive, before);
    else if (submitted === null) expect(knows, 'nothing to settle').not.toMatch(/doubt|parked/);
    else expect({ status: submitted.status, stop: submitted.stop?.code ?? null }).toEqual(expected);
    // Those by which validate is checked are of the time of the doubt.
    if (this.expected.knows === 'doubt') await createNeighbours(this.machine);
  }

  /** What a died process left behind. */
  #died(alive: Life, before: Before): void {
    const records = alive.reached.get('after the record') ?? 0;
    if (records > (this.expected.isTried ? 1 : 0)) return;
    const { wasClear, wasSuccess } = this.expected;
    Object.assign(this.expected, before);
    if (alive.reached.has('after the licence')) this.expected.licence();
    if (!alive.reached.has('after the intent')) return;
    this.expected.wasClear = wasClear;
    this.expected.wasSuccess = wasSuccess && records > 0;
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

test.each([
  ['that is familiar', true],
  ['of which nothing is known', false],
])(
  'one request to a service %s, whatever answers it meets and wherever its process dies, ends as the table says',
  async (_, isFamiliar) => {
    const answers = isFamiliar ? await taughtAnswers() : null;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
        const story = new Story(answers);
        try {
          for (const each of commands) await story.tell(each);
        } finally {
          story.machine.close();
        }
      }),
      { numRuns: 50 },
    );
  },
);
