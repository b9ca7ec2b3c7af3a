import { expect, test } from 'vitest';
import { contentKey, type ServiceRequest } from '../../src/request/lead/service-request.ts';

const destination = { baseUrl: 'https://api.example.com', clientId: '7' };
const params = { country: 'PT', phone: '+351912345678', request_text: 'A dripping tap' };
const { request_text: _, ...withoutText } = params;
const audio = { path: 'voice.wav', sizeBytes: 6, sha256: 'ab12', mediaType: 'audio/wav' };
const keyOf = (changes: Partial<ServiceRequest>, at = destination) =>
  contentKey({ params, audio: null, ref: null, ...changes }, at);

test('The key of a request is the same in every version: logs are recognised by it', () => {
  expect(keyOf({})).toBe('e8b304b2a6e3ce0c1c422ddf0320bc8e');
  expect(keyOf({ audio })).toBe('a0747c08616165d566d3340b9ab7861b');
});

test('The key of a request does not depend on the reference, nor on the order of the parameters', () => {
  expect(keyOf({ ref: 'A-17' })).toBe(keyOf({}));
  expect(keyOf({ params: Object.fromEntries(Object.entries(params).reverse()) as typeof params })).toBe(keyOf({}));
});

test('Another content, another service and another partner are another request', () => {
  const other = [
    keyOf({}),
    keyOf({ params: { ...params, request_text: 'Another tap' } }),
    keyOf({ params: withoutText }),
    keyOf({ audio }),
    keyOf({ audio: { ...audio, sha256: 'cd34' } }),
    keyOf({}, { ...destination, baseUrl: 'https://test.example.com' }),
    keyOf({}, { ...destination, clientId: '8' }),
  ];
  expect(new Set(other).size).toBe(other.length);
});

test('With a recording the text does not count for the key, whatever the API description says', () => {
  expect(keyOf({ audio })).toBe(keyOf({ audio, params: withoutText }));
  const encoded = { audio: 'UklGRg==' };
  expect(keyOf({ params: { ...params, ...encoded } })).toBe(keyOf({ params: { ...withoutText, ...encoded } }));
});
