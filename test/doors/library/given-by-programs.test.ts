import { expect, test } from 'vitest';
import { type Call, refusalOf } from '../library.ts';

const { signal } = new AbortController();
const each = <Given>(call: Call, given: readonly Given[]): [Call, unknown][] => given.map((one) => [call, one]);

test.each([
  ...each('openMarketplace', [
    { rate: 'auto' },
    { rate: 'max' },
    { rate: 0.5 },
    { concurrency: 1 },
    { timeoutMs: 0.5 },
  ]),
  ...each('openMarketplace', [{ encoding: 'json' }, { encoding: 'form' }, { clientSecret: async () => 'secret' }]),
  ...each('openMarketplace', [{ storePassword: 'word' }, { storePassword: () => 'word' }, { freshStore: false }]),
  ...each('openMarketplace', [{ defaults: { country: 'PT', lang: null } }, { signal }, { onWarning: () => {} }]),
  ...each('validate', [{}, { signal }]),
  ...each('create', [{ signal, validate: false, onDuplicate: 'create', again: true }, { onDuplicate: 'skip' }]),
  ...each('importRows', [{ signal, validate: true, name: 'n', inDoubt: 'park', onResult: () => {} }]),
  ...each('importRows', [{ inDoubt: 'validate', settleMs: 0.5 }]),
  ...each(
    'importRows',
    [1, 50, '2%', '0.5%', '99.9%', '100%', '100.0%'].map((maxErrors) => ({ maxErrors })),
  ),
  ...each('importRows, its rows', [[], [7], new Set(), new Map().values(), (async function* () {})()]),
  ...each('log', [{ since: new Date(0), ref: '', id: '1', run: 'r' }]),
  ...each(
    'log',
    ['created', 'duplicate', 'rejected', 'failed', 'unknown'].map((status) => ({ status })),
  ),
  ...each('resolve, its keys', ['', '0123', [], ['0123', '4567']]),
  ...each('resolve, its word', ['created', 'not-created', { created: '77' }, { created: ' 7' }]),
])('the option %s accepts %j', async (call, given) => {
  expect(await refusalOf(call, given)).toBeNull();
});

const KIND = 'is missing or of a wrong kind.';
const wrong = (call: Call, name: string, values: readonly unknown[]): [Call, unknown, string][] =>
  values.map((value) => [call, { [name]: value }, `The option ${name} ${KIND}`]);

test.each([
  ...wrong('openMarketplace', 'rate', ['fast', 0, -1, Number.NaN, '2']),
  ...wrong('openMarketplace', 'concurrency', [0, 1.5, -1]),
  ...wrong('openMarketplace', 'timeoutMs', [0, '100']),
  ...['baseUrl', 'proxy'].flatMap((name) => wrong('openMarketplace', name, [''])),
  ...['clientSecret', 'storePassword', 'signal'].flatMap((name) => wrong('openMarketplace', name, [1])),
  ...['encoding', 'onWarning', 'freshStore'].flatMap((name) => wrong('openMarketplace', name, ['xml'])),
  ['openMarketplace', { defaults: { country: 1 } }, `The option defaults.country ${KIND}`],
  ['openMarketplace', { bathc: 1 }, 'The option bathc does not exist.'],
  ['openMarketplace', undefined, `The options of openMarketplace ${KIND}`],
  ['validate', { again: true }, 'The option again does not exist.'],
  ['validate', { signal: {} }, `The option signal ${KIND}`],
  ['validate', null, `The options of the call ${KIND}`],
  ...wrong('create', 'again', ['no']),
  ...wrong('create', 'validate', [1]),
  ...wrong('create', 'onDuplicate', ['send']),
  ['create', { name: 'n', rate: 1 }, 'The option name.rate does not exist.'],
  ['create', 'again', `The options of create ${KIND}`],
  ...wrong('importRows', 'name', ['']),
  ...wrong('importRows', 'inDoubt', ['skip']),
  ...wrong('importRows', 'settleMs', [0, -1]),
  ...wrong('importRows', 'onResult', ['log']),
  ...wrong('importRows', 'maxErrors', [0, 1.5, -1, '2', '0%', '0.00%', '101%', '100.1%', '2 %', '%', '-2%']),
  ...wrong('log', 'since', ['24h', new Date('x')]),
  ...wrong('log', 'status', ['ready']),
  ['log', { limit: 1 }, 'The option limit does not exist.'],
  ...[undefined, null, 42, 'rows', {}, () => []].map((rows): [Call, unknown, string] => [
    ...(['importRows, its rows', rows, `The argument rows of importRows ${KIND}`] as const),
  ]),
  ...[undefined, null, 42, {}, [7], [['0123'], 7], new Set(['0123'])].map((keys): [Call, unknown, string] => [
    ...(['resolve, its keys', keys, `The argument keys of resolve ${KIND}`] as const),
  ]),
  ...['', 'Created', null].map((word): [Call, unknown, string] => [
    ...(['resolve, its word', word, `The word of resolve ${KIND}`] as const),
  ]),
  ...wrong('resolve, its word', 'created', ['', ' ', 7]),
] as [Call, unknown, string][])('the option %s refuses %j', async (call, given, message) => {
  expect([message, message.replace('option created', 'word of resolve')]).toContain(await refusalOf(call, given));
});
