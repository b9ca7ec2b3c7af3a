import { describe, expect, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { expiryWarning, queuePlan } from '../../src/commands/enqueue/queue-plan.ts';
import { enqueue } from '../../src/commands/enqueue/run.ts';
import type { ProgressState } from '../../src/report/reporter.ts';
import type { QueuedRequest } from '../../src/request/request-queue.ts';
import { PREPARATION, planOf, tableOf } from '../delivery/leads.ts';
import { contextOf } from '../helpers/command-context.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { User } from '../helpers/user.ts';

const HERE = { baseUrl: 'http://127.0.0.1:9', clientId: '4711' };
const DAY_S = 86_400;

test('it is warned of rows that take longer than they are queued for', () => {
  expect(expiryWarning(30 * DAY_S, 1, 30)).toBeNull();
  expect(expiryWarning(30 * DAY_S + 1, 1, 30)).toMatch(
    /^At 1 calls a second, .* takes up to 31 days\. .* within 30 days expires/,
  );
  expect(expiryWarning(29 * DAY_S, 1, 30)).toBeNull();
  expect(expiryWarning(2_000 * DAY_S, 1.2345, 30)).toMatch(/^At 1\.2 calls a second, .* takes up to 1,621 days\./);
});

describe('The rows of a plan are queued', () => {
  interface Scene {
    readonly needs: readonly string[];
    /** The keys that the queue has already, by the numbers of their rows. */
    readonly known?: readonly number[];
    readonly options?: object;
    readonly file?: string;
    /** A signal comes with the first batch. */
    readonly signal?: boolean;
  }

  async function queued({ needs, known = [], options = {}, file = 'leads.csv', signal = false }: Scene) {
    const { context, stdout, stderr } = contextOf({ options: { ...options, json: true } });
    const handlers = new Map<string, () => void>();
    Object.assign(context.process, { on: (name: string, handler: () => void) => void handlers.set(name, handler) });
    let ms = 1_000;
    Object.assign(context, { clock: { ...context.clock, monotonicMs: () => ms } });
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    const batches: (readonly QueuedRequest[])[] = [];
    const shown: unknown[] = [];
    const progress = { update: (state: ProgressState) => shown.push(state), end: () => shown.push('end') };
    Object.assign(await context.reporter(), { progress: async () => progress });
    const queue = {
      add: async (batch: readonly QueuedRequest[]) => {
        batches.push(batch);
        ms += 1_250;
        if (signal) handlers.get('SIGINT')?.();
        await new Promise((resolve) => setImmediate(resolve));
        return batch.filter(({ row }) => !known.includes(row)).length;
      },
    };
    const how = { file, command: ['enqueue', file, '--yes'], startedMs: 1_000, store: 'postgres://here/leads' };
    const code = await queuePlan({ context, preparation: PREPARATION } as never, plan, queue as never, how);
    return { code, batches, shown, document: JSON.parse(stdout()), told: stderr(), run: context.run };
  }

  test('each once, with its request, and those that are new are counted', async () => {
    const { code, batches, document, run } = await queued({ needs: ['Need 1', 'Need 2', 'Need 1', ''], known: [2] });
    expect(batches.map((batch) => batch.map(({ row, request }) => [row, request.params['request_text']]))).toEqual([
      [
        [1, 'Need 1'],
        [2, 'Need 2'],
      ],
    ]);
    expect(batches[0]?.[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect([code, document]).toEqual([
      3,
      expect.objectContaining({
        ...{
          run,
          rows: 4,
          queued: 1,
          alreadyQueued: 1,
          notQueued: 0,
          repeated: 1,
          duplicate: 0,
          invalid: 1,
          unknown: 0,
        },
        ...{ seconds: 1.25, store: 'postgres://here/leads', stopped: null, next: 'srq queue' },
      }),
    ]);
    expect(document).not.toHaveProperty('error');
  });

  test('and nothing is asked of the queue where none is ready', async () => {
    const { code, batches, document } = await queued({ needs: [''] });
    expect([code, batches, document.next, document.queued]).toEqual([3, [], 'srq queue', 0]);
  });

  test('with the profile and the store in the command for the queue', async () => {
    const { document } = await queued({
      needs: ['Need 1'],
      options: { profile: 'shop', store: 'postgres://here/leads' },
    });
    expect(document.next).toBe('srq queue --profile shop --store postgres://here/leads');
  });

  test.each([
    ['leads.csv', 'srq enqueue leads.csv --yes', 'To go on: srq enqueue leads.csv --yes'],
    ['-', null, null],
  ])('up to those at hand when a signal comes, and the same command goes on: %s', async (file, next, hint) => {
    const needs = Array.from({ length: 1_001 }, (_, at) => `Need ${at}`);
    const { code, batches, document, told } = await queued({ needs, file, signal: true });
    const reached = batches.flat().length;
    expect(reached).toBeLessThan(1_001);
    expect([code, document]).toEqual([
      130,
      expect.objectContaining({
        ...{ queued: reached, alreadyQueued: 0, notQueued: 1_001 - reached, next },
        stopped: expect.objectContaining({ code: 'interrupted', hint }),
        error: expect.objectContaining({ code: 'interrupted', hint }),
      }),
    ]);
    expect(told).toContain('Ending with the rows at hand; press Ctrl-C again to leave now.');
  });

  test('all of them, however many batches they take', async () => {
    const needs = Array.from({ length: 1_001 }, (_, at) => `Need ${at}`);
    const { code, batches, shown, document } = await queued({ needs });
    expect(shown.slice(-2)).toEqual([{ done: 1_001, total: 1_001, counts: {} }, 'end']);
    expect(shown).toHaveLength(batches.length + 1);
    expect(batches.flat().map(({ row }) => row)).toEqual(needs.map((_, at) => at + 1));
    expect([code, document.queued, document.notQueued]).toEqual([0, 1_001, 0]);
  });
});

describe('srq enqueue', () => {
  const FLAGS = { skipLines: 0, map: [], set: [], skip: 0, validate: true, onDuplicate: 'skip' };

  /** Enqueues with a store that fails whatever asks for its content. */
  async function enqueued(
    text: string,
    flags: object = {},
    { name = 'leads.csv', env = {}, argv = [] as string[] } = {},
  ) {
    const user = new User(HERE);
    const file = user.write(name, text);
    user.write('voice.mp3', 'ID3 not much of a recording');
    const of = contextOf({ argv: ['enqueue', file, ...argv], env: { ...user.env, ...env }, options: { json: true } });
    const commands: string[] = [];
    const store = { name: 'postgres://here/leads', migrate: () => Promise.reject(new Error('migrated')) };
    Object.assign(of.context, { requireStore: async (command: string) => commands.push(command) && store });
    let failure: { readonly reason?: string; readonly message: string } | null = null;
    const code = await enqueue(of.context, file, { ...FLAGS, ...flags } as never).catch((error) => {
      failure = error;
      return null;
    });
    return { code, failure, file, commands, document: () => JSON.parse(of.stdout()) };
  }
  const UNKNOWN_COLUMN = { strict: true, map: [['location', 'budget']] };
  const UNDECIDED = [
    'Nome,Rufkontakt,Pedido,Pais',
    ...Array.from({ length: 6 }, (_, at) => `Ana Exemplo ${at},+35191234567${at},Pintar a sala ${at},PT`),
  ].join('\n');

  test.each<[string, Parameters<typeof enqueued>, string]>([
    ['a plan for a dry run', [leadsCsv(1), { plan: 'a1', dryRun: true }], 'flags.contradict'],
    ['results of the sandbox', [leadsCsv(1), {}, { name: 'a.sandbox.results.csv' }], 'results.of-sandbox'],
    ['results without their outcomes', ['ref,phone,srq_id\nA,+351912345678,1\n'], 'results.ambiguous'],
    ['a live service', [leadsCsv(1), {}, { env: { SRQ_BASE_URL: 'https://api.example.com' } }], 'live.not-confirmed'],
    ['a field that nobody knows', [leadsCsv(1), UNKNOWN_COLUMN], 'field.unknown'],
    ['columns that nobody has decided about', [UNDECIDED], 'columns.undecided'],
  ])('is refused before anything is stored: %s', async (_, given, reason) => {
    expect(await enqueued(...given)).toMatchObject({ code: null, failure: { reason } });
  });

  test('makes the tables of its store once nothing is to be decided any more', async () => {
    const migrated = { code: null, failure: { message: 'migrated' } };
    expect(await enqueued(leadsCsv(1))).toMatchObject({ ...migrated, commands: ['enqueue'] });
    expect(await enqueued(UNDECIDED, { acceptLikely: true })).toMatchObject(migrated);
  });

  test('rehearses a plan of its own store, which no other command holds to', async () => {
    const dry = { dryRun: true };
    const argv = ['--dry-run', '--plan', 'a1', '--strict'];
    const { code, document, file } = await enqueued(leadsCsv(2), dry, { argv });
    const { planId } = document();
    expect([code, document()]).toEqual([
      0,
      expect.objectContaining({ ready: 2, results: null, next: `srq enqueue ${file} --strict` }),
    ]);
    expect(planId).toMatch(/^[0-9a-f]{32}$/);
    const user = new User(HERE);
    const imported = await user.run('bulk', user.write('leads.csv', leadsCsv(2)), '--dry-run', '--json');
    expect(imported.document['planId']).not.toBe(planId);
  });

  test('takes what the log has as a duplicate only if that is said', async () => {
    const program = await makeProgram('0.0.0', async () => {}, {}, ['enqueue']);
    const [command] = program.commands;
    const option = command?.options.find(({ long }) => long === '--on-duplicate');
    expect([option?.defaultValue, ...['skip', 'create'].map((word) => option?.parseArg?.(word, ''))]).toEqual([
      ...['skip', 'skip', 'create'],
    ]);
    expect(() => option?.parseArg?.('send', '')).toThrow('One of: skip, create.');
  });

  test('takes no recordings', async () => {
    const text = 'country,phone,audio_file\nPT,+351912345678,voice.mp3\n';
    const { code, document } = await enqueued(text, { dryRun: true });
    expect([code, document().problems.map(({ message }: { message: string }) => message)]).toEqual([
      3,
      expect.arrayContaining([
        expect.stringContaining(
          'A row with a recording cannot be queued: workers on other machines do not have the file.',
        ),
      ]),
    ]);
  });
});
