import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  inputName,
  keepMapping,
  openInput,
  planWithProgress,
  readInput,
  requireNoReading,
  withReadingProgress,
} from '../../src/cli/input.ts';
import { requireDistinct, requireOwnPlaces } from '../../src/commands/output-places.ts';
import { NO_MAPPING, PREPARATION } from '../delivery/leads.ts';
import { contextOf } from '../helpers/command-context.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const READING = { skipLines: 0, map: [], set: [] };
const NOTHING_CHOSEN = { map: {}, set: {}, join: {} };

describe('Flags on how a file is read', () => {
  test.each([
    ['--format', { format: 'csv' }],
    ['--encoding', { encoding: 'utf-8' }],
    ['--delimiter', { delimiter: ';' }],
    ['--skip-lines', { skipLines: 1 }],
    ['--sheet', { sheet: 'Leads' }],
    ['--map', { map: [['Nr', 'ref']] }],
    ['--set', { set: [['country', 'PT']] }],
    ['--mapping', { mapping: 'a.json' }],
    ['--save-mapping', { saveMapping: 'b.json' }],
  ])('are refused where no file is named: %s', (flag, given) => {
    expect(() => requireNoReading({ ...READING, ...given } as never, (name) => `Leave ${name} out.`)).toThrow(
      expect.objectContaining({
        ...{ reason: 'flags.incomplete', hint: `Leave ${flag} out.` },
        message: `${flag} says how to read a file, and none is named.`,
      }),
    );
  });

  test('are not missed where none is given', () => {
    expect(() => requireNoReading(READING, () => '')).not.toThrow();
  });
});

