import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { painter, textWidth } from '../../src/report/output.ts';
import { callText } from '../../src/report/terminal/call-text.ts';
import { doubtText, logHeading, logLine, totalsText } from '../../src/report/terminal/log-text.ts';
import { HumanReporter, linesProgress, ProgressMeter } from '../../src/report/terminal/reporters.ts';
import { identifiersText, resultText, summaryText, verdictText } from '../../src/report/terminal/summary-text.ts';
import type { ImportSummary } from '../../src/request/import-plan.ts';
import type { LogEntry } from '../../src/request/log-store.ts';
import type { RowResult } from '../../src/request/outcome.ts';
import type { LogRecord, TracedCall, ValidateResult } from '../../src/request/ports.ts';
import { noCounts, noSentCounts } from '../../src/request/status.ts';

const paint = painter(false);
const loud = Object.fromEntries(
  Object.keys(paint).map((name) => [name, (text: string) => `<${name}>${text}</>`]),
) as unknown as typeof paint;

const ENTRY: LogEntry = {
  ...{ key: '0123456789abcdef0123456789abcdef', status: 'created', reason: null, at: '2026-11-21T10:20:30.123Z' },
  ...{ run: 'r', row: 12, ref: 'L-5', ids: { id: '77' }, http: 201, ms: 5, message: null, raw: null, by: null },
  again: false,
};

describe('a line of the log', () => {
  test.each([
    [
      95,
      '2026-11-21 10:20  created    L-5             id=77',
      'time (UTC)        status     reference       identifiers or message',
    ],
    [
      96,
      '2026-11-21T10:20:30  created         12  L-5                   id=77',
      'time (UTC)           status     row      reference             identifiers or message',
    ],
    [
      72,
      '2026-11-21 10:20  created    L-5             id=77',
      'time (UTC)        status     reference       identifiers or message',
    ],
    [71, '11-21 10:20  created    id=77', 'time (UTC)   status     identifiers or message'],
  ])('on %d columns is "%s"', (columns, line, heading) => {
    expect([logLine(ENTRY, columns, paint), logHeading(columns, paint)]).toEqual([line, heading]);
  });

  test('without a terminal is as on a wide one', () => {
    expect(logLine(ENTRY, null, paint)).toBe(logLine(ENTRY, 200, paint));
  });

  test('tells the message where there is no identifier, and of a reference that is missing nothing else', () => {
    const bare = { ...ENTRY, ids: {}, ref: null };
    expect(logLine({ ...bare, message: 'No.' }, 96, paint)).toMatch(/ {2}- {19} {2}No\.$/);
    expect(logLine({ ...ENTRY, message: 'No.' }, 96, paint)).not.toContain('No.');
    expect(logLine(bare, 96, paint)).toMatch(/ -$/);
  });

  test.each([
    ['created', 'green'],
    ['duplicate', 'cyan'],
    ['rejected', 'red'],
    ['failed', 'red'],
    ['unknown', 'yellow'],
  ] as const)('has %s in %s', (status, colour) => {
    expect(logLine({ ...ENTRY, status }, 96, loud)).toContain(`<${colour}>${status.padEnd(9)}</>`);
  });
});

