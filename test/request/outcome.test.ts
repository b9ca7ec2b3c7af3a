import { expect, test } from 'vitest';
import { reasonOf } from '../../src/request/log/outcome.ts';
import { STATUSES } from '../../src/request/log/status.ts';

test.each([
  ['rejected', 422, 'request.rejected'],
  ['rejected', 200, 'request.rejected'],
  ['rejected', 403, 'request.denied'],
  ['rejected', null, 'request.refused-here'],
  ['unknown', null, 'request.in-doubt'],
  ['unknown', 500, 'request.in-doubt'],
  ['unknown', 302, 'request.in-doubt'],
  ['unknown', 200, 'answer.unproven'],
  ['unknown', 299, 'answer.unproven'],
  ['failed', null, 'request.not-sent'],
  ['failed', 200, 'service.no-verdict'],
  ['failed', 307, 'service.redirects'],
  ['failed', 401, 'auth.token-refused'],
  ['failed', 404, 'service.wrong-address'],
  ['failed', 410, 'service.wrong-address'],
  ['failed', 429, 'service.busy'],
  ['failed', 501, 'service.wrong-address'],
  ['failed', 500, 'service.failed'],
  ['failed', 503, 'service.busy'],
] as const)('a request that is %s with HTTP %s has the reason %s', (status, http, reason) => {
  expect(reasonOf({ status, http })).toBe(reason);
});

test('a request with nothing wrong has no reason', () => {
  const wrong = STATUSES.filter((status) => reasonOf({ status, http: null }) !== null);
  expect(wrong).toEqual(['rejected', 'failed', 'unknown']);
});
