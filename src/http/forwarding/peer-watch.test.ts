// What is a sign that a node cannot be reached, and what is none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { HANG_MS } from '../../platform/testing/until.ts';
import { isUnreachable, PeerWatch } from './peer-watch.ts';

/** More than fail in a row before a node is given up. */
const PROBES = 5;

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Resolves when some probes have found the node there; rejects when it is given up. */
function watch(test: Pick<TestContext, 'after'>, address: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let found = 0;
  const watch = new PeerWatch({
    address,
    pauseMs: 1,
    probeMs: HANG_MS,
    isAsked: () => {
      if (++found === PROBES) resolve();
      return true;
    },
    onUnreachable: () => reject(new Error('the node is given up')),
  });
  test.after(() => watch.end());
  watch.begin();
  return promise;
}

describe('the watch over a node that is asked something', { timeout: HANG_MS }, () => {
  it('leaves alone the calls of a node that stops, and takes no more connections', async (test) => {
    const node = createServer();
    test.after(() => node.closeAllConnections());
    const address = await listen(node);
    const arrival = once(node, 'request');
    const asked = fetch(address);
    const [, answering] = (await arrival) as [unknown, ServerResponse];
    answering.write('the first piece');
    const answer = await asked;
    node.close();
    await watch(test, address);
    answering.end(' and the last');
    assert.equal(await answer.text(), 'the first piece and the last');
  });

  it('takes a node for reachable that has too many connections to take another', async (test) => {
    let ended = 0;
    const node = createTcpServer((socket) => {
      ended++;
      socket.destroy();
    });
    test.after(() => node.close());
    await watch(test, await listen(node));
    assert.ok(ended >= PROBES);
  });

  it('takes only what says that no way leads to any address of a node for a sign', () => {
    const withCode = (code: string) => Object.assign(new Error(code), { code });
    const [refused, noRoute, late] = ['ECONNREFUSED', 'ENETUNREACH', 'ETIMEDOUT'].map(withCode);
    for (const error of [noRoute, late, withCode('EHOSTUNREACH'), new AggregateError([noRoute, late])])
      assert.ok(isUnreachable(error), String(error));
    const others = ['ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE', 'DEPTH_ZERO_SELF_SIGNED_CERT'];
    for (const error of [refused, ...others.map(withCode), new AggregateError([noRoute, refused])])
      assert.ok(!isUnreachable(error), String(error));
  });
});
