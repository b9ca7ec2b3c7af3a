import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, type TestContext } from 'vitest';
import { type Desk, test } from '../../helpers/desk.ts';
import { rawAnswer, startRawService } from '../../helpers/raw-service.ts';
import { documentOf, type Ended } from '../../helpers/run-srq.ts';

const PATHS = { token: '/oauth/token', create: '/v1/request/create', validate: '/v1/request/validate' };

/** What makes each row of the file differ from the others. */
export type Lead = Readonly<Record<'email' | 'phone' | 'fullname' | 'request_text', string>>;

export interface Call extends Lead {
  /** The row of the file with this very request, from 0, or -1 if srq made it up. */
  readonly row: number;
  /** The number of the call of its kind, from 1. */
  readonly number: number;
  /** How often this very request has come by such a call, from 1. */
  readonly time: number;
  /** How many requests the service had at that moment. */
  readonly had: number;
}

/** Bytes of an answer, or what happens on the line instead. */
export type Answer = string | ((socket: Socket) => void);

/** What the service does with a create. `takes` is the truth that is compared with what srq tells. */
interface Deed {
  readonly takes: boolean;
  readonly says: Answer;
}

export type Create = (call: Call, market: Market) => Deed;
export type Validate = (call: Call, market: Market) => Answer;

/** A service, and the runs of the same command against it. */
export interface Scene {
  readonly leads?: readonly Lead[];
  /** Rows that the service has before the first run. */
  readonly knows?: readonly number[];
  readonly create?: Create;
  readonly validate?: Validate;
  /** What two requests must share to be the same to this service. Default: everything. */
  readonly sameness?: (lead: Lead) => string;
  /** An API description that is learned first. */
  readonly contract?: string;
  /** The flags of each run. Default: one run. */
  readonly runs?: readonly (readonly string[])[];
  /** How often a request may be taken at most. Default: once. */
  readonly atMost?: number;
  /** Nothing may be lost by caution: the service has all rows in the end, and the exit code is 0. */
  readonly honest?: boolean;
}

/** Rows whose outcome is unknown are not waited for, or as short as possible. */
export const PARK: readonly string[] = ['--in-doubt', 'park'];
export const SETTLE: readonly string[] = ['--settle', '1'];

const leadAt = (at: number): Lead => ({
  email: `ana${at}@example.com`,
  phone: `+3519123456${10 + at}`,
  fullname: `Ana Exemplo ${at}`,
  request_text: `Pintar a sala ${at}`,
});
export const leads = (count: number): Lead[] => Array.from({ length: count }, (_, at) => leadAt(at));
const keyOf = ({ email, phone, fullname, request_text }: Lead) => [email, phone, fullname, request_text].join('|');

