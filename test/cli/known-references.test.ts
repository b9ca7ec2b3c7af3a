import { describe, expect, test } from 'vitest';
import { requireNotSentBefore } from '../../src/commands/bulk/sent-before.ts';
import { createdUnder, likelyReadings, readingsByMarket } from '../../src/delivery/other-readings.ts';
import { DOCUMENTED_CONTRACT, withCountry } from '../../src/request/contract.ts';
import { describedOperation } from '../../src/request/contract-rules.ts';
import { SrqError } from '../../src/request/errors.ts';
import { PREPARATION, planOf, tableOf } from '../delivery/leads.ts';
import { contextOf, type Typed } from '../helpers/command-context.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { User } from '../helpers/user.ts';
import { contractWith } from '../sandbox/contract-client.ts';

/** A column gives the country, so that no country of another contract is guessed. */
const MAPPING = { columns: ['Land', 'Telefon', 'Ref'], sources: [{ field: 'country', columns: [0], how: 'first' }] };
const HERE = 'http://127.0.0.1:9';

interface Scene {
  /** The references of the rows that are looked at. */
  readonly sample: readonly string[];
  /** The references of requests that were created before, each with the run. */
  readonly created: readonly string[];
  readonly count?: number;
  readonly rows?: number;
  readonly ready?: number;
  readonly flags?: object;
  readonly typed?: readonly Typed[];
  /** The service of the earlier run. */
  readonly service?: string;
  readonly event?: string;
}

/** What is told of rows whose references are known, or null if they are sent. */
async function told({ sample, created, ...more }: Scene): Promise<SrqError | null> {
  const { count = sample.length, rows = count, ready = rows, flags = {}, typed, service = '127.0.0.1:9' } = more;
  const env = { SRQ_BASE_URL: HERE };
  const { context } = contextOf({ env, ...(typed ? { typed } : {}) });
  const log = {
    records: async function* () {
      for (const ref of created) yield { record: { event: more.event ?? 'created', ref: ref || null, run: 'earlier' } };
    },
    notes: async function* () {
      yield { event: 'end', run: 'earlier' };
      yield { event: 'begin', run: 'earlier', service };
    },
  };
  Object.assign(context, { logStore: async () => log });
  const input = { chosen: { map: {}, set: {}, join: {} }, evidence: { sample: [], parameters: new Set() } };
  const plan = { mapping: MAPPING, counts: { ready }, rows, refs: { sample, count } };
  const options = { asks: typed !== undefined, again: false, command: ['bulk', 'leads.csv', '--yes'], ...flags };
  return requireNotSentBefore(
    { context, preparation: PREPARATION } as never,
    input as never,
    plan as never,
    options,
  ).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof SrqError)) throw error;
      return error;
    },
  );
}

const refs = (count: number, from = 1) => Array.from({ length: count }, (_, at) => `L-${from + at}`);

describe('Rows with references that were created before', () => {
  test('are told with their number and the command that sends them all the same', async () => {
    expect(await told({ sample: refs(4), created: ['', ...refs(3), ...refs(3)] })).toMatchObject({
      reason: 'rows.sent-before',
      message:
        '3 of 4 rows to be sent have references that were created before, with other content. If they are sent now, they are created again: was the mapping or the file changed since? Nothing was sent.',
      hint: expect.stringMatching(/: srq bulk leads\.csv --yes --again$/),
    });
    expect((await told({ sample: refs(600), count: 1_800, created: refs(301) }))?.message).toMatch(
      /^301 of 600 rows looked at to be sent/,
    );
    expect((await told({ sample: refs(3), created: refs(3), flags: { again: undefined } }))?.hint).toMatch(
      /: srq bulk FILE --again$/,
    );
  });

  test.each<[string, Scene, boolean]>([
    ['three references', { sample: refs(3), created: refs(3) }, true],
    ['two references', { sample: refs(2), created: refs(2) }, false],
    ['two references, one of them twice', { sample: [...refs(2), 'L-1'], created: refs(2) }, false],
    ['nine of ten that differ', { sample: [...refs(9), 'L-1'], created: refs(9) }, true],
    ['eight of ten that differ', { sample: [...refs(8), 'L-1', 'L-2'], created: refs(8) }, false],
    ['half of them known', { sample: refs(6), created: refs(3) }, false],
    ['one more than half of them known', { sample: refs(6), created: refs(4) }, true],
    ['references that are not those of the file', { sample: refs(4), created: refs(9, 100) }, false],
    ['references in half of the rows', { sample: refs(5), rows: 10, created: refs(5) }, false],
    ['references in more than half of the rows', { sample: refs(6), rows: 10, created: refs(6) }, true],
    ['500 references in a long file', { sample: refs(500), count: 500, rows: 9_000, created: refs(500) }, false],
    ['501 references in a long file', { sample: refs(501), count: 501, rows: 9_000, created: refs(501) }, true],
    ['requests that were refused', { sample: refs(4), created: refs(4), event: 'rejected' }, false],
    ['requests at another service', { sample: refs(4), created: refs(4), service: 'api.example.com' }, false],
    ['nothing to send', { sample: refs(4), created: refs(4), ready: 0 }, false],
    ['--again', { sample: refs(4), created: refs(4), flags: { again: true } }, false],
  ])('stop a run, or not, with %s', async (_, scene, isTold) => {
    expect((await told(scene)) !== null).toBe(isTold);
  });

  test('are sent by a person who says so, and not by one who does not', async () => {
    const scene = { sample: refs(4), created: refs(4) };
    expect(await told({ ...scene, typed: [[/y send them as new requests/, 'y']] })).toBeNull();
    expect(await told({ ...scene, typed: [[/n quit: /, 'n']] })).toMatchObject({
      reason: 'prompt.left',
      message: 'Nothing was sent.',
      hint: 'Compare with what was sent: srq log',
    });
  });
});

