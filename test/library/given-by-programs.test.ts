import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RequestFields } from '../../src/library/api.ts';
import {
  requireCallOptions,
  requireCreateOptions,
  requireImportOptions,
  requireKeys,
  requireLogFilter,
  requireRows,
  requireWord,
} from '../../src/library/call-options.ts';
import { LibraryHost } from '../../src/library/host.ts';
import { mappingOf, tableOf } from '../../src/library/rows.ts';
import { settingsOf } from '../../src/library/settings.ts';
import { endedBySignal, haltWith } from '../../src/library/signals.ts';
import { SENT_STATUSES } from '../../src/request/log/status.ts';

const { signal } = new AbortController();

const CHECKS = {
  'any call': requireCallOptions,
  create: requireCreateOptions,
  importRows: requireImportOptions,
  'importRows, its rows': requireRows,
  log: requireLogFilter,
  resolve: requireWord,
  'resolve, its keys': requireKeys,
};
type Call = keyof typeof CHECKS;

function refusal(call: Call, given: unknown): string | null {
  try {
    CHECKS[call](given as never);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ reason: 'arguments.invalid', hint: 'See docs/library.md.' });
    return (error as Error).message;
  }
}

describe('What is given to a method, the options', () => {
  test.each([
    ['any call', {}],
    ['any call', { signal }],
    ['create', { signal, validate: false, onDuplicate: 'create', again: true }],
    ['create', { onDuplicate: 'skip' }],
    ['importRows', { signal, validate: true, name: 'n', strict: true, inDoubt: 'park', onResult: () => {} }],
    ['importRows', { inDoubt: 'validate', settleMs: 0.5 }],
    ...[1, 50, '2%', '0.5%', '99.9%', '100%', '100.0%'].map((maxErrors) => ['importRows', { maxErrors }]),
    ['log', { since: new Date(0), until: new Date(1), ref: '', id: '1', run: 'r' }],
    ...SENT_STATUSES.map((status) => ['log', { status }]),
    ...[[], [7], new Set(), new Map().values(), (async function* () {})()].map((rows) => [
      'importRows, its rows',
      rows,
    ]),
    ...['', '0123', [], ['0123', '4567']].map((keys) => ['resolve, its keys', keys]),
    ...['created', 'not-created', { created: '77' }, { created: ' 7' }].map((word) => ['resolve', word]),
  ] as [Call, unknown][])('of %s may be %j', (call, given) => {
    expect(refusal(call, given)).toBeNull();
  });

  test.each([
    ['any call', { again: true }, 'The option again does not exist.'],
    ['any call', { signal: {} }, 'The option signal is missing or of a wrong kind.'],
    ['any call', null, 'The options of the call is missing or of a wrong kind.'],
    ['create', { again: 'no' }, 'The option again is missing or of a wrong kind.'],
    ['create', { validate: 1 }, 'The option validate is missing or of a wrong kind.'],
    ['create', { onDuplicate: 'send' }, 'The option onDuplicate is missing or of a wrong kind.'],
    ['create', { strict: true, rate: 1 }, 'The option strict.rate does not exist.'],
    ['create', 'again', 'The options of create is missing or of a wrong kind.'],
    ['importRows', { name: '' }, 'The option name is missing or of a wrong kind.'],
    ['importRows', { inDoubt: 'skip' }, 'The option inDoubt is missing or of a wrong kind.'],
    ...[0, -1].map((settleMs) => ['importRows', { settleMs }, 'The option settleMs is missing or of a wrong kind.']),
    ['importRows', { onResult: 'log' }, 'The option onResult is missing or of a wrong kind.'],
    ...[0, 1.5, -1, '2', '0%', '0.00%', '101%', '100.1%', '2 %', '%', '-2%'].map((maxErrors) => [
      ...['importRows', { maxErrors }, 'The option maxErrors is missing or of a wrong kind.'],
    ]),
    ['log', { since: '24h' }, 'The option since is missing or of a wrong kind.'],
    ['log', { since: new Date('x') }, 'The option since is missing or of a wrong kind.'],
    ['log', { status: 'ready' }, 'The option status is missing or of a wrong kind.'],
    ['log', { limit: 1 }, 'The option limit does not exist.'],
    ...[undefined, null, 42, 'rows', {}, () => []].map((rows) => [
      ...['importRows, its rows', rows, 'The argument rows of importRows is missing or of a wrong kind.'],
    ]),
    ...[undefined, null, 42, {}, [7], [['0123'], 7], new Set(['0123'])].map((keys) => [
      ...['resolve, its keys', keys, 'The argument keys of resolve is missing or of a wrong kind.'],
    ]),
    ...['', 'Created', null].map((word) => ['resolve', word, 'The word of resolve is missing or of a wrong kind.']),
    ...[{ created: '' }, { created: ' ' }, { created: 7 }, {}].map((word) => [
      ...[
        'resolve',
        word,
        expect.stringMatching(/^The (?:word of resolve|option created) is missing or of a wrong kind/),
      ],
    ]),
  ] as [Call, unknown, string][])('of %s may not be %j', (call, given, message) => {
    expect(refusal(call, given)).toEqual(message);
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** What Node.js warns of if twenty requests listen to a signal. */
async function warningsOf(signal: AbortSignal): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  for (let count = 0; count < 20; count++) signal.addEventListener('abort', () => count);
  await new Promise(setImmediate);
  process.off('warning', note);
  return warnings;
}

describe('The rows of a program', () => {
  async function* later<Item>(items: readonly Item[]) {
    for (const item of items) yield item;
  }

  test.each([
    ['a list', (rows: RequestFields[]) => rows],
    ['a source that gives them one by one', (rows: RequestFields[]) => later(rows)],
  ])('of %s have a column for each field that occurs, and a place each', async (_, source) => {
    const given = [{ phone: '1' }, 7, { ref: 'b', phone: '2', email: '' }] as RequestFields[];
    const table = await tableOf(source(given), { lang: 'pt' }, signal);
    const batches = await all(table.rows());
    expect([table.count, table.columns]).toEqual([3, ['lang', 'phone', 'ref']]);
    expect(batches.flat()).toEqual([
      { number: 1, line: null, cells: ['pt', '1', ''], problem: null },
      { number: 2, line: null, cells: ['', '', ''], problem: 'It is no object of fields.' },
      { number: 3, line: null, cells: ['pt', '2', 'b'], problem: null },
    ]);
    expect(mappingOf(table).sources.map(({ field, columns }) => [field, columns])).toEqual([
      ['lang', [0]],
      ['phone', [1]],
      ['ref', [2]],
    ]);
  });

  test('end with the signal, where the next one may never come, and the source may clean up', async () => {
    const halt = new AbortController();
    let isClosed = false;
    const source = async function* () {
      try {
        yield { ref: '1' };
        halt.abort();
        yield { ref: '2' };
      } finally {
        isClosed = true;
      }
    };
    expect((await tableOf(source(), {}, halt.signal)).count).toBe(1);
    await new Promise(setImmediate);
    expect(isClosed).toBe(true);
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    expect((await tableOf(never, {}, halt.signal)).count).toBe(0);
  });
});

describe('The host of a program', () => {
  const NEEDED = { baseUrl: 'https://api.example', clientId: 'id', clientSecret: 'secret', stateFolder: '/srq' };
  const hostOf = (options: object = {}) => new LibraryHost(settingsOf({ ...NEEDED, ...options }));

  test('keeps the log in the state folder, by the profile, or in the store', async () => {
    expect(await hostOf().logPlace()).toEqual({ kind: 'file', path: join('/srq', 'default.ndjson'), isGiven: false });
    const store = 'postgres://leads@127.0.0.1/leads';
    const place = await hostOf({ profile: 'shop', store, storePassword: async () => 'word' }).logPlace();
    expect(place).toMatchObject({ kind: 'store', url: store, file: join('/srq', 'shop.ndjson') });
    expect(place.kind === 'store' && (await place.password?.())).toBe('word');
    const open = await hostOf({ store }).logPlace();
    expect(open).toMatchObject({ password: null });
    const encrypted = async (url: string) => {
      const found = await hostOf({ store: url }).logPlace();
      return found.kind === 'store' && found.isEncrypted;
    };
    expect(await encrypted('postgres://leads@db.example/leads')).toBe(true);
    expect(await encrypted(`${store}?sslmode=disable`)).toBe(false);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('the program’s own');
      },
    ],
    ['is rejected', () => Promise.reject(new Error('the program’s own'))],
  ])('goes on if the function for warnings %s', async (_, onWarning) => {
    const host = hostOf({ onWarning });
    await expect(host.warn('a')).resolves.toBeUndefined();
    const { onDistrusted } = await host.trust();
    expect(() => onDistrusted('b')).not.toThrow();
  });

  afterEach(() => vi.unstubAllEnvs());
  test('needs its certificates, and does not send where their check is turned off', () => {
    expect(() => hostOf({ caFile: '/none/ca.pem' }).network('https://api.example')).toThrow(
      '/none/ca.pem cannot be read',
    );
    for (const half of [{ certFile: '/none/a.pem' }, { keyFile: '/none/a.pem' }])
      expect(() => hostOf(half).network('https://api.example')).toThrow('A client certificate needs its key');
    expect(hostOf().network('https://api.example').secureContext).toBeNull();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(() => hostOf().network('https://api.example')).toThrow(
      expect.objectContaining({ reason: 'certificate.unchecked', hint: expect.stringContaining('its file in caFile') }),
    );
  });

  test('goes through a proxy for https alone', () => {
    const host = hostOf({ proxy: 'http://proxy.example:3128' });
    expect(host.network('https://api.example').proxy?.url).toBe('http://proxy.example:3128');
    expect(host.network('http://127.0.0.1:9').proxy).toBeNull();
    expect(hostOf().network('https://api.example').proxy).toBeNull();
  });
});

test('a signal ends a call, before it or during it, and the call can end by itself', async () => {
  const [before, during, itself] = [new AbortController(), new AbortController(), new AbortController()];
  before.abort();
  expect(haltWith(before.signal).signal.aborted).toBe(true);
  const halt = haltWith(during.signal);
  expect([halt.signal.aborted, await warningsOf(halt.signal)]).toEqual([false, []]);
  during.abort();
  expect(halt.signal.aborted).toBe(true);
  haltWith(itself.signal).abort();
  expect(itself.signal.aborted).toBe(false);
  expect(endedBySignal()).toMatchObject({ code: 'interrupted', reason: 'interrupted.signal' });
});
