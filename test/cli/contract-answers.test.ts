import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import * as account from '../../src/account/account.ts';
import { learnAnswers } from '../../src/commands/contract/answers.ts';
import { contractFingerprint, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { type KnownAnswers, type KnownForm, NOTHING_KNOWN } from '../../src/request/known-answers.ts';
import { LearnedFile } from '../../src/settings/account-files.ts';
import { contextOf } from '../helpers/command-context.ts';

const ACCOUNT = { SRQ_BASE_URL: 'http://127.0.0.1:9', SRQ_CLIENT_ID: '4711', SRQ_CLIENT_SECRET: 'word' };
const form = (text: string, changes: Partial<KnownForm> = {}): KnownForm => ({
  ...{ operation: 'create', means: 'open', by: 'experiment', status: 200, type: 'application/json', count: 1, text },
  ...{ paths: { state: { values: [text], count: 1 } }, byIdentifier: false, atMs: 0, ...changes },
});
const FORMS = [
  form('200 {ok}'),
  form('200 {okay}'),
  form('201 {"id":#}', { paths: { id: { values: ['id'], count: 1 } } }),
  form('203 {settled}', { means: 'taken', by: 'person' }),
];

interface Scene {
  readonly forms?: readonly KnownForm[];
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
  file.write({ answers: { ...NOTHING_KNOWN, forms } });
  const code = await learnAnswers(of.context, { said, named, isDryRun });
  const kept = (file.read().answers?.forms ?? [])
    .filter(({ by, text }) => by === 'person' && text !== '203 {settled}')
    .map(({ text, means, byIdentifier }) => [text, byIdentifier ? `${means} by id` : means]);
  return { code, kept, stdout: of.stdout() };
}

describe('What an answer means', () => {
  const ALL = ['200 {ok}', '200 {okay}', '201 {"id":#}'];

  test.each<['taken' | 'refused', string, readonly string[]]>([
    // In full, by its beginning where that is of one alone, and all that begin so.
    ['taken', '200 {ok}', ['200 {ok}']],
    ['taken', '200 {oka', ['200 {okay}']],
    ['taken', '200', ['200 {ok}', '200 {okay}']],
    ['taken', '2', ALL],
    ['refused', '200 {ok}', ['200 {ok}']],
  ])('is said as %s of "%s": %j', async (said, named, forms) => {
    const { code, kept } = await learned(said, named);
    expect([code, kept]).toEqual([0, forms.map((each) => [each, said])]);
  });

  test('is said of any that names an identifier, and of none that names none', async () => {
    const { kept } = await learned('taken', 'id');
    expect(kept).toEqual([
      ['201 {"id":#}', 'taken'],
      ['201 {"id":#}', 'taken by id'],
    ]);
    await expect(learned('taken', 'id', { forms: FORMS.slice(0, 2) })).rejects.toMatchObject({
      message: 'No answer of this profile that names an identifier waits for such a word.',
    });
  });

  test.each<['taken' | 'refused', string]>([
    ['taken', '202'],
    ['taken', '203'],
    ['refused', 'x'],
  ])('is not said as %s of "%s", which begins none', async (said, named) => {
    await expect(learned(said, named)).rejects.toMatchObject({
      reason: 'answer.none-waiting',
      message: `No answer that waits for such a word begins with "${named}".`,
      hint: `These wait: ${ALL.join(' | ')}. One is named by its beginning or in full: srq contract learn --${said}-by '200 {ok}'`,
    } satisfies Partial<SrqError>);
  });

  test.each(['taken', 'refused'] as const)('is not said as %s of all that wait without naming them', async (said) => {
    for (const named of ['status', 'form']) {
      await expect(learned(said, named)).rejects.toMatchObject({
        message: '3 answers wait for such a word, and need not mean the same.',
        hint: `These wait: ${ALL.join(' | ')}. Name each by its beginning or in full: srq contract learn --${said}-by '200 {ok}'`,
      });
      expect((await learned(said, named, { forms: FORMS.slice(1, 2) })).kept).toEqual([['200 {okay}', said]]);
    }
  });

  test('is not said where none waits', async () => {
    for (const forms of [[], [form('203', { means: 'refused', by: 'person' })]])
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
    let kept: unknown = { ...NOTHING_KNOWN, forms: FORMS };
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
    expect((kept as KnownAnswers).forms.filter(({ by }) => by === 'person')).toMatchObject([
      { text: '203 {settled}' },
      { text: '201 {"id":#}', means: 'taken' },
    ]);
  });
});