describe('Other readings of requests that were sent before', () => {
  const preparationWith = (country: string | null, baseUrl = HERE) => ({
    ...{ ...PREPARATION, contract: withCountry(DOCUMENTED_CONTRACT, country) },
    destination: { ...PREPARATION.destination, baseUrl },
  });
  const countryOf = ({ contract }: typeof PREPARATION) => describedOperation(contract.create).country;

  function likely(country: string | null, basePath: string, baseUrl: string) {
    const readings = likelyReadings(preparationWith(country, baseUrl), basePath);
    return readings.map(({ when, preparation }) => [when, countryOf(preparation), preparation.destination.baseUrl]);
  }

  const BARE = 'the contract gave them no country';
  test.each<[string | null, string, string, unknown[]]>([
    [null, '', HERE, []],
    ['PT', '', HERE, [[BARE, null, HERE]]],
    [null, '/v1', HERE, [[`the base URL was ${HERE}/v1`, null, `${HERE}/v1`]]],
    [null, '/v1', `${HERE}/v1`, [[`the base URL was ${HERE}`, null, HERE]]],
    [
      'PT',
      '/v1',
      HERE,
      [
        [BARE, null, HERE],
        [`the base URL was ${HERE}/v1`, 'PT', `${HERE}/v1`],
      ],
    ],
  ])('are likely by a contract with the country %j and the path %j at %s', (...scene) => {
    const [country, basePath, baseUrl, readings] = scene;
    expect(likely(country, basePath, baseUrl)).toEqual(readings);
  });

  test('are at another base URL by the path of the contract, which the sandbox of a rehearsal never has', async () => {
    for (const [options, basePath] of [[{}, '/v1'] as const, [{ sandbox: true }, ''] as const]) {
      const { context } = contextOf({ options });
      expect(await context.basePath()).toBe('');
      context.contractChanged();
      await (await context.contracts()).write(contractWith({ basePath: '/v1' }));
      expect(await context.basePath()).toBe(basePath);
    }
  });

  test('are one for each market where the contract gives no country, and none where it gives one', () => {
    const readings = readingsByMarket(preparationWith(null));
    expect([readings.length, new Set(readings.map(({ preparation }) => countryOf(preparation))).size]).toEqual([
      22, 22,
    ]);
    for (const { when, preparation } of readings)
      expect(when).toBe(`the contract gave them the country ${countryOf(preparation)}`);
    expect(readingsByMarket(preparationWith('PT'))).toEqual([]);
  });

  test.each([
    [1, 2],
    [2, 2],
    [3, 4],
    [4, 4],
    [undefined, 5],
  ])('are looked for in about so many rows, which come two by two: %j in %i', async (maxRows, looked) => {
    const needs = Array.from({ length: 5 }, (_, at) => `Need ${at}`);
    const plan = await planOf(tableOf(needs), { lookup: () => 'none' });
    const log = { lookup: () => 'created' as const, prefetch: async () => {} };
    const readings = [{ mapping: plan.mapping, preparation: PREPARATION }];
    expect(await createdUnder(readings, plan, log, maxRows)).toEqual([looked]);
  });
});

test('rows that were sent when a column of their header was read otherwise are not sent again, but with --again', async () => {
  const service = await startScriptedService({});
  const user = new User({ baseUrl: service.baseUrl, clientId: '4711' });
  const rows = [1, 2].map((at) => `Ana Exemplo,+35191234567${at},Pintar a sala ${at},Wohnzimmer streichen ${at}`);
  const file = user.write('leads.csv', ['Name,Telefon,Pedido,Nachricht', ...rows, ''].join('\n'));
  const read = (column: string, left: string, ...more: string[]) =>
    user.run(
      ...['bulk', file, '--map', `${column}=request_text`, '--map', `${left}=-`, '--set', 'country=PT', '--json'],
      ...['--rate', 'max', ...more],
    );
  expect((await read('Pedido', 'Nachricht')).document).toMatchObject({ created: 2 });
  const { code, document } = await read('Nachricht', 'Pedido');
  expect([code, document]).toEqual([
    2,
    expect.objectContaining({
      error: expect.objectContaining({
        reason: 'rows.sent-before',
        message: expect.stringMatching(/when the columns were read as on \d{4}-\d\d-\d\d\b.* Nothing was sent\.$/),
      }),
    }),
  ]);
  expect(service.creates()).toHaveLength(2);
  expect((await read('Nachricht', 'Pedido', '--again')).document).toMatchObject({ created: 2 });
  // Both readings are known by now, so that each finds its own rows.
  expect((await read('Pedido', 'Nachricht')).document).toMatchObject({ repeated: 2 });
});
