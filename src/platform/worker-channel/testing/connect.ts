// A channel over the two ports of a MessageChannel, for tests.
import type { TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Channel, type ChannelOptions } from '../channel.ts';
import { ChannelServer, type Handlers, type ServerOptions } from '../channel-server.ts';
import { portEndpoint } from '../endpoint.ts';
import type { MethodMap } from '../methods.ts';

export interface Options<Received, Sent> {
  readonly caller?: Partial<ChannelOptions<Received>>;
  readonly server?: ServerOptions<Sent>;
}

/** Both sides in this thread; they close with the test. */
export function connect<Methods extends MethodMap<Methods>, Received = never, Sent = never>(
  test: TestContext,
  handlers: Handlers<Methods>,
  { caller = {}, server = {} }: Options<Received, Sent> = {},
) {
  const { port1, port2 } = new MessageChannel();
  test.after(() => port1.close());
  return {
    channel: new Channel<Methods, Received, Sent>(portEndpoint(port1), { name: 'the fixture', ...caller }),
    server: new ChannelServer<Methods, Sent, Received>(portEndpoint(port2), handlers, server),
    /** The port of the serving side. */
    port: port2,
  };
}