describe('a request in doubt', () => {
  const DOUBT: LogRecord = { ...ENTRY, event: 'sending', ids: {} };
  test.each([
    [999, '0 s'],
    [1_000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [172_799_999, '47 h'],
    [172_800_000, '2 d'],
    [259_199_999, '2 d'],
  ])('%d ms old is told as %s', (ageMs, age) => {
    expect(doubtText([DOUBT], Date.parse(DOUBT.at) + ageMs, null, paint).split('  ')[1]).toBe(age);
  });

  test('is told with the twelve letters of its key that name it, and with what is known', () => {
    const now = Date.parse(DOUBT.at);
    expect(doubtText([{ ...DOUBT, message: 'The line failed.', ref: null }], now, null, loud)).toBe(
      '<bold>0123456789ab</>  0 s  12  -  The line failed.',
    );
  });
});

test('the totals of days have a column for each status of which there is one, in its colour', () => {
  const none = noSentCounts();
  const totals = [
    { day: '2026-11-20', counts: { ...none, created: 1, unknown: 1 } },
    { day: '2026-11-21', counts: { ...none, created: 2 } },
  ];
  expect(totalsText(totals, 80, paint).split('\n')).toEqual([
    'day, UTC    created    unknown',
    '2026-11-20  1 created  1 unknown',
    '2026-11-21  2 created  -',
  ]);
  const [first = '', second = ''] = totalsText(totals, null, loud).split('\n');
  expect(first).toContain('<green>1 created</>  <yellow>1 unknown</>');
  expect(second).toContain('<green>2 created</>  <dim>-</>');
});

describe('a call', () => {
  const CALL: TracedCall = {
    ...{ method: 'POST', url: 'https://api.example.com/leads', headers: { accept: '*/*' }, body: 'a=1', ms: 12 },
    ...{ answer: { status: 201, headers: { date: 'today' }, body: '{}' }, failure: null },
  };

  test('is shown as curl does, with a command that repeats it', () => {
    expect(callText(CALL)).toBe(
      [
        '> POST https://api.example.com/leads',
        '> accept: */*',
        '> a=1',
        '< HTTP 201 in 12 ms',
        '< date: today',
        '< {}',
        "$ curl -X POST https://api.example.com/leads -H 'accept: */*' --data a=1",
        '',
      ].join('\n'),
    );
    expect(callText({ ...CALL, answer: null, failure: 'ECONNRESET' })).toContain(
      '\n< no answer in 12 ms (ECONNRESET)\n',
    );
    expect(callText({ ...CALL, body: '' })).not.toContain('\n> \n');
  });

  test.each([
    [30, 30],
    [31, 30],
  ])('with %d headers is shown with %d of them, and repeated with all', (count, shown) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']));
    const lines = callText({ ...CALL, headers }).split('\n');
    expect(lines.filter((line) => /^> x-\d+: v$/.test(line))).toHaveLength(shown);
    expect(lines.at(-2)?.match(/-H /g)).toHaveLength(count);
  });

  test('is cut where nobody reads on: headers at 200 columns, bodies at 2,000', () => {
    const linesOf = (letters: number) =>
      callText({ ...CALL, headers: { x: 'h'.repeat(letters - 3) }, body: 'b'.repeat(letters) }).split('\n');
    expect(linesOf(200)[1]).toBe(`> x: ${'h'.repeat(197)}`);
    expect(linesOf(201)[1]).toBe(`> x: ${'h'.repeat(196)}…`);
    expect(linesOf(2_000)[2]).toBe(`> ${'b'.repeat(2_000)}`);
    expect(linesOf(2_001)[2]).toBe(`> ${'b'.repeat(1_999)}…`);
    expect(linesOf(2_001).at(-2)).toContain(`--data '${'b'.repeat(1_999)}…'`);
    expect(linesOf(2_000).at(-2)).toContain(`--data ${'b'.repeat(2_000)}`);
  });

  test('in several parts is repeated without its boundary, as curl makes one of its own', () => {
    const body = [
      '--B',
      'content-disposition: form-data; name="a b"',
      '',
      '1 2',
      '--B',
      'content-disposition: form-data; name="c"',
      '',
      'x',
      '--B--',
      '',
    ].join('\r\n');
    const headers = { 'content-type': 'multipart/form-data; boundary=B', accept: '*/*' };
    const lines = callText({ ...CALL, headers, body }).split('\n');
    expect(lines.at(-2)).toBe("$ curl -X POST https://api.example.com/leads -H 'accept: */*' -F 'a b=1 2' -F c=x");
    expect(lines.filter((line) => line === '> --B')).toHaveLength(2);
    expect(lines).toContain('> --B--');
    expect(lines).toContain('>');
  });
});

