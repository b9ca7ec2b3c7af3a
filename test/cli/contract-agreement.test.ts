import { describe, expect, test } from 'vitest';
import { answered, requireAgreement } from '../../src/commands/contract/contract-agreement.ts';
import type { Answers } from '../../src/commands/contract/contract-documents.ts';
import { DOCUMENTED_CONTRACT, type Proposal, type Question } from '../../src/request/contract.ts';
import { SrqError } from '../../src/request/errors.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';

const NO_ANSWERS: Answers = { constants: {}, operations: {} };
const question = (name: string, answer: string, more: Partial<Question> = {}): Question => ({
  ...{ name, text: `What is ${name}?`, answer },
  ...more,
});
const proposalOf = (questions: readonly Question[], findings: object[] = []): Proposal =>
  ({ contract: { ...DOCUMENTED_CONTRACT, findings }, questions, notes: [] }) as never;

const PARTNER = question('constant:partner_id', '--set partner_id=VALUE');

/** Asks what is open until `answers` has it; each round asks the first of the questions that `open` gives. */
async function askedFor(open: (answers: Answers) => readonly Question[], typed?: readonly Typed[], given = NO_ANSWERS) {
  const of = contextOf(typed ? { typed } : {});
  const rounds: Answers[] = [];
  const said = await answered(of.context, given, async (answers) => {
    rounds.push(answers);
    return proposalOf(open(answers));
  });
  return { ...of, ...said, rounds };
}

const openUntil =
  (...questions: readonly Question[]) =>
  ({ constants, operations }: Answers) =>
    questions.slice(Object.keys(constants).length + Object.keys(operations).length);

describe('What the documents leave open is asked on a terminal', () => {
  test('one question after the other, until none is open', async () => {
    const create = question('operation:create', '--operation "create=POST /path"', { choices: ['POST /a', 'POST /b'] });
    const { answers, following, rounds } = await askedFor(openUntil(PARTNER, create), [
      [/What is constant:partner_id\?[\s\S]*partner_id: /, '77\r'],
      [/create: /, '2\r'],
    ]);
    expect(answers).toEqual({ constants: { partner_id: '77' }, operations: { create: 'POST /b' } });
    expect([following, rounds.length]).toEqual([[], 3]);
  });

  test.each([
    ['2', 'POST /b'],
    ['1', 'POST /a'],
    ['0', '0'],
    ['3', '3'],
    ['POST /c', 'POST /c'],
  ])('and %j is %j where the choices have numbers', async (typed, operation) => {
    const create = question('operation:create', '--operation create=', { choices: ['POST /a', 'POST /b'] });
    const { answers } = await askedFor(openUntil(create), [[/create: /, `${typed}\r`]]);
    expect(answers.operations).toEqual({ create: operation });
  });

  test('with what holds if nobody answers', async () => {
    const rate = question('constant:unit', '--set unit=VALUE', { unanswered: 'month' });
    const { answers } = await askedFor(openUntil(rate), [[/unit \[month\] /, '\r']]);
    expect(answers.constants).toEqual({ unit: 'month' });
    const sure = question('constant:sure', '--set sure=yes', { unanswered: 'no' });
    expect((await askedFor(openUntil(sure), [[/sure \[y\/N\] /, 'y\r']])).answers.constants).toEqual({ sure: 'y' });
  });

  test('and no answer ends it, except where an empty one means that the rows have the value', async () => {
    const ended = await askedFor(openUntil(PARTNER), [[/partner_id: /, '\r']]);
    expect([ended.answers, ended.rounds.length, ended.proposal.questions]).toEqual([NO_ANSWERS, 1, [PARTNER]]);
    const ofRows = question('constant:partner_id', '--set partner_id=');
    expect((await askedFor(openUntil(ofRows), [[/partner_id: /, '\r']])).answers.constants).toEqual({ partner_id: '' });
  });

  test('which place takes a field is said by the place, a member is named as the service does', async () => {
    const place = question('place:phone', '--set contact.tel={phone}', { choices: ['contact.tel', 'contact.fax'] });
    const member = question('constant:a:b', '--set a:b=VALUE');
    const { answers } = await askedFor(openUntil(place, member), [
      [/phone: /, '2\r'],
      [/a:b: /, 'x\r'],
    ]);
    expect(answers.constants).toEqual({ 'contact.fax': '{phone}', 'a:b': 'x' });
  });

  test('a secret is not shown', async () => {
    const secret = question('constant:api_key', '--set api_key=@FILE');
    const { answers, stderr } = await askedFor(openUntil(secret), [[/api_key: /, 'hidden-word\r']]);
    expect([answers.constants, stderr().includes('hidden')]).toEqual([{ api_key: 'hidden-word' }, false]);
  });

  test('an answer that does not fit is told, and asked again; any other error ends it', async () => {
    const typed: Typed[] = [
      [/partner_id: /, 'seven\r'],
      [/no number\.[\s\S]*partner_id: /, '7\r'],
    ];
    const failing = (error: Error) => (answers: Answers) => {
      if (answers.constants['partner_id'] === 'seven') throw error;
      return openUntil(PARTNER)(answers);
    };
    const unfit = new SrqError('file.unreadable', 'It is no number.');
    expect((await askedFor(failing(unfit), typed)).answers.constants).toEqual({ partner_id: '7' });
    for (const error of [new SrqError('operation.unknown', 'No.'), new TypeError('broken')])
      await expect(askedFor(failing(error), typed), error.message).rejects.toBe(error);
  });
});

