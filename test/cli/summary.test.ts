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
}

/** What is told at the end of a run whose rows have ended so: the text for a person, the document and the exit status. */
async function endOf({ files, names = ['a.csv', 'b.csv'], results = [], signal, stop, ...rest }: End) {
  const { options = {}, range = { skip: 0, limit: null }, command, strangers } = rest;
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
    const asides = { withoutIdentifier: at + 1, withRemark: 0 };
    const place = results[at] ?? null;
    return { file: names[at] ?? '-', plan, results: place, asides, reasons: { checked: 1 }, exportTo: 'a.xlsx' };
  });
  const run = { files: ended, command: command ?? ['bulk', ...ended.map(({ file }) => file)], keepsStdout: true };
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
    ...{ run: 'run', rows: 4, seconds: 1.5, log: '/log', created: 2, invalid: 1, failed: 1, withoutIdentifier: 3 },
    ...{
      reasons: { checked: 2 },
      results: null,
      files: [
        { rows: 2, created: 2 },
        { rows: 2, invalid: 1, failed: 1 },
      ],
    },
  });
  expect(summary).toMatchObject({ rows: 4, seconds: 1.5, withoutIdentifier: 3, reasons: { checked: 2 } });
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
