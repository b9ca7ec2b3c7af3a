import { expect, test } from 'vitest';
import { FORM, send } from '../sandbox/sandbox-client.ts';
import {
  CREATE_SHAPES,
  type ServiceShape,
  startShapedService,
  TOKEN_SHAPES,
  VALIDATE_SHAPES,
} from './shaped-service.ts';

async function answerOf(shape: ServiceShape, path: string) {
  const service = await startShapedService(shape);
  const reply = await send('POST', `${service.baseUrl}${path}`, FORM, 'fullname=Ana+Exemplo');
  const creates = service.creates();
  await service.close();
  return { ...reply, type: String(reply.headers['content-type'] ?? ''), creates };
}

/** Expects a body to be JSON if and only if its type says so. */
function expectHonest({ text, type }: { text: string; type: string }): void {
  if (type.includes('json')) expect(() => JSON.parse(text)).not.toThrow();
  else expect(() => JSON.parse(text || '<empty>')).toThrow();
}

test.each(Object.keys(CREATE_SHAPES) as (keyof typeof CREATE_SHAPES)[])(
  'create answers in shape %s',
  async (create) => {
    const reply = await answerOf({ create }, '/v1/request/create');
    if (create !== 'plain-text') expectHonest(reply);
    expect(reply.creates).toBe(1);
    const statuses: Partial<Record<keyof typeof CREATE_SHAPES, number>> = {
      'empty-204': 204,
      'conflict-duplicate': 409,
      'problem-json': 422,
      array: 200,
      echo: 200,
      'html-error-page': 200,
      'plain-text': 200,
    };
    expect(reply.status).toBe(statuses[create] ?? 201);
  },
);

test('location-only carries its identifier in the header alone, echo what was sent and no identifier', async () => {
  const located = await answerOf({ create: 'location-only' }, '/v1/request/create');
  expect([located.headers['location'], located.text]).toEqual(['/v1/request/4711', '']);
  const echoed = await answerOf({ create: 'echo' }, '/v1/request/create');
  expect(JSON.parse(echoed.text)).toEqual({ received: { fullname: 'Ana Exemplo' }, status: 'received' });
});

test.each(Object.keys(VALIDATE_SHAPES) as (keyof typeof VALIDATE_SHAPES)[])(
  'validate answers in shape %s',
  async (validate) => {
    const reply = await answerOf({ validate }, '/v1/request/validate');
    expectHonest(reply);
    expect(reply.creates).toBe(0);
  },
);

test.each(Object.keys(TOKEN_SHAPES) as (keyof typeof TOKEN_SHAPES)[])('token answers in shape %s', async (token) => {
  expectHonest(await answerOf({ token }, '/oauth/token'));
});
