import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { leadsCsv, REQUEST } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { LEAD } from '../sandbox/sandbox-client.ts';

const CREATE_KEYS = ['status', 'ids', 'row', 'ref', 'key', 'http'];
const BULK_KEYS = [
  'rows',
  ...['created', 'duplicate', 'repeated', 'invalid', 'rejected', 'failed', 'unknown'],
  ...['seconds', 'log', 'results', 'stopped', 'next'],
];
const DRY_KEYS = ['rows', 'ready', 'repeated', 'invalid', 'seconds', 'log', 'results', 'stopped', 'next'];

/** What succeeds: arguments, standard input, the documented keys. An array: of what each entry has. */
const ANSWERED: readonly [string[], readonly string[], ('array' | 'object')?][] = [
  [['status'], ['profile', 'baseUrl', 'clientId', 'secret', 'token', 'paths']],
  [['markets'], ['markets']],
  [['logout'], []],
  [['login', '--base-url', '@URL', '--client-id', '@ID'], []],
  [
    ['validate', ...REQUEST],
    ['verdict', 'http', 'ids', 'key'],
  ],
  [['validate', '--file', 'few.json'], ['verdict', 'http', 'ids', 'key'], 'array'],
  [['create', ...REQUEST], CREATE_KEYS],
  [
    ['create', ...REQUEST, '--country', 'XX'],
    [...CREATE_KEYS, 'message'],
  ],
  [['create', '--file', 'few.json'], CREATE_KEYS, 'array'],
  [['bulk', 'leads.csv', '--rate', 'max'], BULK_KEYS],
  [['bulk', 'leads.csv', '--sandbox'], BULK_KEYS],
  [['bulk', 'leads.csv', '--dry-run'], DRY_KEYS],
  [['log'], [], 'array'],
];

/** What fails, with the code of its error and its exit code. */
const FAILING: readonly [string[], string, number][] = [
  [['create'], 'usage', 2],
  [['validate'], 'usage', 2],
  [['bulk'], 'usage', 2],
  [['markets', 'a.csv', 'b.csv'], 'usage', 2],
  [['bulk', 'absent.csv'], 'input', 2],
  [['bulk', '.'], 'input', 2],
  [['bulk', 'leads.csv', '--map', 'no equals sign'], 'usage', 2],
  [['bulk', 'leads.csv', '--concurrency', 'many'], 'usage', 2],
  [['bulk', 'leads.csv', '--on-duplicate', 'maybe'], 'usage', 2],
  [['create', '--file', 'absent.json'], 'input', 2],
  [['create', ...REQUEST, '--unknown-flag'], 'usage', 2],
  [['create', ...REQUEST, '--unknown-flag', '--json'], 'usage', 2],
  [['no-such-command'], 'usage', 2],
  [['help', 'no-such-command'], 'usage', 2],
  [['--no-such-flag'], 'usage', 2],
  [['status', 'surplus'], 'usage', 2],
  [['status', '--profile', '../up'], 'usage', 2],
  [['login', '--base-url', 'nonsense', '--client-id', '1'], 'settings', 2],
  [['log', '--status', 'nonsense'], 'usage', 2],
  [['log', '--log', '.'], 'log', 9],
  [['sandbox', '--port', '99999'], 'usage', 2],
  [['sandbox', '--fault', 'no-such-fault=0.5', '--port', '0'], 'usage', 2],
];

describe.concurrent('with --json stdout is exactly one document', () => {
  test.for(ANSWERED)('%j', async ([args, keys, kind = 'object'], { partner, sandbox }) => {
    partner.write('leads.csv', leadsCsv(2));
    partner.write('few.json', JSON.stringify([LEAD, { ...LEAD, request_text: 'Outra' }]));
    const words = args.map((word) => word.replace('@URL', sandbox.baseUrl).replace('@ID', sandbox.clientId));
    const ended = await partner.run(...words, '--json');
    const document: unknown = documentOf(ended);
    expect(Array.isArray(document)).toBe(kind === 'array');
    for (const each of Array.isArray(document) ? document : [document])
      expect(Object.keys(each)).toEqual(expect.arrayContaining([...keys]));
    expect(ended.stderr).not.toMatch(/^[[{]/m);
  });

  test.for(FAILING)('%j fails with code %s', async ([args, code, exitCode], { partner }) => {
    partner.write('leads.csv', leadsCsv(2));
    const ended = await partner.run('--json', ...args);
    expect(documentOf(ended)).toEqual({
      error: {
        code,
        reason: expect.stringMatching(/^[a-z]+\.[a-z-]+$/),
        message: expect.stringMatching(/./),
        hint: expect.anything(),
      },
    });
    expect(ended.code).toBe(exitCode);
    expect(ended.stderr).toBe('');
  });

  test('where a file or a log is found to be damaged after thousands of rows', async ({ partner }) => {
    partner.write('leads.csv', `${leadsCsv(15_000)}L-x,"a quotation without its end\n`);
    const exported = await partner.call('export', 'leads.csv', '--json');
    expect(exported.code).toBe(2);
    expect(documentOf(exported)).toMatchObject({ error: { code: 'input' } });
    expect(partner.files().filter((name) => name.startsWith('temp/'))).toEqual([]);
    const known = { key: 'a'.repeat(64), at: '2026-11-20T08:00:00.000Z', run: 'r', row: 1, ref: null };
    const record = JSON.stringify({ ...known, event: 'created', ids: {}, http: 200, ms: 5 });
    const log = partner.write('damaged.ndjson', `${record}\nnothing\n${record}\n`);
    const listed = await partner.call('log', '--json', '--log', log);
    expect(listed.code).toBe(9);
    expect(documentOf(listed)).toMatchObject({ error: { code: 'log' } });
  });

  test('where nobody is logged in', async ({ desk }) => {
    desk.write('leads.csv', leadsCsv(1));
    for (const args of [
      ['create', ...REQUEST],
      ['validate', ...REQUEST],
      ['bulk', 'leads.csv'],
    ]) {
      const ended = await desk.run(...args, '--json');
      expect([args[0], ended.code]).toEqual([args[0], 4]);
      expect(documentOf(ended)).toMatchObject({
        error: {
          code: 'auth',
          message: expect.stringContaining('base URL'),
          hint: expect.stringContaining('srq login'),
        },
      });
    }
  });

  test('where something is missing and nobody can be asked', async ({ desk }) => {
    const ended = await desk.run('login', '--json');
    expect([ended.code, ended.stderr]).toEqual([2, '']);
    expect(documentOf(ended)).toMatchObject({
      error: { code: 'usage', message: expect.stringContaining('--base-url') },
    });
  });

  test('where the settings are broken', async ({ desk }) => {
    mkdirSync(desk.config);
    writeFileSync(join(desk.config, 'config.json'), '{');
    const ended = await desk.run('status', '--json');
    expect([ended.code, ended.stderr]).toEqual([2, '']);
    expect(documentOf(ended)).toMatchObject({ error: { code: 'settings' } });
  });

  test('where the service refuses a validate', async ({ partner }) => {
    const ended = await partner.run('validate', ...REQUEST, '--lang', 'no idea', '--json');
    expect(ended.code).toBe(3);
    expect(documentOf(ended)).toMatchObject({ error: { code: 'rejected' } });
  });

  test('and without it, errors are words on stderr alone', async ({ partner }) => {
    const ended = await partner.run('bulk', 'absent.csv');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('absent.csv');
  });

  test('--quiet leaves stderr empty where there is nothing to warn of', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(2));
    expect(await partner.run('bulk', leads, '--rate', 'max', '--quiet')).toMatchObject({ code: 0, stderr: '' });
  });
});
