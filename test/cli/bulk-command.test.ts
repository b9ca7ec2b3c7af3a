import { existsSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bulk } from '../../src/commands/bulk/run.ts';
import type { RunNote } from '../../src/request/log-store.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';
import { User } from '../helpers/user.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

type Document = Record<string, unknown>;

/** A user at a service that answers so, with a file of leads. */
async function atService(script: Partial<Record<'create' | 'validate', Script>> = {}, rows = 2) {
  const service = await startScriptedService(script);
  const user = new User({ baseUrl: service.baseUrl, clientId: '4711' });
  const leads = user.write('leads.csv', leadsCsv(rows));
  const imported = (...flags: string[]) => user.run('bulk', leads, '--rate', 'max', ...flags);
  return { service, user, leads, imported };
}

/** Leads without a country, each of whom a row makes invalid. */
const INVALID = leadsCsv(2).replaceAll(',PT,', ',XX,');
/** A column that only its cells call a telephone number. */
const UNDECIDED = [
  'Nome,Rufkontakt,Pedido,Pais',
  ...Array.from({ length: 6 }, (_, at) => `Ana Exemplo ${at},+35191234567${at},Pintar a sala ${at},PT`),
  '',
].join('\n');

const hasResults = (user: User) =>
  existsSync(user.path('leads.results.csv')) && user.read('leads.results.csv').includes('srq_status');

describe('An import is refused before anything is sent', () => {
  test.each<[string[], string, RegExp]>([
    [['--keep'], 'flags.incomplete', /^--keep needs --sandbox\.$/],
    [['--keep', '--dry-run'], 'flags.incomplete', /^--keep needs --sandbox\.$/],
    [['--keep', '--dry-run', '--sandbox'], 'flags.incomplete', /^A dry run sends nothing, so the inbox/],
    [['--include-input'], 'flags.incomplete', /^--include-input needs --report\.$/],
    [['--report', '@run.html', '--dry-run'], 'flags.contradict', /nothing to report\.$/],
    [['--results', '@r.csv', '--no-results'], 'flags.contradict', /^--results and --no-results contradict/],
    [['--no-results', '--results=@r.csv'], 'flags.contradict', /^--results and --no-results contradict/],
    [['--plan', 'a1', '--sandbox'], 'flags.contradict', /^--plan needs a service that stays/],
    [['--plan', 'a1', '--dry-run'], 'flags.contradict', /^A dry run makes a plan and holds to none/],
    [['--plan', 'a1'], 'plan.differs', /^The plan is not the one that --plan names/],
    [['--report', '-'], 'flags.contradict', /^--report - cannot be used/],
    [['--save-mapping', '-'], 'flags.contradict', /^--save-mapping - cannot be used/],
    [['--results', '@state/default.ndjson'], 'flags.contradict', /^--results .* and the log cannot be used together/],
    [['--save-mapping', '@x', '--report', '@x'], 'flags.contradict', /^--report .* and --save-mapping cannot/],
    [['--results', '@x', '--report', '@x'], 'flags.contradict', /^--report .* and --results cannot/],
    [['--report', '@leads.results.csv'], 'flags.contradict', /^--report .* and the results file cannot/],
    [['--events', '@leads.results.csv'], 'flags.contradict', /^--events .* and the results file cannot/],
    [['--results', '-', '--json'], 'flags.contradict', /would both write to standard output/],
    [['--report', '@mine.html'], 'output.not-replaced', /mine\.html exists and is not a file that srq wrote/],
    [['--strict', '--map', 'location=budget'], 'field.unknown', /budget.* Nothing was sent\.$/],
  ])(
    'with %j: %s',
    async (flags, reason, message) => {
      const { service, user, imported } = await atService();
      user.write('mine.html', '<p>mine</p>');
      const at = flags.map((word) => word.replace('@', `${user.path('')}/`));
      const { code, document } = await imported('--json', ...at);
      expect([code, document]).toEqual([
        2,
        expect.objectContaining({
          error: expect.objectContaining({ reason, message: expect.stringMatching(message) }),
        }),
      ]);
      expect([service.creates(), hasResults(user)]).toEqual([[], false]);
      // A run with --keep that is not refused would wait for Ctrl-C.
    },
    30_000,
  );

  test.each<[string, string, string]>([
    ['a.sandbox.results.csv', leadsCsv(1), 'results.of-sandbox'],
    ['a.csv', 'ref,country,phone,request_text,srq_id\nA,PT,+351912345678,Paint,1\n', 'results.ambiguous'],
    ['a.csv', UNDECIDED, 'columns.undecided'],
    ['a.csv', '', 'file.no-rows'],
  ])('for a file %s: case %#', async (name, text, reason) => {
    const { service, user, leads } = await atService();
    const { code, document } = await user.run('bulk', user.write(name, text), '--json');
    expect([code, document]).toEqual([2, expect.objectContaining({ error: expect.objectContaining({ reason }) })]);
    const several = await user.run('bulk', leads, user.path(name), '--json');
    expect([several.code, service.creates(), hasResults(user)]).toEqual([2, [], false]);
  });

  test('for a live service, if nobody can be asked', async () => {
    const { user, imported } = await atService();
    Object.assign(user.env, { SRQ_BASE_URL: 'https://api.example.com' });
    const { code, document } = await imported('--json');
    expect([code, document['error']]).toEqual([2, expect.objectContaining({ reason: 'live.not-confirmed' })]);
  });

  test('but not for what only looks like it', async () => {
    for (const flags of [
      ['--no-results'],
      ['--results', '@mine.csv'],
      ['--report', '@run.html', '--include-input'],
      ['--strict'],
      ['--map', 'location=budget'],
    ]) {
      const { service, user, imported } = await atService({}, 1);
      const at = flags.map((word) => word.replace('@', `${user.path('')}/`));
      expect([flags, (await imported(...at)).code, service.creates().length]).toEqual([flags, 0, 1]);
    }
  });
});

