import { expect, test } from 'vitest';
import { InterimAnswerFilter } from '../../src/service/network/connection.ts';
import fc from '../helpers/fast-check.ts';
import { rawAnswer } from '../helpers/raw-service.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\nx-a: 1\r\n\r\n';
const BARE = 'HTTP/1.1 100\r\n\r\n';
/** A final answer whose body looks like an interim one. */
const FINAL = rawAnswer('201 Created', `${CONTINUE}{"id":"4711"}${HINTS}`);

/** What is left of an answer that comes in these pieces. */
function leftOf(pieces: readonly string[]): string {
  const interim = new InterimAnswerFilter();
  interim.expectAnswer();
  return pieces.map((piece) => interim.filter(Buffer.from(piece, 'latin1'))?.toString('latin1') ?? '').join('');
}

test.each([
  ['none', ''],
  ['one', CONTINUE],
  ['one without a reason', BARE],
  ['several, with headers', CONTINUE + HINTS + BARE + HINTS + CONTINUE],
])('interim answers are taken out before a final one wherever the line splits them: %s', (_, interim) => {
  const text = interim + FINAL;
  expect(leftOf([...text])).toBe(FINAL);
  for (let at = 0; at <= text.length; at++)
    expect([at, leftOf([text.slice(0, at), text.slice(at)])]).toEqual([at, FINAL]);
});

test.each([
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n',
  'HTTP/1.1 200 OK\r\n\r\n',
  'HTTP/1.1 1000 Much\r\n\r\n',
  'HTTP/1.1 1',
  'HTTP/2.0 100 Continue\r\n\r\n',
  ' HTTP/1.1 100 Continue\r\n\r\n',
  'SSH-2.0-OpenSSH_9.6\r\n',
])('whatever is no interim answer is left as it is: %j', (text) => {
  // What is too little to say is kept until more has come.
  const whole = `${text}\r\nmore`;
  expect(leftOf([whole])).toBe(whole);
  expect(leftOf([...whole])).toBe(whole);
});

test('nothing of a final answer is changed, whatever it holds and however it is split', () => {
  const fragment = fc.oneof(fc.constantFrom(CONTINUE, HINTS, BARE, '\r\n\r\n', 'HTTP/1.1 1'), fc.string());
  const body = fc.array(fragment).map((parts) => parts.join(''));
  const interim = fc.array(fc.constantFrom(CONTINUE, HINTS, BARE)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(interim, body, fc.array(fc.nat({ max: 400 })), (before, after, cuts) => {
      const final = Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${after}`).toString('latin1');
      const text = before + final;
      const ends = [...cuts, text.length].sort((one, other) => one - other);
      expect(leftOf(ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)))).toBe(final);
    }),
  );
});

test('after a final answer bytes pass until the next request is written', () => {
  const interim = new InterimAnswerFilter();
  const pass = (text: string) => interim.filter(Buffer.from(text))?.toString() ?? null;
  expect(pass(CONTINUE)).toBe(CONTINUE);
  interim.expectAnswer();
  expect([pass(CONTINUE), pass(FINAL), pass(CONTINUE)]).toEqual([null, FINAL, CONTINUE]);
  interim.expectAnswer();
  expect([pass('HTTP/1.1 10'), pass('3 '), pass('x\r\n\r'), pass(`\n${FINAL}`)]).toEqual([null, null, null, FINAL]);
});
