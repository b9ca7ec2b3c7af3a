import { expect, test } from 'vitest';
import { wirePreview } from '../../src/cli/wire-preview.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const REQUEST: ServiceRequest = { params: { country: 'PT', request_text: 'Paint the wall' }, audio: null, ref: 'A' };
const WITH_AUDIO = {
  ...REQUEST,
  audio: { path: 'a.ogg', name: 'a.ogg', sha256: 'a'.repeat(64), sizeBytes: 3 },
} as unknown as ServiceRequest;

test('the preview of a request does not show a secret that the API description adds', () => {
  const parameters = [parameter('country'), parameter('api_key', { constant: 's3cret' })];
  const shown = wirePreview(contractWith({ create: { parameters } }), { ...REQUEST, params: { country: 'PT' } });
  expect(shown).toEqual([
    ['country', 'PT'],
    ['api_key', '<secret>'],
  ]);
});

test('the preview of a request shows headers and query parameters as well, without secrets', () => {
  const always = {
    'header X-Source': 'web',
    'header X-Api-Key': 's3cret',
    'query ch[]': 'a b',
    'query token': 's3cret',
  };
  const { create } = DOCUMENTED_CONTRACT;
  const fields = { country: 'country', 'query q': 'request_text' };
  expect(wirePreview({ ...DOCUMENTED_CONTRACT, create: { ...create, fields, always } }, REQUEST)).toEqual([
    ['country', 'PT'],
    ['header x-source', 'web'],
    ['header x-api-key', '<secret>'],
    ['query q', 'Paint the wall'],
    ['query ch[]', 'a b'],
    ['query token', '<secret>'],
  ]);
});

test('the preview of a request shows a text in place of a recording, wherever that stands', () => {
  const named = contractWith({
    create: { parameters: [parameter('country'), parameter('audio_file', { path: ['lead', 'voice'] })] },
  });
  const request = { ...WITH_AUDIO, params: { country: 'PT' } };
  for (const contract of [DOCUMENTED_CONTRACT, named])
    expect(wirePreview(contract, request)).toEqual([['country', 'PT']]);
  const own = { ...REQUEST, params: { country: 'PT', audio: 'a text' } };
  expect(wirePreview(DOCUMENTED_CONTRACT, own)).toEqual([
    ['country', 'PT'],
    ['audio', 'a text'],
  ]);
});
