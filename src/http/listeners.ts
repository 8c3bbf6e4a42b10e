// The listening sockets: one per port, with one connection handler and one bound on open connections.
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** Connections that the kernel may queue before they are accepted. */
const BACKLOG = 1_024;
/** Turns of the event loop without a new connection after which none waits. The first may begin after its look at the ports. */
const TURNS_QUIET = 2;

export interface ListenersOptions {
  /** The address to listen on. */
  readonly bind: string;
  /** Over all ports. */
  readonly connectionsMax: number;
  readonly onConnection: (socket: Socket) => void;
  /** Called for each connection refused because there are too many. */
  readonly onRefused: () => void;
}

export class Listeners {
  readonly #options: ListenersOptions;
  readonly #servers = new Map<number, Server>();
  readonly #sockets = new Set<Socket>();
  /** Connections accepted since the start. */
  #accepted = 0;

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /**
   * Listens on a port; 0 picks a free one. Resolves to the bound port.
   * @throws Error with code EADDRINUSE when another process has the port
   */
  async open(port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#take(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: this.#options.bind, backlog: BACKLOG }, resolve);
    });
    const address = server.address();
    const bound = typeof address === 'object' && address !== null ? address.port : port;
    this.#servers.set(bound, server);
    return bound;
  }

  /** Frees the port at once; its open connections stay. Does nothing if the port is not open. */
  close(port: number): void {
    this.#servers.get(port)?.close();
    this.#servers.delete(port);
  }

  /** Closes every port, after it has accepted the connections that wait in the kernel, which closing would reset. */
  async closeAll(): Promise<void> {
    let quiet = 0;
    for (let turn = 0; quiet < TURNS_QUIET && turn < BACKLOG; turn++) {
      const before = this.#accepted;
      await eventLoopTurn();
      quiet = this.#accepted === before ? quiet + 1 : 0;
    }
    for (const port of [...this.#servers.keys()]) this.close(port);
  }

  /** Destroys every connection, running requests included. */
  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#accepted++;
    if (this.#sockets.size >= this.#options.connectionsMax) {
      socket.destroy();
      this.#options.onRefused();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#options.onConnection(socket);
  }
}
