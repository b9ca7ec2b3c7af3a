import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import * as account from '../../src/account/account.ts';
import { learnAnswers } from '../../src/commands/contract/answers.ts';
import type { AnswerMemory } from '../../src/request/answer-memory.ts';
import { contractFingerprint, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { LearnedFile } from '../../src/settings/account-files.ts';
import { contextOf } from '../helpers/command-context.ts';

const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'word' };
const form = (name: string, changes: object = {}) => ({
  ...{ form: name, isDenied: false, complains: false, seen: 0, unseen: 0, said: null, ...changes },
});
const FORMS = [
  form('200 {ok}'),
  form('200 {okay}'),
  form('201 {error}', { complains: true }),
  form('202 {denied}', { isDenied: true, complains: true }),
  form('203 {settled}', { said: 'taken' }),
];

interface Scene {
  readonly forms?: readonly object[];
  readonly isDryRun?: boolean;
  readonly json?: boolean;
}

async function learned(
  said: 'taken' | 'refused',
  named: string,
  { forms = FORMS, isDryRun = false, json }: Scene = {},
) {
  const of = contextOf({ env: ACCOUNT, options: { profile: 'shop', ...(json ? { json } : {}) } });
  const destination = { baseUrl: ACCOUNT.SRQ_BASE_URL, clientId: ACCOUNT.SRQ_CLIENT_ID };
  const path = join(of.home, 'state', 'shop.learned.json');
  const file = new LearnedFile(path, destination, contractFingerprint(DOCUMENTED_CONTRACT));
  file.write({ answers: { identifiedBy: [], forms } });
  const code = await learnAnswers(of.context, { said, named, isDryRun });
  const kept = (file.read().answers?.forms ?? [])
    .filter((each) => each.said !== null)
    .map((each) => [each.form, each.said]);
  return { code, kept: kept.filter(([name]) => name !== '203 {settled}'), stdout: of.stdout() };
}

describe('What an answer means', () => {
  test.each<['taken' | 'refused', string, readonly string[]]>([
    // In full, by its beginning where that is of one alone, and all that begin so.
    ['taken', '200 {ok}', ['200 {ok}']],
    ['taken', '200 {oka', ['200 {okay}']],
    ['taken', '200', ['200 {ok}', '200 {okay}']],
    ['taken', '2', ['200 {ok}', '200 {okay}']],
    ['taken', 'status', ['200 {ok}', '200 {okay}']],
    // What mentions an error is named by itself.
    ['taken', '201', ['201 {error}']],
    ['taken', '201 {error}', ['201 {error}']],
    ['refused', '200 {ok}', ['200 {ok}']],
    ['refused', '202', ['202 {denied}']],
    ['refused', '2', ['202 {denied}']],
    ['refused', 'status', ['202 {denied}']],
  ])('is said as %s of "%s": %j', async (said, named, forms) => {
    const { code, kept } = await learned(said, named);
    expect([code, kept]).toEqual([0, expect.arrayContaining(forms.map((each) => [each, said]))]);
    expect(kept).toHaveLength(forms.length);
  });

  const WAIT = '200 {ok} | 200 {okay} | 201 {error}';

  test.each<['taken' | 'refused', string, RegExp, string]>([
    [
      'taken',
      '202',
      /begins with "202"\.$/,
      `These wait: ${WAIT}. One is named by its beginning or in full: srq contract learn --taken-by '200 {ok}'`,
    ],
    [
      'taken',
      '203',
      /begins with "203"\.$/,
      `These wait: ${WAIT}. One is named by its beginning or in full: srq contract learn --taken-by '200 {ok}'`,
    ],
    [
      'refused',
      '200',
      /shows by itself that the request was refused, so each has to be named\.$/,
      `These wait: ${WAIT} | 202 {denied}. One is named by its beginning or in full: srq contract learn --refused-by '200 {ok}'`,
    ],
    [
      'refused',
      'x',
      /begins with "x"\.$/,
      `These wait: ${WAIT} | 202 {denied}. One is named by its beginning or in full: srq contract learn --refused-by '200 {ok}'`,
    ],
  ])('is not said as %s of "%s"', async (said, named, message, hint) => {
    const error: SrqError = await learned(said, named).then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (failure) => failure,
    );
    expect(error).toMatchObject({ reason: 'answer.none-waiting', message: expect.stringMatching(message), hint });
  });

  test('is not said of all where each has to be named, or none waits', async () => {
    const complaining = [form('201 {error}', { complains: true }), form('202 {bad}', { complains: true })];
    await expect(learned('taken', 'status', { forms: complaining })).rejects.toThrow(
      'No answer that waits for such a word shows by itself that the request was taken, so each has to be named.',
    );
    for (const forms of [[], [form('203', { said: 'refused' })]])
      await expect(learned('taken', 'status', { forms })).rejects.toMatchObject({
        message: 'No answer of this profile waits for such a word.',
        hint: 'Send a first request, and look what comes back: srq create',
      });
  });

  test('is told, and only told with --dry-run', async () => {
    expect((await learned('taken', '200 {ok}')).stdout).toBe(
      '✓ From now on such an answer means that the request was taken:\n  200 {ok}\nWhat was sent before stays unknown until it is settled: srq resolve --profile shop\n',
    );
    const dry = await learned('refused', '200 {ok}', { isDryRun: true });
    expect([dry.kept, dry.stdout]).toEqual([
      [],
      'Such an answer would mean that the request was refused:\n  200 {ok}\nNothing was stored, because of --dry-run.\n',
    ]);
    const { schemaVersion: _, ...document } = JSON.parse((await learned('taken', '200', { json: true })).stdout);
    expect(document).toEqual({ profile: 'shop', said: 'taken', forms: ['200 {ok}', '200 {okay}'] });
  });

  test('is kept in the store where there is one, for all of its processes', async () => {
    const { context } = contextOf({ env: { ...ACCOUNT, SRQ_STORE: 'postgres://leads@127.0.0.1/leads' } });
    let kept: unknown = { identifiedBy: [], forms: FORMS };
    const names: string[] = [];
    const change = async (name: string, reduce: (kept: unknown) => { keep: unknown; result: unknown }) => {
      names.push(name);
      const { keep, result } = reduce(kept);
      kept = keep;
      return result;
    };
    const opened = vi.spyOn(account, 'openSharedAccount').mockResolvedValue({ state: { change } } as never);
    try {
      expect(await learnAnswers(context, { said: 'taken', named: '201', isDryRun: false })).toBe(0);
    } finally {
      opened.mockRestore();
    }
    const name = `answers-${contractFingerprint(DOCUMENTED_CONTRACT)}`;
    expect(names).toEqual([name, name]);
    expect((kept as AnswerMemory).forms.filter(({ said }) => said !== null)).toMatchObject([
      { form: '203 {settled}' },
      { form: '201 {error}', said: 'taken' },
    ]);
  });
});
