import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { test as base } from '../helpers/desk.ts';
import { leadsCsv, REQUEST } from '../helpers/leads.ts';
import { pathOf } from '../helpers/real-files.ts';
import { documentOf } from '../helpers/run-srq.ts';

/** Servers that are not the service; each counts its calls. */
const test = base.extend<{ serve: (listener: RequestListener) => Promise<{ url: string; paths: string[] }> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures in use here
  serve: async ({}, use) => {
    const closers: (() => void)[] = [];
    await use(async (listener) => {
      const paths: string[] = [];
      const server = createServer((request, response) => {
        paths.push(request.url ?? '');
        request.resume();
        listener(request, response);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closers.push(() => server.close().closeAllConnections());
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
    });
    for (const close of closers) close();
  },
});

/** Arguments after `bulk`; what the message must name; what the whole error must offer. */
const FILES: readonly [string, string[], RegExp][] = [
  ['a missing file', ['absent.csv'], /no file absent\.csv/],
  ['a folder', ['.'], /folder|directory/i],
  ['an empty file', [pathOf('empty.csv')], /empty\.csv.*empty/is],
  ['nothing but a header', [pathOf('header-only.csv')], /header-only\.csv.*no rows/is],
  ['an unclosed quote', [pathOf('unclosed-quote.csv')], /Row 2 \(line 3\)/],
  ['another encoding than the file has', [pathOf('windows-1252.csv'), '--encoding', 'utf-8'], /Row 1 \(line 2\)/],
  ['JSON that ends too soon', [pathOf('cut-off.json')], /element 3/],
  ['two columns of one name', [pathOf('duplicate-headers.csv')], /more than one column "phone".*--map/s],
  ['a column that is not there', ['leads.csv', '--map', 'fulname=fullname'], /fulname.*did you mean.*fullname/is],
  ['a column in a template that is not there', ['leads.csv', '--set', 'location={locatoin}'], /locatoin.*location/is],
  ['an encoding that is not there', ['leads.csv', '--encoding', 'utf-9'], /utf-9/i],
  ['a delimiter that is none', ['leads.csv', '--delimiter', 'xx'], /xx|delimiter/i],
  ['a mapping file that is none', ['leads.csv', '--mapping', 'leads.csv'], /leads\.csv.*--save-mapping/s],
  [
    'a slip in a field of --map',
    ['leads.csv', '--map', 'ref=fulname'],
    /no field "fulname".*did you mean "fullname"/is,
  ],
  ['another name of a field in --map', ['leads.csv', '--map', 'ref=telephone'], /no field "telephone".*mean "phone"/],
  ['the name of a part in --set', ['leads.csv', '--set', 'city={ref}'], /no field "city".*mean "location"/],
  ['another name of a field in a mapping file', ['leads.csv', '--mapping', 'names.json'], /no field "mobile"/],
  ['a column without its braces', ['leads.csv', '--set', 'location=ref'], /"ref" is a column; .*'location=\{ref\}'/],
  ['a slip in a field of --set', ['leads.csv', '--set', 'contry=PT'], /did you mean "country"/i],
  ['an unknown flag', ['leads.csv', '--dryrun'], /--dryrun.*did you mean --dry-run/is],
];

describe.concurrent('bulk refuses with exit code 2, and sends nothing', () => {
  test.for(FILES)('%s', async ([, args, told], { partner, sandbox }) => {
    partner.write('leads.csv', leadsCsv(2));
    partner.write('names.json', '{"join":{"mobile":["ref"]}}');
    const ended = await partner.call('bulk', ...args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(told);
    expect(ended.stderr).toContain('→');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(sandbox.requests().filter(({ operation }) => operation !== 'token')).toEqual([]);
  });

  test('a live service without a terminal and without --yes', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(2));
    const env = { SRQ_BASE_URL: 'https://service.invalid' };
    for (const more of [[], ['--no-input'], ['--json']]) {
      const ended = await partner.start(['bulk', leads, ...more], { env }).ended;
      expect([more, ended.code]).toEqual([more, 2]);
      expect(ended.stdout + ended.stderr).toContain('--yes');
    }
    expect(partner.files().filter((name) => /results|state\/./.test(name))).toEqual([]);
  });

  test('http:// to any host but this one', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(2));
    for (const url of ['http://service.invalid', 'http://127.0.0.1.service.invalid', 'http://10.0.0.1']) {
      const ended = await partner.start(['bulk', leads, '--yes'], { env: { SRQ_BASE_URL: url } }).ended;
      expect([url, ended.code, ended.stderr]).toEqual([url, 2, expect.stringContaining('http://')]);
    }
  });

  test('an unknown command, with the one that was meant', async ({ desk }) => {
    const ended = await desk.call('blk', 'leads.csv');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/did you mean bulk/i);
  });
});

describe.concurrent('an address that is not the service', () => {
  const NOT_THE_SERVICE: readonly [string, RequestListener, RegExp][] = [
    ['knows no such path', (_, answer) => answer.writeHead(404).end(), /404.*base URL/s],
    [
      'answers with a web page',
      (_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Hi</body></html>'),
      /base URL/i,
    ],
    [
      'redirects',
      (_, answer) => answer.writeHead(308, { location: 'https://elsewhere.example.com/' }).end(),
      /redirect|308/i,
    ],
  ];
  test.for(NOT_THE_SERVICE)(
    'that %s ends the command at once: exit code 5',
    async ([, listener, told], { desk, serve }) => {
      const { url, paths } = await serve(listener);
      desk.use({ baseUrl: url, clientId: '1' });
      const leads = desk.write('leads.csv', leadsCsv(30));
      for (const args of [
        ['create', ...REQUEST],
        ['validate', ...REQUEST],
        ['bulk', leads, '--rate', 'max'],
      ]) {
        const ended = await desk.call(...args);
        expect([args[0], ended.code]).toEqual([args[0], 5]);
        expect(ended.stdout + ended.stderr).toMatch(told);
      }
      // Never followed, never hammered.
      expect(paths).toEqual(Array(3).fill('/oauth/token'));
    },
  );

  test('that grants tokens and shows web pages stops an import on its first rows', async ({ desk, serve }) => {
    const { url, paths } = await serve((request, answer) => {
      if (request.url === '/oauth/token')
        answer.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"t","expires_in":600}');
      else
        answer.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please accept our terms</body></html>');
    });
    desk.use({ baseUrl: url, clientId: '1' });
    const leads = desk.write('leads.csv', leadsCsv(30));
    const ended = await desk.call('bulk', leads, '--rate', 'max', '--json');
    expect(ended.code).toBe(6);
    expect(documentOf(ended)).toMatchObject({
      created: 0,
      stopped: { reason: 'answer.unreadable' },
    });
    expect(paths.length).toBeLessThanOrEqual(12);
  });

  test('on a closed port is said within seconds: exit code 5', async ({ desk, serve }) => {
    const { url } = await serve(() => {});
    desk.use({ baseUrl: url.replace(/\d+$/, '1'), clientId: '1' });
    for (const args of [['create', ...REQUEST], ['validate', ...REQUEST], ['login']]) {
      const startedMs = performance.now();
      const env = args[0] === 'login' ? { SRQ_BASE_URL: 'http://127.0.0.1:1' } : {};
      const ended = await desk.start(args, { env }).ended;
      expect([args[0], ended.code, ended.stderr]).toEqual([args[0], 5, expect.stringContaining('ECONNREFUSED')]);
      expect(performance.now() - startedMs).toBeLessThan(90_000);
    }
  });
});
