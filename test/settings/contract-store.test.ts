import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Contract, contractStore, DOCUMENTED_CONTRACT } from '../doors/kept.ts';

const LEARNED: Contract = {
  ...DOCUMENTED_CONTRACT,
  source: { file: 'api.yaml', title: 'API', kind: 'OpenAPI 3.1', learnedAt: '2026-11-21T00:00:00.000Z' },
};

function emptyStore() {
  const folder = mkdtempSync(join(tmpdir(), 'srq-contracts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'contracts', 'default.json');
  return { store: contractStore('default', path), path, folder };
}

/** The contract with another value at this place. */
function changed(place: readonly string[], value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(LEARNED));
  const parent = place.slice(0, -1).reduce((branch, name) => branch[name], copy);
  parent[place.at(-1) ?? ''] = value;
  return copy;
}

describe('the contract of a profile', () => {
  test('the API description of a profile is kept whole, for its owner alone, and read back as it was', async () => {
    const { store, path, folder } = emptyStore();
    expect(await store.read()).toBeNull();
    await store.write(LEARNED);
    expect(await store.read()).toEqual(LEARNED);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'contracts')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'contracts'))).toEqual(['default.json']);
  });

  test('an API description that cannot be written is an error, and the earlier one stays', async () => {
    const { store, path } = emptyStore();
    await store.write(LEARNED);
    const blocked = contractStore('default', join(path, 'below-a-file.json'));
    await expect(blocked.write(LEARNED)).rejects.toThrow(/cannot be written/);
    expect(await store.read()).toEqual(LEARNED);
  });

  test.each([
    ['cut off', '{"version":2,"create":'],
    ['empty', ''],
    ['a list', '[]'],
    ['a text', '"contract"'],
    ['nothing', 'null'],
    ['without its paths', JSON.stringify({ ...LEARNED, token: {} })],
    ['nested beyond all measure', '['.repeat(200_000)],
  ])('an API description that is %s is an error that names the commands which repair it', async (_, text) => {
    const { store, path } = emptyStore();
    await store.write(LEARNED);
    writeFileSync(path, text);
    await expect(store.read()).rejects.toThrow(
      expect.objectContaining({
        code: 'settings',
        // A damaged file is not told as one for which srq had to be updated.
        message: expect.not.stringContaining('this srq reads'),
        hint: expect.stringContaining('srq contract forget --profile default'),
      }),
    );
    expect(store.forget()).toBe(true);
    expect(await store.read()).toBeNull();
  });
});

describe('a contract from elsewhere cannot lead the credentials astray:', () => {
  test.each([
    ['another host', ['token', 'path'], '//elsewhere.example/oauth/token'],
    ['an absolute address', ['create', 'call'], 'POST https://elsewhere.example/create'],
    ['a query', ['validate', 'call'], 'POST /v1/validate?to=elsewhere'],
    ['a line break', ['create', 'call'], 'POST /v1/create\r\nhost: elsewhere.example'],
    ['a step up', ['create', 'call'], 'POST /v1/../../admin'],
    ['an encoded step up', ['token', 'path'], '/v1/%2e%2E/admin'],
    ['a media type with a line break', ['create', 'as'], 'text/plain\r\nx: y'],
    ['the header of the token', ['create', 'again'], { header: 'Authorization', hours: 1, uuid: false }],
    ['the header of the host', ['create', 'fields'], { 'header Host': 'phone' }],
    ['another method', ['create', 'call'], 'DELETE /v1/leads'],
  ])('an API description cannot lead the credentials astray: %s is refused', async (_, place, value) => {
    const { store, path } = emptyStore();
    await store.write(LEARNED);
    writeFileSync(path, JSON.stringify(changed(place, value)));
    await expect(store.read()).rejects.toThrow(/is not as srq writes it/);
  });
});
