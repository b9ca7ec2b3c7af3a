import { expect, test } from 'vitest';
import { settingsOf } from '../../src/library/settings.ts';

const NEEDED = { baseUrl: 'https://api.example', clientId: 'id', clientSecret: 'secret', stateFolder: '/srq' };
const signal = new AbortController().signal;

test.each([
  { rate: 'auto' },
  { rate: 'max' },
  { rate: 0.5 },
  { concurrency: 1 },
  { timeoutMs: 0.5 },
  { encoding: 'json' },
  { encoding: 'form' },
  { clientSecret: 'word' },
  { storePassword: 'word' },
  { storePassword: () => 'word' },
  { freshStore: true },
  { defaults: { country: 'PT', lang: null } },
  { clientSecret: async () => 'secret' },
  { signal },
  { freshStore: false },
  { onWarning: () => {} },
] as const)('%j is an option as it is given', (option) => {
  expect(settingsOf({ ...NEEDED, ...option })).toMatchObject(option);
});

test.each([
  ['rate', 'fast'],
  ['rate', 0],
  ['rate', -1],
  ['rate', Number.NaN],
  ['rate', '2'],
  ['concurrency', 0],
  ['concurrency', 1.5],
  ['timeoutMs', 0],
  ['encoding', 'xml'],
  ['defaults', { country: 1 }],
  ['signal', {}],
  ['onWarning', 'console'],
  ['baseUrl', ''],
  ['clientSecret', 1],
  ['storePassword', 1],
  ['freshStore', 'yes'],
  ['proxy', ''],
  ['concurrency', -1],
  ['timeoutMs', '100'],
])('%s cannot be %j, and the error names the option alone', (name, value) => {
  expect(() => settingsOf({ ...NEEDED, [name]: value } as never)).toThrow(
    expect.objectContaining({
      reason: 'arguments.invalid',
      message: expect.stringMatching(
        new RegExp(`^The option ${name}(?:\\.country)? is missing or of a wrong kind\\.$`),
      ),
    }),
  );
});

test('an option that does not exist is refused by its name, and what is left out has a usual value', () => {
  expect(() => settingsOf({ ...NEEDED, bathc: 1 } as never)).toThrow('The option bathc does not exist.');
  expect(() => settingsOf(undefined as never)).toThrow('The options of openMarketplace is missing or of a wrong kind.');
  expect(settingsOf(NEEDED)).toEqual({
    ...NEEDED,
    ...{ profile: 'default', encoding: 'form', rate: 'auto', concurrency: 16 },
  });
});
