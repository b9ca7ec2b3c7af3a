import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { requestFor } from '../helpers/leads.ts';
import { logIn } from '../helpers/login.ts';
import { documentOf } from '../helpers/run-srq.ts';

describe.concurrent('login', () => {
  test('a login is found again where a person has written its address in another way', async ({ desk, sandbox }) => {
    await logIn(desk, sandbox, '--test');
    const settings = join(desk.config, 'config.json');
    const other = sandbox.baseUrl.replace('http://', 'HTTP://');
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(sandbox.baseUrl, `${other}/`));
    const { baseUrl } = sandbox;
    const expected = { baseUrl, secret: 'stored', token: { state: 'valid' } };
    expect(documentOf(await desk.call('status', '--json'))).toMatchObject(expected);
    expect(await desk.call('create', ...requestFor('outra grafia'))).toMatchObject({ code: 0 });
  });
});
