import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP line from a port of 127.0.0.1 to another one, to which everything can happen that happens to lines. */
export class TcpLine {
  readonly #server: Server;
  readonly #ends = new Set<Socket>();
  #to: number;
  #isSilent = false;

  private constructor(to: number) {
    this.#to = to;
    this.#server = createServer((near) => this.#join(near));
  }

  static async to(port: number): Promise<TcpLine> {
    const line = new TcpLine(port);
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on leads to another port. What is open stays where it is. */
  lead(to: number): void {
    this.#to = to;
  }

  /** Ends everything that is open, as a router does that is restarted. */
  cut(): void {
    for (const end of this.#ends) end.destroy();
  }

  /** Says nothing more on what is open, and answers nothing new, as a machine without power; nobody is told. */
  silence(): void {
    this.#isSilent = true;
    for (const end of this.#ends) end.pause();
  }

  /** Delivers what was held up, and all that comes. */
  flow(): void {
    this.#isSilent = false;
    for (const end of this.#ends) end.resume();
  }

  /** Forgets what is open, as a router does that has lost its table: nobody is told, and what is new is served. */
  swallow(): void {
    for (const end of this.#ends) {
      end.removeAllListeners('data');
      end.resume();
    }
  }

  async end(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #join(near: Socket): void {
    const far = connect(this.#to, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(end);
      if (this.#isSilent) end.pause();
      end.on('data', (bytes: Buffer) => other.write(bytes));
      end.on('error', () => {});
      end.on('close', () => {
        this.#ends.delete(end);
        // A machine without power does not say that it has gone.
        if (!this.#isSilent) other.destroy();
      });
      if (this.#isSilent) end.pause();
    }
  }
}
