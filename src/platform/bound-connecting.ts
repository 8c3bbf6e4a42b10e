// Ends a request whose connection is not made in time: the system alone would try for minutes.
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The request fails with an error where its connection, encryption included, takes longer than `connectMs`. */
export function boundConnecting(sent: ClientRequest, connectMs: number): void {
  sent.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    // `sent.reusedSocket` does not tell it of a request that waited until another was done with the connection.
    if (!socket.connecting && socket.secureConnecting !== true) return;
    const late = setTimeout(() => sent.destroy(new Error(`no connection within ${connectMs} ms`)), connectMs);
    late.unref();
    const clear = () => clearTimeout(late);
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', clear);
    sent.once('close', clear);
  });
}
