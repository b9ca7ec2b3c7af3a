import { expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

const text = { type: 'string' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });

/** A service that takes location and name in parts, and contacts in lists. */
const schema = object(
  {
    customer: object(
      {
        firstName: text,
        lastName: text,
        emails: { type: 'array', items: object({ email: { ...text, format: 'email' } }, ['email']) },
        phones: {
          type: 'array',
          items: object({ number: text, type: { ...text, const: 'mobile' } }, ['number', 'type']),
        },
      },
      ['lastName'],
    ),
    address: object({ address1: text, zip: text, city: text, state: text, country: text }, ['city']),
    agent: object({ email: text, phone: text }),
    invoiceNumber: text,
    recorded_at: { ...text, format: 'date-time' },
    description: text,
  },
  ['customer', 'description'],
);

const body = (properties: object) => ({ content: { 'application/json': { schema: properties } } });
const DOCUMENT = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Parts' },
  paths: {
    '/v1/request/create': {
      post: { requestBody: body(schema), responses: { 201: { description: 'ok', ...body(object({ id: text })) } } },
    },
    '/oauth/token': {
      post: {
        requestBody: body(object({ grant_type: text, client_id: text, client_secret: text })),
        responses: { 200: { description: 'ok' } },
      },
    },
  },
});

const IN_PARTS = `ref;Vorname;Nachname;Straße;Hausnummer;PLZ;Ort;Bundesland;Land;E-Mail;Telefon;Anfrage
L-1;Anna Maria;von Berg;Hauptstraße;12a;10115;Berlin;Berlin;DE;anna@example.com;+4915123456789;Wohnzimmer streichen
`;
const WHOLE = `ref,country,lang,location,fullname,email,phone,request_text
L-2,PT,pt,1200-109 Lisboa,Ana da Silva,ana@example.com,+351912345678,Pintar a sala
`;

const PAGE = `create:
  call: POST /v1/request/create
  fields:
    customer.firstName: first_name
    customer.lastName: last_name
    customer.emails.0.email: email
    customer.phones.0.number: phone
    address.address1: street
    address.zip: postal_code
    address.city: city
    address.state: region
    address.country: country
    description: request_text
  always:
    customer.phones.0.type: mobile
validate: none
`;

async function learned(desk: Desk): Promise<void> {
  const learn = [
    'contract',
    'learn',
    desk.write('api.json', DOCUMENT),
    '--operation',
    'create=POST /v1/request/create',
  ];
  const ended = await desk.call(...learn, '--operation', 'validate=none', '--yes', '--json');
  expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
  // What is in a list, or has a name of its own, stands in the page as a comment until a person takes it over.
  const taken = await desk.call('contract', 'learn', desk.write('contract.yaml', PAGE), '--yes');
  expect(taken, taken.stdout + taken.stderr).toMatchObject({ code: 0 });
}

test('parts of a name and an address fill the parts of the service', async ({ desk, onTestFinished }) => {
  const service = await startScriptedService({}, onTestFinished);
  desk.use({ baseUrl: service.baseUrl, clientId: 'p' });
  await learned(desk);
  const bulk = (file: string, leads: string) =>
    desk.call('bulk', desk.write(file, leads), '--rate', 'max', '--no-validate', '--accept-likely', '--yes', '--json');
  const [parts, whole] = [await bulk('parts.csv', IN_PARTS), await bulk('whole.csv', WHOLE)];
  expect([parts, whole].map(documentOf), parts.stderr + whole.stderr).toMatchObject([{ created: 1 }, { created: 1 }]);
  expect(service.creates().map((call) => JSON.parse(call.body))).toEqual([
    {
      customer: {
        firstName: 'Anna Maria',
        lastName: 'von Berg',
        emails: [{ email: 'anna@example.com' }],
        phones: [{ number: '+4915123456789', type: 'mobile' }],
      },
      address: { address1: 'Hauptstraße 12a', zip: '10115', city: 'Berlin', state: 'Berlin', country: 'DE' },
      description: 'Wohnzimmer streichen',
    },
    {
      customer: {
        firstName: 'Ana',
        lastName: 'da Silva',
        emails: [{ email: 'ana@example.com' }],
        phones: [{ number: '+351912345678', type: 'mobile' }],
      },
      address: { zip: '1200-109', city: 'Lisboa', country: 'PT' },
      description: 'Pintar a sala',
    },
  ]);
  expect(parts.stderr).toMatch(/region +← Bundesland/);
  expect(parts.stderr).not.toContain('left out');
  expect(whole.stderr).toContain('The location "1200-109 Lisboa" is split');
  expect(whole.stderr).toContain('The name "Ana da Silva" is split');
});
