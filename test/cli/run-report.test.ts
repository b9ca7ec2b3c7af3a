import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunEvents } from '../../src/commands/bulk/events.ts';
import { FileImport } from '../../src/commands/bulk/file-import.ts';
import {
  addNotes,
  addRecords,
  figuresOf,
  pageFacts,
  reportRun,
  withFigures,
} from '../../src/commands/bulk/run-report.ts';
import { NO_MAPPING, PREPARATION, planOf, tableOf } from '../delivery/leads.ts';
import { contextOf } from '../helpers/command-context.ts';

const TABLE = { table: { columns: ['Nome'] } } as never;

/** A log with a note and a record of each of two runs, and a note of none. */
function logOf(run: string) {
  return {
    notes: async function* () {
      for (const of of [run, 'another', null]) yield { event: 'breaker', run: of, at: '2026-11-20T10:00:00.000Z' };
    },
    records: async function* () {
      for (const of of [run, 'another']) yield { record: { event: 'created', run: of } };
    },
  };
}

function figuresThatListen() {
  const [notes, records]: unknown[][] = [[], []];
  const figures = {
    note: ({ run }: { run: string | null }) => notes?.push(run),
    record: ({ run }: { run: string }) => records?.push(run),
  };
  return { figures: figures as never, notes, records };
}

describe('The report of a run', () => {
  test.each([true, false])('has commands with the flags of this one, read from the input: %j', (hasInput) => {
    const { context } = contextOf({ options: { profile: 'shop', log: '/logs/shop.ndjson' } });
    const { withProfile, ...facts } = pageFacts(context, hasInput);
    expect(facts).toEqual({ writtenAt: expect.stringMatching(/^\d{4}-.*Z$/), hasInput });
    expect(withProfile('Then: srq resolve')).toBe('Then: srq resolve --profile shop --log /logs/shop.ndjson');
  });

  test.each<[string | null, unknown[], unknown[]]>([
    ['one', ['one'], ['one']],
    ['another', ['another'], ['another']],
    [null, [null], ['one', 'another']],
  ])('has the notes and the records of the run %j', async (run, ofNotes, ofRecords) => {
    const { figures, notes, records } = figuresThatListen();
    await addNotes(figures, logOf('one') as never, run);
    await addRecords(figures, logOf('one') as never, run);
    expect([notes, records]).toEqual([ofNotes, ofRecords]);
  });

  test('has the cells of the input only if that is asked for, and passes the rows on', async () => {
    for (const [includeInput, cells] of [
      [true, ['Ana']],
      [false, null],
      [undefined, null],
    ] as const) {
      const figures = figuresOf(TABLE, includeInput);
      const added: unknown[] = [];
      figures.add = ({ cells: each }) => void added.push(each);
      const report = {
        ...{ row: { number: 1, line: 2, cells: ['Ana'], problem: null }, status: 'created', ids: {}, message: null },
        ...{ reason: null, record: null, problems: [], isKept: false },
      } as never;
      const passed = [];
      const rows = (async function* () {
        yield report;
      })();
      for await (const each of withFigures(rows, figures, NO_MAPPING)) passed.push(each);
      expect([includeInput, added, passed]).toEqual([includeInput, [cells], [report]]);
    }
  });

  test('that cannot be written is a warning, and a fault is thrown', async () => {
    const { context, home, stderr } = contextOf();
    Object.assign(context, { logStore: async () => logOf(context.run) });
    const path = `${home}/none/run.html`;
    await reportRun(context, path, figuresOf(TABLE, false));
    expect(stderr()).toMatch(/^! /);
    expect(stderr()).not.toContain('Report:');
    const broken = () => Promise.reject(new TypeError('broken'));
    Object.assign(context, {
      logStore: async () => ({ notes: () => ({ [Symbol.asyncIterator]: () => ({ next: broken }) }) }),
    });
    await expect(reportRun(context, path, figuresOf(TABLE, false))).rejects.toThrow('broken');
  });

  test('is written once all rows have been told, however long that takes', async () => {
    const { context, home } = contextOf();
    Object.assign(context, { logStore: async () => logOf(context.run) });
    const report = join(home, 'run.html');
    const opened = {
      file: 'a.csv',
      command: [],
      session: { context, preparation: PREPARATION },
      results: { path: null },
    };
    const events = await RunEvents.open(context, {} as never);
    const flags = { report, includeInput: true } as never;
    const file = new FileImport({ ...opened, input: {} } as never, flags, false, events);
    const plan = await planOf(tableOf(['Paint the last wall']), { lookup: () => 'none' });
    const rows = async function* () {
      for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
      for await (const [row] of plan.table.rows())
        yield { row, status: 'ready', ids: {}, message: null, reason: null, record: null, problems: [], isKept: false };
    };
    await file.report(plan, rows() as never, {} as never);
    expect(readFileSync(report, 'utf8')).toContain('Paint the last wall');
    expect(file.results).toBeNull();
  });
});
