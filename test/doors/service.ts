import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/oauth/token': 'token',
  '/v1/request/validate': 'validate',
  '/v1/request/create': 'create',
};
type Operation = 'token' | 'validate' | 'create';

/** What is done with a call: `201 Location: /7 {"id":"R-#"}`, `cut`, `silence`; `SIGINT 201 {}` sends a signal first. */
interface Answer {
  readonly operation: string;
  /** A text in the body of the call, or null for every call. */
  readonly about: string | null;
  readonly deeds: string;
}

export interface Call {
  readonly operation: string;
  /** Whom the request is about: the e-mail address, else the phone number or the name. */
  readonly about: string;
  readonly body: string;
  /** Whether the same request was created before, so that validate is only asked whether it sees it. */
  readonly isCreated: boolean;
}

const USUAL: Readonly<Record<string, string>> = {
  token: '200 {"access_token":"token-#","token_type":"Bearer","expires_in":3600}',
  validate: '200 {"duplicate":false}',
  create: '201 {"id":"R-#"}',
};

/**
 * A service on 127.0.0.1 that answers as its lines say: `create ben@example.com → 422 {"message":"no such place"}`. Of
 * several lines for the same call, each answers one and the last all that follow. `#` is the number of the call.
 */
export class Service {
  readonly calls: Call[] = [];
  #answers: Answer[] = [];
  /** The number of the create by its body, of those that were answered with success. */
  readonly #created = new Map<string, number>();
  readonly #used = new Map<string, number>();
  readonly #server = createServer((request, response) => {
    void this.#receive(request).then(async (deeds) => {
      const [, signal, status = '', headers = '', body = ''] = ANSWER.exec(deeds) ?? [];
      if (signal) this.onSignal(signal);
      if (status === 'silence') return;
      if (status === 'cut') return void request.socket.resetAndDestroy();
      const named = [...headers.matchAll(HEADER)].map(([, name = '', quoted, plain]) => [
        name.toLowerCase(),
        quoted ?? plain ?? '',
      ]);
      const type = body.startsWith('<') ? 'text/html' : 'application/json';
      const date = new Date(this.nowMs()).toUTCString();
      response.writeHead(Number(status), { date, 'content-type': type, ...Object.fromEntries(named) }).end(body);
    });
  });
  /** Gets the signals that the lines of the script send. */
  onSignal: (signal: string) => void = () => {};
  readonly nowMs: () => number;

  private constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.#server.keepAliveTimeout = 600_000;
  }

  static async start(nowMs: () => number): Promise<Service> {
    const service = new Service(nowMs);
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on these lines say what is answered. */
  script(lines: string): void {
    this.#used.clear();
    this.#answers = lines.split('\n').flatMap((line) => {
      if (line.trim() === '') return [];
      const [, operation = '', about, deeds = ''] = LINE.exec(line) ?? [];
      if (!ANSWER.test(deeds)) throw new Error(`No line of a service: ${line}`);
      return [{ operation, about: about ?? null, deeds }];
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const operation = OPERATIONS[path] ?? path;
    const named = ['email', 'phone', 'fullname'].flatMap((name) => paramOf(body, name) ?? []);
    const about = operation === 'token' ? '' : (named[0] ?? 'a request');
    const created = this.#created.get(body);
    this.calls.push({ operation, about, body, isCreated: created !== undefined });
    const count = this.calls.filter((each) => each.operation === operation).length;
    const deeds = this.#deedsFor(operation, decodeURIComponent(body.replaceAll('+', ' ')), created);
    if (operation === 'create' && /^(?:SIG\w+ )?2/.test(deeds)) this.#created.set(body, count);
    return deeds.replaceAll('#', String(count));
  }

  #deedsFor(operation: string, body: string, created: number | undefined): string {
    const all = this.#answers.filter((each) => each.operation === operation);
    const own = all.filter(({ about }) => about !== null && body.includes(about));
    const fitting = own.length > 0 ? own.filter(({ about }) => about === own[0]?.about) : all.filter(isForAll);
    const kind = `${operation} ${fitting[0]?.about ?? ''}`;
    const used = this.#used.get(kind) ?? 0;
    this.#used.set(kind, used + 1);
    const isSeen = operation === 'validate' && created !== undefined;
    const usual = isSeen ? `200 {"duplicate":true,"id":"R-${created}"}` : USUAL[operation];
    return fitting[Math.min(used, fitting.length - 1)]?.deeds ?? usual ?? '404 {}';
  }
}

const isForAll = ({ about }: Answer) => about === null;
const LINE = /^(\S+)(?: +([^→]+?))? *→ *(.*)$/;
const ANSWER = /^(?:(SIG\w+) )?(\d{3}|cut|silence)((?: [\w-]+: (?:"[^"]*"|\S+))*)(?: (.*))?$/;
const HEADER = / ([\w-]+): (?:"([^"]*)"|(\S+))/g;

function paramOf(body: string, name: string): string | null {
  if (body.startsWith('{')) return (JSON.parse(body) as Record<string, string>)[name] ?? null;
  return new URLSearchParams(body).get(name);
}
