// An HTTP proxy that connects the public service's host names to this server, for addresses that clients do not let change.
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface Proxy {
  readonly url: string;
  close(): void;
}

/** Splices `CONNECT NAME.pinecone.io` to the port, which must speak TLS, and refuses all else. */
export async function openProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(403).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url = '' }, socket: Socket) => {
    if (!/\.pinecone\.io:443$/.test(url)) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    sockets.add(target);
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${own}`, close };
}
