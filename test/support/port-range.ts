// A range of ports that no other test file on this machine uses at the same time.
import { createServer, type Server } from 'node:net';

/** Below the ports that systems hand out by themselves, above those of well-known services. */
const FIRST = 21_000;
const RANGES = 250;
const PORTS_PER_RANGE = 40;

export interface ClaimedPorts {
  /** Both ends included. */
  readonly first: number;
  readonly last: number;
  release(): void;
}

/** Claims a range by listening on the port before it for as long as the range is used. */
export async function claimPorts(): Promise<ClaimedPorts> {
  const start = Math.floor(Math.random() * RANGES);
  for (let i = 0; i < RANGES; i++) {
    const lock = FIRST + ((start + i) % RANGES) * PORTS_PER_RANGE;
    const server = await listen(lock);
    if (server === undefined) continue;
    return { first: lock + 1, last: lock + PORTS_PER_RANGE - 1, release: () => server.close() };
  }
  throw new Error('every port range is claimed');
}

/** Listens on a local port; undefined when another process has it. */
export function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
    server.unref();
  });
}
