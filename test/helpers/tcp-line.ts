import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP connection from a port of 127.0.0.1 to another one, which can be made to fail in all ways in which connections
 * fail.
 */
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

  /** Connects to another port from now on. Open connections are not changed. */
  lead(to: number): void {
    this.#to = to;
  }

  /** Ends all open connections, like a router that is restarted. */
  cut(): void {
    for (const end of this.#ends) end.destroy();
  }

  /**
   * Transfers nothing more on open connections and answers no new ones, like a machine without power. Neither end is
   * notified.
   */
  silence(): void {
    this.#isSilent = true;
    for (const end of this.#ends) end.pause();
  }

  /** Delivers what was held back, and transfers everything from now on. */
  flow(): void {
    this.#isSilent = false;
    for (const end of this.#ends) end.resume();
  }

  /**
   * Drops all open connections without notifying their ends, like a router that has lost its table. New connections
   * work.
   */
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
        // A machine without power does not announce its end.
        if (!this.#isSilent) other.destroy();
      });
      if (this.#isSilent) end.pause();
    }
  }
}
