import { describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import { AnswerReader } from '../../src/service/answers/answer-reader.ts';
import { readErrorText } from '../../src/service/answers/error-text.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { answerWith } from '../helpers/api-client.ts';
import { cpuMs } from '../helpers/cpu-time.ts';

const MIB = 1 << 20;
const sent = new Redactor(['Ana Exemplo', '+351912345678', 'A torneira da cozinha pinga. '.repeat(300)]);
const fill = (text: string): string => text.repeat(MIB / text.length);
const many = (count: number, make: (at: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, make(at)]));

/** As long as srq reads, and made so that a pattern would go over it again and again. */
const BODIES: Readonly<Record<string, unknown>> = {
  'signs, and a letter at the end': `${fill('!')}a`,
  'a name that begins as data of a customer again and again': { [fill('customer_')]: 1 },
  'many names within such a name': { ['customer_'.repeat(50_000)]: many(30_000, () => 1) },
  'identifiers within a name without end': { ['x'.repeat(500_000)]: many(20_000, (at) => ({ id: `x${at}-ana` })) },
  'many identifiers': many(35_000, (at) => ({ id: `x${at}-ana` })),
  'many messages': many(35_000, (at) => ({ message: `Ana ${at}` })),
  'many errors by field': { errors: many(60_000, () => 'is wrong, Ana') },
  'many errors in a list': { errors: Array.from({ length: 25_000 }, (_, at) => ({ field: `x${at}`, message: 'Ana' })) },
  'a message without end': { message: fill('not a duplicate ') },
  'a message of blanks': { message: fill(' ') },
  blanks: fill(' '),
  brackets: fill('['),
};

describe('an answer of 1 MiB that was made to take long is read in a moment', () => {
  test.each(Object.entries(BODIES))('an answer of 1 MiB made to take long is read in a moment: %s', (_, body) => {
    const answer = () => answerWith(body, { status: 409 });
    // Parsing it takes a tenth of a second on a slow machine; what a pattern would take is minutes.
    const reader = new AnswerReader(DOCUMENTED_CONTRACT, () => null);
    const arrived = (status: number) => ({ answer: { ...answer(), status }, error: null, written: true }) as const;
    expect(cpuMs(() => reader.look(answer(), sent), 1000)).toBeLessThan(15_000);
    expect(cpuMs(() => readErrorText(answer(), sent), 1000)).toBeLessThan(15_000);
    expect(cpuMs(() => reader.creation(arrived(201), sent, 'key'), 1000)).toBeLessThan(15_000);
    // A person is shown it, and it is kept.
    expect(
      cpuMs(
        () => reader.learn('create', reader.creation(arrived(409), sent, 'key').form, 'open', 'experiment', 0),
        1000,
      ),
    ).toBeLessThan(15_000);
  });
});
