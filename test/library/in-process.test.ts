import { expect, test } from 'vitest';
import { openAt } from '../doors/library.ts';
import { requestAt } from '../helpers/leads.ts';

test("nothing is sent for a call whose own signal, or the marketplace's, has fired", async () => {
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
