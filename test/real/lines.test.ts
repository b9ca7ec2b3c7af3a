import type { Socket } from 'node:net';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { rawAnswer, startRawService } from '../helpers/raw-service.ts';
import { documentOf } from '../helpers/run-srq.ts';

/*
 * Sockets that break or mix up their answers, the built program, and real time. What srq tells of each row is compared with
 * the books of the service. Services that lie in their words are drawn in test/doors/answer, where time and lines are virtual.
 */

/** The row that goes wrong, with enough others before and after it to judge validate by. */
const ROW = 14;
const KNOWN = 10;
const FIELDS = ['email', 'phone', 'fullname', 'request_text'] as const;
const LEADS = Array.from({ length: 24 }, (_, at) =>
  [`ana${at}@example.com`, `+3519123456${10 + at}`, `Ana Exemplo ${at}`, `Pintar a sala ${at}`].join(),
);

type Says = (socket: Socket) => void;
const json = (status: number, value: unknown): string => rawAnswer(`${status} Answer`, JSON.stringify(value));
const plainly =
  (bytes: string): Says =>
  (socket) =>
    socket.write(bytes);
const reset: Says = (socket) => socket.resetAndDestroy();
const half: Says = (socket) =>
  socket.write('HTTP/1.1 201 Created\r\ncontent-length: 11\r\n\r\n{"id"', () => socket.destroy());
const interim: Says = (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => socket.end());

/** A call for a row of the file, or -1 for a request that srq made up. */
interface Call {
  readonly row: number;
  /** How often this very request has come by such a call, from 1. */
  readonly time: number;
}

interface Scene {
  /** How it answers a create that it would take, or a refusal; null takes the request and says so. */
  readonly create?: (call: Call, number: number) => { readonly takes: boolean; readonly says: Says } | null;
  readonly validate?: (call: Call, verdict: string) => Says;
  readonly flags?: readonly string[];
  /** All rows are there in the end, and the exit code is 0. */
  readonly isWhole?: boolean;
}

const cutting = (takes: boolean, says: Says): Scene => ({
  create: ({ row, time }) => (row === ROW && time === 1 ? { takes, says } : null),
  ...{ flags: ['--settle', '1'], isWhole: true },
});

/**
 * From one answer on, a connection is one answer behind: each request gets what the one before it should have had. That one
 * is followed by itself once more, or comes too late, after `instead`.
 */
function falling(path: 'create' | 'validate', row: number, instead?: string, flags: readonly string[] = []): Scene {
  const owed = new WeakMap<Socket, string>();
  const fallAt =
    (own: string, at: typeof path, call: Call): Says =>
    (socket) => {
      const before = owed.get(socket);
      const isHere = at === path && call.row === row && call.time === 1;
      if (isHere || before !== undefined) owed.set(socket, own);
      socket.write(before ?? (isHere ? instead : undefined) ?? own);
    };
  return {
    validate: (call, verdict) => fallAt(verdict, 'validate', call),
    // Each third row is refused, so that the answer of another row is not as good as its own.
    create: (call, number) => {
      const takes = call.row % 3 !== 2;
      const own = takes ? json(201, { id: 5000 + number }) : json(422, { field: 'phone' });
      return { takes, says: fallAt(own, 'create', call) };
    },
    flags,
  };
}

const FAILED = json(500, { message: 'upstream' });
const SCENES: Readonly<Record<string, Scene>> = {
  'a create is cut by a reset, and taken': cutting(true, reset),
  'a create is cut by a reset, and not taken': cutting(false, reset),
  'a create is cut in its answer, and taken': cutting(true, half),
  'a create is cut after an interim answer, and not taken': cutting(false, interim),
  'a verdict follows a failure': falling('validate', KNOWN, FAILED),
  'an answer is written twice': falling('create', 6),
  'an answer is written twice, and validate is not asked': falling('create', 6, undefined, ['--no-validate']),
  'an answer follows a failure': falling('create', 6, FAILED),
  'an answer follows a failure, and validate is not asked': falling('create', 6, FAILED, ['--no-validate']),
};

describe.concurrent('what srq tells is so, and nothing is taken twice, where', () => {
  test.for(Object.entries(SCENES))('%s', async ([, scene], { desk, onTestFinished }) => {
    // Where all are to be there in the end, each row counts for whether validate can be judged.
    const knows = scene.isWhole ? -1 : KNOWN;
    const has = LEADS.slice(knows, knows + 1);
    const calls: string[] = [];
    const callOf = (path: string, lead: string): Call => {
      calls.push(`${path} ${lead}`);
      return { row: LEADS.indexOf(lead), time: calls.filter((each) => each === `${path} ${lead}`).length };
    };
    let creates = 0;
    const answer = (path: string, lead: string): Says => {
      if (path === '/oauth/token') return plainly(json(200, { access_token: 'token', expires_in: 3600 }));
      const call = callOf(path, lead);
      const verdict = json(200, { duplicate: has.includes(lead) });
      if (path === '/v1/request/validate') return scene.validate?.(call, verdict) ?? plainly(verdict);
      creates += 1;
      const taken = { takes: true, says: plainly(json(201, { id: 5000 + creates })) };
      const { takes, says } = scene.create?.(call, creates) ?? taken;
      if (takes) has.push(lead);
      return says;
    };
    const { port } = await startRawService(
      (socket, { head, body }) => {
        const params = new URLSearchParams(body);
        answer(head.split(' ')[1] ?? '', FIELDS.map((name) => params.get(name)).join())(socket);
      },
      { atEnd: onTestFinished },
    );
    desk.use({ baseUrl: `http://127.0.0.1:${port}`, clientId: '700100' });
    desk.write('leads.csv', [`country,location,${FIELDS}`, ...LEADS.map((lead) => `PT,Lisboa,${lead}`), ''].join('\n'));
    const flags = scene.isWhole ? [] : ['--in-doubt', 'park'];
    const ended = await desk.run('bulk', 'leads.csv', '--yes', '--json', ...flags, ...(scene.flags ?? []));

    const told: Record<string, string>[] = parse(desk.read('leads.results.csv'), { bom: true, columns: true });
    const wrong = told.flatMap(({ srq_status: status = '' }, at) => {
      const times = has.filter((lead) => lead === LEADS[at]).length;
      const known = at === knows ? 1 : 0;
      const isSo =
        status === 'unknown' ||
        (status === 'duplicate' && known === 1) ||
        (status === 'created' && times > known) ||
        (['rejected', 'failed'].includes(status) && times === known);
      return isSo && times <= 1 + known ? [] : [`row ${at} is told ${status}, and the service has it ${times} times`];
    });
    expect(wrong, ended.stdout + ended.stderr).toEqual([]);
    expect([told.length, documentOf(ended)['rows']]).toEqual([24, 24]);
    if (scene.isWhole) expect([ended.code, new Set(has).size]).toEqual([0, 24]);
  });
});
