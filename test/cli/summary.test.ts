import { expect, test } from 'vitest';
import { finishRun } from '../../src/commands/bulk/summary.ts';
import { SrqError } from '../../src/request/errors.ts';
import { type Counts, noCounts } from '../../src/request/status.ts';

interface End {
  /** How the rows of each file ended. */
  readonly files: readonly Partial<Counts>[];
  readonly names?: readonly string[];
  readonly results?: readonly (string | null)[];
  readonly signal?: 'interrupted';
  readonly stop?: SrqError;
  readonly options?: object;
  readonly range?: { readonly skip: number; readonly limit: number | null };
  readonly command?: readonly string[];
  readonly strangers?: number;
  readonly keepsStdout?: boolean;
}

/** What is told at the end of a run whose rows have ended so: the text for a person, the document and the exit status. */
async function endOf({ files, names = ['a.csv', 'b.csv'], results = [], signal, stop, ...rest }: End) {
  const { options = {}, range = { skip: 0, limit: null }, command, strangers, keepsStdout = true } = rest;
  let text = '';
  let document: Record<string, unknown> = {};
  const paint = new Proxy({}, { get: () => String });
  const reporter = {
    result: async (_: string, told: object, words: (paint: never) => string) => {
      document = { ...told };
      text = words(paint as never);
    },
    say: (words: (paint: never) => string) => {
      text = words(paint as never);
    },
  };
  const context = {
    ...{ run: 'run', options, clock: { monotonicMs: () => 1_500 }, lastingLog: async () => '/log' },
    interruption: {
      code: signal ?? null,
      failure: (hint: string | null) => (signal ? { code: signal, message: 'Stopped.', hint } : null),
    },
    reporter: async () => reporter,
  };
  const ended = files.map((changes, at) => {
    const counts = { ...noCounts(), ...changes };
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const plan = { rows, range, table: { strangers }, ledger: { counts: () => counts } };
    const asides = { withoutIdentifier: at + 1 };
    const place = results[at] ?? null;
    return { file: names[at] ?? '-', plan, results: place, asides, reasons: { checked: 1 }, exportTo: 'a.xlsx' };
  });
  const run = { files: ended, command: command ?? ['bulk', ...ended.map(({ file }) => file)], keepsStdout };
  const end = await finishRun(context as never, run as never, stop ?? null, 0);
  return { ...end, text, document };
}

const isExportTold = ({ text }: { readonly text: string }) => text.includes('srq export');

test('the export is told where all is delivered, of one whole file that can be read again', async () => {
  expect((await endOf({ files: [{ created: 2, repeated: 1 }] })).text).toContain('srq export a.csv --output a.xlsx');
  for (const end of [
    { files: [{ created: 2 }], signal: 'interrupted' as const },
    { files: [{ created: 2 }], stop: new SrqError('prompt.left', 'Stopped.') },
    { files: [{ created: 1 }, { created: 1 }] },
    { files: [{ created: 1 }], names: ['-'] },
    { files: [{ created: 1 }], options: { sandbox: true } },
    { files: [{ created: 1 }], range: { skip: 1, limit: null } },
    { files: [{ created: 1 }], range: { skip: 0, limit: 1 } },
    { files: [{ created: 1, failed: 1 }] },
    { files: [{ created: 1, rejected: 1 }] },
    { files: [{ created: 1, unknown: 1 }] },
  ])
    expect([end, isExportTold(await endOf(end))]).toEqual([end, false]);
});

