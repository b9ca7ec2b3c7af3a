import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, type TestContext } from 'vitest';
import { DENYING, NAMING, SILENT, type WireAnswer } from '../answers/random-services.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** Returns all files of a desk with what they hold. */
function contentsOf(desk: Desk): (readonly [string, string])[] {
  const files = desk.files().filter((name) => statSync(join(desk.folder, name)).isFile());
  return files.map((name) => [name, readFileSync(join(desk.folder, name), 'utf8')]);
}

interface Service {
  readonly baseUrl: string;
  readonly clientId: string;
  /** Texts of the requests that were taken, each as often as it was. */
  readonly taken: readonly string[];
  /** Texts of all creates that arrived. */
  readonly arrived: readonly string[];
}

/** A service that takes what its answer is not in `DENYING`; its validate sees what was taken, or is blind. */
async function startService(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  answerTo: (number: number) => WireAnswer,
  isBlind = false,
): Promise<Service> {
  const taken: string[] = [];
  const arrived: string[] = [];
  const denials = new Set<WireAnswer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const need = new URLSearchParams(Buffer.concat(chunks).toString()).get('request_text') ?? '';
    const json = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === '/oauth/token') return json({ access_token: 'token', expires_in: 3600 });
    if (request.url === '/v1/request/validate') return json({ duplicate: !isBlind && taken.includes(need) });
    arrived.push(need);
    const answer = answerTo(arrived.length);
    if (!isDenial(answer)) taken.push(need);
    denials.add(answer);
    const bytes = Buffer.from(answer.body);
    if (answer.cutAt === undefined) return response.writeHead(answer.status, answer.headers).end(bytes);
    response.writeHead(answer.status, { 'content-length': String(bytes.length + 7), ...answer.headers });
    return response.write(bytes.subarray(0, answer.cutAt), () => response.socket?.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}`, clientId: '700100', taken, arrived };
}

const DENIALS = DENYING.map((answer) => answer('4711'));
const isDenial = (answer: WireAnswer): boolean => DENIALS.includes(answer);
const named = (number: number): WireAnswer => NAMING['flat']?.(`R-${number}`) ?? expect.fail('no such form');
const silent = (name: string): WireAnswer => SILENT[name] ?? expect.fail('no such form');

const bulk = (desk: Desk, leads: string, ...more: string[]) =>
  desk.call('bulk', leads, '--rate', 'max', '--json', '--in-doubt', 'park', ...more);

/** Four at a time between good rows: more doubts would open the breaker. */
const FOURS = Array.from({ length: Math.ceil(DENIALS.length / 4) }, (_, at) => DENIALS.slice(at * 4, at * 4 + 4));

describe.concurrent('A success that proves nothing, between good rows,', () => {
  test.for(FOURS.map((four, at) => [at, four] as const))(
    'A success that proves nothing is unknown, and the next run does not call it repeated: group %i',
    async ([, four], { desk, onTestFinished }) => {
      const denialAt = (number: number) => (number > 3 && number % 2 === 0 ? four[number / 2 - 2] : undefined);
      const service = await startService({ onTestFinished }, (number) => denialAt(number) ?? named(number));
      desk.use(service);
      const leads = desk.write('leads.csv', leadsCsv(12));
      const concurrency = ['--concurrency', '1'];
      const first = await bulk(desk, leads, '--no-validate', ...concurrency);
      const created = 12 - four.length;
      expect([first.code, documentOf(first)], first.stderr).toMatchObject([7, { created, unknown: four.length }]);
      const again = await bulk(desk, leads, '--no-validate', ...concurrency);
      expect([again.code, documentOf(again)]).toMatchObject([
        7,
        { created: 0, repeated: created, unknown: four.length },
      ]);
      expect([service.arrived.length, service.taken.length]).toEqual([12, created]);
    },
  );
});

describe('An identifier beside words of error', () => {
  test.for([
    ['a list of errors', { errors: ['photo skipped'] }],
    ['a list of errors, and success', { success: true, errors: ['CRM webhook timed out'] }],
  ] as const)(
    'An identifier beside words of error means created if the first rows show it, and is never sent again: %s',
    async ([, besides], { desk, onTestFinished }) => {
      const service = await startService({ onTestFinished }, (number) => ({
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request_id: 777 + number, ...besides }),
      }));
      desk.use(service);
      const leads = desk.write('leads.csv', leadsCsv(6));
      const first = await bulk(desk, leads, '--no-validate');
      expect([first.code, documentOf(first)]).toMatchObject([0, { created: 6, withoutIdentifier: 0 }]);
      const again = await bulk(desk, leads, '--no-validate');
      expect([again.code, documentOf(again)]).toMatchObject([0, { created: 0, repeated: 6 }]);
      expect(service.taken).toHaveLength(6);
    },
  );
});

describe.concurrent('A service that names no identifier', () => {
  test.for(Object.keys(SILENT))(
    'A service that names no identifier can be used after its first rows, which validate confirms: %s',
    async (form, { desk, onTestFinished }) => {
      const service = await startService({ onTestFinished }, () => silent(form));
      desk.use(service);
      const leads = desk.write('leads.csv', leadsCsv(12));
      const ended = await bulk(desk, leads);
      expect([ended.code, documentOf(ended)]).toMatchObject([0, { created: 12, unknown: 0, withoutIdentifier: 12 }]);
      expect(service.taken).toHaveLength(12);
      // Without validate, too, now that it is known.
      const one = await desk.call(
        'create',
        '--country',
        'PT',
        '--phone',
        '+351912345678',
        '--request-text',
        'Mais uma',
        '--no-validate',
        '--json',
      );
      expect([one.code, documentOf(one)]).toMatchObject([0, { status: 'created' }]);
    },
  );

  test('A service that names no identifier stops the run where validate cannot tell, until a person says', async ({
    desk,
    onTestFinished,
  }) => {
    const service = await startService({ onTestFinished }, () => silent('no content'), true);
    desk.use(service);
    const leads = desk.write('leads.csv', leadsCsv(5));
    const stopped = await bulk(desk, leads, '--no-validate');
    expect([stopped.code, documentOf(stopped)]).toMatchObject([7, { created: 0, unknown: 1, failed: 4 }]);
    expect(stopped.stdout).toContain('srq contract learn --taken-by form');
    expect(service.arrived).toHaveLength(1);
    const learn = (...words: string[]) => desk.call('contract', 'learn', '--taken-by', 'form', ...words);
    const before = contentsOf(desk);
    const shown = await learn('--dry-run');
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/would mean[^\n]*taken:\n {2}204 empty\n.*Nothing was stored/),
    ]);
    expect(documentOf(await learn('--dry-run', '--json'))).toMatchObject({ said: 'taken', forms: ['204 empty'] });
    for (const words of [
      ['--environment', leads],
      ['--set', 'a=b'],
      ['--operation', 'validate=none'],
    ]) {
      const refused = await learn(...words, '--json');
      const error = { reason: 'flags.contradict', message: expect.stringContaining(words[0] ?? '') };
      expect([words, refused.code, documentOf(refused)]).toMatchObject([words, 2, { error }]);
    }
    expect(contentsOf(desk)).toEqual(before);
    const learned = await learn('--yes', '--json');
    expect([learned.code, documentOf(learned)]).toMatchObject([0, { said: 'taken', forms: ['204 empty'] }]);
    const next = await bulk(desk, leads, '--no-validate');
    expect([next.code, documentOf(next)]).toMatchObject([7, { created: 4, unknown: 1, withoutIdentifier: 4 }]);
    expect(service.arrived).toHaveLength(5);
    expect(await desk.call('contract', 'learn', '--taken-by', 'form')).toMatchObject({ code: 2 });
  });

  test('A service that answers some rows with words of error is taught what each answer means, one at a time', async ({
    desk,
    onTestFinished,
  }) => {
    const refusal = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"error":"Invalid phone"}',
    };
    const form = '200 application/json {"error":"Invalid phone"}';
    const service = await startService(
      { onTestFinished },
      (number) => (number === 1 || number === 3 ? silent('no content') : refusal),
      true,
    );
    desk.use(service);
    const leads = desk.write('leads.csv', leadsCsv(5));
    const learn = (...words: string[]) => desk.call('contract', 'learn', ...words, '--json');
    await bulk(desk, leads, '--no-validate');
    const stopped = await bulk(desk, leads, '--no-validate');
    expect(stopped.stdout).toContain(JSON.stringify(form).slice(1, -1));
    expect(stopped.stdout).toContain('srq contract learn --refused-by form');
    expect(service.arrived).toHaveLength(2);
    const unsaid = await learn('--refused-by', 'form');
    expect([unsaid.code, unsaid.stdout]).toEqual([2, expect.stringContaining('204 empty')]);
    expect(await learn('--refused-by', '200')).toMatchObject({ code: 0 });
    const taken = await learn('--taken-by', 'form');
    expect([taken.code, documentOf(taken)]).toMatchObject([0, { said: 'taken', forms: ['204 empty'] }]);
    const next = documentOf(await bulk(desk, leads, '--no-validate'));
    expect(next).toMatchObject({ created: 1, rejected: 2, unknown: 2 });
  });

  test("A person's word about one odd answer does not hold for the others", async ({ desk, onTestFinished }) => {
    const answer = (body: string) => ({ status: 200, headers: { 'content-type': 'application/json' }, body });
    const service = await startService(
      { onTestFinished },
      (number) => (number === 1 ? silent('no content') : answer('{"error":"Invalid phone"}')),
      true,
    );
    desk.use(service);
    const leads = desk.write('leads.csv', leadsCsv(5));
    await bulk(desk, leads, '--no-validate');
    await bulk(desk, leads, '--no-validate');
    for (const [named, expected] of [
      ['form', [2, {}]],
      ['204', [0, { forms: ['204 empty'] }]],
    ] as const) {
      const learned = await desk.call('contract', 'learn', '--taken-by', named, '--json');
      expect([learned.code, documentOf(learned)]).toMatchObject(expected);
    }
    const said = await desk.call('contract', 'learn', '--taken-by', '200 application/json {"error"', '--json');
    expect([said.code, documentOf(said)]).toMatchObject([0, { said: 'taken' }]);
  });

  test('A refusal under a status of success is taught in the same way', async ({ desk, onTestFinished }) => {
    const refusal = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"success":false,"error":"No."}',
    };
    const service = await startService({ onTestFinished }, (number) => (number % 2 === 0 ? named(number) : refusal));
    desk.use(service);
    const leads = desk.write('leads.csv', leadsCsv(6));
    expect(await bulk(desk, leads, '--no-validate')).toMatchObject({ code: 7 });
    const learned = await desk.call('contract', 'learn', '--refused-by', 'form');
    expect(learned, learned.stderr).toMatchObject({ code: 0 });
    const next = documentOf(await bulk(desk, leads, '--no-validate'));
    expect(next).toMatchObject({ created: 3, rejected: 2, unknown: 1 });
  });
});
