import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { REQUEST } from '../helpers/leads.ts';
import { creates } from '../sandbox/sandbox-client.ts';

describe.concurrent('create', () => {
  test('srq create sends the same request once, however many processes are asked for it at the same time', async ({
    partner,
    sandbox,
  }) => {
    const all = await Promise.all(
      Array.from({ length: 4 }, () => partner.run('create', ...REQUEST, '--no-validate', '--json')),
    );
    const codes = all.map(({ code }) => code);
    expect(creates(sandbox)).toHaveLength(1);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    // Who comes while the first is under way cannot know its outcome; who comes later can.
    expect(codes.filter((code) => code !== 0).every((code) => code === 7 || code === 8)).toBe(true);
  });
});