describe('A run', () => {
  test('sends all, tells it in a document, and writes every row to its results', async () => {
    const { imported, user, leads, service } = await atService();
    const { code, document, told } = await imported('--json');
    expect([code, document]).toEqual([
      0,
      expect.objectContaining({
        ...{ rows: 2, created: 2, failed: 0, invalid: 0, results: user.path('leads.results.csv') },
        ...{ log: user.path('state/default.ndjson'), stopped: null, advice: null, next: null, reasons: {} },
      }),
    ]);
    expect(document).not.toHaveProperty('files');
    expect(document).not.toHaveProperty('error');
    expect([told.includes(`${service.baseUrl} as client 4711`), service.validates().length > 1]).toEqual([true, true]);
    const lines = user.read('leads.results.csv').trimEnd().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',').slice(-4))).toEqual([
      ['created', expect.stringMatching(/^47\d\d$/), '', '1'],
      ['created', expect.stringMatching(/^47\d\d$/), '', '2'],
    ]);
    // As nobody has changed the results, the next run replaces them.
    const again = await user.run('bulk', leads);
    expect([again.code, again.told.includes('was changed since')]).toEqual([0, false]);
    expect(again.stdout).toMatch(/^Done: 2 rows in [^\n]+\n {2}2 {2}repeated /);
    expect(again.stdout).toContain(`All 2 rows are delivered. For your CRM: srq export ${leads} --output `);
    expect(user.read('leads.results.csv')).toContain('repeated');
  });

  test('counts the rows by the codes of their reasons', async () => {
    const { user } = await atService({ create: () => ({ status: 422, body: { error: 'No.' } }) }, 0);
    const text = `${leadsCsv(3)}L-9,XX,Ana Exemplo,ana@example.com,+351912345678,Lisboa,Pintar\n`;
    const { code, document } = await user.run('bulk', user.write('a.csv', text), '--json', '--rate', 'max');
    expect([code, document]).toEqual([
      3,
      expect.objectContaining({ rejected: 3, invalid: 1, reasons: { 'request.rejected': 3, 'country.unknown': 1 } }),
    ]);
  });

  test('with --strict sends no row that has a warning', async () => {
    const long = leadsCsv(1).replace('Ana Exemplo', 'x'.repeat(201));
    for (const [flags, created] of [
      [[], 1],
      [['--strict'], 0],
    ] as const) {
      const { user } = await atService();
      const { document } = await user.run('bulk', user.write('a.csv', long), '--json', '--rate', 'max', ...flags);
      expect([flags, document['created'], document['invalid']]).toEqual([flags, created, 1 - created]);
    }
  });

  test('does not ask validate where the contract has none, or with --no-validate', async () => {
    const { user, imported, service } = await atService({}, 1);
    await (await user.context().contracts()).write(contractWith({ hasValidate: false }));
    const { told } = await imported('--json');
    expect(told).toContain('The contract says that the service has no validate');
    const other = await atService({}, 1);
    await other.imported('--no-validate');
    expect([service.creates().length, service.validates().length]).toEqual([1, 0]);
    expect([other.service.creates().length, other.service.validates().length]).toEqual([1, 0]);
  });

  test('of some rows writes all to the results, those outside as they were', async () => {
    for (const [flags, written] of [
      [
        ['--skip', '1', '--limit', '2'],
        ['', 'created', 'created', ''],
      ],
      [
        ['--skip', '3'],
        ['', '', '', 'created'],
      ],
      [
        ['--limit', '1'],
        ['created', '', '', ''],
      ],
    ] as const) {
      const { imported, user } = await atService({}, 4);
      const outcomes = () => {
        const [, ...lines] = user.read('leads.results.csv').trimEnd().split('\r\n');
        return lines.map((line) => line.split(',').at(-4));
      };
      const created = written.filter((outcome) => outcome !== '').length;
      expect((await imported('--json', ...flags)).document).toMatchObject({ rows: created, created });
      expect(outcomes()).toEqual(written);
    }
  });

  test('of several files sends a lead that two of them have once, and tells of each', async () => {
    const { user, service } = await atService();
    const [one, two] = [user.write('one.csv', leadsCsv(2)), user.write('two.csv', leadsCsv(3))];
    const { code, document } = await user.run('bulk', one, two, '--json', '--rate', 'max');
    expect([code, document]).toEqual([
      0,
      expect.objectContaining({
        ...{ rows: 5, created: 3, repeated: 2, results: null },
        files: [
          expect.objectContaining({ file: one, rows: 2, created: 2, results: user.path('one.results.csv') }),
          expect.objectContaining({
            file: two,
            rows: 3,
            created: 1,
            repeated: 2,
            results: user.path('two.results.csv'),
          }),
        ],
      }),
    ]);
    expect(service.creates()).toHaveLength(3);
  });

  test('with nothing but results on standard output talks on standard error', async () => {
    const { imported } = await atService();
    const { stdout, told } = await imported('--results', '-');
    expect(stdout).toMatch(/^\ufeffref,country,[^\n]*srq_row\r\n(?:[^\n]+,created,47\d\d,,[12]\r\n){2}$/);
    expect(told).toMatch(/Done: 2 rows in/);
  });

  test('tells its events: the plan, each row, and the end with the figures', async () => {
    const { imported, user, leads } = await atService();
    const { document } = await imported('--events', user.path('events.ndjson'), '--json');
    const events: Document[] = user
      .read('events.ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ event }) => event !== 'progress').map(({ event }) => event)).toEqual([
      ...['plan', 'row', 'row', 'end'],
    ]);
    expect(events[0]).toMatchObject({ rows: 2, ready: 2, files: [{ file: leads, rows: 2, ready: 2 }] });
    expect(events.at(-1)).toMatchObject({ exitCode: 0, error: null, summary: { rows: 2, created: 2, reasons: {} } });
    expect(events.every(({ run }) => run === document['run'])).toBe(true);
    const aside = await imported('--events', '-', '--again');
    expect(
      aside.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toContain('end');
    expect(aside.told).toMatch(/Done: 2 rows in/);
  });

  test('writes its report, with the input only if that is asked for', async () => {
    for (const [flags, hasInput] of [
      [[], false],
      [['--include-input'], true],
    ] as const) {
      const { imported, user } = await atService();
      const { told } = await imported('--report', user.path('run.html'), ...flags);
      expect(told).toContain(`Report: ${user.path('run.html')}`);
      expect(user.read('run.html').includes('ana1@example.com')).toBe(hasInput);
    }
  });

  test('names no plan in the command for what is left, since that is another plan', async () => {
    const { user, imported, leads } = await atService({ create: () => ({ status: 404 }) }, 3);
    const flags = ['--no-validate', '--concurrency', '1'];
    const { document } = await imported('--dry-run', '--json', ...flags);
    const stopped = await imported('--plan', String(document['planId']), '--json', ...flags);
    expect([stopped.code, stopped.document]).toEqual([
      5,
      expect.objectContaining({
        next: `srq bulk ${leads} --rate max --json --concurrency 1`,
        stopped: expect.objectContaining({ reason: 'service.wrong-address' }),
      }),
    ]);
    expect(user.read('leads.results.csv')).toContain('failed');
  });

  test('is ended by Ctrl-C once what was sent is answered, and tells how to go on', async () => {
    const listeners = new Map<string, () => void>();
    const interrupt: Script = () => {
      listeners.get('SIGINT')?.();
      return { status: 201, body: { id: '1' } };
    };
    const { user, leads, service } = await atService({ create: interrupt }, 4);
    const flags = ['--rate', 'max', '--concurrency', '1', '--no-validate', '--json'];
    const { code, document, told } = await user.runWith({ listeners }, 'bulk', leads, ...flags);
    const next = `srq bulk ${leads} --rate max --concurrency 1 --json`;
    expect([code, document]).toEqual([
      130,
      expect.objectContaining({
        ...{ created: 1, failed: 3, next },
        stopped: expect.objectContaining({ reason: 'interrupted.signal', hint: `To go on: ${next}` }),
      }),
    ]);
    expect(told).toContain('Finishing what was sent; press Ctrl-C again to stop at once.');
    expect(service.creates()).toHaveLength(1);
  });

  test('replaces no results that are an input of it under another name', async () => {
    const { user, leads, imported } = await atService();
    await imported();
    const before = user.read('leads.results.csv');
    const link = user.path('other.csv');
    symlinkSync(user.path('leads.results.csv'), link);
    const { code, document, told } = await user.run('bulk', leads, link, '--json');
    expect([code, (document['files'] as Document[]).map(({ results }) => results)]).toEqual([
      0,
      [user.path('leads.results-2.csv'), user.path('other.results.csv')],
    ]);
    expect([user.read('leads.results.csv'), told.includes('was changed since')]).toEqual([before, false]);
  });

  test('reads the recordings of each file from its own folder', async () => {
    const { user } = await atService();
    const files = ['one', 'two'].map((folder) => {
      user.write(`${folder}/${folder}.mp3`, `ID3 of ${folder}`);
      return user.write(`${folder}/leads.csv`, `country,phone,audio_file\nPT,+351912345678,${folder}.mp3\n`);
    });
    const { document } = await user.run('bulk', ...files, '--dry-run', '--json');
    expect((document['files'] as Document[]).map(({ ready, invalid }) => [ready, invalid])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test('of several files is confirmed once, of one with its columns', async () => {
    const { user, leads, service } = await atService();
    const other = user.write('other.csv', leadsCsv(3));
    const both = await user.runWith({ typed: [[/Enter to send 3 requests of 2 files/, '\r']] }, 'bulk', leads, other);
    expect([both.code, both.told.includes('? for help'), service.creates().length]).toEqual([0, false, 3]);
    const more = user.write('more.csv', leadsCsv(4));
    const one = await user.runWith({ typed: [[/\? for help[^?]*q to quit: /, '\r']] }, 'bulk', more);
    expect([one.code, service.creates().length]).toEqual([0, 4]);
    const last = user.write('last.csv', leadsCsv(5));
    for (const files of [[last], [leads, last]]) {
      const left = await user.runWith({ typed: [[/q to quit: /, 'q\r']] }, 'bulk', ...files);
      expect([left.code, service.creates().length]).toEqual([130, 4]);
    }
  });

  test('that stops goes on with the corrections that a person made, of several files by what is remembered', async () => {
    const { user, leads } = await atService({ create: () => ({ status: 404 }) });
    const flags = ['--no-validate', '--rate', 'max', '--json'];
    const help = /\? for help[^?]*q to quit: /;
    const corrected: Typed[] = [
      [help, 'ref=-\r'],
      [help, '\r'],
      [help, '\r'],
    ];
    const one = await user.runWith({ typed: corrected }, 'bulk', leads, ...flags);
    expect(one.document['next']).toBe(`srq bulk ${leads} --rate max --json --map ref=-`);
    const other = user.write('other.csv', leadsCsv(3).replaceAll('Pintar', 'Lavar'));
    const both = await user.run('bulk', leads, other, ...flags);
    expect(both.document['next']).toBe(`srq bulk ${leads} ${other} --rate max --json`);
  });

  test('shows by which contract its first row is sent, in the words of that', async () => {
    const { user, imported } = await atService();
    const source = { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.0', learnedAt: '2026-11-20T10:00:00.000Z' };
    const parameters = [parameter('country'), parameter('phone', { path: ['tel'] }), parameter('request_text')];
    const learned = { ...contractWith({ create: { parameters } }), source };
    expect((await imported('--dry-run')).told).not.toContain(' By ');
    await (await user.context().contracts()).write(learned as never);
    expect((await imported('--dry-run')).told).toMatch(/ By Leads \(api\.yaml\) .* tel \+351912345678 /);
  });

  test('does not count the time in which a person looks at the plan', async () => {
    const { user, leads } = await atService({}, 1);
    const { context, stdout, stderr } = contextOf({
      ...{ argv: ['bulk', leads], env: user.env, typed: [[/q to quit: /, '\r']], options: { json: true } },
    });
    const { clock } = context;
    const monotonicMs = () => clock.monotonicMs() + (stderr().includes('q to quit') ? 1_000_000 : 0);
    Object.assign(context, { clock: { ...clock, monotonicMs } });
    const flags = { skipLines: 0, map: [], set: [], skip: 0, validate: true, onDuplicate: 'skip', again: false };
    const pace = { rate: 'max', concurrency: 1, inDoubt: 'park', healthHost: '127.0.0.1' };
    expect(await bulk(context, [leads], { ...flags, ...pace } as never)).toBe(0);
    expect(JSON.parse(stdout())['seconds']).toBeLessThan(900);
  });

  test('keeps the inbox of its sandbox open until Ctrl-C', async () => {
    const { user, leads } = await atService({}, 1);
    const { context, stderr } = contextOf({
      argv: ['bulk', leads],
      env: user.env,
      options: { sandbox: true, keep: true },
    });
    const handlers = new Map<string, () => void>();
    const on = (signal: string, handler: () => void) => void handlers.set(signal, handler);
    Object.assign(context.process, { on });
    const flags = { skipLines: 0, map: [], set: [], skip: 0, validate: true, onDuplicate: 'skip', again: false };
    const pace = { rate: 'max', concurrency: 1, inDoubt: 'park', healthHost: '127.0.0.1', keep: true };
    let isOver = false;
    const running = bulk(context, [leads], { ...flags, ...pace } as never).finally(() => {
      isOver = true;
    });
    await expect.poll(() => stderr()).toContain('It stays open until Ctrl-C.');
    const [, address = ''] = /The inbox shows what was sent: (\S+)/.exec(stderr()) ?? [];
    expect((await fetch(address)).status).toBe(200);
    expect(isOver).toBe(false);
    handlers.get('SIGINT')?.();
    expect(await running).toBe(0);
  });
});

describe('The note on the beginning of a run', () => {
  async function beginOf(user: User): Promise<Document> {
    const notes: RunNote[] = [];
    for await (const note of (await user.context().logStore()).notes()) notes.push(note);
    return { ...notes.filter(({ event }) => event === 'begin').at(-1) };
  }

  test('has the flags that change what is sent or how, but no values of the leads', async () => {
    const { user, leads, service } = await atService({}, 4);
    await user.run('bulk', leads);
    const usual = {
      ...{ '--rate': 'auto', '--concurrency': '16', '--on-duplicate': 'skip', '--in-doubt': 'validate' },
      ...{ '--settle': '60 s, 240 s after a process that died', '--max-errors': 'off' },
    };
    expect(await beginOf(user)).toMatchObject({
      ...{ version: 'of a test', file: 'leads.csv', profile: 'default', live: false, rows: 4, settings: usual },
      ...{ service: new URL(service.baseUrl).host, counts: expect.objectContaining({ ready: 4, repeated: 0 }) },
    });
    const how = ['--rate', '50', '--concurrency', '2', '--on-duplicate', 'create', '--in-doubt', 'park'];
    const which = ['--settle', '5', '--max-errors', '3', '--limit', '2', '--skip', '1', '--no-validate', '--again'];
    await user.run('bulk', leads, ...how, ...which, '--strict', '--set', 'lang=pt');
    expect(await beginOf(user)).toMatchObject({
      ...{ rows: 2, counts: expect.objectContaining({ ready: 2 }) },
      settings: {
        ...{ '--rate': '50', '--concurrency': '2', '--on-duplicate': 'create', '--in-doubt': 'park' },
        ...{ '--settle': '5 s', '--max-errors': '3', '--limit': '2', '--skip': '1' },
        ...{ '--no-validate': 'on', '--again': 'on', '--strict': 'on' },
      },
    });
    expect((await beginOf(user))['settings']).not.toHaveProperty('--set');
    await user.run('bulk', leads, '--max-errors', '2%', '--in-doubt', 'validate', '--on-duplicate', 'skip');
    const { settings } = await beginOf(user);
    expect(settings).toEqual({ ...usual, '--max-errors': '2%' });
  });

  test('has all files by their names, their rows together, and the rate of the sandbox', async () => {
    const { user } = await atService();
    const files = [user.write('one.csv', leadsCsv(2)), user.write('sub/two.csv', leadsCsv(3))];
    await user.run('bulk', ...files, '--rate', 'max');
    expect(await beginOf(user)).toMatchObject({
      ...{ file: 'one.csv, two.csv', rows: 5, counts: expect.objectContaining({ ready: 3, repeated: 2 }) },
    });
  });
});

describe('A dry run', () => {
  test('tells the plan and the command that carries it out, and writes nothing', async () => {
    const { imported, user, leads, service } = await atService();
    const { code, document, told } = await imported('--dry-run', '--json');
    expect([code, document]).toEqual([
      0,
      expect.objectContaining({
        ...{ rows: 2, ready: 2, invalid: 0, unknown: 0, results: null, advice: null, stopped: null, file: leads },
        ...{ planId: expect.stringMatching(/^[0-9a-f]{32}$/), next: `srq bulk ${leads} --rate max --json` },
        ...{ encoding: 'UTF-8', delimiter: ',', undecided: [], ignored: [], remembered: null },
        ...{ problems: [], problemCount: 0, problemsLeftOut: 0 },
      }),
    ]);
    expect(document['columns']).toContainEqual(
      expect.objectContaining({ field: 'phone', columns: ['phone'], level: 'certain' }),
    );
    expect(told).toContain('To nobody: this is a dry run');
    expect([service.calls(), existsSync(user.path('state')), existsSync(user.path('leads.results.csv'))]).toEqual([
      ...[[], false, false],
    ]);
    const { stdout } = await imported('--dry-run');
    expect(stdout).toMatch(/^Checked: 2 rows in [^\n]*; nothing was sent\n {2}2 {2}ready /);
    expect(stdout).toContain(`Next: srq bulk ${leads} --rate max\n`);
  });

  test('is no place for a plan of the sandbox, which is another service the next time', async () => {
    const { imported } = await atService();
    expect((await imported('--dry-run', '--json', '--sandbox')).document['planId']).toBeNull();
  });

  test('writes the verdict of every row where --results says, and the next command does not', async () => {
    const { imported, user, leads } = await atService();
    const results = user.path('verdicts.csv');
    const { document, code } = await imported('--dry-run', '--json', '--results', results, '--limit', '1');
    expect([code, document]).toEqual([
      0,
      expect.objectContaining({ results, next: `srq bulk ${leads} --rate max --json --limit 1` }),
    ]);
    const lines = user.read('verdicts.csv').trimEnd().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',').slice(-4))).toEqual([
      ['ready', '', 'It would be sent.', '1'],
      ['', '', '', '2'],
    ]);
  });

  test('of rows of which none can be sent says to correct them, and to look again', async () => {
    const { user } = await atService();
    const file = user.write('bad.csv', INVALID);
    const { code, document } = await user.run('bulk', file, '--dry-run', '--json');
    expect([code, document]).toEqual([
      3,
      expect.objectContaining({
        ...{ invalid: 2, next: `srq bulk ${file} --dry-run --json` },
        advice: '2 rows cannot be sent: correct what the findings name, then check again.',
      }),
    ]);
    expect(document['problemCount']).toBe(2);
    const piped = await user.runWith({ stdin: INVALID }, 'bulk', '-', '--dry-run', '--json');
    expect([piped.code, piped.document]).toEqual([
      3,
      expect.objectContaining({ next: null, advice: expect.stringContaining('2 rows') }),
    ]);
    const some = user.write('some.csv', `${INVALID}${leadsCsv(1).split('\n')[1]}\n`);
    expect((await user.run('bulk', some, '--dry-run', '--json')).document).toMatchObject({
      ...{ advice: null, next: `srq bulk ${some} --json` },
    });
  });

  test('of rows that were sent all has nothing to do next', async () => {
    const { imported } = await atService();
    await imported();
    const { code, document } = await imported('--dry-run', '--json');
    expect([code, document]).toEqual([0, expect.objectContaining({ repeated: 2, next: null, advice: null })]);
  });

  test('of columns that nobody has decided about says how to decide, unless that is said', async () => {
    const { user } = await atService();
    const file = user.write('a.csv', UNDECIDED);
    const next = async (...flags: string[]) => {
      const { code, document } = await user.run('bulk', file, '--dry-run', '--json', ...flags);
      return [code, document['next']];
    };
    expect(await next()).toEqual([0, `srq bulk ${file} --json --accept-likely`]);
    expect(await next('--accept-likely')).toEqual([0, `srq bulk ${file} --json --accept-likely`]);
    const unnamed = user.write('b.csv', UNDECIDED.replace('Rufkontakt', 'Agent phone'));
    const { document } = await user.run('bulk', unnamed, '--dry-run', '--json');
    expect(document['undecided']).toEqual([{ column: 'Agent phone', field: 'phone' }]);
    expect(document['next']).toBe(`srq bulk ${unnamed} --json --map 'Agent phone=phone'`);
  });

  test('of several files tells of each, and of a lead that two of them have once', async () => {
    const { user } = await atService();
    const [one, two] = [user.write('one.csv', leadsCsv(2)), user.write('two.csv', leadsCsv(3))];
    const { document } = await user.run('bulk', one, two, '--dry-run', '--json');
    expect(document).toMatchObject({
      ...{ rows: 5, ready: 3, repeated: 2, results: null, next: `srq bulk ${one} ${two} --json` },
      files: [
        { file: one, rows: 2, ready: 2, repeated: 0, encoding: 'UTF-8' },
        { file: two, rows: 3, ready: 1, repeated: 2 },
      ],
    });
    expect(document).not.toHaveProperty('encoding');
  });

  test('warns of a profile that there is not, for what it would send is known nowhere', async () => {
    const user = new User();
    const shop = { baseUrl: 'https://api.example.com', clientId: 'id', clientSecret: 'secret' };
    user.write('config/config.json', JSON.stringify({ profiles: { shop } }));
    const file = user.write('leads.csv', leadsCsv(1));
    const { code, told } = await user.run('bulk', file, '--dry-run', '--profile', 'shpo');
    expect([code, told]).toEqual([0, expect.stringMatching(/! .*shpo.*shop/)]);
  });
});

