import { describe, expect, test } from 'vitest';
import { mapped } from '../../src/cli/input.ts';
import { agreedPlan, correctedBy } from '../../src/commands/bulk/agreement.ts';
import { planImport } from '../../src/delivery/plan.ts';
import type { MappingOptions, Row, Table } from '../../src/request/table.ts';
import { PREPARATION } from '../delivery/leads.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';

const COLUMNS = ['country', 'phone', 'request_text', '7', ''];
const CELLS = ['PT', '+351912345678', 'Paint the wall', 'x', 'y'];
const NOTHING: MappingOptions = { map: {}, set: {}, join: {} };
const EVIDENCE = { sample: [], parameters: new Set<string>() };

describe('A correction', () => {
  const corrected = (line: string, before: Partial<MappingOptions> = {}) =>
    correctedBy(line, { columns: COLUMNS }, { ...NOTHING, ...before });

  test.each<[string, Partial<MappingOptions>, Partial<MappingOptions>]>([
    ['request_text=ref', {}, { map: { request_text: 'ref' } }],
    [' request_text = ref ', {}, { map: { request_text: 'ref' } }],
    ['column 5=ref', {}, { map: { 'column 5': 'ref' } }],
    ['7=-', {}, { map: { ' 7': '-' } }],
    ['7=-', { map: { ' 7': 'ref', phone: 'phone' } }, { map: { ' 7': '-', phone: 'phone' } }],
    ['lang=pt', {}, { set: { lang: 'pt' } }],
    ['lang=', {}, { set: { lang: '' } }],
    ['lang=a=b', {}, { set: { lang: 'a=b' } }],
    ['lang=pt', { map: { '7': 'lang', phone: 'phone' } }, { map: { phone: 'phone' }, set: { lang: 'pt' } }],
    ['lang=pt', { join: { lang: ['7'], location: ['7'] } }, { set: { lang: 'pt' }, join: { location: ['7'] } }],
    ['request_text=ref', { set: { ref: 'L', lang: 'pt' } }, { map: { request_text: 'ref' }, set: { lang: 'pt' } }],
    ['request_text=ref', { join: { ref: ['7'] } }, { map: { request_text: 'ref' } }],
    // A field that is no column has this word as its value.
    ['fullname=email', {}, { set: { fullname: 'email' } }],
  ])('%j after %j says %j', (line, before, after) => {
    expect(corrected(line, before)).toEqual({ ...NOTHING, ...after });
  });

  test.each([
    ['nonsense', 'mapping.unclear'],
    ['=phone', 'mapping.unclear'],
    ['Fax=number', 'mapping.unclear'],
    ['Fax=phone', 'column.unknown'],
    ['Fax=-', 'column.unknown'],
  ])('%j is none: %s', (line, reason) => {
    expect(() => corrected(line)).toThrow(expect.objectContaining({ reason }));
  });
});

/** What is agreed to of a file with one row, after these keys. */
async function agreed(typed: readonly Typed[] | null, chosen: Partial<MappingOptions> = {}, options: object = {}) {
  const { context, stderr, home } = contextOf({
    ...(typed === null ? {} : { typed }),
    env: { SRQ_BASE_URL: 'http://127.0.0.1:9' },
  });
  const row: Row = { number: 1, line: 2, cells: CELLS, problem: null };
  const table: Table = {
    ...{ path: 'leads.csv', encoding: 'UTF-8', delimiter: ',', columns: COLUMNS, notes: [], sizeBytes: 0 },
    format: 'csv',
    rows: async function* () {
      yield [row];
    },
    readBytes: () => 0,
  };
  const input = await mapped({ table, evidence: EVIDENCE }, { ...NOTHING, ...chosen }, {});
  const log = { lookup: () => 'none' as const, prefetch: async () => {}, read: () => null };
  const rules = { onDuplicate: 'skip', again: false } as const;
  const proposal = {
    ...{ input, where: 'http://127.0.0.1:9', command: ['bulk', 'leads.csv'] },
    ...{ keepAt: `${home}/leads.mapping.json`, oneOfSeveral: null },
  };
  const session = { context, preparation: PREPARATION } as never;
  const result = await agreedPlan(session, proposal, options, (now) =>
    planImport(now, { skip: 0, limit: null }, PREPARATION, log as never, rules, () => {}),
  );
  return { ...result, shown: stderr(), keepAt: proposal.keepAt, context };
}

const ASKED = /\? for help\s+· q to quit: /;

describe('The command that is agreed to', () => {
  test('is the one that was given where nothing is corrected, and nobody is asked with --yes', async () => {
    expect((await agreed([[ASKED, '\r']])).command).toEqual(['bulk', 'leads.csv']);
    const { command, shown } = await agreed([], {}, { yes: true });
    expect([command, shown.includes('q to quit')]).toEqual([['bulk', 'leads.csv'], false]);
    expect((await agreed(null)).command).toEqual(['bulk', 'leads.csv']);
  });

  test('has what was corrected as flags, a column by the name that it has', async () => {
    const { command, plan, shown } = await agreed([
      [ASKED, '7=ref\r'],
      [ASKED, 'Request text=-\r'],
      [ASKED, 'request_text=-\r'],
      [ASKED, 'request_text={request_text}!\r'],
      [ASKED, '\r'],
      [/1 ready[\s\S]*q to quit: /, '\r'],
    ]);
    expect(command).toEqual([
      ...['bulk', 'leads.csv', '--map', '7=ref', '--map', 'Request text=-', '--map', 'request_text=-'],
      ...['--set', 'request_text={request_text}!'],
    ]);
    expect([plan.first?.request.ref, plan.first?.request.params['request_text']]).toEqual(['x', 'Paint the wall!']);
    expect(shown.replace(/\s+/g, ' ')).toContain(
      'To import this file again with the same mapping: srq bulk leads.csv --map',
    );
  });

  test('names a mapping file where a correction takes something back', async () => {
    const { command, keepAt } = await agreed(
      [
        [ASKED, 'ref=L-1\r'],
        [ASKED, '\r'],
        [/1 ready[\s\S]*q to quit: /, '\r'],
      ],
      { map: { ' 7': 'ref' } },
    );
    expect(command).toEqual(['bulk', 'leads.csv', '--mapping', keepAt]);
  });

  test('is none for a person who leaves, and help and mistakes are answered without a new plan', async () => {
    await expect(agreed([[ASKED, 'q\r']])).rejects.toMatchObject({ reason: 'prompt.left' });
    const { shown, command } = await agreed([
      [ASKED, '?\r'],
      [/Columns: country, phone, request_text, 7, column 5[\s\S]*q to quit: /, 'Fax=phone\r'],
      [/There is no column "Fax"\.[\s\S]*q to quit: /, '\r'],
    ]);
    expect([command, shown.match(/1 ready/g)?.length]).toEqual([['bulk', 'leads.csv'], 1]);
  });
});
