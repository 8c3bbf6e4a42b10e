// An address that is moved from one server to another, as a virtual IP or a proxy before a database cluster is.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export class MovingAddress {
  readonly #server = createServer((client) => this.#accept(client));
  readonly #sockets = new Set<Socket>();
  #port: number | null = null;
  #isSilent = false;

  /** Leads to the server of a URL from now on, and breaks the connections to the one before. */
  moveTo(url: string | null): void {
    this.#port = url === null ? null : Number(new URL(url).port);
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing arrives any more, on either side, and nobody is told; until it is moved. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Nothing arrives any more over the connections that are open, and nobody is told; others can be opened. */
  freeze(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was frozen goes on. */
  thaw(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  /** The URL by way of this address. */
  async through(url: string): Promise<string> {
    if (!this.#server.listening) await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The port is unknown.');
    const moved = new URL(url);
    moved.port = String(address.port);
    return moved.href;
  }

  async close(): Promise<void> {
    this.moveTo(null);
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#port === null) {
      client.destroy();
      return;
    }
    if (this.#isSilent) {
      this.#sockets.add(client.pause());
      client.on('error', () => client.destroy());
      client.on('close', () => this.#sockets.delete(client));
      return;
    }
    const server = connect(this.#port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
