import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendRows } from '../../src/delivery/send-rows.ts';
import { Supervisor } from '../../src/delivery/supervise.ts';
import type { VisibilityProber } from '../../src/delivery/visibility-prober.ts';
import { type AnswerMemory, NO_MEMORY } from '../../src/request/answer-memory.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';
import type { Clock } from '../../src/request/ports.ts';
import { PATHS } from '../../src/request/wire.ts';
import { AdaptiveRate } from '../../src/service/pacing/adaptive-rate.ts';
import { OwnPermits, RateLimiter } from '../../src/service/pacing/rate-limiter.ts';
import { RequestApi } from '../../src/service/request-api.ts';
import { bearerAuthorizer } from '../../src/service/token/authorizer.ts';
import { Tokens } from '../../src/service/token/token.ts';
import { Http } from '../../src/service/wire/http.ts';
import { FileLog } from '../../src/store/file/file-log.ts';
import { drain, PREPARATION, planOf, tableOf } from '../delivery/leads.ts';
import { virtualClock } from '../helpers/api-client.ts';
import type { RandomService, WireAnswer } from './random-services.ts';

/** What one row was told as, and what the service did with it. */
export interface RowFound {
  readonly need: string;
  readonly told: string;
  readonly taken: number;
}

export interface ImportFound {
  readonly rows: readonly RowFound[];
  readonly stop: string | null;
  readonly remarks: number;
}

/** Services that keep count of what they took, on one port of 127.0.0.1, each below a path of its own. */
export class Oracle {
  readonly #server: Server;
  readonly #services = new Map<string, World>();
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A machine that talks to a service of its own. */
  world(service: RandomService): World {
    const name = `w${this.#services.size}`;
    const world = new World(`http://127.0.0.1:${this.#port}/${name}`, service);
    this.#services.set(name, world);
    return world;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [, name = '', path] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const need = new URLSearchParams(Buffer.concat(chunks).toString()).get('request_text') ?? '';
    send(response, this.#services.get(name)?.answer(path ?? '', need) ?? { status: 404, headers: {}, body: '' });
  }
}

function send(response: ServerResponse, { status, headers, body, cutAt }: WireAnswer): void {
  const bytes = Buffer.from(body);
  if (cutAt === undefined) {
    response.writeHead(status, headers).end(bytes);
    return;
  }
  response.writeHead(status, { 'content-length': String(bytes.length + 7), ...headers });
  response.write(bytes.subarray(0, cutAt), () => response.socket?.destroy());
}

/** In memory where there is such a folder: what is tested is what answers mean, not how long a disk takes. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** One service, and the log and the memory of those who send to it. */
export class World {
  readonly clock = virtualClock();
  readonly #baseUrl: string;
  readonly #service: RandomService;
  readonly #taken = new Map<string, { count: number; atMs: number }>();
  readonly #folder = mkdtempSync(join(PLACE, 'srq-oracle-'));
  #creates = 0;
  memory: AnswerMemory = NO_MEMORY;

  constructor(baseUrl: string, service: RandomService) {
    this.#baseUrl = baseUrl;
    this.#service = service;
  }

  takenOf(need: string): number {
    return this.#taken.get(need)?.count ?? 0;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  answer(path: string, need: string): WireAnswer {
    const json = (status: number, value: unknown) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
    if (path === PATHS.token) return json(200, { access_token: 'token', expires_in: 3600 });
    if (path === PATHS.validate) return this.#validate(need, json);
    this.#creates += 1;
    const { deed, answer } = this.#service.decide(need, `${1000 + this.#creates * 7}`);
    if (deed !== 'refuses' && deed !== 'knows it')
      this.#taken.set(need, { count: this.takenOf(need) + 1, atMs: this.clock.nowMs() });
    return answer;
  }

  #validate(need: string, json: (status: number, value: unknown) => WireAnswer): WireAnswer {
    const { validate } = this.#service;
    const taken = this.#taken.get(need);
    if (validate === 'missing') return json(200, { error: 'no such operation' });
    if (validate === 'unreadable') return json(200, { similarity: 0.2 });
    if (validate === 'clear') return json(200, { duplicate: false });
    const lagMs = validate === 'late' ? 6_000 : 0;
    return json(200, { duplicate: taken !== undefined && this.clock.nowMs() - taken.atMs >= lagMs });
  }

  /** An import of these needs by a process of its own, with what earlier ones found out. */
  async import(needs: readonly string[], options: { validate: boolean; concurrency?: number }): Promise<ImportFound> {
    const { clock } = this;
    const halt = new AbortController();
    const connections = options.concurrency ?? 4;
    const network = { proxy: null, secureContext: null };
    const baseUrl = this.#baseUrl;
    const http = new Http({
      baseUrl,
      connections,
      timeoutMs: null,
      network,
      monotonicMs: () => performance.now(),
      traces: [],
    });
    const log = await FileLog.open({
      path: join(this.#folder, 'log.ndjson'),
      clock,
      run: 'run',
      exclusive: true,
      holder: 'a test',
    });
    try {
      return await this.#import(needs, http, log, { ...options, concurrency: connections }, clock, halt);
    } finally {
      await log.close();
      await http.close();
    }
  }

  async #import(
    needs: readonly string[],
    http: Http,
    log: FileLog,
    { validate, concurrency }: { validate: boolean; concurrency: number },
    clock: Clock,
    halt: AbortController,
  ): Promise<ImportFound> {
    const { signal: stopping } = halt;
    const cache = { read: () => null, write: () => {}, forget: () => {} };
    const tokens = new Tokens(http, { clientId: '1', clientSecret: 'secret' }, cache, clock, stopping);
    const limiter = new RateLimiter(
      new OwnPermits(new AdaptiveRate({ rate: 'max', concurrency, random: () => 0.5 }), clock),
      clock,
      stopping,
    );
    const { audio } = PREPARATION;
    const { memory } = this;
    const secrets = ['secret'];
    const contract = DOCUMENTED_CONTRACT;
    const api = new RequestApi({
      http,
      authorizer: bearerAuthorizer(tokens),
      limiter,
      audio,
      contract,
      clock,
      stopping,
      secrets,
      memory,
    });
    const plan = await planOf(tableOf(needs), { lookup: (key) => log.lookup(key) });
    const unseen = { created: () => {} } as unknown as VisibilityProber;
    const deps = { api, log, clock, prober: unseen, preparation: PREPARATION, halt };
    const submit = {
      validate,
      onDuplicate: 'skip',
      again: false,
      concurrency,
      supervisor: new Supervisor(null, 0),
    } as const;
    const { yielded, returned } = await drain(sendRows(plan, deps, submit));
    this.memory = api.memory;
    const rows = needs.map((need, at) => ({
      need,
      told: String(plan.ledger.status(at + 1)),
      taken: this.takenOf(need),
    }));
    const remarks = yielded.filter(({ hasRemark }) => hasRemark).length;
    return { rows, stop: returned?.code ?? null, remarks };
  }
}
