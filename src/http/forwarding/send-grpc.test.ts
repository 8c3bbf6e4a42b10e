// What both sides of a passed-on gRPC call are told when it is cut off.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { whenClosed } from '../client-gone.ts';
import { sendGrpc } from './send-grpc.ts';
import type { Passing } from './send-http.ts';

const ANSWER_MS = 10_000;

async function addressOf(server: Http2Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a gRPC call that is cut off in the middle of its answer', () => {
  let ending: AbortController;
  let sent: ClientHttp2Stream;
  let answering: ServerHttp2Stream;
  let close: () => void;

  beforeEach(async () => {
    ending = new AbortController();
    const node = createServer((_, response) => {
      answering = response.stream;
      answering.on('error', () => undefined);
      response.write('a piece');
    });
    const toNode = connect(await addressOf(node));
    const server = createServer((raw, response) => {
      whenClosed(response, () => ending.abort(new Error('the client is gone')));
      const request = { raw, headers: raw.headers };
      const passing = { request, reply: { raw: response }, path: '/', headers: {}, answerMs: ANSWER_MS };
      void sendGrpc(passing as unknown as Passing, toNode, ending.signal);
    });
    const toServer = connect(await addressOf(server));
    sent = toServer.request({ ':method': 'POST', ':path': '/' }).on('error', () => undefined);
    await once(sent, 'data');
    close = () => {
      for (const session of [toServer, toNode]) session.destroy();
      for (const each of [server, node]) each.close();
    };
  });
  afterEach(() => close());

  it('does not tell the client that it has cancelled what it has not', async () => {
    ending.abort(new Error('the node is gone'));
    await until(() => sent.closed, 'the end of the call');
    assert.equal(sent.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
  });

  it('is cancelled at the node where the client has gone', async () => {
    sent.close(constants.NGHTTP2_CANCEL);
    await until(() => answering.closed, 'the end at the node');
    assert.equal(answering.rstCode, constants.NGHTTP2_CANCEL);
  });
});
