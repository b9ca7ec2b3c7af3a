import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { contractWith, parameter } from '../sandbox/contract-client.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const HEADER = 'Lead ID,Country,Name,Phone,Notes,Message';
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at).map(
    (lead) => `L-${lead},PT,Ana Exemplo,9123456${10 + lead},Flat ${lead},Paint the living room ${lead}`,
  );
const REMAPPED = ['--map', 'Notes=location'];

describe.concurrent('Rows whose references were created before with other content', () => {
  test('rows are sent if their column of references holds the same few values again and again', async ({ partner }) => {
    const campaign = (name: string) => `${[HEADER, ...rows(0, 6)].join('\n').replace(/L-\d+/g, name)}\n`;
    expect((await partner.call('bulk', partner.write('a.csv', campaign('C-1')))).code).toBe(0);
    rmSync(join(partner.config, 'mappings'), { recursive: true, force: true });
    const ended = await partner.call(
      'bulk',
      partner.write('b.csv', campaign('C-1')),
      ...REMAPPED,
      '--on-duplicate',
      'create',
    );
    expect(ended.code).toBe(0);
  });
});

describe.concurrent('Rows that were created when their columns were read otherwise', () => {
  const head = 'Full name,Phone,Email,Postcode,Country,Message,Service needed';
  const lead = (at: number, need: string) =>
    `Ana Exemplo ${String.fromCharCode(65 + at)},9123456${10 + at},a${at}@example.com,1200-109,PT,Paint room number ${at} please,${need}`;
  const LONG = 'I would like to have the whole kitchen renovated with new tiles and pipes before the summer';

  test('rows that were created are known again though the grown file speaks for another reading', async ({
    partner,
    sandbox,
  }) => {
    const first = [0, 1, 2].map((at) => lead(at, 'Plumbing'));
    partner.write('leads.csv', `${[head, ...first].join('\n')}\n`);
    expect((await partner.call('bulk', 'leads.csv', '--yes')).code).toBe(0);
    const more = Array.from({ length: 12 }, (_, at) => lead(at + 3, `${LONG} ${at}`));
    partner.write('leads.csv', `${[head, ...first, ...more].join('\n')}\n`);
    const ended = await partner.call('bulk', 'leads.csv', '--yes', '--json');
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ created: 12, repeated: 3 })]);
    expect(sandbox.requests().filter(({ operation }) => operation === 'create')).toHaveLength(15);
  });

  test('rows that were created are known again though another file with this header was mapped otherwise', async ({
    partner,
    sandbox,
  }) => {
    const header = 'Name,Telefon,Telefon 2,PLZ,Land,Nachricht';
    const file = (name: string, from: number) =>
      partner.write(
        name,
        `${[header, ...[0, 1, 2].map((at) => `Ana Exemplo,91234560${from + at},93234560${from + at},1200-109,PT,Zimmer ${from + at} streichen`)].join('\n')}\n`,
      );
    const [a, b] = [file('a.csv', 0), file('b.csv', 4)];
    expect((await partner.call('bulk', a, '--yes')).code).toBe(0);
    expect((await partner.call('bulk', b, '--map', 'Telefon=-', '--map', 'Telefon 2=phone', '--yes')).code).toBe(0);
    const again = await partner.call('bulk', a, '--yes', '--json');
    expect([again.code, documentOf(again)]).toEqual([
      2,
      {
        error: expect.objectContaining({
          message: expect.stringContaining('3 of the rows to be sent were created'),
        }),
      },
    ]);
    expect(sandbox.requests().filter(({ operation }) => operation === 'create')).toHaveLength(6);
  });

  test('nothing is remembered of an import that had nothing to send', async ({ partner }) => {
    const text = 'Name,Telefon,PLZ,Land,Nachricht\nAna Exemplo,912345678,1200-109,PT,Zimmer streichen\n';
    expect(
      (await partner.call('bulk', partner.write('a.csv', text), '--map', 'Nachricht=category', '--yes')).code,
    ).toBe(3);
    const next = await partner.call('bulk', partner.write('b.csv', text), '--yes', '--json');
    expect([next.code, documentOf(next)]).toEqual([0, expect.objectContaining({ created: 1 })]);
  });
});

/** A description of a service that takes requests without a country. */
const DESCRIBED = `openapi: 3.1.0
info: {title: Leads, version: '1'}
servers: [{url: 'https://api.example.com'}]
paths:
  /v1/request/create:
    post:
      summary: Create a service request
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [phone]
              properties:
                fullname: {type: string}
                phone: {type: string}
                request_text: {type: string}
                location: {type: string}
                country: {type: string}
                lang: {type: string}
      responses: {'201': {description: created}}
`;

test('Rows that were created before a description gave them a country are not sent without a person', async ({
  desk: partner,
  openSandbox,
}) => {
  const taken = ['fullname', 'phone', 'request_text', 'lang', 'country'];
  const parameters = taken.map((field) => parameter(field, { required: false }));
  const sandbox = await openSandbox({ contract: contractWith({ create: { parameters } }) });
  partner.use(sandbox);
  const api = partner.write('api.yaml', DESCRIBED);
  const learn = (...set: string[]) => partner.call('contract', 'learn', api, '--yes', ...set);
  const file = partner.write(
    'leads.csv',
    `Name,Phone,Message\n${[1, 2, 3].map((at) => `Ana Exemplo,+35191234567${at},Paint room ${at}`).join('\n')}\n`,
  );
  expect(await learn()).toMatchObject({ code: 0 });
  expect((await partner.call('bulk', file, '--no-validate')).code).toBe(0);
  expect(await learn('--set', 'country=PT')).toMatchObject({ code: 0 });
  const again = await partner.call('bulk', file, '--no-validate', '--json');
  expect([again.code, again.stdout]).toEqual([
    2,
    expect.stringContaining(
      '3 of the rows to be sent were created before, when the API description gave them no country',
    ),
  ]);
  expect(creates(sandbox)).toHaveLength(3);
});
