import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** A statement as it arrived, with the name under which it was prepared. */
export interface AskedStatement {
  readonly text: string;
  readonly values: readonly (string | null)[];
  readonly name: string;
}

type Row = Readonly<Record<string, string | number | boolean | null>>;

/** A refusal of the server, with its SQLSTATE. */
export class Refusal extends Error {
  readonly state: string;

  constructor(state: string, message: string) {
    super(message);
    this.state = state;
  }
}

/** What the server answers to a statement: rows, a refusal, or nothing at all. */
type Answer = readonly Row[] | Refusal | 'silence';

interface Script {
  /** Answers the statements that are not the greeting of a new connection. By default each has no rows. */
  answer: (asked: AskedStatement, connection: ScriptedConnection) => Answer | Promise<Answer>;
  /** The process that serves a connection at the moment. By default each connection has a process of its own. */
  pidOf: (connection: ScriptedConnection) => number;
  /** Whether a connection that was let in is answered its first question, which process it is. */
  isDumb: boolean;
  /** The server's timeline, or null for a standby. */
  timeline: number | null;
  readOnly: boolean;
  /** Whether a connection is answered at all. */
  isSilent: boolean;
  /** Whether a login needs a password, and which one is right; null: no login needs one. */
  password: string | null;
  /** Whether the server ends a connection when its client says goodbye. */
  endsConnections: boolean;
}

/**
 * A server that speaks the protocol of PostgreSQL and has no database: a script answers each statement. It shows what a
 * client does with servers that are hard to come by, such as one that is silent or on an older timeline.
 */
export class ScriptedPostgres {
  readonly script: Script = {
    answer: () => [],
    pidOf: ({ pid }) => pid,
    timeline: 1,
    readOnly: false,
    isDumb: false,
    isSilent: false,
    password: null,
    endsConnections: true,
  };
  /** All connections so far, in their order. */
  readonly connections: ScriptedConnection[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.connections.push(new ScriptedConnection(socket, this.connections.length + 1, this.script));
    });
  }

  static async start(script: Partial<Script> = {}): Promise<ScriptedPostgres> {
    const server = new ScriptedPostgres();
    Object.assign(server.script, script);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `postgres://owner@${this.place}/leads`;
  }

  /** Number of questions of new connections, which process they are, that have arrived. */
  get greeted(): number {
    return this.connections.reduce((sum, { greetings }) => sum + greetings, 0);
  }

  get open(): readonly ScriptedConnection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  /** The statements of all connections but those that greet, in the order of the connections. */
  get asked(): readonly AskedStatement[] {
    return this.connections.flatMap(({ asked }) => asked);
  }

  async end(): Promise<void> {
    for (const { cut } of this.connections) cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Waits until something is so, without a timer, since a test may have replaced the timers. */
export async function until(isSo: () => boolean): Promise<void> {
  const startedMs = performance.now();
  while (!isSo()) {
    await setImmediate();
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`It was not so in time: ${isSo}`);
  }
}

const PATIENCE_MS = 30_000;

const SSL_REQUEST = 80_877_103;
const TALK_MS = 2_500;

export class ScriptedConnection {
  /** The process that is announced to the client. */
  readonly pid: number;
  readonly asked: AskedStatement[] = [];
  /** The settings that the client sent with its login. */
  settings: Readonly<Record<string, string>> = {};
  isOpen = true;
  greetings = 0;
  readonly #socket: Socket;
  readonly #script: Script;
  readonly #prepared = new Map<string, string>();
  #bytes: Buffer = Buffer.alloc(0);
  #hasStarted = false;
  /** What the client has sent of a statement with values. */
  #bound: AskedStatement | null = null;
  #wasParsed = false;
  #answering: Promise<void> = Promise.resolve();

