import { parse } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import { type EncodedRequest, makeEncoder } from '../../src/service/wire/encode.ts';
import type { ContractEncoding, CreateOperation, Parameter } from '../doors/described.ts';
import fc from '../helpers/fast-check.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';

const params = {
  country: 'UK',
  fullname: 'Inês "Zé" & Cª',
  phone: '+447700900123',
  request_text: 'a\r\nb\t%5D',
  category: 'Plumbing',
};
const request: ServiceRequest = { params, audio: null, ref: 'A-17' };
const file = { path: '/leads/voice "1".wav', sizeBytes: 6, sha256: '00', mediaType: 'audio/wav' };
const audio = { ...file, base64: async () => BASE64 };
const { request_text: _, ...withoutText } = params;
const recorded: ServiceRequest = { params: withoutText, audio, ref: null };
const BASE64 = Buffer.from('RIFF\0\xff', 'latin1').toString('base64');

const TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data' };

function created(create: Partial<CreateOperation>, given = request, audioBase64: string | null = null): EncodedRequest {
  const { encoding = 'json' } = create;
  const contract = contractWith({ create: { encoding, contentType: TYPES[encoding], ...create } });
  return makeEncoder(contract).create(given, audioBase64);
}

const json = ({ body }: EncodedRequest): unknown => JSON.parse(body.toString());

const PARAMETERS: readonly Parameter[] = [
  parameter('country', {
    path: ['data', 'attributes', 'market'],
    values: [{ value: 'GB', label: null }],
  }),
  parameter('fullname', { path: ['data', 'attributes', 'customer', 'name'] }),
  parameter('phone', { path: ['data', 'attributes', 'customer', 'phone'] }),
  parameter('request_text', { path: ['data', 'attributes', 'message'] }),
  parameter('category', {
    path: ['data', 'attributes', 'categories'],
    type: 'integer',
    isList: true,
    values: [{ value: '12', label: 'Plumbing' }],
  }),
  parameter('email', { path: ['data', 'attributes', 'customer', 'email'], required: false }),
  parameter('type', { path: ['data', 'type'], constant: 'lead', values: [{ value: 'lead', label: null }] }),
  parameter('partner_id', { path: ['data', 'partner_id'], type: 'integer', constant: '42' }),
];

describe('JSON', () => {
  test('each value goes to its place in the JSON, in its type, as the service calls it', () => {
    const { body, headers, method, path } = created({
      parameters: PARAMETERS,
      method: 'PUT',
      path: '/v2/leads',
      contentType: 'application/vnd.api+json',
    });
    expect([method, path, headers['content-type']]).toEqual(['PUT', '/v2/leads', 'application/vnd.api+json']);
    expect(parse(body.toString(), null, (digits) => `#${digits}`)).toEqual({
      data: {
        attributes: {
          market: 'GB',
          customer: { name: params.fullname, phone: params.phone },
          message: params.request_text,
          categories: ['#12'],
        },
        type: 'lead',
        partner_id: '#42',
      },
    });
  });

  test('an object that is in every request leaves what stands in it', () => {
    const { create } = contractWith({ create: { parameters: PARAMETERS, encoding: 'json', contentType: TYPES.json } });
    const always = { 'data.attributes.customer': {}, 'data.extra': {} };
    const sent = makeEncoder({ ...DOCUMENTED_CONTRACT, create: { ...create, always } }).create(request, null);
    const customer = { name: params.fullname, phone: params.phone };
    expect(json(sent)).toMatchObject({ data: { attributes: { customer }, extra: {} } });
  });

  test('what the description does not know goes to the top of the JSON', () => {
    const given = { ...request, params: { ...params, ['__proto__']: 'x', source: 'fair' } };
    const body = created({ parameters: PARAMETERS.slice(1, 3) }, given).body.toString();
    expect(body).toContain('"source":"fair"');
    expect(body).toContain('"__proto__":"x"');
    expect(JSON.parse(body)).toMatchObject({
      source: 'fair',
      data: { attributes: { customer: { name: params.fullname, phone: params.phone } } },
    });
  });

  test.each([false, true])('a described JSON body gets no field that it has no name for (open: %s)', (isOpen) => {
    const schema = { type: 'object', additionalProperties: isOpen };
    const parameters = [parameter('phone')];
    expect(json(created({ parameters, schema }))).toEqual({ phone: params.phone });
    const asked = { ...params, utm: 'x' };
    expect(json(created({ parameters, schema }, { ...request, params: asked }))).toEqual({
      phone: params.phone,
      utm: 'x',
    });
    // Of a body of which nothing is said, nothing is left out.
    expect(json(created({ parameters: [parameter('phone', { required: false })] }))).toMatchObject({ country: 'UK' });
    expect(json(created({ parameters: null, schema: null }))).toMatchObject({ country: 'UK' });
    // Whoever learned an object without members was asked what goes into it; then it has members.
    expect(json(created({ parameters: [], schema: { type: 'object' } }))).toEqual({});
  });

  test("a request goes before the partner's constants in the JSON, not before the description's", () => {
    const given = { ...request, params: { ...params, type: 'order', partner_id: '43' } };
    const { body } = created({ parameters: PARAMETERS }, given);
    expect(JSON.parse(body.toString()).data).toMatchObject({ type: 'lead', partner_id: 43 });
  });
});