describe('progress where nothing can be redrawn', () => {
  function written(steps: readonly (readonly [atMs: number, done: number])[], total = 100) {
    let nowMs = 0;
    const stream = new PassThrough();
    const progress = linesProgress(
      'Sending',
      stream,
      () => nowMs,
      (line) => `(${line})`,
    );
    for (const [atMs, done] of steps) {
      nowMs = atMs;
      progress.update({ done, total, counts: {} });
    }
    return String(stream.read() ?? '');
  }

  test.each([
    [4_999, ''],
    [5_000, '(Sending 5/100 (5 %) · 1.0 leads/s)\n'],
  ])('after %d ms says "%s"', (ms, text) => {
    expect(written([[ms, 5]])).toBe(text);
  });

  test('waits twice as long each time, and five minutes at most', () => {
    const seconds = Array.from({ length: 3_000 }, (_, at) => [(at + 1) * 1_000, at + 1] as const);
    const told = [...written(seconds, 9_999).matchAll(/Sending ([\d,]+)\//g)].map(([, done = '']) =>
      Number(done.replace(',', '')),
    );
    expect(told.map((done, at) => done - (told[at - 1] ?? 0))).toEqual([5, 10, 20, 40, 80, 160, ...Array(8).fill(300)]);
  });
});

describe('the line of progress', () => {
  function meterAt(marks: readonly (readonly [atMs: number, done: number])[], nowMs: number) {
    const clock = { nowMs: 0 };
    const meter = new ProgressMeter('Sending', () => clock.nowMs);
    for (const [atMs, done] of marks) {
      clock.nowMs = atMs;
      meter.note(done);
    }
    clock.nowMs = nowMs;
    return meter;
  }
  const line = (done: number, nowMs: number, total = 100, marks: readonly (readonly [number, number])[] = []) =>
    meterAt(marks, nowMs).line({ done, total, counts: {} });

  test.each<[number, number, number, string]>([
    // Less than a third of a second is no time to measure a rate in.
    [5, 300, 100, 'Sending 5/100 (5 %)'],
    [5, 301, 100, 'Sending 5/100 (5 %) · 17 leads/s'],
    [0, 10_000, 100, 'Sending 0/100 (0 %)'],
    [9, 1_000, 100, 'Sending 9/100 (9 %) · 9.0 leads/s'],
    [10, 1_000, 100, 'Sending 10/100 (10 %) · 10 leads/s'],
    [10, 4_999, 100, 'Sending 10/100 (10 %) · 2.0 leads/s'],
    [10, 5_000, 100, 'Sending 10/100 (10 %) · 2.0 leads/s · 45 s left'],
    [9, 5_000, 100, 'Sending 9/100 (9 %) · 1.8 leads/s'],
    [99, 9_900, 100, 'Sending 99/100 (99 %) · 10 leads/s · 0.1 s left'],
    [100, 10_000, 100, 'Sending 100/100 (100 %) · 10 leads/s'],
    [199, 10_000, 200, 'Sending 199/200 (99 %) · 20 leads/s · 0.1 s left'],
    // Without a total there is neither a share nor an end.
    [1_500, 10_000, 0, 'Sending 1,500 · 150 leads/s'],
  ])('of %d rows after %d ms of %d is "%s"', (done, nowMs, total, text) => {
    expect(line(done, nowMs, total)).toBe(text);
  });

  test('tells the rate of the last ten seconds, whatever it was before', () => {
    const marks = Array.from({ length: 30 }, (_, at) => [(at + 1) * 1_000, at < 15 ? 0 : (at - 14) * 50] as const);
    expect(line(750, 30_000, 1_000, marks)).toContain('· 50 leads/s');
    // What came more than ten seconds before is forgotten, and what came ten seconds before is not.
    const two = [
      [1_000, 100],
      [2_000, 200],
      [12_000, 300],
    ] as const;
    expect(line(300, 12_000, 1_000, two)).toContain('· 18 leads/s');
    expect(
      line(300, 12_001, 1_000, [
        [1_000, 100],
        [2_000, 200],
        [12_001, 300],
      ]),
    ).toContain('· 10.0 leads/s');
  });

  test('takes a mark every 200 ms at most', () => {
    const clock = { nowMs: 0, asked: 0 };
    const meter = new ProgressMeter('Sending', () => clock.nowMs);
    for (const [atMs, done] of [
      [199, 50],
      [200, 100],
      [399, 150],
    ] as const) {
      clock.nowMs = atMs;
      meter.note(done);
    }
    clock.nowMs = 10_250;
    meter.note(200);
    clock.nowMs = 10_500;
    // The first mark is gone by now: the rate is counted from 200 ms on.
    meter.note(300);
    expect(meter.line({ done: 303, total: 0, counts: {} })).toBe('Sending 303 · 20 leads/s');
  });

  test('counts each status of which there is one', () => {
    const meter = meterAt([], 0);
    const counts = { created: 1_200, duplicate: 0, failed: 1, repeated: 3 };
    expect(meter.line({ done: 9, total: 0, counts })).toBe('Sending 9 · 1,200 created · 1 failed');
  });

  test.each([
    [0, 100, '░'.repeat(12)],
    [99, 1_200, '░'.repeat(12)],
    [100, 1_200, `█${'░'.repeat(11)}`],
    [1_199, 1_200, `${'█'.repeat(11)}░`],
    [1_200, 1_200, '█'.repeat(12)],
    [1_300, 1_200, '█'.repeat(12)],
  ])('with %d of %d rows has the bar %s', (done, total, bar) => {
    expect(meterAt([], 0).drawn({ done, total, counts: {} }, 80)).toMatch(new RegExp(`^Sending ${bar} [\\d,]+/`));
  });

  test('has no bar where the total is not known, and fits its terminal', () => {
    expect(meterAt([], 0).drawn({ done: 5, total: 0, counts: {} }, 80)).toBe('Sending 5');
    const long = meterAt([], 0).drawn({ done: 5, total: 100, counts: { created: 5 } }, 30);
    expect([textWidth(long), long.endsWith('…')]).toEqual([30, true]);
  });
});

describe('progress on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  test('redraws one line, five times a second at most, and leaves nothing behind', async () => {
    const stderr = Object.assign(new PassThrough(), {
      ...{ isTTY: true, columns: 36 },
      ...{ cursorTo: () => true, clearLine: () => true, moveCursor: () => true },
    });
    let nowMs = 0;
    const reporter = new HumanReporter({
      ...{ stdout: new PassThrough(), stderr, quiet: false, colour: { stdout: false, stderr: false }, redraw: true },
      ...{ ascii: true, monotonicMs: () => nowMs, messageTimeMs: null, run: 'r', temporaryFolder: () => '' },
    });
    const progress = await reporter.progress('Sending');
    /** What is drawn in the next 120 ms, in which a frame of the spinner is due. */
    const drawn = () => {
      stderr.read();
      vi.advanceTimersByTime(120);
      return String(stderr.read() ?? '');
    };
    const drawnAt = (atMs: number, done: number) => {
      nowMs = atMs;
      progress.update({ done, total: 100, counts: {} });
      return drawn();
    };
    expect(drawnAt(0, 0)).toMatch(/[-\\|/] Sending \.{12} 0\/100 \(0 %\)/);
    expect(drawnAt(199, 50)).toMatch(/ 0\/100 /);
    // Of 36 columns three are the spinner's and the one that stays free.
    expect(drawnAt(200, 50)).toMatch(/[-\\|/] Sending #{6}\.{6} 50\/100 \(50 ~(?!\S* \w)/);
    progress.end();
    expect([drawn(), drawn()]).toEqual(['', '']);
  });
});

