import { expect, test } from 'vitest';
import { keysOfRun } from '../../src/request/log/log-store.ts';
import type { LogRecord } from '../../src/request/ports.ts';

const AT = '2026-11-22T10:00:00.000Z';
const RECORD: LogRecord = {
  ...{ key: '00ff', event: 'created', at: AT, run: 'abcd1234', row: 7, ref: 'L-7', ids: { request_id: '4711' } },
  ...{ http: 201, message: null, ms: 5, raw: null, by: null, again: false },
};

test('the requests of a run are those that it began, also if a later run has settled them', async () => {
  async function* records() {
    for (const [at, run] of ['abcd1234', 'abcd5678', 'bcd'].entries()) {
      const key = String(at % 2).repeat(32);
      yield { record: { ...RECORD, key, run }, request: at % 2, isLast: true };
    }
    return null as never;
  }
  const known = async (run: string) => {
    const keys = await keysOfRun({ records }, run);
    return ['0', '1', '2'].filter((digit) => keys !== null && keys.find(digit.repeat(32)) >= 0);
  };
  expect(await known('abcd')).toEqual(['0', '1']);
  expect(await known('abcd1')).toEqual(['0']);
  expect(await known('bcd')).toEqual(['0']);
  expect(await known('x')).toEqual([]);
  expect(await keysOfRun({ records }, undefined)).toBeNull();
});