describe('The way that a request has chosen', () => {
  const choices = [
    [
      { fields: ['request_text'], constants: [{ path: ['kind'], value: 'text' }] },
      {
        fields: ['audio_file'],
        constants: [
          { path: ['kind'], value: 'audio' },
          { path: ['meta'], value: { n: 1 } },
        ],
      },
    ],
  ];
  const parameters = [parameter('phone'), parameter('kind', { required: false })];

  test.each(['json', 'form', 'multipart'] as const)(
    'a request adds the constants of its way once: %s',
    async (encoding) => {
      const given = { ...recorded, params: { ...withoutText, kind: 'text' } };
      const sent = created({ encoding, parameters, choices }, given, BASE64);
      const read = await decoded(encoding, sent);
      expect(read.filter(([name]) => name === 'kind' || name.startsWith('meta'))).toEqual([
        ['kind', 'audio'],
        ['meta.n', encoding === 'json' ? 1 : '1'],
      ]);
      expect(await decoded(encoding, created({ encoding, parameters, choices }))).toContainEqual(['kind', 'text']);
    },
  );
});

describe('Head and query', () => {
  const parameters = [
    parameter('country', { in: 'header', path: ['X-Market'] }),
    parameter('fullname', { in: 'header', path: ['X-Name'] }),
    parameter('key', { in: 'header', path: ['X-Key'], constant: 'k-1' }),
    parameter('host', { in: 'header', path: ['Host'], constant: 'example.com' }),
    parameter('phone', { in: 'query', path: ['phone'] }),
    parameter('email', { in: 'query', path: ['email'], required: false }),
  ];

  test('head and query hold what the description puts there, and nothing of srq’s own', () => {
    const { headers, path, body } = created({ parameters });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'x-market': 'UK',
      'x-name': encodeURIComponent(params.fullname),
      'x-key': 'k-1',
    });
    expect(path).toBe('/v1/request/create?phone=%2B447700900123');
    expect(JSON.parse(body.toString())).toEqual({});
  });
});

describe('A recording', () => {
  const companions = [
    parameter('audio_type', { path: ['voice', 'mime'], values: [{ value: 'audio/x-wav', label: null }] }),
    parameter('audio_name', { path: ['voice', 'name'] }),
  ];
  const voice = (audioForm: Parameter['audioForm']) => parameter('audio_file', { path: ['voice', 'data'], audioForm });

  test('A recording goes as base64 with its type and name', () => {
    const sent = created({ parameters: [voice('base64'), ...companions] }, recorded, BASE64);
    expect(json(sent)).toMatchObject({ voice: { data: BASE64, mime: 'audio/x-wav', name: 'voice "1".wav' } });
    expect(json(sent)).not.toHaveProperty('voice.audio');
  });

  test('A recording goes as a data URL', () => {
    const sent = created({ parameters: [voice('data-url')] }, recorded, BASE64);
    expect(json(sent)).toMatchObject({ voice: { data: `data:audio/wav;base64,${BASE64}` } });
    const unknown = created({ parameters: [voice('data-url')] }, { ...request, audio: null }, BASE64);
    expect(json(unknown)).toMatchObject({ voice: { data: `data:application/octet-stream;base64,${BASE64}` } });
  });

  test('A recording goes as a part of its own, byte for byte', async () => {
    const sent = created({ encoding: 'multipart', parameters: [voice('binary')] }, recorded, BASE64);
    const form = await formDataOf(sent);
    const file = form.get('voice[data]');
    if (!(file instanceof Blob)) throw new Error('not a file');
    expect([file.type, 'name' in file && file.name]).toEqual(['audio/wav', 'voice "1".wav']);
    expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(BASE64);
  });
});

