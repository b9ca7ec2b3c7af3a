import { expect, test } from 'vitest';
import { learnParts } from './describe-request.ts';

const NAME = 'Idempotency-Key';

interface Said {
  readonly description?: string;
  readonly schema?: object;
  readonly [word: string]: unknown;
}

/** What is learned of a create with such a header, and of what a partner says of it. */
function learnHeader(header: Said, said?: string) {
  const parameters = [{ name: NAME, in: 'header', schema: { type: 'string' }, ...header }];
  const values: Record<string, string> = said === undefined ? {} : { [NAME]: said };
  const { contract, questions } = learnParts({ create: { parameters }, around: { values } });
  const question = questions.find(({ name }) => name.startsWith('idempotency:'));
  return { again: contract.create.again, question };
}

test.each([
  'The same key returns the first answer. Keys are kept for 24 hours.',
  'Repeated keys are accepted and processed as usual.',
  'La même clé ne renvoie pas la même réponse.',
])('a header is asked about with the words of the description, which are not believed: %s', (description) => {
  const { again, question } = learnHeader({ description });
  expect(again).toBeNull();
  expect(question).toMatchObject({ answer: '--set Idempotency-Key=24h', unanswered: 'no' });
  expect(question?.text).toContain(`The description says: "${description}"`);
});

test.each([
  ['no', null],
  ['N', null],
  ['none', null],
  ['yes', { hours: null }],
  ['y', { hours: null }],
  ['24h', { hours: 24 }],
  ['2 days', { hours: 48 }],
  ['10 minutes', { hours: 1 / 6 }],
])('a person says what is known of an idempotency header: %s', (said, expected) => {
  for (const description of ['Reserved.', 'The same key returns the first answer for 2 days.', 'Ignored.']) {
    const { again, question } = learnHeader({ description }, said);
    expect(question).toBeUndefined();
    if (expected === null) expect(again).toBeNull();
    else expect(again).toMatchObject({ header: NAME, ...expected });
  }
});

test.each(['', 'abc', '0h', 'soon', 'minutes'])('an answer about an idempotency header is refused: %j', (said) => {
  expect(() => learnHeader({}, said)).toThrow(/does not say whether a repeated create is recognised/);
});

test('a header that the service demands is sent, and not relied on any more for that', () => {
  for (const { again } of [learnHeader({ required: true }), learnHeader({ required: true }, 'no')])
    expect(again).toEqual({ header: NAME, hours: 0, uuid: false });
  expect(learnHeader({ required: true, schema: { format: 'uuid' } }, '1h').again).toEqual({
    header: NAME,
    hours: 1,
    uuid: true,
  });
});

test('a deprecated idempotency header is left alone', () => {
  expect(learnHeader({ deprecated: true })).toEqual({ again: null, question: undefined });
});
