// The time for a connection bounds nothing else: an answer over one that is made already may take as long as it likes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { selfSigned } from '../http/testing/self-signed.ts';
import { boundConnecting } from './bound-connecting.ts';
import { HANG_MS } from './testing/until.ts';

const CONNECT_MS = 3_000;

for (const scheme of ['http', 'https'] as const)
  test(`lets the answer to a request that waited for a connection of others take long, by ${scheme}`, {
    timeout: HANG_MS,
  }, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const isEncrypted = scheme === 'https';
    const tls = selfSigned();
    const server = isEncrypted ? createHttpsServer(tls) : createServer();
    const options = { keepAlive: true, maxSockets: 1 };
    const agent = isEncrypted ? new HttpsAgent({ ...options, ca: tls.cert }) : new HttpAgent(options);
    context.after(() => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    });
    let connections = 0;
    server.on(isEncrypted ? 'secureConnection' : 'connection', () => connections++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = () => {
      const send = isEncrypted ? httpsRequest : httpRequest;
      const sent = send({ host: '127.0.0.1', port, agent });
      boundConnecting(sent, CONNECT_MS);
      sent.end();
      return once(sent, 'response') as Promise<[IncomingMessage]>;
    };
    const nextArrival = () => once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;

    const arrival = nextArrival();
    const asked = ask();
    const [, answering] = await arrival;
    const laterArrival = nextArrival();
    const laterAsked = ask();
    answering.end();
    const [answer] = await asked;
    answer.resume();
    const [, laterAnswering] = await laterArrival;
    laterAnswering.write('the first piece');
    const [laterAnswer] = await laterAsked;
    context.mock.timers.tick(CONNECT_MS);
    laterAnswering.end(' and the last');
    assert.equal(await text(laterAnswer), 'the first piece and the last');
    assert.equal(connections, 1);
  });
