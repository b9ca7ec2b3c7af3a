import { describe, expect } from 'vitest';
import type { Step } from '../../src/request/documents/diagnosis.ts';
import { certificateMaker } from '../helpers/certificate.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv, requestFor } from '../helpers/leads.ts';
import { startProxy } from '../helpers/proxy-service.ts';
import { documentOf, type Ended } from '../helpers/run-srq.ts';
import { startTlsFront } from '../helpers/tls-front.ts';

/** The steps. Those that are not well have a code that says why, and no other has. */
function allSteps(ended: Ended): readonly Step[] {
  const steps = documentOf(ended)['steps'] as Step[];
  for (const { result, reason } of steps) expect(reason !== null).toBe(result === 'fail' || result === 'warn');
  return steps;
}

/** Each step as `name result`. */
const stepsOf = (ended: Ended) => allSteps(ended).map(({ name, result }) => `${name} ${result}`);

const stepOf = (ended: Ended, name: string) => allSteps(ended).find((step) => step.name === name);

describe('the doctor and this machine', () => {
  test('the doctor leaves no log, lock or file behind, and takes and frees the lock of an existing log', async ({
    partner,
  }) => {
    expect((await partner.call('doctor')).stdout).toContain('Everything works');
    expect(partner.files().filter((name) => /ndjson|\.srq-doctor|results/.test(name))).toEqual([]);
    await partner.call('create', ...requestFor('log'));
    const before = partner.records();
    expect(stepOf(await partner.call('doctor', '--json'), 'log')?.message).toMatch(/its lock, \w+\(\w+\), works/);
    expect(partner.records()).toEqual(before);
    expect((await partner.call('bulk', partner.write('leads.csv', leadsCsv(1)), '--rate', 'max')).code).toBe(0);
  });
});

const make = certificateMaker();

describe.skipIf(!make)('the doctor and a secured service (needs openssl)', () => {
  test('the doctor tells issuer and end of the certificate, and warns two weeks before', async ({ desk, sandbox }) => {
    const ca = make?.('Office CA');
    for (const [days, result] of [
      [60, 'ok'],
      [5, 'warn'],
    ] as const) {
      const pair = make?.('service', { days, ...(ca ? { signedBy: ca } : {}) });
      desk.use({ ...sandbox, baseUrl: await startTlsFront(sandbox.baseUrl, { ...pair }) });
      const ended = await desk.call('doctor', '--json', '--ca-file', ca?.certFile ?? '');
      expect(stepOf(ended, 'tls')).toMatchObject({
        result,
        reason: result === 'warn' ? 'service.certificate-ends' : null,
        message: expect.stringMatching(/certificate by Office CA, valid until/),
      });
      expect(ended.code).toBe(0);
    }
  });

  test("the doctor goes through a proxy, and tells its failures from the service's", async ({ desk, sandbox }) => {
    const pair = make?.('service');
    const baseUrl = await startTlsFront(sandbox.baseUrl, { ...pair });
    desk.use({ ...sandbox, baseUrl });
    const { url } = await startProxy({ user: 'ana:word' });
    const run = (address: string) =>
      desk.start(['doctor', '--json', '--ca-file', pair?.certFile ?? ''], { env: { HTTPS_PROXY: address } }).ended;
    const through = await run(url.replace('//', '//ana:word@'));
    expect(stepsOf(through).slice(1, 5)).toEqual(['proxy ok', 'dns skip', 'tcp skip', 'tls ok']);
    expect(through.stdout).not.toContain('ana:word');
    const refused = await run(url);
    expect([refused.code, stepOf(refused, 'proxy')?.message]).toEqual([5, expect.stringContaining('HTTP 407')]);
  });

  test('the doctor says that an authority is unknown, and which flag trusts it', async ({ desk, sandbox }) => {
    desk.use({ ...sandbox, baseUrl: await startTlsFront(sandbox.baseUrl, { ...make?.('self') }) });
    const ended = await desk.call('doctor', '--json');
    expect([ended.code, stepOf(ended, 'tls')]).toEqual([
      5,
      expect.objectContaining({ result: 'fail', hint: expect.stringContaining('--ca-file FILE') }),
    ]);
  });
});
