// A fake language model endpoint on loopback, for tests.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Reply = (
  response: ServerResponse,
  request: IncomingMessage,
  body: string,
) => void | Promise<void>;

export interface FakeModel {
  readonly baseUrl: string;
  readonly bodies: readonly string[];
  reply: Reply;
  close(): Promise<void>;
}

export async function fakeModel(): Promise<FakeModel> {
  const bodies: string[] = [];
  const model = { reply: (() => {}) as Reply };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    bodies.push(body);
    await model.reply(response, request, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(model, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** The events of a stream that delivers these texts. */
export function eventsOf(texts: readonly string[], finish: string | null = 'stop'): string {
  const deltas = texts.map((content) => ({ choices: [{ delta: { content }, finish_reason: null }] }));
  const end = finish === null ? [] : [{ choices: [{ delta: {}, finish_reason: finish }] }];
  return [...deltas, ...end].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
}

/** Streams a text in pieces that split events and characters at arbitrary bytes. */
export function inBytes(text: string): Reply {
  return (response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    response.end();
  };
}