describe('The results of a run are written', () => {
  const rowOf = (by: string, country: string) =>
    [`ref,country,phone,request_text`, `A,${country},+351912345678,Paint`].join('\n').replaceAll(',', by);
  const json = (country: string) =>
    JSON.stringify([{ ref: 'A', country, phone: '+351912345678', request_text: 'Paint' }]);

  test.each<[string, string, string, string]>([
    ['as the input is parted, by commas', 'a.csv', rowOf(',', 'PT'), ','],
    ['as the input is parted, by semicolons', 'a.csv', rowOf(';', 'UK'), ';'],
    ['by the market of the first row for tabs', 'a.tsv', rowOf('\t', 'PT'), ';'],
    ['by the market of the first row for tabs, which may use commas', 'a.tsv', rowOf('\t', 'IE'), ','],
    ['by the market of the first row for another mark', 'a.csv', rowOf('|', 'PT'), ';'],
    ['by the market for JSON', 'a.json', json('PT'), ';'],
    ['by commas where there is no market', 'a.json', json('Nowhere'), ','],
    ['by the market of a row that cannot be sent', 'a.json', json('PT').replace('+351912345678', '1'), ';'],
  ])('%s', async (_, name, text, by) => {
    const { user } = await atService();
    const results = user.path('r.csv');
    await user.run('bulk', user.write(name, text), '--dry-run', '--results', results);
    expect(
      user
        .read('r.csv')
        .split('\r\n', 1)[0]
        ?.match(/[,;\t|]/g)?.[0],
    ).toBe(by);
  });

  test('with an identifier that a spreadsheet has rounded put right from the log', async () => {
    const id = '12345678901234567890';
    const { user, imported } = await atService({ create: () => ({ status: 201, body: { id } }) }, 1);
    await imported();
    const written = user.read('leads.results.csv');
    expect(written).toContain(`created,${id},`);
    const changed = written.replace(id, '1.23457E+19').replace('a sala 0', 'a sala 0 hoje');
    const file = user.write('leads.results.csv', changed);
    await user.run('bulk', file, '--results', user.path('r.csv'));
    expect(user.read('r.csv')).toMatch(new RegExp(`a sala 0 hoje,created,${id},`));
  });

  test('nowhere if there is no such folder, which is said before anything is sent', async () => {
    const { service, user, imported } = await atService();
    const { code, document } = await imported('--results', user.path('none/r.csv'), '--json');
    expect([code, document, service.creates()]).toEqual([
      2,
      expect.objectContaining({ error: expect.objectContaining({ reason: 'output.unwritable' }) }),
      [],
    ]);
  });
});
