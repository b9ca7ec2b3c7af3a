import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { REQUEST, requestFor } from '../helpers/leads.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { creates, LEAD } from '../sandbox/sandbox-client.ts';

describe.concurrent('validate', () => {
  test('says clear for what is new, creates nothing and logs nothing', async ({ partner, sandbox }) => {
    const ended = await partner.call('validate', ...REQUEST, '--json');
    expect(ended.code).toBe(0);
    expect(documentOf(ended)).toMatchObject({ verdict: 'clear', http: 200, ids: {}, key: expect.any(String) });
    expect(creates(sandbox)).toEqual([]);
    expect(partner.files()).not.toContain('state/default.ndjson');
  });

  test('says duplicate with exit code 8, and under which identifier', async ({ partner, sandbox }) => {
    const created = documentOf(await partner.call('create', ...REQUEST, '--json'));
    const ended = await partner.call('validate', ...REQUEST, '--json');
    expect(ended.code).toBe(8);
    expect(documentOf(ended)).toMatchObject({ verdict: 'duplicate', key: created['key'] });
    expect(documentOf(ended)['ids']).toEqual({ request_id: creates(sandbox)[0]?.requestId });
  });

  test('answers several with an array', async ({ partner }) => {
    await partner.call('create', ...requestFor('um'));
    const few = ['um', 'dois'].map((text) => ({ ...LEAD, request_text: text }));
    const path = partner.write('few.json', JSON.stringify(few));
    const ended = await partner.call('validate', '--file', path, '--json');
    expect(ended.code).toBe(8);
    expect(documentsOf(ended).map(({ verdict }) => verdict)).toEqual(['duplicate', 'clear']);
  });

  test('says of several which cannot be sent, and why', async ({ partner }) => {
    const path = partner.write('few.json', JSON.stringify([LEAD, { ...LEAD, phone: '12345' }]));
    const ended = await partner.call('validate', '--file', path, '--json');
    const [first, second] = documentsOf(ended);
    expect(first).not.toHaveProperty('problems');
    expect(second).toMatchObject({
      verdict: 'unknown',
      message: expect.stringContaining('"12345" is too short for PT'),
      problems: [{ code: 'phone.too-short', field: 'phone', value: '12345' }],
    });
  });

  test('of several tells the verdicts before the one with which the service can no longer be asked', async ({
    desk,
    onTestFinished,
  }) => {
    const service = await startScriptedService(
      {
        validate: ({ body }) => (body.includes('dois') ? { status: 301 } : { status: 200, body: { duplicate: false } }),
      },
      onTestFinished,
    );
    desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
    const few = ['um', 'dois', 'tres'].map((text) => ({ ...LEAD, request_text: text }));
    const path = desk.write('few.json', JSON.stringify([...few, { ...LEAD, phone: '12345' }]));
    const ended = await desk.call('validate', '--file', path, '--json');
    expect(ended.code).toBe(5);
    const unknown = { verdict: 'unknown', http: null, ids: {} };
    expect(documentsOf(ended)).toMatchObject([
      { verdict: 'clear', http: 200, reason: null },
      { ...unknown, key: expect.any(String), message: expect.stringContaining('301'), reason: 'service.redirects' },
      { ...unknown, message: 'Not tried: the command stopped.', reason: 'request.not-tried' },
      { ...unknown, key: null, reason: 'phone.too-short' },
    ]);
    expect(ended.stderr).toContain('301');
    expect(service.validates().filter(({ body }) => body.includes('tres'))).toEqual([]);
  });

  test('of a single request tells only why the service cannot be asked', async ({ desk, onTestFinished }) => {
    const service = await startScriptedService({ validate: () => ({ status: 301 }) }, onTestFinished);
    desk.use({ baseUrl: service.baseUrl, clientId: '4711' });
    const ended = await desk.call('validate', ...REQUEST, '--json');
    expect([ended.code, documentOf(ended)]).toEqual([5, { error: expect.objectContaining({ code: 'service' }) }]);
  });

  test('asks nothing about what cannot be sent', async ({ partner, sandbox }) => {
    const ended = await partner.call('validate', ...REQUEST, '--phone', '12345');
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('phone number');
    expect(sandbox.requests()).toEqual([]);
  });

  test('repeats the question when the line is cut, and asks about a control: it does no harm', async ({
    partner,
    sandbox,
  }) => {
    sandbox.setInstructions([{ on: 'validate', fault: 'reset-before', times: 2 }]);
    expect(documentOf(await partner.call('validate', ...REQUEST, '--json'))).toMatchObject({ verdict: 'clear' });
    expect(sandbox.requests().filter(({ operation }) => operation === 'validate')).toHaveLength(4);
  });

  test('does not guess where the answer cannot be read: exit code 7', async ({ partner, sandbox }) => {
    sandbox.setInstructions([{ on: 'validate', fault: 'html', times: 9 }]);
    const ended = await partner.call('validate', ...REQUEST, '--json');
    expect(ended.code).toBe(7);
    expect(documentOf(ended)).toMatchObject({ verdict: 'unknown', http: 200 });
  });
});
