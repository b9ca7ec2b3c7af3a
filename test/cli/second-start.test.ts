import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';

test.skipIf(!('enableCompileCache' in nodeModule))(
  'the second start of srq uses what the first one has compiled (needs Node.js 22)',
  async ({ partner }) => {
    const folder = join(partner.state, 'compile-cache');
    const send = async (text: string) => {
      const env = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
      const { stdout, stderr } = await partner.start(['create', ...requestFor(text)], { env }).ended;
      return (stdout + stderr).match(/was accepted/g)?.length ?? 0;
    };
    expect([await send('first'), existsSync(folder)]).toEqual([0, false]);
    expect(await send('second')).toBe(0);
    expect(await send('third')).toBeGreaterThan(20);
  },
);
