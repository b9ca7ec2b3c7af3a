import { expect, test } from 'vitest';
import { proxyFor } from '../../src/service/network/connector.ts';

const SERVICE = 'https://api.example.com';
const through = (https: string, no: string | null = null, baseUrl = SERVICE) => proxyFor(baseUrl, { https, no });

test('https goes through the proxy of the environment, plain http to this machine never does', () => {
  expect(through('http://proxy.example:3128')).toEqual({ url: 'http://proxy.example:3128', authorization: null });
  expect(through('https://proxy.example')).toEqual({ url: 'https://proxy.example', authorization: null });
  expect(through('http://proxy.example:3128', null, 'http://127.0.0.1:4010')).toBeNull();
  expect(proxyFor(SERVICE, { https: null, no: null })).toBeNull();
});

test('a proxy may be named without its scheme, as curl takes it', () => {
  expect(through('proxy.example:3128')).toEqual({ url: 'http://proxy.example:3128', authorization: null });
  expect(through('u:p@proxy.example:3128')?.url).toBe('http://proxy.example:3128');
});

test.each([
  ['http://me:p%40ss%25@proxy.example', 'me:p@ss%'],
  ['http://me@proxy.example', 'me:'],
  ['http://m%C3%A9:x@proxy.example', 'mé:x'],
])('user and password go into the header and leave the address: %s', (address, credentials) => {
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  expect(through(address)).toEqual({ url: 'http://proxy.example', authorization });
});

test.each(['socks5://me:hidden@proxy.example', 'http://', 'http://me:hid%den@proxy.example'])(
  'a proxy that cannot be used is refused without showing its password: %s',
  (address) => {
    expect(() => through(address)).toThrow(/HTTPS_PROXY/);
    expect(() => through(address)).not.toThrow(/hid/);
  },
);

test.each([
  '*',
  'api.example.com',
  'API.example.com',
  'example.com',
  '.example.com',
  '*.example.com',
  'other.test, example.com',
  'other.test example.com:443',
])('NO_PROXY=%s covers the service', (no) => {
  expect(through('http://proxy.example', no)).toBeNull();
});

test.each(['', 'example.org', 'ample.com', 'pi.example.com', 'example.com:8443', '10.0.0.1', ','])(
  'NO_PROXY=%j does not cover the service',
  (no) => {
    expect(through('http://proxy.example', no)).not.toBeNull();
  },
);

test('NO_PROXY may hold addresses, too', () => {
  for (const no of ['::1', '[::1]', '[::1]:8443'])
    expect(through('http://proxy.example', no, 'https://[::1]:8443')).toBeNull();
  expect(through('http://proxy.example', '[::1]:443', 'https://[::1]:8443')).not.toBeNull();
  expect(through('http://proxy.example', '10.1.2.3', 'https://10.1.2.3')).toBeNull();
});