describe('Standard input', () => {
  test('is read from a copy that its user alone can open, and that is removed with the command', async () => {
    const { context, stdin } = contextOf();
    const made = vi.spyOn(context, 'temporaryFolder');
    stdin.end('Name;Telefon\nAna Exemplo;912345678\n');
    const table = await openInput(context, '-');
    const rows: (readonly string[])[] = [];
    for await (const batch of table.rows()) rows.push(...batch.map(({ cells }) => cells));
    expect([table.columns, rows]).toEqual([['Name', 'Telefon'], [['Ana Exemplo', '912345678']]]);
    const folder: string = made.mock.results[0]?.value;
    const modes = [join(folder, 'stdin'), folder].map((path) => (statSync(path).mode & 0o777).toString(8));
    if (process.platform !== 'win32') expect(modes).toEqual(['600', '700']);
    await context.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('is called by that name', async () => {
    expect([inputName('-'), inputName('leads.csv')]).toEqual(['standard input', 'leads.csv']);
    const { context, stdin } = contextOf();
    stdin.end('');
    await expect(openInput(context, '-')).rejects.toThrow(/[Ss]tandard input/);
  });

  test('is no place for a mapping', async () => {
    const { context, home } = contextOf();
    await expect(readInput(context, join(home, 'none.csv'), { ...READING, saveMapping: '-' })).rejects.toMatchObject({
      ...{ reason: 'flags.contradict', message: expect.stringContaining('--save-mapping -') },
    });
  });
});

describe('A file', () => {
  const fileOf = (text: string | Buffer) => {
    const of = contextOf({ env: { SRQ_BASE_URL: 'http://127.0.0.1:9' } });
    const file = join(of.home, 'leads.txt');
    writeFileSync(file, text);
    return { ...of, file };
  };

  test.each<[string, object, string[]]>([
    ['a;b,c\n1;2,3\n', { delimiter: ';' }, ['a', 'b,c']],
    ['a;b,c\n1;2,3\n', { delimiter: ',' }, ['a;b', 'c']],
    ['Export\na,b\n1,2\n', { skipLines: 1 }, ['a', 'b']],
    ['[{"a":"1"}]', { format: 'json' }, ['a']],
  ])('of %j is read with %j', async (text, options, columns) => {
    const { context, file } = fileOf(text);
    expect((await readInput(context, file, { ...READING, ...options })).table.columns).toEqual(columns);
  });

  test('is read in the encoding that is said', async () => {
    const { context, file } = fileOf(Buffer.from('Straße\nA\n', 'latin1'));
    const { table } = await readInput(context, file, { ...READING, encoding: 'latin1' });
    expect(table.columns).toEqual(['Straße']);
  });

  test('has columns that are known by the names of parameters, as the contract spells them', async () => {
    const { context, home, file } = fileOf('a\n1\n');
    const place = { path: ['customer', 'contact_note'] };
    const create = { parameters: [parameter('ref', place), parameter('phone')] };
    mkdirSync(join(home, 'config', 'contracts'), { recursive: true, mode: 0o700 });
    const contract = JSON.stringify(contractWith({ create }));
    writeFileSync(join(home, 'config', 'contracts', 'default.json'), contract, { mode: 0o600 });
    const { evidence } = await readInput(context, file, READING);
    expect([...evidence.parameters].toSorted()).toEqual(['contact_note', 'customer.contact_note', 'phone', 'ref']);
  });

  test.each([
    ['\ufeff{"map":{"a":"ref"}}', true],
    ['{"schemaVersion":1,"map":{"a":"ref"}}', true],
    ['{"schemaVersion":2,"map":{"a":"ref"}}', false],
  ])('is read by the mapping %j: %j', async (text, isRead) => {
    const { context, home, file } = fileOf('a\n1\n');
    const mapping = join(home, 'm.json');
    writeFileSync(mapping, text);
    const read = readInput(context, file, { ...READING, mapping });
    if (isRead) expect((await read).chosen.map).toEqual({ a: 'ref' });
    else await expect(read).rejects.toMatchObject({ reason: 'mapping.unusable' });
  });

  test.each([
    ['{"map":{}}', true],
    ['\n { "map" : {}}', true],
    ['{"schemaVersion": 1, "map":{}}', true],
    ['{"schemaVersion":12,"map":{}}', true],
    ['', true],
    ['{"set":{}}', false],
    ['{"schemaVersion":1,"set":{}}', false],
    ['[{"map":{}}]', false],
    ['x{"map":{}}', false],
  ])('with the text %j is replaced by a mapping: %j', async (text, isReplaced) => {
    const { file } = fileOf(text);
    const kept = keepMapping(file, NO_MAPPING, NOTHING_CHOSEN);
    if (isReplaced) await kept;
    else await expect(kept).rejects.toMatchObject({ reason: 'output.not-replaced' });
    expect(readFileSync(file, 'utf8')).toBe(isReplaced ? '{\n  "map": {},\n  "set": {},\n  "join": {}\n}\n' : text);
  });

  test('is planned as a whole where nothing else is said, and duplicates are left out', async () => {
    const { context, file } = fileOf('country,phone,request_text\nPT,+351912345678,a\nPT,+351912345678,b\n');
    const input = await readInput(context, file, READING);
    const log = { lookup: () => 'created', prefetch: async () => {}, read: () => null } as never;
    const session = { context, preparation: PREPARATION } as never;
    expect((await planWithProgress(session, input, log)).counts).toMatchObject({ repeated: 2, ready: 0 });
    const rules = { range: { skip: 1, limit: null }, onDuplicate: 'skip', again: true } as const;
    expect((await planWithProgress(session, input, log, rules)).counts).toMatchObject({ repeated: 0, ready: 1 });
    const duplicate = { lookup: () => 'duplicate', prefetch: async () => {}, read: () => null } as never;
    expect((await planWithProgress(session, input, duplicate)).counts.ready).toBe(0);
  });
});

describe('The progress of reading', () => {
  test.each([
    ['ends', async () => 7],
    ['fails', () => Promise.reject(new Error('no more'))],
  ])('is shown row by row, and is over when the reading %s', async (_, end) => {
    const events: unknown[] = [];
    const progress = { update: (state: object) => events.push(state), end: () => events.push('over') };
    const begin = async (label: string) => {
      events.push(label);
      return progress;
    };
    const context = { reporter: async () => ({ progress: begin }) };
    const read = withReadingProgress(context as never, async (tick) => {
      tick(500);
      tick(501);
      return end();
    });
    await read.then(
      (result) => expect(result).toBe(7),
      (error) => expect(error.message).toBe('no more'),
    );
    expect(events).toEqual([
      'Reading',
      { done: 500, total: 0, counts: {} },
      { done: 501, total: 0, counts: {} },
      'over',
    ]);
  });
});

describe('Two outputs of a command', () => {
  test.each<[string, readonly (readonly [string, string | false | null | undefined])[], string | null]>([
    [
      'of two names',
      [
        ['--report', 'a'],
        ['--results', 'b'],
      ],
      null,
    ],
    [
      'that are both left out',
      [
        ['--report', undefined],
        ['--results', undefined],
        ['--events', null],
        ['-o', false],
      ],
      null,
    ],
    [
      'of one name',
      [
        ['--report', 'a'],
        ['--results', 'a'],
      ],
      '--results a and --report',
    ],
    [
      'of one place',
      [
        ['--report', './x/../a'],
        ['--results', 'a'],
      ],
      '--results a and --report',
    ],
    [
      'that are both standard output',
      [
        ['--report', '-'],
        ['--results', '-'],
      ],
      '--results - and --report',
    ],
    [
      'of which one is standard output',
      [
        ['--report', '-'],
        ['--results', './-'],
      ],
      null,
    ],
    [
      'of three',
      [
        ['--report', 'a'],
        ['--results', 'b'],
        ['--events', 'b'],
      ],
      '--events b and --results',
    ],
  ])('%s are told apart', async (_, outputs, told) => {
    if (told === null) await expect(requireDistinct(outputs)).resolves.toBeUndefined();
    else
      await expect(requireDistinct(outputs)).rejects.toMatchObject({
        ...{ reason: 'flags.contradict', message: expect.stringMatching(`^${told} cannot be used together: `) },
        hint: expect.stringMatching(/^Leave one of them out, or name another file: --\w+ FILE$/),
      });
  });

  test('and its log are told apart, if that is a file', async () => {
    const of = contextOf();
    const usual = join(of.home, 'state', 'default.ndjson');
    await expect(requireOwnPlaces(of.context, [['--report', usual]])).rejects.toThrow(/ and the log cannot be used/);
    await expect(requireOwnPlaces(of.context, [['--report', `${usual}.html`]])).resolves.toBeUndefined();
    const given = contextOf({ options: { log: 'a.ndjson' } }).context;
    await expect(requireOwnPlaces(given, [['--report', './a.ndjson']])).rejects.toThrow(/ and --log cannot be used/);
    const store = contextOf({ options: { store: 'postgres://leads@127.0.0.1/leads' } });
    const file = join(store.home, 'state', 'default.ndjson');
    await expect(requireOwnPlaces(store.context, [['--report', file]])).resolves.toBeUndefined();
  });
});
