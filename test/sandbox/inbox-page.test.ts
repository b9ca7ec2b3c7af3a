import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser gets the inbox in one page, which may run and load nothing but what is in it', async () => {
  const { status, headers, text } = await send('GET', `${sandbox.baseUrl}/`, asBrowser);
  expect(status).toBe(200);
  expect(headers['x-content-type-options']).toBe('nosniff');
  const policy = String(headers['content-security-policy']);
  expect(
    policy
      .replaceAll(/'sha256-[^']+'/g, 'HASH')
      .split('; ')
      .sort(),
  ).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    "media-src 'self'",
    "require-trusted-types-for 'script'",
    'script-src HASH',
    'style-src HASH',
  ]);
  for (const [kind, pattern] of [
    ['script', /<script type="module">(.*?)<\/script>/gs],
    ['style', /<style>(.*?)<\/style>/gs],
  ] as const) {
    const contents = [...text.matchAll(pattern)].map((found) => found[1] ?? '');
    expect(contents).toHaveLength(1);
    const digest = createHash('sha256')
      .update(contents[0] ?? '')
      .digest('base64');
    expect(policy).toContain(`${kind}-src 'sha256-${digest}'`);
  }
});

test('the page names no other place, and no handler stands in its markup', async () => {
  const { text } = await send('GET', `${sandbox.baseUrl}/`, asBrowser);
  const markup = text.replace(/<(script|style)[ >].*?<\/\1>/gs, '');
  expect(markup).not.toMatch(/<script|<style|\sstyle=|\son\w+=|\ssrc=|https?:|<!--/);
  expect(markup).toContain('<option value="PT">PT · ');
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
  ['a page without an origin', { origin: 'null' }],
])('%s can neither read, listen nor play', async (_who, headers) => {
  for (const call of ['requests', 'requests/1', 'requests/1/recording', 'events', 'faults']) {
    const reply = await send('GET', `${sandbox.baseUrl}/_sandbox/${call}`, headers);
    expect([call, reply.status]).toEqual([call, 403]);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('the inbox itself may do all of it', async () => {
  const own = { 'sec-fetch-site': 'same-origin', origin: sandbox.baseUrl };
  expect((await send('GET', `${sandbox.baseUrl}/_sandbox/requests`, own)).status).toBe(200);
  expect((await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`, own)).status).toBe(204);
});
