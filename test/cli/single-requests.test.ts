import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRequestInput } from '../../src/commands/create/request-input.ts';
import { validate } from '../../src/commands/validate/run.ts';
import { contextOf } from '../helpers/command-context.ts';
import { REQUEST } from '../helpers/leads.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';
import { type Left, User } from '../helpers/user.ts';
import { contractWith } from '../sandbox/contract-client.ts';
import { LEAD } from '../sandbox/sandbox-client.ts';

type Document = Record<string, unknown>;
const documentsOf = ({ document }: Left) => document as unknown as readonly Document[];
const about = (need: string, more: object = {}) => ({ ...LEAD, request_text: need, ...more });
/** A name so long that it is warned of. */
const LONG = 'x'.repeat(201);
const needOf = (body: string) => new URLSearchParams(body).get('request_text');

/** A user at a service that answers so, and the requests that it gets. */
async function atService(script: Partial<Record<'create' | 'validate' | 'token', Script>> = {}) {
  const service = await startScriptedService(script);
  const user = new User({ baseUrl: service.baseUrl, clientId: '4711' });
  const few = (command: string, requests: readonly object[], ...more: string[]) =>
    user.run(command, '--file', user.write('few.json', JSON.stringify(requests)), ...more);
  return { service, user, few };
}

describe('Requests are read', () => {
  const read = (options: object, text?: string, name = 'few.json') => {
    const user = new User();
    const { context, stderr } = contextOf({ env: user.env });
    const file = text === undefined ? {} : { file: user.write(name, text) };
    const reading = readRequestInput(context, { field: [], ...file, ...options } as never);
    return { reading, path: user.path(name), told: () => stderr().replace(/\s+/g, ' ') };
  };
  const draftsOf = async (...args: Parameters<typeof read>) => (await read(...args).reading).drafts;

  test('from flags as one, whose names go before those of --field', async () => {
    expect(
      await draftsOf({
        requestText: 'Paint',
        country: 'PT',
        field: [
          ['budget', '5'],
          ['country', 'ES'],
        ],
      }),
    ).toEqual([{ row: 1, fields: { budget: '5', country: 'PT', request_text: 'Paint' } }]);
    expect(await draftsOf({ field: [['budget', '5']] })).toEqual([{ row: 1, fields: { budget: '5' } }]);
    expect(await draftsOf({ phone: '' })).toEqual([{ row: 1, fields: { phone: '' } }]);
  });

  test('from a file with the numbers of its rows, and flags fill what a request leaves out or has empty', async () => {
    const text = JSON.stringify([{ ref: 'A', country: 'PT' }, { ref: 'B', country: '' }, { ref: 'C' }]);
    expect(await draftsOf({ country: 'ES', field: [['ref', 'Z']] }, text)).toEqual([
      { row: 1, fields: { country: 'PT', ref: 'A' } },
      { row: 2, fields: { country: 'ES', ref: 'B' } },
      { row: 3, fields: { country: 'ES', ref: 'C' } },
    ]);
  });

  test('only if there is any', async () => {
    await expect(read({}).reading).rejects.toMatchObject({
      reason: 'arguments.missing',
      message: 'No request is given.',
      hint: expect.stringContaining('--file FILE'),
    });
  });

  test('only from JSON: anything else is for an import', async () => {
    const { reading, path } = read({}, 'ref,phone\nA,1\n', 'my leads.csv');
    await expect(reading).rejects.toMatchObject({
      ...{ reason: 'json.unreadable', message: `${path} is not JSON.` },
      hint: `For a file of many requests: srq bulk '${path}'`,
    });
  });

  test('up to a thousand of them', async () => {
    const list = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => ({ ref: `A-${at}` })));
    expect(await draftsOf({}, list(1_000))).toHaveLength(1_000);
    const { reading, path } = read({}, list(1_001));
    await expect(reading).rejects.toMatchObject({
      ...{ reason: 'request.too-many', message: `${path} has more than 1000 requests.` },
      hint: `Import it instead: srq bulk ${path}`,
    });
  });

  test('only if each is an object', async () => {
    const { reading, path } = read({}, '[{"ref":"A"},7]');
    await expect(reading).rejects.toMatchObject({
      reason: 'request.malformed',
      message: expect.stringContaining(`Request 2 of ${path} `),
    });
  });

  test('and a name that is nearly that of a field is told, but sent as it is', async () => {
    const text = '{"contry":"PT","phone":"1","budget":"5","request-text":"x"}';
    const { reading, told } = read({}, text);
    expect((await reading).drafts[0]?.fields).toEqual(JSON.parse(text));
    await reading;
    expect(told()).toContain('"contry" goes to the service under that name. Did you mean country?');
    expect(told().match(/goes to the service/g)).toHaveLength(2);
  });

  test('with the recordings beside their file, and one that a flag names from anywhere', async () => {
    const user = new User();
    const { context } = contextOf({ env: user.env });
    const [near, far] = [user.write('a/near.mp3', 'ID3'), user.write('b/far.mp3', 'ID3')];
    const file = user.write('a/few.json', '{"ref":"A"}');
    const named = { field: [], audio: far };
    const { audio } = await readRequestInput(context, { ...named, file } as never);
    expect(await audio.describe('near.mp3')).toMatchObject({ path: near });
    expect(await audio.describe(far)).toMatchObject({ path: far });
    const { audio: ofFlags } = await readRequestInput(context, named as never);
    expect(await ofFlags.describe(far)).toMatchObject({ path: far });
  });
});

