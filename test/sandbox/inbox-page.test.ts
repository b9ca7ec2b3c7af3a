import { beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { FORM, JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await sandboxWith();
});

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const look = (address: string, headers: Record<string, string> = {}) =>
  send('GET', `${sandbox.baseUrl}${address}`, { ...BROWSER, ...headers });
const submit = (form: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send(
    'POST',
    `${sandbox.baseUrl}/_sandbox/${form}`,
    { ...BROWSER, ...FORM, ...headers },
    new URLSearchParams(fields).toString(),
  );

/** The numbers of the requests in the list, in its order. */
const listed = async (query: string) =>
  [...(await look(`/?${query}`)).text.matchAll(/<a id="r(\d+)"/g)].map((found) => Number(found[1]));

describe('each page', () => {
  test('each page of the inbox may run and load nothing but what the sandbox gives', async () => {
    for (const address of ['/', '/_sandbox/requests/1']) {
      const { headers, text } = await look(address);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        'img-src data:',
        "script-src 'self'",
        "style-src 'self'",
      ]);
      expect(text).not.toMatch(
        /<script(?! type="module" src="\/_sandbox\/inbox\.js")|<style|\sstyle=|\son\w+=|https?:/,
      );
    }
    const parts = await Promise.all(['inbox.js', 'inbox.css'].map((name) => look(`/_sandbox/${name}`)));
    expect(parts.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
    ]);
  });

  test('each page of the inbox shows hostile texts as texts', async () => {
    const hostile = {
      fullname: '<img src=x onerror="alert(1)">',
      request_text: `</script><script>alert('2')</script>`,
      location: '\u202Egnp.exe',
      '<b onclick=alert(3)>': '&amp;',
    };
    await (await partnerOf(sandbox)).create({ ...LEAD, ...hostile });
    for (const address of ['/', '/_sandbox/requests/2', `/?text=${encodeURIComponent('"><b onclick=alert(4)>')}`]) {
      const { text } = await look(address);
      expect(text).not.toMatch(/<img|<script>|<b onclick|\u202E/);
    }
    const { text } = await look('/_sandbox/requests/2');
    for (const shown of ['&#60;img src=x onerror=&#34;alert(1)&#34;&#62;', '\\u{202e}gnp.exe', '&#38;amp;']) {
      expect(text).toContain(shown);
    }
  });
});

describe('the list', () => {
  test('has the newest first, at most a hundred, and follows a filter', async () => {
    const { create } = await partnerOf(sandbox);
    for (let row = 1; row <= 120; row++) {
      await create({ ...LEAD, fullname: `Castelo${row}` });
    }
    expect((await look('/')).text).toContain('121 requests, 120 created');
    const newest = await listed('');
    expect([newest[0], newest.at(-1), newest.length]).toEqual([121, 22, 100]);
    expect(await listed('text=create+castelo3')).toEqual([40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 4]);
    expect(await listed('operation=token&text=')).toEqual([1]);
    expect((await look('/?text=nobody')).text).toContain('No request fits.');
    expect((await look('/?operation=odd')).text).toContain('operation is one of token, create, validate.');
  });

  test('the list of the inbox says what to do where nothing has arrived', async () => {
    expect((await look('/')).text).toContain('srq bulk FILE --profile sandbox');
  });
});

describe('a request', () => {
  test('a request in the inbox is shown in full, with the way back to the list from which it was opened', async () => {
    const { create, validate, token } = await partnerOf(sandbox);
    for (const fullname of ['Inês Castelo', 'Rui Berg', 'Inês Castelo']) await create({ ...LEAD, fullname });
    await validate({ ...LEAD, fullname: 'Inês Castelo' });
    const { text } = await look('/_sandbox/requests/2?text=castelo');
    for (const part of [
      LEAD['request_text'],
      'POST /v1/request/create',
      'HTTP 201',
      '&#34;request_id&#34;: ',
      '<a href="/?text=castelo">All requests</a>',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain(token);
    expect((await look('/_sandbox/requests/9')).status).toBe(404);
  });

  test.each([
    [
      '{ "id" :12345678901234567890,\n"none": [ ] , "of":{}}',
      '{\n  "id": 12345678901234567890,\n  "none": [],\n  "of": {}\n}',
    ],
    ['{"a":[1,2', null],
    [`${'['.repeat(60)}${']'.repeat(60)}`, null],
  ])('a request in the inbox has JSON indented, every digit kept: %s', async (body, indented) => {
    await send('POST', `${sandbox.baseUrl}/v1/request/create`, JSON_TYPE, body);
    const { text } = await look('/_sandbox/requests/1');
    const found = /aria-label="Body as received, indented">([^<]*)</.exec(text)?.[1]?.replaceAll('&#34;', '"') ?? null;
    expect(found).toBe(indented);
    expect(text.replaceAll('&#34;', '"')).toContain(`aria-label="Body as received">${body}<`);
  });
});

describe('pages of other origins', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
  ])('pages of other origins, %s, can neither read nor change the inbox', async (_who, headers) => {
    for (const address of [
      '/',
      '/_sandbox/requests',
      '/_sandbox/requests/1',
      '/_sandbox/faults',
      '/_sandbox/inbox.js',
    ]) {
      const reply = await look(address, headers);
      expect([address, reply.status]).toEqual([address, 403]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await submit('faults', {}, headers)).status).toBe(403);
    for (const [method, address] of [
      ['PUT', '/_sandbox/faults'],
      ['PUT', '//example.com/_sandbox/faults'],
      ['DELETE', '/_sandbox/requests'],
    ] as const) {
      const reply = await send(method, sandbox.baseUrl + address, { ...JSON_TYPE, ...headers }, '{"500":1}');
      expect([address, reply.status]).toEqual([address, 403]);
    }
  });

  test('pages of other origins may link to the inbox, which opens in a window of its own', async () => {
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'document' })).status).toBe(200);
    expect((await look('/', { ...opened, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  });
});