describe('Validate', () => {
  test('Validate is not given what create alone has a name for', () => {
    const encoder = makeEncoder(
      contractWith({
        create: { parameters: [parameter('phone', { path: ['tel'] }), parameter('fullname', { path: ['name'] })] },
        validate: { parameters: [parameter('phone', { path: ['number'] })], path: '/v1/check' },
      }),
    );
    const { body, path } = encoder.validate(request, null);
    expect(path).toBe('/v1/check');
    expect(Object.fromEntries(new URLSearchParams(body.toString()))).toEqual({ number: params.phone });
  });
});

test.each(['json', 'form', 'multipart'] as const)(
  'what was given arrives under any API description: %s',
  async (encoding) => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((text) => /^[^[\].]+$/.test(text) && text !== 'toJSON');
    const parent = fc.constantFrom([], ['data'], ['data', 'attributes'], ['other one'], ['phones', '0']);
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const written = {
      string: text,
      integer: fc.bigInt().map(String),
      number: fc.constantFrom('0.5', '-12.25', '7'),
      boolean: fc.constantFrom('true', 'false'),
    };
    const one = fc.constantFrom('string', 'integer', 'number', 'boolean').chain((type) =>
      fc.record({
        type: fc.constant(type),
        parent,
        field: name,
        isList: fc.boolean(),
        value: written[type as 'string'],
      }),
    );
    const several = fc.uniqueArray(one, { selector: ({ field }) => field, minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(several, async (each) => {
        // Names of places hold a blank or are these: no name of a parameter is one of them.
        const used = each.filter(({ field }) => !['data', 'attributes', 'other one', 'phones', '0'].includes(field));
        const parameters = used.map(({ type, parent: above, field, isList }) =>
          parameter(field, { path: [...above, field], type: type as Parameter['type'], isList }),
        );
        const given = {
          ...request,
          ref: null,
          params: Object.fromEntries(used.map(({ field, value }) => [field, value])),
        };
        const expected = used.map(({ parent: above, field, value, type, isList }) => {
          const read = encoding !== 'json' ? value : type === 'string' ? value : `#${value}`;
          const path = [...above, field].join('.');
          return [encoding === 'json' && isList ? `${path}.0` : path, read];
        });
        const sent = created({ encoding, parameters }, given);
        expect(new Map(await decoded(encoding, sent, '#'))).toEqual(new Map(expected as [string, unknown][]));
      }),
      { numRuns: 150 },
    );
  },
);

/** Every value by its path, as a stranger reads it. `mark` goes before numbers and booleans of JSON. */
async function decoded(encoding: ContractEncoding, sent: EncodedRequest, mark?: string): Promise<[string, unknown][]> {
  if (encoding === 'json') {
    const value = parse(sent.body.toString(), null, (digits) => (mark === undefined ? Number(digits) : mark + digits));
    return leaves(value, '', mark);
  }
  const pairs = encoding === 'form' ? new URLSearchParams(sent.body.toString()) : await formDataOf(sent);
  return [...pairs].map(([at, value]) => [at.replace(/\[([^\]]*)\]/g, '.$1'), value]);
}

function leaves(value: unknown, path: string, mark?: string): [string, unknown][] {
  if (typeof value === 'boolean' && mark !== undefined) return [[path, mark + value]];
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([at, inner]) => leaves(inner, path === '' ? at : `${path}.${at}`, mark));
}

function formDataOf({ body, headers }: EncodedRequest): Promise<FormData> {
  return new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}