test('what is to be run next sends the rest, settles the doubts, or takes the results for the input', async () => {
  const next = async (end: End) => (await endOf(end)).document['next'];
  const range = ['--limit', '2', '--encoding', 'utf-8', '--yes'];
  const command = ['bulk', 'a.csv', 'b.csv', ...range];
  const corrected = { files: [{ rejected: 1 }, { created: 1 }], results: ['a.results.csv', 'b.results.csv'], command };
  expect(await next({ files: [{ created: 1 }] })).toBeNull();
  expect(await next({ files: [{ created: 1, failed: 1 }] })).toBe('srq bulk a.csv');
  expect(await next({ files: [{ created: 1, ready: 1 }] })).toBe('srq bulk a.csv');
  expect(await next({ files: [{ created: 1, failed: 1 }], names: ['-'] })).toBeNull();
  expect(await next({ files: [{ unknown: 1 }], options: { profile: 'p', log: '/l', store: 's' } })).toBe(
    'srq resolve --profile p --log /l --store s',
  );
  expect(await next({ files: [{ unknown: 1, failed: 1 }] })).toBe('srq bulk a.csv');
  expect(await next(corrected)).toBe('srq bulk a.results.csv --yes');
  expect(await next({ ...corrected, options: { sandbox: true } })).toBeNull();
  expect(await next({ ...corrected, results: [null] })).toBe(`srq ${command.join(' ')}`);
  expect(await next({ ...corrected, results: [null], names: ['-', 'b.csv'] })).toBeNull();
});

test('the figures are those of all files, and the exit status is that of the worst', async () => {
  const { document, exitCode, summary } = await endOf({ files: [{ created: 2 }, { invalid: 1, ready: 1 }] });
  expect(document).toMatchObject({
    ...{ run: 'run', rows: 4, seconds: 1.5, log: '/log', created: 2, invalid: 1, failed: 1 },
    ...{ withoutIdentifier: 3, stopped: null },
    ...{
      reasons: { checked: 2 },
      results: null,
      files: [
        { rows: 2, created: 2 },
        { rows: 2, invalid: 1, failed: 1 },
      ],
    },
  });
  expect(document).not.toHaveProperty('error');
  expect(summary).toMatchObject({
    rows: 4,
    seconds: 1.5,
    withoutIdentifier: 3,
    reasons: { checked: 2 },
  });
  expect(exitCode).toBe(5);
  expect((await endOf({ files: [{ created: 2 }] })).exitCode).toBe(0);
  expect((await endOf({ files: [{ created: 2 }], signal: 'interrupted' })).exitCode).toBe(130);
});

test('rows of which only their own results file says that they were taken are no delivery', async () => {
  const one = await endOf({ files: [{ repeated: 1 }], strangers: 1 });
  expect(one.document['advice']).toMatch(
    /^1 row was not sent, since it says that it was taken, but this log knows none/,
  );
  expect(isExportTold(one)).toBe(false);
  const many = await endOf({ files: [{ repeated: 3, rejected: 1 }, { repeated: 2 }], strangers: 3 });
  expect(many.document['advice']).toMatch(/^6 rows were not sent, .* 1 row was refused/);
});

test('what a flag says of the input does not hold for its results, and only what makes the same requests for an export', async () => {
  const reading = [
    '--format',
    'csv',
    '--encoding',
    'utf-8',
    '--delimiter',
    'TAB',
    '--skip-lines',
    '2',
    '--sheet',
    'One',
  ];
  const mapping = ['--map', 'A=ref', '--set', 'lang=pt', '--mapping', 'm.json'];
  const outputs = ['--limit', '2', '--skip', '1', '--results', 'r.csv'];
  const command = ['bulk', 'a.csv', ...reading, ...mapping, ...outputs, '--rate', 'max'];
  const options = { profile: 'p', log: '/l', store: 's' };
  const corrected = await endOf({ files: [{ rejected: 1 }], results: ['a.results.csv'], command, options });
  expect(corrected.document['next']).toBe(`srq bulk a.results.csv ${mapping.join(' ')} --rate max`);
  const delivered = await endOf({ files: [{ created: 1 }], command, options });
  expect(delivered.text).toContain(
    `srq export --profile p --log /l --store s a.csv ${[...reading, ...mapping].join(' ')} --output a.xlsx`,
  );
  expect((await endOf({ files: [{ created: 1 }], command })).text).toContain('srq export a.csv --format');
});

