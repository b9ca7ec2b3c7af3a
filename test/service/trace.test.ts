import { describe, expect, test } from 'vitest';
import { callText } from '../../src/report/terminal/call-text.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { TracedCall } from '../../src/request/ports.ts';
import { clientOf, httpTo } from '../doors/client.ts';
import type { ContractEncoding, Parameter } from '../doors/described.ts';
import { virtualClock } from '../helpers/api-client.ts';
import { CANARY, secretsIn, spellingsOf } from '../helpers/canary-secret.ts';
import { type Script, startScriptedService } from '../helpers/scripted-service.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

/** Someone who does not exist. */
const PERSON = {
  fullname: 'Zulmira Canáriæ',
  email: 'zulmira.canaria+q@example.com',
  phone: '+351912345679',
  request_text: 'Zumbido estranho: “canário” & <gaiola>',
};
const RECORDING = Buffer.alloc(400, 'RIFF: Zulmira at home. ').toString('base64');
const file = { path: '/leads/Zulmira Xilofone.wav', sizeBytes: 400, sha256: '00', mediaType: 'audio/wav' };
const audio = { ...file, base64: async () => RECORDING };
const request: ServiceRequest = { params: { country: 'PT', ...PERSON }, audio, ref: 'A-17' };
const KEYS = {
  header: 'h3ader key/+=&%é~',
  query: 'qu3ry key/+=&%é~',
  body: 'b0dy key/+=&%é~',
  token: 't3nant key/+=&%é~',
  within: 'w1thin key/+=&%é~',
};
const TRACES = [...Object.values(PERSON), ...Object.values(KEYS), RECORDING].flatMap(spellingsOf);

function tracesIn(text: string): string[] {
  return [...TRACES, 'Zulmira', 'Xilofone', '912345679', 'gaiola', 'tok3n'].filter((trace) => text.includes(trace));
}

const PARAMETERS: readonly Parameter[] = [
  parameter('country'),
  parameter('email', { in: 'header', path: ['X-Customer'] }),
  parameter('X-Api-Key', { in: 'header', path: ['X-Api-Key'], constant: KEYS.header }),
  parameter('access', { in: 'query', path: ['access'], constant: KEYS.query }),
  parameter('phone', { in: 'query', path: ['tel'] }),
  parameter('fullname', { path: ['customer', 'name'] }),
  parameter('secret', { path: ['secret'], constant: KEYS.body }),
  parameter('audio_file', { path: ['voice'], audioForm: 'base64' }),
  parameter('audio_name', { path: ['file'] }),
];

function contractIn(encoding: ContractEncoding): Contract {
  const types = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    multipart: 'multipart/form-data',
  };
  const binary = encoding === 'multipart' ? { audioForm: 'binary' as const } : {};
  const parameters = PARAMETERS.map((each) => (each.field === 'audio_file' ? { ...each, ...binary } : each));
  const credentials = { path: ['credentials'], value: { key: KEYS.within } };
  const choices = [[{ fields: [], constants: [credentials] }]];
  const operation = { encoding, contentType: types[encoding], parameters, choices };
  return contractWith({
    create: operation,
    validate: operation,
    token: { extra: { scope: 'leads', tenant: KEYS.token } },
  });
}

/** All that was sent, in several forms. */
const echo: Script = ({ url, headers, body, number }) => {
  const sent = `${url} ${JSON.stringify(headers)} ${body}`;
  const all = {
    sent,
    decoded: decodeURIComponent(url.replaceAll('+', ' ')),
    base64: Buffer.from(sent).toString('base64'),
  };
  const isFirst = number === 1;
  const forms = isFirst ? { ...all, duplicate: false } : { error: all };
  return {
    status: isFirst ? 200 : 422,
    body: forms,
    headers: { 'x-echo': encodeURIComponent(sent), 'x-request-id': 'r-1' },
  };
};

/** Every call of a validate and of two creates. */
async function callsUnder(contract: Contract): Promise<{ calls: TracedCall[]; urls: string[] }> {
  const service = await startScriptedService({
    token: (call) => ({ status: 200, body: { access_token: 'tok3n', echo: call.body } }),
    validate: echo,
    create: echo,
  });
  const calls: TracedCall[] = [];
  const http = httpTo(service.baseUrl, { traces: [(call) => calls.push(call)] });
  const credentials = { clientId: '7', clientSecret: CANARY };
  const { api } = clientOf(http, { contract, credentials, clock: virtualClock() });
  await api.look(request);
  const terms = { key: 'this request', idempotencyKey: '0123456789abcdef0123456789abcdef' };
  for (const _ of [1, 2]) await api.create(request, () => Promise.resolve(true), terms);
  return {
    calls,
    urls: service.creates().map(({ url, headers, body }) => `${url} ${JSON.stringify(headers)} ${body}`),
  };
}

describe.each(['form', 'json', 'multipart'] as const)('A call under a contract, in %s, is shown', (encoding) => {
  test('a call is shown without what may be of a person or a key, in head, query, body and answer', async () => {
    const { calls, urls } = await callsUnder(contractIn(encoding));
    // They did go out, and came back.
    for (const sent of urls) expect(sent).toMatch(/tel=%2B351912345679[\s\S]*h3ader[\s\S]*Zulmira/);
    expect(calls.map(({ answer }) => answer?.status)).toEqual([200, 200, 200, 422]);
    const shown = calls.map(callText).join('\n') + JSON.stringify(calls);
    expect([tracesIn(shown), secretsIn(shown)]).toEqual([[], []]);
  });

  test('a call is shown with the names of all that goes along, the market, and what the token is for', async () => {
    const [token = '', validate = '', create = ''] = (await callsUnder(contractIn(encoding))).calls.map(callText);
    expect(token).toMatch(
      /^> grant_type=client_credentials&client_id=7&client_secret=\*\*\*&scope=leads&tenant=\*\*\*$/m,
    );
    for (const call of [validate, create]) {
      expect(call).toMatch(/^> POST \S+\?access=\*\*\*&tel=\*\*\*$/m);
      expect(call).toMatch(/^> x-api-key: \*\*\*$/m);
      expect(call).toMatch(/^> x-customer: \*\*\*$/m);
      expect(call).toMatch(/country\W+(?:PT)/);
      expect(call).toMatch(/^< x-request-id: r-1$/m);
    }
  });
});

test('a call in several parts is shown as it was sent', async () => {
  const { calls } = await callsUnder(contractIn('multipart'));
  const create = calls.at(-1);
  if (create === undefined) throw new Error('no call');
  const boundary = create.headers['content-type']?.split('boundary=')[1] ?? '';
  const lines = callText(create).split('\n');
  expect(lines.filter((line) => line === `> --${boundary}`).length).toBeGreaterThan(4);
  expect(lines).toContain(`> --${boundary}--`);
});
