// Serves the thread that started this one.
import { parentPort } from 'node:worker_threads';
import { ChannelServer, type Handlers, type ServerOptions } from './channel-server.ts';
import { portEndpoint } from './endpoint.ts';
import type { MethodMap } from './methods.ts';
import { forwardWarnings } from './warnings.ts';
import { type ServerMessage, WARNING } from './wire.ts';

/**
 * For the entry of a worker thread, which ends by itself when the channel is closed. Its warnings become warnings of the
 * thread that started it. @throws in the main thread
 */
export function serveParent<Methods extends MethodMap<Methods>, Received = never, Sent = never>(
  handlers: Handlers<Methods>,
  options: ServerOptions<Received> = {},
): ChannelServer<Methods, Received, Sent> {
  if (parentPort === null) throw new Error('this file is the entry of a worker thread');
  const endpoint = portEndpoint(parentPort);
  forwardWarnings((warning) => endpoint.post([WARNING, warning] satisfies ServerMessage));
  return new ChannelServer<Methods, Received, Sent>(endpoint, handlers, options);
}