describe('the result of an import', () => {
  const summaryOf = (changes: Partial<ImportSummary> = {}): string[] =>
    summaryText(
      {
        ...{ rows: 2, counts: { ...noCounts(), created: 2 }, notTried: 0, seconds: 61, stopped: null, log: 'x.ndjson' },
        ...{
          asides: { withoutIdentifier: 0 },
          results: [],
          exportCommand: null,
          advice: null,
          next: null,
        },
        ...changes,
      },
      paint,
    ).split('\n');

  test.each<[string, Partial<ImportSummary>, string[]]>([
    ['all taken', {}, ['Done: 2 rows in 1 min 1 s', '  2  created    the service took them', '  log  x.ndjson']],
    [
      'with asides of the created ones',
      { counts: { ...noCounts(), created: 1_200, duplicate: 1 }, asides: { withoutIdentifier: 1 } },
      [
        'Done: 2 rows in 1 min 1 s',
        '  1,200  created    the service took them (1 without an identifier)',
        '      1  duplicate  the service knows them already',
        '  log  x.ndjson',
      ],
    ],
    [
      'stopped, with rows that were not tried',
      {
        counts: { ...noCounts(), failed: 3 },
        notTried: 1,
        stopped: { code: 'service', reason: 'service.failed', message: 'Moved.', hint: null },
        ...{ results: ['a.csv', '-', 'b.csv'], advice: 'Wait.', next: 'srq bulk a.csv' },
      },
      [
        'Stopped: 2 rows in 1 min 1 s',
        '  Moved.',
        '  3  failed     not taken; the next run sends them (1 of them not tried)',
        '  results  a.csv',
        '  results  b.csv',
        '  log      x.ndjson',
        'To do: Wait.',
        'Next: srq bulk a.csv',
      ],
    ],
    [
      'delivered whole',
      { exportCommand: 'srq export' },
      [
        'Done: 2 rows in 1 min 1 s',
        '  2  created    the service took them',
        '  log  x.ndjson',
        'All 2 rows are delivered. For your CRM: srq export',
      ],
    ],
    [
      'of one row, delivered',
      { rows: 1, exportCommand: 'srq export' },
      [
        'Done: 1 row in 1 min 1 s',
        '  2  created    the service took them',
        '  log  x.ndjson',
        'The row is delivered. For your CRM: srq export',
      ],
    ],
    ['of nothing', { counts: noCounts() }, ['Done: 2 rows in 1 min 1 s', '  log  x.ndjson']],
  ])('is told: %s', (_, changes, lines) => {
    expect(summaryOf(changes)).toEqual(lines);
  });

  test('of a dry run has no asides', () => {
    expect(summaryOf({ asides: null })[1]).toBe('  2  created    the service took them');
  });
});