describe('srq create', () => {
  test('sends one request and tells where, its outcome and its identifiers', async () => {
    const { user, service } = await atService();
    const first = await user.run('create', ...REQUEST, '--json');
    expect([first.code, first.document]).toEqual([
      0,
      expect.objectContaining({ row: 1, status: 'created', ids: { id: '4711' }, http: 201, reason: null }),
    ]);
    expect(first.document['run']).toMatch(/^[0-9a-f-]{36}$/);
    const again = await user.run('create', ...REQUEST);
    expect([again.code, again.stdout]).toEqual([8, expect.stringMatching(/^repeated {2}id=4711\n/)]);
    expect(again.told).toContain(`To ${service.baseUrl} as client 4711 (profile default, test)`);
    const asked = service.validates().length;
    expect(service.creates()).toHaveLength(1);
    expect((await user.run('create', ...REQUEST, '--again', '--no-validate')).code).toBe(0);
    expect([service.creates().length, service.validates().length]).toEqual([2, asked]);
  });

  test('tells several one below the other, and ends with the worst', async () => {
    const { few, service } = await atService();
    const requests = [about('um', { ref: 'A' }), about('dois', { ref: 'B', phone: '12345' }), about('um')];
    const { code, stdout } = await few('create', requests);
    expect([code, stdout.split('\n').filter((line) => /^\w/.test(line))]).toEqual([
      3,
      ['created A  id=4711', 'invalid B', expect.stringMatching(/^repeated/)],
    ]);
    const again = await few('create', requests, '--json');
    expect(documentsOf(again).map(({ row, status, key }) => [row, status, typeof key])).toEqual([
      [1, 'repeated', 'string'],
      [2, 'invalid', 'object'],
      [3, 'repeated', 'string'],
    ]);
    expect(service.creates()).toHaveLength(1);
  });

  test('says all that is wrong with a request, and its first error is the reason', async () => {
    const { few } = await atService();
    const [document] = documentsOf(
      await few('create', [about('um', { fullname: LONG, phone: '12345', email: 'nobody' }), about('dois')], '--json'),
    );
    const { reason, message, problems } = document as { reason: string; message: string; problems: Document[] };
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(problems.map(({ severity }) => severity)).toContain('warning');
    expect(errors.map(({ code }) => code)).toEqual(expect.arrayContaining(['phone.too-short']));
    expect(reason).toBe(errors[0]?.['code']);
    for (const { value } of errors) expect(message).toContain(`"${value}"`);
    expect(message).not.toContain('xxx');
  });

  test('warns of what is doubtful in a request that is sent', async () => {
    const { few } = await atService();
    const long = await few('create', [about('um', { fullname: LONG }), about('dois')], '--json');
    expect(documentsOf(long).map(({ status }) => status)).toEqual(['created', 'created']);
    expect(long.told.match(/201 letters/g)).toHaveLength(1);
  });

  test('of one that stops the command before it is taken, the reason is all', async () => {
    const { user } = await atService({ create: () => ({ status: 404 }) });
    const { code, document, told } = await user.run('create', ...REQUEST, '--json');
    expect([code, document]).toEqual([5, expect.objectContaining({ error: expect.anything() })]);
    expect(told).toBe('');
  });

  test('of one that is in doubt and stops the command, tells that', async () => {
    const redirects: Script = () => ({ status: 302, headers: { location: 'https://example.com/' } });
    const { user } = await atService({ create: redirects });
    const { code, document, told } = await user.run('create', ...REQUEST, '--json');
    expect([code, document]).toEqual([7, expect.objectContaining({ status: 'unknown', http: 302 })]);
    expect(told).toContain('302');
  });

  test('of several tells those before the one that stops it, and of the others what the log knows', async () => {
    const { few, service } = await atService({
      create: ({ body, number }) =>
        needOf(body) === 'dois' ? { status: 404 } : { status: 201, body: { id: `${number}1` } },
    });
    await few('create', [about('quatro')]);
    const requests = ['um', 'dois', 'três', 'quatro'].map((need) => about(need));
    const { code, told, ...left } = await few('create', requests, '--json', '--profile', 'default');
    const documents = documentsOf({ code, told, ...left });
    expect([code, documents.map(({ status }) => status)]).toEqual([5, ['created', 'failed', 'failed', 'repeated']]);
    expect(documents[2]).toMatchObject({
      ...{ reason: 'request.not-tried', message: 'Not tried: the command stopped.', http: null, ids: {}, row: 3 },
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(told).toMatch(/404/);
    expect(service.creates()).toHaveLength(3);
  });

  test('is ended by Ctrl-C once what was sent is answered', async () => {
    const listeners = new Map<string, () => void>();
    const { user, service } = await atService({
      create: () => {
        listeners.get('SIGINT')?.();
        return { status: 201, body: { id: '1' } };
      },
    });
    const file = user.write('few.json', JSON.stringify([about('um'), about('dois')]));
    const ended = await user.runWith({ listeners }, 'create', '--file', file, '--no-validate', '--json');
    expect([ended.code, documentsOf(ended).map(({ status, reason }) => [status, reason])]).toEqual([
      130,
      [
        ['created', null],
        ['failed', 'request.not-tried'],
      ],
    ]);
    expect(ended.told).toContain('Finishing what was sent; press Ctrl-C again to stop at once.');
    expect(service.creates()).toHaveLength(1);
  });

  test('shows a result that the log cannot keep, of a single request as well', async () => {
    const { user } = await atService({
      create: () => {
        rmSync(join(user.env['SRQ_STATE_DIR'] ?? '', 'default.ndjson'));
        return { status: 404 };
      },
    });
    const { code, document } = await user.run('create', ...REQUEST, '--json');
    expect([code, document]).toEqual([9, expect.objectContaining({ status: 'failed', http: 404 })]);
  });

  test('sends nothing of what was sent at the other spelling of the base URL, but with --again', async () => {
    const { user, few, service } = await atService();
    expect((await few('create', [about('dois')])).code).toBe(0);
    await (await user.context().contracts()).write(contractWith({ basePath: '/v1' }));
    Object.assign(user.env, { SRQ_BASE_URL: `${service.baseUrl}/v1` });
    for (const [requests, which] of [
      [[about('dois')], 'The request'],
      [[about('um'), about('dois')], 'Request 2'],
    ] as const) {
      const { code, document } = await few('create', requests, '--json');
      expect([code, document]).toEqual([
        2,
        expect.objectContaining({
          error: expect.objectContaining({
            reason: 'rows.sent-before',
            message: `${which} was sent before, when the base URL was ${service.baseUrl}. If it is sent now, it is created again. Nothing was sent.`,
          }),
        }),
      ]);
    }
    const sent = service.calls().length;
    await few('create', [about('dois')], '--again');
    expect(service.calls().length).toBeGreaterThan(sent);
  });
});

describe('srq validate', () => {
  const verdict = (duplicate: boolean) => ({ status: 200, body: { duplicate } });
  /** A service that knows a request by what it was created with, and a user who has created one there. */
  async function atKnownService() {
    const taken = new Set<string | null>(['known']);
    const scene = await atService({
      create: ({ body, number }) => {
        taken.add(needOf(body));
        return { status: 201, body: { id: String(number + 10) } };
      },
      validate: (asked) => (taken.has(needOf(asked.body)) ? verdict(true) : byNeed(asked)),
    });
    expect((await scene.few('create', [about('before')])).code).toBe(0);
    const before = scene.service.validates().length;
    return { ...scene, asked: () => scene.service.validates().length - before };
  }

  /** Answers by the need. */
  const byNeed: Script = ({ body }) => {
    const need = needOf(body);
    if (need === 'refused') return { status: 422, body: { error: 'The postal code is unknown.' } };
    if (need === 'unreadable') return { status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } };
    if (need === 'elsewhere') return { status: 301 };
    return verdict(false);
  };

  test.each([
    ['new', 0, 1, { verdict: 'clear', reason: null, http: 200 }],
    // A control is asked about beside it.
    ['known', 8, 2, { verdict: 'duplicate', reason: null, http: 200 }],
    [
      'unreadable',
      7,
      1,
      { verdict: 'unknown', message: expect.stringMatching(/^Nothing shows/), reason: 'service.no-verdict', http: 200 },
    ],
    ['refused', 3, 1, { error: expect.objectContaining({ code: 'rejected', reason: 'request.rejected' }) }],
    ['elsewhere', 5, 1, { error: expect.objectContaining({ reason: 'service.redirects' }) }],
  ])('of one request that is %s ends with %i', async (need, code, calls, document) => {
    const { few, asked } = await atKnownService();
    const ended = await few('validate', [about(need)], '--json');
    expect([ended.code, ended.document]).toEqual([code, expect.objectContaining(document)]);
    expect([asked(), ended.told]).toEqual([calls, '']);
  });

  test('of one request that cannot be sent says so and asks nobody', async () => {
    const { few, service } = await atService();
    const { code, document } = await few('validate', [about('um', { phone: '12345' })], '--json');
    expect([code, document]).toEqual([
      3,
      expect.objectContaining({
        error: expect.objectContaining({
          reason: 'request.rejected',
          message: expect.stringContaining('"12345" is too short for PT'),
        }),
      }),
    ]);
    expect(service.calls()).toEqual([]);
  });

  test('of several tells each with its reason, and ends with the worst', async () => {
    const { few } = await atKnownService();
    const requests = ['new', 'refused', 'known', 'unreadable'].map((need) => about(need));
    const ended = await few('validate', [...requests, about('um', { phone: '12345' })], '--json');
    expect(documentsOf(ended).map(({ verdict: each, reason, http }) => [each, reason, http])).toEqual([
      ['clear', null, 200],
      ['unknown', 'request.rejected', 422],
      ['duplicate', null, 200],
      ['unknown', 'service.no-verdict', 200],
      ['unknown', 'phone.too-short', null],
    ]);
    expect(ended.code).toBe(7);
    expect((await few('validate', [about('refused'), about('known')])).code).toBe(3);
    expect((await few('validate', [about('new'), about('known')])).stdout).toMatch(/^clear\nduplicate\b.*\n$/);
    expect((await few('validate', [about('new'), about('known')])).code).toBe(8);
    expect((await few('validate', [about('new'), about('also new')])).code).toBe(0);
  });

  test('tells the first error as the reason, not a warning before it', async () => {
    const { few } = await atService();
    const wrong = about('um', { fullname: LONG, phone: '12345', email: 'nobody' });
    const [document] = documentsOf(await few('validate', [wrong, about('um')], '--json'));
    const problems = document?.['problems'] as Document[];
    expect(problems.some(({ severity }) => severity === 'warning')).toBe(true);
    expect(document?.['reason']).toBe(problems.find(({ severity }) => severity === 'error')?.['code']);
    expect(document?.['message']).not.toContain('xxx');
  });

  test('asks nobody any more once the service cannot be asked, and says why', async () => {
    const { few, asked } = await atKnownService();
    const requests = ['known', 'elsewhere', 'new'].map((need) => about(need));
    const ended = await few('validate', requests, '--json');
    expect(documentsOf(ended).map(({ verdict: each, reason }) => [each, reason])).toEqual([
      ['duplicate', null],
      ['unknown', 'service.redirects'],
      ['unknown', 'request.not-tried'],
    ]);
    expect([ended.code, asked()]).toEqual([5, 3]);
    expect(ended.told).toContain('301');
  });

  test('goes on after a recording that can no longer be read, which ends the command for a single request', async () => {
    const scene = await atService({
      validate: ({ body }) => {
        if (needOf(body) !== null) return verdict(false);
        // The recording is gone when the question is asked again.
        rmSync(scene.user.path('call.mp3'), { force: true });
        return null;
      },
    });
    const { few, user, service } = scene;
    const { request_text: _, ...lead }: Record<string, string> = LEAD;
    const spoken = { ...lead, audio_file: 'call.mp3' };
    user.write('call.mp3', 'ID3 not much of a recording');
    const ended = await few('validate', [spoken, about('um')], '--json');
    expect(documentsOf(ended).map(({ verdict: each, key }) => [each, typeof key])).toEqual([
      ['unknown', 'string'],
      ['clear', 'string'],
    ]);
    expect([ended.code, service.validates().length]).toEqual([2, 3]);
    user.write('call.mp3', 'ID3 not much of a recording');
    const alone = await few('validate', [spoken], '--json');
    expect([alone.code, alone.document]).toEqual([
      2,
      expect.objectContaining({ error: expect.objectContaining({ code: 'input' }) }),
    ]);
  });

  test('says that the service gave no verdict, as an error or as the reason beside others', async () => {
    const { service, user } = await atService({
      validate: ({ body }) => (needOf(body) === 'um' ? { status: 500 } : verdict(false)),
    });
    const ended = async (needs: readonly string[]) => {
      const { context, stdout } = contextOf({ env: user.env, options: { json: true } });
      Object.assign(context, { clock: { ...context.clock, sleep: async () => {} } });
      const file = user.write('few.json', JSON.stringify(needs.map((need) => about(need))));
      const code = await validate(context, { field: [], file });
      return [code, JSON.parse(stdout()).map(({ reason }: Document) => reason)];
    };
    expect(await ended(['um', 'dois'])).toEqual([5, ['service.failed', null]]);
    await expect(ended(['um'])).rejects.toMatchObject({
      ...{ reason: 'service.no-verdict', code: 'service' },
      message: expect.stringContaining('HTTP 500'),
    });
    expect(service.creates()).toEqual([]);
  });

  test('is refused where the contract says that there is none', async () => {
    const { few, user, service } = await atService();
    await (await user.context().contracts()).write(contractWith({ hasValidate: false }));
    const { code, document } = await few('validate', [about('um')], '--json');
    expect([code, document]).toEqual([
      2,
      expect.objectContaining({ error: expect.objectContaining({ reason: 'validate.missing' }) }),
    ]);
    expect(service.validates()).toEqual([]);
  });

  test('tells a person where it asks', async () => {
    const { user, service } = await atService();
    const { stdout, told } = await user.run('validate', ...REQUEST);
    expect([stdout, told]).toEqual(['clear\n', expect.stringContaining(`To ${service.baseUrl} as client 4711`)]);
  });
});
