import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import pg from 'pg';
import { Fault } from '../../domain/faults.ts';
import { isConnectionLost, outageOf, queryError } from './outages.ts';

/** A port that nobody listens at. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('it works'),
    (error: unknown) => error,
  );
}

describe('an error of a statement', () => {
  it('is an outage where the network or the connection fails', async () => {
    const port = await closedPort();
    const refused = await failureOf(once(connect(port, '127.0.0.1'), 'connect'));
    const unknown = await failureOf(lookup('no-such-host.invalid'));
    const client = new pg.Client({ host: '127.0.0.1', port });
    const unreached = await failureOf(client.connect());
    const pool = new pg.Pool();
    await pool.end();
    const ended = await failureOf(pool.connect());
    const terminated = new Error('Connection terminated unexpectedly');
    const closed = new Error('Client was closed and is not queryable');
    const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    for (const error of [refused, unknown, unreached, ended, terminated, closed, expired]) {
      assert.equal(outageOf(error), 'it cannot be reached', String(error));
      assert.equal(isConnectionLost(error), true, String(error));
      const fault = queryError(error);
      assert.ok(fault instanceof Fault && fault.status === 503);
    }
  });

  it('is an outage where no answer comes in time', () => {
    for (const message of [
      'Query read timeout',
      'timeout expired',
      'timeout exceeded when trying to connect',
      'Connection terminated due to connection timeout',
    ]) {
      assert.equal(outageOf(new Error(message)), 'it takes too long to answer');
      assert.equal(isConnectionLost(new Error(message)), true);
    }
  });

  it('stays as it is, and is not tried again, where this program is at fault', () => {
    const tooLong = () => 'x'.repeat(2 ** 29 - 24).concat('x');
    assert.throws(tooLong, (error: unknown) => queryError(error) === error && !isConnectionLost(error));
    const outOfRange = () => Buffer.alloc(4).writeUInt16BE(2 ** 16);
    assert.throws(outOfRange, (error: unknown) => queryError(error) === error && !isConnectionLost(error));
    for (const error of [new TypeError('x is not a function'), new Error('the search has a timeout of 0')])
      assert.ok(queryError(error) === error && !isConnectionLost(error), error.message);
  });
});