const RESULT: RowResult = {
  row: 1,
  status: 'created',
  ref: 'L-1',
  key: 'k',
  ids: { a: '1', b: '2' },
  http: 201,
  message: null,
  reason: null,
};

test.each<[Partial<RowResult>, string]>([
  [{}, '<green>created</> L-1  a=1 b=2'],
  [{ ref: null, ids: {} }, '<green>created</>'],
  [{ status: 'rejected', ids: {}, message: 'No.' }, '<red>rejected</> L-1\n  No.'],
])('the result %j of one request is "%s"', (changes, text) => {
  expect(resultText({ ...RESULT, ...changes }, loud)).toBe(text);
});

test.each<[Partial<ValidateResult>, string]>([
  [{}, '<green>clear</>'],
  [{ verdict: 'duplicate', ids: { a: '1' } }, '<cyan>duplicate</>  a=1'],
  [{ verdict: 'unknown', message: 'Why.' }, '<yellow>unknown</>\n  Why.'],
])('the verdict %j is "%s"', (changes, text) => {
  const clear = { verdict: 'clear', form: null, ids: {}, http: 200, message: null, refused: null, raw: null } as const;
  expect(verdictText({ ...clear, ...changes }, loud)).toBe(text);
});

test('identifiers are told by their names, safe on a terminal', () => {
  expect(identifiersText({ a: '1\u001b', 'b\u202e': '2' })).toBe('a=1\\u{1b} b\\u{202e}=2');
});