  constructor(socket: Socket, pid: number, script: Script) {
    this.pid = pid;
    this.#socket = socket;
    this.#script = script;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => {});
    socket.on('end', () => {
      if (script.endsConnections) {
        socket.end();
        return;
      }
      // By what it still says now and then the server learns whether the client only says no more, or is gone.
      const talking = setInterval(() => this.#write(message('S', text('TimeZone'), text('UTC'))), TALK_MS).unref();
      socket.on('close', () => clearInterval(talking));
    });
    socket.on('close', () => {
      this.isOpen = false;
    });
  }

  /** Ends the connection without a word. */
  readonly cut = (): void => {
    this.#socket.destroy();
  };

  /** Tells the client of an alarm on a channel. */
  notify(channel: string, payload: string): void {
    this.#write(message('A', int32(this.pid), text(channel), text(payload)));
  }

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const head = this.#hasStarted ? 1 : 0;
      if (this.#bytes.length < head + 4) return;
      const end = head + this.#bytes.readInt32BE(head);
      if (this.#bytes.length < end) return;
      const type = head === 0 ? '' : String.fromCharCode(this.#bytes[0] ?? 0);
      const body = this.#bytes.subarray(head + 4, end);
      this.#bytes = this.#bytes.subarray(end);
      this.#answering = this.#answering.then(() => this.#take(type, body));
      if (type === '' && body.readInt32BE(0) !== SSL_REQUEST) this.#hasStarted = true;
    }
  }

  async #take(type: string, body: Buffer): Promise<void> {
    if (this.#script.isSilent) return;
    if (type === '') return this.#greet(body);
    const reader = new Reader(body);
    if (type === 'p') return this.#logIn(reader.text());
    if (type === 'Q') return this.#tell({ text: reader.text(), values: [], name: '' }, []);
    if (type === 'P') {
      this.#prepared.set(reader.text(), reader.text());
      this.#wasParsed = true;
    }
    if (type === 'B') {
      reader.text();
      const name = reader.text();
      reader.skip(2 * reader.int16());
      this.#bound = { name, text: this.#prepared.get(name) ?? '', values: reader.values() };
    }
    if (type !== 'S' || this.#bound === null) return;
    const asked = this.#bound;
    const heads = [...(this.#wasParsed ? [message('1')] : []), message('2')];
    [this.#bound, this.#wasParsed] = [null, false];
    return this.#tell(asked, heads);
  }

  #greet(body: Buffer): void {
    if (body.readInt32BE(0) === SSL_REQUEST) {
      this.#write(Buffer.from('N'));
      return;
    }
    const words = body.subarray(4).toString('utf8').split('\0');
    this.settings = Object.fromEntries(
      words.flatMap((word, at) => (at % 2 === 0 && word !== '' ? [[word, words[at + 1] ?? '']] : [])),
    );
    if (this.#script.password === null) this.#welcome();
    else this.#write(message('R', int32(3)));
  }

  #logIn(password: string): void {
    if (password === this.#script.password) {
      this.#welcome();
      return;
    }
    this.#write(refused(new Refusal('28P01', 'the words of the server')));
    if (this.#script.endsConnections) this.#socket.end();
  }

  #welcome(): void {
    this.#write(Buffer.concat([message('R', int32(0)), message('K', int32(this.pid), int32(0)), READY]));
  }

  async #tell(asked: AskedStatement, heads: readonly Buffer[]): Promise<void> {
    const isGreeting = asked.text.startsWith('select pg_backend_pid()');
    if (isGreeting) this.greetings += 1;
    else this.asked.push(asked);
    if (isGreeting && this.#script.isDumb) return;
    const answer = isGreeting ? [this.#greeting()] : await this.#script.answer(asked, this);
    if (answer === 'silence') return;
    if (answer instanceof Refusal) return this.#write(Buffer.concat([refused(answer), READY]));
    this.#write(Buffer.concat([...heads, ...told(answer), message('C', text('SELECT')), READY]));
  }

  #greeting(): Row {
    const { timeline, readOnly, pidOf } = this.#script;
    return { pid: pidOf(this), read_only: readOnly, timeline };
  }

  #write(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const found = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return found;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  skip(count: number): void {
    this.#at += count;
  }

  values(): (string | null)[] {
    return Array.from({ length: this.int16() }, () => {
      const length = this.#bytes.readInt32BE(this.#at);
      this.#at += 4;
      if (length < 0) return null;
      this.#at += length;
      return this.#bytes.toString('utf8', this.#at - length, this.#at);
    });
  }
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

const text = (words: string): Buffer => Buffer.from(`${words}\0`);

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

function int16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(number);
  return bytes;
}

const READY = message('Z', Buffer.from('I'));

function refused({ state, message: words }: Refusal): Buffer {
  return message('E', text('SERROR'), text(`C${state}`), text(`M${words}`), Buffer.alloc(1));
}

/** The types of PostgreSQL as which the values of a row are told: boolean, float8 and text. */
const TYPES = { boolean: 16, number: 701, string: 25 } as const;

function told(rows: readonly Row[]): Buffer[] {
  const [first] = rows;
  if (!first) return [];
  const names = Object.keys(first);
  const columns = names.map((name) => {
    const given = rows.map((row) => row[name]).find((value) => value !== null && value !== undefined);
    const type = TYPES[typeof given as keyof typeof TYPES] ?? TYPES.string;
    return Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]);
  });
  return [
    message('T', int16(names.length), ...columns),
    ...rows.map((row) => message('D', int16(names.length), ...names.map((name) => cell(row[name])))),
  ];
}

function cell(value: Row[string] | undefined): Buffer {
  if (value === null || value === undefined) return int32(-1);
  const bytes = Buffer.from(typeof value === 'boolean' ? (value ? 't' : 'f') : String(value));
  return Buffer.concat([int32(bytes.length), bytes]);
}
