import { expect, test } from 'vitest';
import { creates, JSON_TYPE, LEAD, partnerOf, sandboxWith, send } from './sandbox-client.ts';

test('create answers 201 with identifiers; one has 20 digits, which a JavaScript number would lose', async () => {
  const { create } = await partnerOf(await sandboxWith());
  const replies = [await create(LEAD), await create({ ...LEAD, fullname: 'Rui Exemplo' })];
  const ids = replies.map(
    (reply) => /"request_id":(\d+),"reference":"SR-\d{8}","status":"received"/.exec(reply.text)?.[1],
  );
  expect(replies.map((reply) => reply.status)).toEqual([201, 201]);
  expect(ids[0]).toMatch(/^\d{20}$/);
  expect(ids[1]).not.toBe(ids[0]);
  expect(Number(ids[1])).toBe(Number(ids[0]));
});

test('a second create of the same content is taken too, and shows in the stats', async () => {
  const sandbox = await sandboxWith();
  const { create } = await partnerOf(sandbox);
  for (const fullname of ['Ana Exemplo', 'Ana Exemplo', 'Rui Exemplo']) await create({ ...LEAD, fullname });
  const stats = JSON.parse((await send('GET', `${sandbox.baseUrl}/_sandbox/stats`)).text);
  expect(stats).toMatchObject({ created: 3, distinct: 2, doubled: 1, doubles: [{ created: 2 }] });
});

test('validate knows what was created, whatever the encoding and order, and nothing else', async () => {
  const sandbox = await sandboxWith();
  const { token, create, validate } = await partnerOf(sandbox);
  expect((await validate(LEAD)).text).toBe('{"duplicate":false}');
  const id = /\d{20}/.exec((await create(LEAD)).text)?.[0];
  expect((await validate(LEAD)).text).toBe(`{"duplicate":true,"request_id":${id}}`);
  const turned = JSON.stringify(Object.fromEntries(Object.entries(LEAD).reverse()));
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const asJson = await send('POST', `${sandbox.baseUrl}/v1/request/validate`, headers, turned);
  expect([asJson.status, asJson.text]).toEqual([200, `{"duplicate":true,"request_id":${id}}`]);
  expect((await validate({ ...LEAD, category: 'plumbing' })).text).toBe('{"duplicate":false}');
  expect(sandbox.requests().map((each) => each.encoding)).toEqual(['form', 'form', 'form', 'form', 'json', 'form']);
  const verdicts = sandbox.requests().map(({ operation, verdict }) => `${operation} ${verdict}`);
  expect(verdicts.slice(1)).toEqual([
    'validate clear',
    'create null',
    'validate duplicate',
    'validate duplicate',
    'validate clear',
  ]);
});

test('two requests that differ in their audio alone are no duplicates', async () => {
  const { create, validate } = await partnerOf(await sandboxWith());
  const spoken = (bytes: string) => ({ ...LEAD, request_text: '', audio: Buffer.from(bytes).toString('base64') });
  await create(spoken('one recording'));
  expect((await validate(spoken('another recording'))).text).toBe('{"duplicate":false}');
  expect((await validate(spoken('one recording'))).text).toContain('"duplicate":true');
});

test('audio in place of text is accepted, and kept as its size and digest', async () => {
  const sandbox = await sandboxWith();
  const { create } = await partnerOf(sandbox);
  const { request_text: _text, ...rest } = LEAD;
  expect((await create({ ...rest, audio: Buffer.alloc(300_000, 7).toString('base64') })).status).toBe(201);
  const [kept] = creates(sandbox);
  expect(kept?.params).toEqual(rest);
  // head -c 300000 /dev/zero | tr '\0' '\7' | sha256sum
  expect(kept?.audio).toEqual({
    bytes: 300_000,
    sha256: '08f166476de183f7a1b2874d544d37912aaf8d19b92013e1aafe233ba231024a',
  });
});

test('the same seed and the same requests give the same identifiers, another seed others', async () => {
  const idsWith = async (seed: number) => {
    const { create } = await partnerOf(await sandboxWith({ seed }));
    return [(await create(LEAD)).text, (await create(LEAD)).text];
  };
  const first = await idsWith(7);
  expect(await idsWith(7)).toEqual(first);
  expect(await idsWith(8)).not.toEqual(first);
});
