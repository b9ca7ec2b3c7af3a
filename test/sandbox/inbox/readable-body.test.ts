import { expect, test } from 'vitest';
import { readableBody } from '../../../src/sandbox/inbox/readable-body.ts';
import fc from '../../helpers/fast-check.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

test('any JSON is indented as JSON.stringify does it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      expect(readableBody(JSON_TYPE, text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
});

test('numbers keep all their digits, and blanks of the sender are dropped', () => {
  expect(readableBody(JSON_TYPE, '{ "id" :12345678901234567890,\n"rate":1.50, "none": [ ] , "of":{}}')).toBe(
    '{\n  "id": 12345678901234567890,\n  "rate": 1.50,\n  "none": [],\n  "of": {}\n}',
  );
});

test.each([
  ['JSON that was cut', '{"a":[1,2'],
  ['HTML', '<!doctype html><p>We will be back soon</p>'],
  ['JSON that is deeper than anybody reads', `${'['.repeat(60)}${']'.repeat(60)}`],
])('%s is left as it came', (_what, body) => {
  expect(readableBody(JSON_TYPE, body)).toBe(null);
});

test('a form is decoded, a parameter a line, and long values are cut', () => {
  const form = 'full+name=In%C3%AAs+%26+Jo%C3%A3o&request_text=a%0Ab&empty=&tag=1&tag=2';
  expect(readableBody('application/x-www-form-urlencoded', form)).toBe(
    'full name = Inês & João\nrequest_text = a\n  b\nempty = \ntag = 1\ntag = 2',
  );
  const long = readableBody('Application/X-WWW-Form-Urlencoded; charset=UTF-8', `audio=${'A'.repeat(5000)}`);
  expect(long).toBe(`audio = ${'A'.repeat(400)}… (5,000 characters)`);
});

test('a form with files is decoded, the files by name and kind', () => {
  const body = [
    '--XX',
    'Content-Disposition: form-data; name="fullname"',
    '',
    'Inês',
    '--XX',
    'Content-Disposition: form-data; name="audio"; filename="a.mp3"',
    'Content-Type: audio/mpeg',
    '',
    '\u0000\u0001',
    '--XX--',
    '',
  ].join('\r\n');
  expect(readableBody('multipart/form-data; boundary=XX', body)).toBe(
    'fullname = Inês\naudio = the file a.mp3 (audio/mpeg)',
  );
  expect(readableBody('multipart/form-data', body)).toBe(null);
});