test.each<[Partial<Counts>[], (string | null)[], string | null]>([
  [[{ created: 2, duplicate: 1, repeated: 1 }], ['a.results.csv'], null],
  [[{ failed: 1, rejected: 1, unknown: 1 }], ['a.results.csv'], null],
  [[{ ready: 1, rejected: 1 }], ['a.results.csv'], null],
  [[{ unknown: 1 }], [], '1 row may have been taken: look it up at the service.'],
  [[{ unknown: 2 }], [], '2 rows may have been taken: look them up at the service.'],
  [[{ rejected: 1 }], [], '1 row was refused: correct it in the input, and import that again.'],
  [[{ rejected: 1, invalid: 1 }], ['-'], '2 rows were refused: correct them in the input, and import that again.'],
  [
    [{ invalid: 1 }],
    ['a.results.csv'],
    '1 row was refused: open a.results.csv and correct the cells that srq_message names.',
  ],
  [
    [{ invalid: 1 }, { created: 1 }, { rejected: 1 }],
    ['a.results.csv', 'b.results.csv', 'c.results.csv'],
    '2 rows were refused: open a.results.csv, c.results.csv and correct the cells that srq_message names.',
  ],
  [
    [{ invalid: 1 }, { rejected: 1 }],
    ['a.results.csv', null],
    '2 rows were refused: correct them in the input, and import that again.',
  ],
  [
    [{ unknown: 1, rejected: 1 }],
    [],
    '1 row may have been taken: look it up at the service. 1 row was refused: correct it in the input, and import that again.',
  ],
])('after %j with the results %j a person is advised: %j', async (files, results, advice) => {
  const { text } = await endOf({ files, results, names: ['a.csv', 'b.csv', 'c.csv'] });
  expect(/^To do: (.*)$/m.exec(text)?.[1] ?? null).toBe(advice);
});

test('an early end is told with the command that goes on, by the profile in use', async () => {
  const stop = new SrqError('service.wrong-address', 'Not there.', 'See: srq status');
  const files = [{ created: 1, ready: 2 }];
  const stopped = await endOf({ files, stop, options: { profile: 'p' } });
  const hint = 'See: srq status --profile p';
  expect(stopped.document).toMatchObject({
    ...{ advice: hint, next: 'srq bulk a.csv', failed: 2 },
    stopped: { reason: 'service.wrong-address', message: 'Not there.', hint },
    error: { hint },
  });
  expect([stopped.exitCode, stopped.stopped]).toEqual([5, expect.objectContaining({ hint })]);
  expect(stopped.text).toMatch(/^Stopped: 3 rows in 1\.5 s\n {2}Not there\.\n/);
  expect(stopped.text).toContain('(2 of them not tried)');
  const unhinted = await endOf({ files, stop: new SrqError('log.unwritable', 'Full.'), names: ['-'] });
  expect(unhinted.document).toMatchObject({ advice: null, next: null, stopped: { hint: null } });
  const left = await endOf({ files, signal: 'interrupted' });
  expect(left.document).toMatchObject({ stopped: { hint: 'To go on: srq bulk a.csv' }, next: 'srq bulk a.csv' });
  const piped = await endOf({ files, signal: 'interrupted', names: ['-'] });
  expect(piped.document).toMatchObject({ stopped: { hint: null }, next: null });
});

test('the summary leaves standard output alone where that has the results or the events', async () => {
  const files = [{ created: 1 }];
  for (const end of [
    { files, keepsStdout: false },
    { files, results: ['-'] },
  ]) {
    const { document, text, summary } = await endOf(end);
    expect([document, text]).toEqual([{}, expect.stringContaining('Done: 1 row in 1.5 s')]);
    expect(summary).toMatchObject({ rows: 1, created: 1 });
  }
});

test('the results of one file stand at the top of the document, of several with each', async () => {
  const { document } = await endOf({ files: [{ created: 1 }], results: ['a.results.csv'] });
  expect([document['results'], document['files']]).toEqual(['a.results.csv', undefined]);
  const several = await endOf({ files: [{ created: 1 }, { created: 1 }], results: ['a.results.csv', null] });
  expect([several.document['results'], several.document['files']]).toEqual([
    null,
    [expect.objectContaining({ results: 'a.results.csv' }), expect.objectContaining({ results: null })],
  ]);
  expect(several.summary.results).toEqual(['a.results.csv']);
});
