import { expect, test } from 'vitest';
import { documentedContract } from '../../src/request/contract.ts';
import type { BodyEncoding } from '../../src/request/wire.ts';
import { makeEncoder } from '../../src/service/wire/encode.ts';

const params = { country: 'PT', fullname: 'Inês & "Zé" = 100 %+', phone: '+351912345678', request_text: 'a\r\nb\tc' };
const request = { params, audio: null, ref: 'A-17' };
const recorded = { ...request, audio: { path: 'a.mp3', sizeBytes: 3, sha256: '00', mediaType: null } };

function encoded(given: typeof request | typeof recorded, audioBase64: string | null, encoding: BodyEncoding) {
  const { headers, body } = makeEncoder(documentedContract(encoding)).create(given, audioBase64);
  return { contentType: headers['content-type'], body: body.toString() };
}

test('as a form, every text comes back as it was, and the reference stays at home', () => {
  const { contentType, body } = encoded(request, null, 'form');
  expect(contentType).toBe('application/x-www-form-urlencoded');
  expect(body).toContain('phone=%2B351912345678');
  expect(body).toMatch(/^[\x21-\x7e]+$/);
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual(params);
});

test('as JSON, the same', () => {
  const { contentType, body } = encoded(request, null, 'json');
  expect(contentType).toBe('application/json');
  expect(JSON.parse(body)).toEqual(params);
});

test.each(['form', 'json'] as const)('a recording goes along as base64: %s', (encoding) => {
  const { body } = encoded(recorded, 'aB+/9w==', encoding);
  const read = encoding === 'json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  expect(read).toEqual({ ...params, audio: 'aB+/9w==' });
});