type Headers = Readonly<Record<string, string>>;
export const json = (status: number, value: unknown, headers: Headers = {}): string =>
  rawAnswer(`${status} Answer`, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
export const text = (status: number, body: string, headers: Headers = {}): string =>
  rawAnswer(`${status} Answer`, body, { 'content-type': 'text/plain; charset=utf-8', ...headers });
export const takes = (says: Answer): Deed => ({ takes: true, says });
export const refuses = (says: Answer): Deed => ({ takes: false, says });

export const honestCreate: Create = ({ number }) => takes(json(201, { id: 5000 + number }));
export const honestValidate: Validate = (call, market) => json(200, { duplicate: market.finds(call) });
export const blindValidate: Validate = () => json(200, { duplicate: false });

/** The account of a service. */
export class Market {
  readonly asked: Call[] = [];
  readonly sent: Call[] = [];
  tokens = 0;
  readonly rows: readonly Lead[];
  /** All that the service has, oldest first, each as often as it was taken. */
  readonly has: Lead[];
  readonly #sameness: (lead: Lead) => string;
  readonly #first: readonly Lead[];

  constructor({ leads: rows = leads(12), knows = [], sameness = keyOf }: Scene) {
    this.rows = rows;
    this.#first = rows.filter((_, at) => knows.includes(at));
    this.has = [...this.#first];
    this.#sameness = sameness;
  }

  finds(lead: Lead, among: readonly Lead[] = this.has): boolean {
    return among.some((each) => this.#sameness(each) === this.#sameness(lead));
  }

  /** How often the service has this very request. */
  times(lead: Lead): number {
    return this.has.filter((each) => keyOf(each) === keyOf(lead)).length;
  }

  /** Whether it had the request before anybody sent it. */
  knewAtFirst(lead: Lead): boolean {
    return this.#first.some((each) => keyOf(each) === keyOf(lead));
  }

  /** Whether it knew the request before a run sent it. The creates of the run begin after so many others. */
  knewBefore(lead: Lead, others: number): boolean {
    const first = this.sent.slice(others).find((each) => keyOf(each) === keyOf(lead));
    return this.finds(lead, this.has.slice(0, first?.had));
  }

  call(lead: Lead, among: Call[]): Call {
    const row = this.rows.findIndex((each) => keyOf(each) === keyOf(lead));
    const time = 1 + among.filter((each) => keyOf(each) === keyOf(lead)).length;
    const call = { ...lead, row, number: among.length + 1, time, had: this.has.length };
    among.push(call);
    return call;
  }
}

async function open(scene: Scene, atEnd: TestContext['onTestFinished']) {
  const market = new Market(scene);
  const answer = (path: string, lead: Lead): Answer => {
    if (path === PATHS.token) return json(200, { access_token: `token-${++market.tokens}`, expires_in: 3600 });
    if (path === PATHS.validate) return (scene.validate ?? honestValidate)(market.call(lead, market.asked), market);
    if (path !== PATHS.create) return json(404, {});
    const call = market.call(lead, market.sent);
    const deed = (scene.create ?? honestCreate)(call, market);
    if (deed.takes) market.has.push(call);
    return deed.says;
  };
  const respond = (socket: Socket, { head, body }: { head: string; body: string }) => {
    const isJson = /^content-type: *application\/json/im.test(head);
    const fields = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    const says = answer(head.split(' ')[1] ?? '', fields);
    if (typeof says === 'function') says(socket);
    else socket.write(says);
  };
  const { port } = await startRawService(respond, { atEnd });
  return { market, baseUrl: `http://127.0.0.1:${port}`, clientId: '700100' };
}

/** Returns the status that the results file tells of each row. */
function toldIn(desk: Desk, file: string): string[] {
  if (!existsSync(join(desk.work, file))) return [];
  const rows: Record<string, string>[] = parse(desk.read(file), { bom: true, columns: true });
  const told: string[] = [];
  for (const { ref, srq_status } of rows) told[Number(ref)] = srq_status ?? '';
  return told;
}

/** Returns each promise that a run breaks by what it tells, given what is true. */
function brokenBy({ code, ...ended }: Ended, told: readonly string[], market: Market, others: number, atMost: number) {
  const document = documentOf({ code, ...ended });
  const broken = market.rows.flatMap((lead, at) => {
    const [status = 'nothing', times] = [told[at], market.times(lead)];
    const isLie =
      (status === 'created' && times === 0) ||
      (status === 'repeated' && times === 0 && !market.finds(lead)) ||
      (status === 'duplicate' && !market.knewBefore(lead, others)) ||
      (['rejected', 'failed', 'invalid'].includes(status) && times > (market.knewAtFirst(lead) ? 1 : 0));
    const lies = isLie ? [`row ${at} is told ${status}, and the service has it ${times} times`] : [];
    return times > atMost ? [...lies, `row ${at} was taken ${times} times`] : lies;
  });
  const lost = market.rows.filter((lead) => market.times(lead) === 0 && !market.knewBefore(lead, others));
  if (code === null || (code === 0 && lost.length > 0)) broken.push(`exit code ${code}, and ${lost.length} are lost`);
  if ('rows' in document) {
    const counted = ['created', 'duplicate', 'repeated', 'invalid', 'rejected', 'failed', 'unknown'].flatMap((status) =>
      Array<string>(Number(document[status])).fill(status),
    );
    const isSum = document['rows'] === market.rows.length && `${counted.sort()}` === `${[...told].sort()}`;
    if (!isSum) broken.push(`${document['rows']} rows are counted as ${counted}, and told as ${told}`);
  }
  return { broken, shown: `exit ${code}, told ${told}, ${market.has.length} taken, ${lost.length} lost` };
}

/**
 * Plays a scene: the built program imports the file, by the same command once or several times, and what it tells after
 * each run is compared with the account of the service. Only the promise is looked at, never how srq keeps it.
 */
async function play(desk: Desk, scene: Scene, atEnd: TestContext['onTestFinished']): Promise<void> {
  const { market, ...service } = await open(scene, atEnd);
  desk.use(service);
  const lines = market.rows.map((lead, at) => [at, 'PT', 'Lisboa', ...Object.values(lead)]);
  const names = ['ref', 'country', 'location', ...Object.keys(leadAt(0))];
  desk.write('leads.csv', [names, ...lines, ''].join('\n'));
  if (scene.contract !== undefined) {
    desk.write('api.yaml', scene.contract);
    expect(await desk.run('contract', 'learn', 'api.yaml', '--yes')).toMatchObject({ code: 0 });
  }
  const broken: string[] = [];
  const shown: string[] = [];
  for (const [at, flags] of (scene.runs ?? [PARK]).entries()) {
    const others = market.sent.length;
    const ended = await desk.run('bulk', 'leads.csv', '--yes', '--json', '--results', `told-${at}.csv`, ...flags);
    const run = brokenBy(ended, toldIn(desk, `told-${at}.csv`), market, others, scene.atMost ?? 1);
    broken.push(...run.broken.map((each) => `run ${at + 1}: ${each}`));
    shown.push(`run ${at + 1}: ${run.shown}`, ended.stdout, ended.stderr);
    const isCautious = scene.honest && (ended.code !== 0 || market.has.length < market.rows.length);
    if (isCautious) broken.push(`run ${at + 1}: exit code ${ended.code} at an honest service`);
  }
  expect(broken, shown.join('\n')).toEqual([]);
}

export type Scenes = Readonly<Record<string, Scene>>;

export function each<From, To>(table: Readonly<Record<string, From>>, to: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(table).map(([name, from]) => [name, to(from)]));
}

/** All scenes take several minutes: SCENES=all npx vitest run test/real/meaning. Without it, one in four is played. */
const isWhole = process.env['SCENES'] === 'all';

/** Makes a test of each scene, in groups with a title. */
export function playAll(groups: Readonly<Record<string, Scenes>>): void {
  describe.concurrent.each(Object.entries(groups))('%s', (_, scenes) => {
    const played = Object.entries(scenes).filter(([, { honest }], at) => isWhole || honest || at % 4 === 0);
    test.for(played)('%s', ([, scene], { desk, onTestFinished }) => play(desk, scene, onTestFinished));
  });
}
