import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/request/contract/contract.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { folderOfTest, marketplaceAt, openAt } from '../doors/library.ts';
import { requestAt } from '../helpers/leads.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { creates, sandboxWith } from '../sandbox/sandbox-client.ts';

test('nothing is sent for a call with a signal of its own after that of the marketplace fired, nor after its own', async () => {
  for (const ending of ['marketplace', 'own'] as const) {
    const signals = { marketplace: new AbortController(), own: new AbortController() };
    const { sandbox, marketplace } = await openAt({ signal: signals.marketplace.signal });
    const validating = marketplace.validate(requestAt(1), { signal: signals.own.signal });
    signals[ending].abort();
    expect(await validating).toMatchObject({ verdict: 'unknown', http: null });
    expect(sandbox.requests().filter(({ operation }) => operation === 'validate')).toEqual([]);
    const again = await marketplace.validate(requestAt(1));
    expect(again.verdict).toBe(ending === 'own' ? 'clear' : 'unknown');
  }
});

describe('Requests that were sent before, read or addressed in another way', () => {
  const SENT_BEFORE = { name: 'SrqError', code: 'usage', reason: 'rows.sent-before' };

  /** A sandbox, and how to open one marketplace after the other on one log, each by a contract of its own or none. */
  async function contractsAt(sandbox: Sandbox) {
    const stateFolder = folderOfTest();
    return (contract: Contract | null, baseUrl = sandbox.baseUrl) => {
      if (contract === null) return marketplaceAt(sandbox, { stateFolder, baseUrl });
      const contractFile = join(stateFolder, 'contract.json');
      writeFileSync(contractFile, JSON.stringify(contract), { mode: 0o600 });
      return marketplaceAt(sandbox, { stateFolder, baseUrl, contractFile });
    };
  }

  test('when the contract gave them another country are created again only if the program says so', async () => {
    const taken = (country: string | null) => {
      const fields = ['fullname', 'phone', 'request_text', 'location', 'email', 'lang'];
      const parameters = fields.map((field) => parameter(field, { required: field === 'phone' }));
      return contractWith({
        create: { parameters: [...parameters, parameter('country', { required: false, constant: country })] },
        hasValidate: false,
      });
    };
    const sandbox = await sandboxWith({ contract: taken(null) });
    const openBy = await contractsAt(sandbox);
    const { country: _, ref: __, ...placeless } = requestAt(1);
    const bare = openBy(taken(null));
    expect(await bare.create(placeless)).toMatchObject({ status: 'created' });
    await bare.close();

    const inPortugal = openBy(taken('PT'));
    await expect(inPortugal.create(placeless)).rejects.toMatchObject({
      message: expect.stringContaining('when the API description gave them no country'),
    });
    const later = { ...placeless, request_text: 'Paint the hall' };
    expect(await inPortugal.create(later)).toMatchObject({ status: 'created' });
    // What the log knows as it is read now is repeated, whatever else it knows.
    expect(await inPortugal.create(later)).toMatchObject({ status: 'repeated' });
    await inPortugal.close();

    const again = openBy(taken(null));
    for (const send of [() => again.create(later), () => again.importRows([later])]) {
      await expect(send()).rejects.toMatchObject({
        ...SENT_BEFORE,
        message: expect.stringContaining('when the API description gave them the country PT'),
      });
    }
    expect(creates(sandbox)).toHaveLength(2);
    expect(await again.importRows([later], { again: true })).toMatchObject({ counts: { created: 1 } });
    expect(await again.create(placeless, { again: true })).toMatchObject({ status: 'created' });
  });
});
