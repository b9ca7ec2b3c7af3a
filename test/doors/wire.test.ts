import { expect, test } from 'vitest';
import { deadLine, lineTo } from './wire.ts';

const head = (length: number, more = '') => `HTTP/1.1 201 Created\r\ncontent-length: ${length}\r\n${more}\r\n`;
const BODY = '{"id":"R-1"}';
const WHOLE = `201 whole ${BODY}`;
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const CHUNKED = 'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n';

test.each<[what: string, told: string, ...Parameters<typeof lineTo>]>([
  ['an answer', WHOLE, [head(12) + BODY]],
  ['an answer in pieces', WHOLE, ['HTTP/1.1 20', '1 Created\r\ncontent-', 'length: 12\r\n\r', '\n{"id":', '"R-1"}']],
  ['one in chunks', WHOLE, [CHUNKED, 'c\r\n', BODY, '\r\n0\r\n\r\n']],
  ['one that ends with the connection', WHOLE, [`HTTP/1.1 201 Created\r\n\r\n${BODY}`], 'ends'],
  ['one after others that do not count', WHOLE, [`HTTP/1.1 100 Continue\r\n\r\n${HINT}`, HINT, head(12) + BODY]],
  ['one after such in pieces', WHOLE, ['HTTP/1.1 1', '03 Early', ' Hints\r\nlink: </a>\r\n\r', `\n${head(12)}${BODY}`]],
  ['one whose body looks like another answer', `201 whole ${HINT.trim()}`, [head(HINT.length), HINT]],
  ['the same within the body', `201 whole is: ${HINT.trim()}`, [head(HINT.length + 4), 'is: ', HINT]],
  ['a body shorter than told', `201 cut ${BODY}`, [head(13) + BODY], 'ends'],
  ['a body cut by a reset', '201 cut {"id"', [head(12), '{"id"'], 'resets'],
  ['chunks without an end', `201 cut ${BODY}`, [CHUNKED, `c\r\n${BODY}\r\n`], 'ends'],
  ['a head without an end', 'nothing, written', ['HTTP/1.1 201 Created\r\nconte'], 'ends'],
  ['others alone', 'nothing, written', [HINT], 'ends'],
  ['no byte', 'nothing, written', [], 'ends'],
  ['a reset', 'nothing, written', [], 'resets'],
  ['no HTTP', 'nothing, written', ['220 mail.example.com ready\r\n'], 'ends'],
])('an answer over a real socket, %s, is read as %s', async (_, told, pieces, then = 'stays') => {
  expect(await (await lineTo(pieces, then)).call()).toBe(told);
});

test('nothing is written where nobody listens on the port', async () => {
  expect(await (await deadLine()).call()).toBe('nothing, not written');
});

test('calls share a connection as long as its answers are whole', async () => {
  const [kept, left] = [await lineTo([head(12) + BODY]), await lineTo([`${head(12) + BODY}and more`])];
  for (const line of [kept, left]) for (const _ of [1, 2, 3]) await line.call();
  expect([kept.connections(), left.connections()]).toEqual([1, 3]);
});