describe('Without a terminal, the questions that follow are told beforehand', () => {
  const create = question('operation:create', '--operation "create=POST /leads"');
  const validate = question('operation:validate', '--operation "validate=POST /checks"');

  test('as if the proposed operations were confirmed, and those after these', async () => {
    const { following, answers, rounds } = await askedFor(({ operations }) => [
      ...(operations.create === undefined ? [create] : []),
      ...(operations.create === 'POST /leads' && operations.validate === undefined ? [validate] : []),
      ...(operations.validate === 'POST /checks' ? [PARTNER] : []),
    ]);
    expect(following.map(({ name }) => name)).toEqual(['operation:validate', 'constant:partner_id']);
    expect([answers, rounds.length]).toEqual([NO_ANSWERS, 3]);
  });

  test('but not where only a person can name the operation, and not those that are asked anyway', async () => {
    for (const answer of ['--operation "create=POST /path"', '--set create=x', '--operation "create="'])
      expect((await askedFor(openUntil(question('operation:create', answer)))).rounds, answer).toHaveLength(1);
    const bare = question('operation:create', '--operation create=POST');
    expect((await askedFor(openUntil(bare, PARTNER))).following).toEqual([]);
    const other = await askedFor(({ operations }) => (operations.create ? [validate, PARTNER] : [create, PARTNER]));
    expect(other.following.map(({ name }) => name)).toEqual(['operation:validate']);
  });

  test('and are none where the proposed operation does not fit', async () => {
    const { following } = await askedFor(({ operations }) => {
      if (operations.create) throw new SrqError('file.unreadable', 'No such operation.');
      return [create];
    });
    expect(following).toEqual([]);
  });
});

describe('A contract is kept', () => {
  interface Scene {
    readonly questions?: readonly Question[];
    readonly following?: readonly Question[];
    readonly findings?: object[];
    readonly answers?: Answers;
    readonly typed?: readonly Typed[];
    readonly yes?: boolean;
  }

  async function kept({ questions = [], following = [], findings = [], answers = NO_ANSWERS, ...more }: Scene) {
    const { typed, yes = false } = more;
    const argv = ['contract', 'learn', 'api.yaml', '--set', 'given=1'];
    const of = contextOf(typed ? { argv, typed } : { argv });
    const given = { constants: { given: '1' }, operations: {} };
    const proposal = proposalOf(questions, findings);
    const said = { proposal, answers, following };
    const error = await requireAgreement(of.context, said, given, yes, 'shop').then(
      () => null,
      (failure: SrqError) => failure,
    );
    return { error, shown: of.stderr() };
  }

  const weak = { setting: 'rate', value: '5', where: 'line 7', why: 'its name', confidence: 'weak' };
  const GUESSES = 'These are guesses: rate is 5 (line 7): its name.';

  test('if a person agrees, who sees what is only a guess', async () => {
    const asked = { typed: [[/Keep this contract for profile shop\? \[y\/N\] /, 'y\r']] as Typed[] };
    expect((await kept(asked)).error).toBeNull();
    const guessed = await kept({ ...asked, findings: [{ ...weak, confidence: 'stated' }, weak] });
    expect([guessed.error, guessed.shown.replace(/\s+/g, ' ')]).toEqual([null, expect.stringContaining(GUESSES)]);
    const refused = await kept({ typed: [[/\[y\/N\] /, 'n\r']] });
    expect(refused.error).toMatchObject({ reason: 'prompt.declined', message: 'Not agreed. Nothing was stored.' });
  });

  test('without a terminal by --yes alone, and the command repeats the answers but no secret', async () => {
    expect((await kept({ yes: true })).error).toBeNull();
    const answers = {
      constants: { given: '1', unit: 'a b', api_key: 'word' },
      operations: { create: 'POST /leads' },
    };
    const { error } = await kept({ answers, findings: [weak] });
    expect(error).toMatchObject({
      reason: 'contract.not-confirmed',
      message: `Nothing was stored: there is no terminal on which to agree. ${GUESSES}`,
      hint: "Look at it with --dry-run, then run: srq contract learn api.yaml --set given=1 --set 'unit=a b' --set api_key=@FILE --operation 'create=POST /leads' --yes",
    });
  });

  test('only if nothing is open that has no usual answer, not by --yes either', async () => {
    const optional = question('constant:unit', '--set unit=VALUE', { unanswered: 'month' });
    expect((await kept({ questions: [optional], yes: true })).error).toBeNull();
    const { error } = await kept({ questions: [optional, PARTNER], following: [optional], yes: true });
    expect(error).toMatchObject({
      reason: 'contract.undecided',
      message: 'The documents leave open what only you can say; nothing was stored. What is constant:partner_id?',
      hint: 'Say it, and run: srq contract learn api.yaml --set given=1 --set partner_id=VALUE',
    });
    const next = question('constant:token', '--set token=@FILE');
    const both = await kept({ questions: [PARTNER], following: [next] });
    expect(both.error?.message).toMatch(/ If the operations are those of the command below: What is constant:token\?$/);
    expect(both.error?.hint).toMatch(/ --set partner_id=VALUE --set token=@FILE$/);
  });
});
